#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Checks the types of the page's TypeScript, and its size of at most 4200 lines:
#   types.sh SOURCE MODULES

set -eu

source=$1 modules=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -R "$source/src" "$source/tsconfig.json" "$scratch/"
ln -s "$modules" "$scratch/node_modules"
node "$modules/typescript/bin/tsc" -p "$scratch"
lines=$(cat "$source"/src/* | wc -l)
echo "$lines lines"
test "$lines" -le 4200

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Writes package/debian/*.symbols anew: the symbols that the libraries of a build export, by which Debian tells
# which version a program needs. For a release, and whenever .ci/long says that a symbol is not listed.
#
#   sh package/symbols.sh BUILD_DIRECTORY
#
# A symbol that is listed keeps its version; one that has gone is an error after the first release (docs/abi.md).

set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
build=$1
version=$(sed -n "s/^ *version: '\(.*\)',/\1/p" "$root/meson.build" | head -n 1)

# symbols LIBRARY PACKAGE
symbols() {
    library=$(find "$build" -name "$1.so.*.*" -type f ! -path '*.p/*' | head -n 1)
    file=$root/package/debian/$2.symbols
    touch "$file"
    {
        echo "$1.so.0 $2 #MINVER#"
        nm -D --defined-only "$library" | awk '{ print $NF }' | LC_ALL=C sort | while read -r symbol; do
            listed=$(sed -n "s/^ $symbol@Base //p" "$file")
            echo " $symbol@Base ${listed:-$version}"
        done
    } >"$file.new"
    mv "$file.new" "$file"
}

symbols libtandem libtandem0
symbols libtandem-simulation libtandem-simulation0

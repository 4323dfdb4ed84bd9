#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Writes the C source that embeds the page:  embed.sh TEMPLATE PAGE OUTPUT
# The checksum changes the source when the page changes, so that it is compiled again.

set -eu

page=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
sed -e "s|@checksum@|$(cksum <"$page" | tr ' ' '-')|" -e "s|@path@|$page|" "$1" >"$3"

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The C source that has the page in it:  embed.sh TEMPLATE PAGE OUTPUT
# The checksum makes it another source where the page is another one.

set -eu

page=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
sed -e "s|@checksum@|$(cksum <"$page" | tr ' ' '-')|" -e "s|@path@|$page|" "$1" >"$3"

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Builds the Debian packages from this tree, changes that are not committed included, in a copy of it with
# package/debian/ at its top:
#
#   sh package/build-deb.sh [DIRECTORY]    the packages go to DIRECTORY, build-deb/ without one
#
# Takes what package/debian/control names as Build-Depends, and dpkg-dev. A page of tandem view that is in
# view/page.html, as a release has it, or was built in build/ goes in; else there is none.
# Options for dpkg-buildpackage: BUILDPACKAGE, "-us -uc" without.

set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
target=${1:-$root/build-deb}
mkdir -p "$target"
target=$(cd -- "$target" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

version=$(sed -n "s/^ *version: '\(.*\)',/\1/p" "$root/meson.build" | head -n 1)
packaged=$(sed -n '1s/.*(\(.*\)).*/\1/p' "$root/package/debian/changelog")
if [ "${packaged%-*}" != "$version" ]; then
    echo "package/debian/changelog has version $packaged, meson.build $version" >&2
    exit 1
fi

tree=$scratch/tandem-$version
mkdir "$tree"
cd "$root"
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files -z --cached --others --exclude-standard | tar --null --files-from=- --ignore-failed-read -cf - | tar -xf - -C "$tree"
else
    tar --exclude='./build*' --exclude=__pycache__ --exclude=node_modules -cf - . | tar -xf - -C "$tree"
fi
cp -R package/debian "$tree/debian"
cp package/abi/*.symbols "$tree/debian" # by which Debian tells which version a program needs
for page in view/page.html build/view/page.html; do
    if [ -f "$page" ] && [ ! -f "$tree/view/page.html" ]; then
        cp "$page" "$tree/view/page.html"
    fi
done

cd "$tree"
# its options are words
# shellcheck disable=SC2086
dpkg-buildpackage ${BUILDPACKAGE:--us -uc}
cp "$scratch"/tandem_* "$scratch"/*.deb "$target"
printf '%s\n' "$target"/*.deb

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Builds the Debian packages from this tree, including uncommitted changes, in a copy with
# package/debian/ at its top:
#
#   sh package/build-deb.sh [DIRECTORY]    writes the packages to DIRECTORY, by default build-deb/
#
# Needs dpkg-dev and the Build-Depends of package/debian/control. Takes the version from meson.build and addresses from
# docs/contact.md. Includes the page of tandem view if
# it is in view/page.html, as in a release, or in build/.
# BUILDPACKAGE: options for dpkg-buildpackage, by default "-us -uc".

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
# address NAME: the address of this name on docs/contact.md
address() {
    sed -n "s/^| $1 | \(.*\) |\$/\1/p" docs/contact.md
}
sed -i -e "s|@MAINTAINERS@|$(address maintainers)|" -e "s|@SITE@|$(address site)|" "$tree/debian/control" "$tree/debian/changelog"
cp package/abi/*.symbols "$tree/debian" # Debian derives the versions that programs need from these
for page in view/page.html build/view/page.html; do
    if [ -f "$page" ] && [ ! -f "$tree/view/page.html" ]; then
        cp "$page" "$tree/view/page.html"
    fi
done

cd "$tree"
# splits the options into words
# shellcheck disable=SC2086
dpkg-buildpackage ${BUILDPACKAGE:--us -uc}
cp "$scratch"/tandem_* "$scratch"/*.deb "$target"
printf '%s\n' "$target"/*.deb

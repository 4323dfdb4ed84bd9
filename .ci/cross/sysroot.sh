#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The packages of another architecture, unpacked in a folder: nothing of this machine changes, and it
# takes no rights of an administrator.
#
#   sysroot.sh ARCHITECTURE DIRECTORY PACKAGE...    as Debian names the architecture: arm64, s390x
#
# DIRECTORY/root has them with all that they depend on; DIRECTORY/sysroot.ini is a cross file with the
# constant sysroot, which goes beside that of the architecture. Fails where there is no apt-get or no
# package.

set -euo pipefail

architecture=$1
mkdir -p "$2"
directory=$(cd -- "$2" && pwd)
packages=("${@:3}")

# apt for a machine of that architecture on which nothing is installed
mkdir -p "$directory"/{root,lists/partial,cache/archives/partial}
: >"$directory/status"
options=(-qq -o APT::Architecture="$architecture" -o APT::Architectures="$architecture"
    -o Dir::State::Lists="$directory/lists" -o Dir::State::status="$directory/status"
    -o Dir::Cache="$directory/cache" -o APT::Sandbox::User= -o Debug::NoLocking=1
    -o APT::Install-Recommends=false)
apt-get "${options[@]}" update
apt-get "${options[@]}" --yes --download-only install "${packages[@]}" >/dev/null
for package in "$directory"/cache/archives/*.deb; do
    dpkg-deb -x "$package" "$directory/root"
done

# what links to the root of the file system means this one
find "$directory/root" -type l -lname '/*' -printf '%p\t%l\n' | while IFS=$'\t' read -r link target; do
    ln -srfn "$directory/root$target" "$link"
done
# of alternatives, which packages set up when they are installed: OpenBLAS
for flavour in "$directory"/root/usr/lib/*/openblas-*; do
    [ -d "$flavour" ] || continue
    ln -sf "$flavour"/libopenblas* "$flavour/.."
    ln -sf "$flavour"/pkgconfig/openblas.pc "$flavour/../pkgconfig"
done
printf "[constants]\nsysroot = '%s'\n" "$directory/root" >"$directory/sysroot.ini"

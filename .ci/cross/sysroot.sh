#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Unpacks packages of another architecture in a folder. Does not change this machine, and does not need
# root.
#
#   sysroot.sh ARCHITECTURE DIRECTORY PACKAGE...    as Debian names the architecture: arm64, s390x
#
# Unpacks them with their dependencies to DIRECTORY/root, and writes the cross file DIRECTORY/sysroot.ini
# with the constant sysroot, for use together with the architecture's cross file. Fails without apt-get
# or if a package is missing.

set -euo pipefail

architecture=$1
mkdir -p "$2"
directory=$(cd -- "$2" && pwd)
packages=("${@:3}")

# configures apt for an empty machine of that architecture
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

# redirects absolute symbolic links into this root
find "$directory/root" -type l -lname '/*' -printf '%p\t%l\n' | while IFS=$'\t' read -r link target; do
    ln -srfn "$directory/root$target" "$link"
done
# replaces the alternatives system, which is set up at installation: OpenBLAS
for flavour in "$directory"/root/usr/lib/*/openblas-*; do
    [ -d "$flavour" ] || continue
    ln -sf "$flavour"/libopenblas* "$flavour/.."
    ln -sf "$flavour"/pkgconfig/openblas.pc "$flavour/../pkgconfig"
done
printf "[constants]\nsysroot = '%s'\n" "$directory/root" >"$directory/sysroot.ini"

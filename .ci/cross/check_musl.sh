#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Builds Check, the test library, for musl from Debian's source.
#
#   check_musl.sh DIRECTORY
#
# Installs it to DIRECTORY/root, and writes the cross file DIRECTORY/sysroot.ini with the constant sysroot,
# for use together with musl.ini. Fails without musl-gcc, cmake or the source.

set -euo pipefail

mkdir -p "$1"
cd -- "$1"

# sources of this machine's release, even if its apt has no source entries
mkdir -p lists/partial
apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(ORIGIN)' 'Created-By: Packages' | sort -u |
    while read -r address release origin; do
        [ "$origin" != Debian ] || printf 'deb-src %s %s main\n' "$address" "$release"
    done >sources.list
options=(-qq -o Dir::State::Lists="$PWD/lists" -o Dir::Etc::sourcelist="$PWD/sources.list"
    -o Dir::Etc::sourceparts=/dev/null -o Dir::Cache="$PWD" -o APT::Sandbox::User=)
apt-get "${options[@]}" update
apt-get "${options[@]}" source --download-only check
mkdir source
tar -x -f check_*.orig.tar.* -C source --strip-components=1

cmake -S source -B build -DCMAKE_C_COMPILER=musl-gcc -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF \
    -DCHECK_ENABLE_TESTS=OFF -DCHECK_ENABLE_SUBUNIT=OFF -DINSTALL_CHECKMK=OFF \
    -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR=lib >log
cmake --build build --target check >>log
mkdir -p root/usr/lib/pkgconfig root/usr/include
cp build/src/libcheck.a root/usr/lib
cp build/check.pc root/usr/lib/pkgconfig
cp build/check_stdint.h build/src/check.h root/usr/include
# headers of Linux, which belong to no C library, and which musl-gcc does not search
mkdir root/linux
ln -s /usr/include/linux /usr/include/asm-generic "/usr/include/$(gcc -print-multiarch)/asm" root/linux
printf "[constants]\nsysroot = '%s'\n" "$PWD/root" >sysroot.ini

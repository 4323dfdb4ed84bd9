#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Builds the wheel for all Linux systems with the C library of Debian 11 or a later one, and checks it:
#
#   sh package/build-wheel.sh [DIRECTORY]           in a fresh Debian 11, which debootstrap makes as root
#   sh package/build-wheel.sh --here [DIRECTORY]    on this system, whose C library the wheel then needs
#
# The wheel goes to DIRECTORY, by default build-wheel/. The libraries that tandem needs are built from Debian's source
# packages (LIBRARIES, from the release SOURCES), linked statically, and their licenses are in the wheel. The page of
# tandem view is that of a release, or of build/. "--here" needs gcc, make, meson, ninja, pkg-config, dpkg-dev, python3-dev,
# python3-cffi, python3-numpy, and deb-src lines in the sources of apt. Environment, as in .ci/long: DEBIAN_MIRROR,
# DEBIAN_SETUP; WHEEL_RELEASE, another Debian to build in; WHEEL_OPTIONS, words for "meson setup".

set -eu

LIBRARIES='libxml2 libyaml cjson zlib'
SOURCES=bookworm

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
here=no
if [ "${1-}" = --here ]; then
    here=yes
    shift
fi
target=${1:-$root/build-wheel}
mkdir -p "$target"
target=$(cd -- "$target" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf --one-file-system "$scratch"' EXIT
page=
for file in build/view/page.html view/page.html; do
    [ ! -f "$root/$file" ] || page=$root/$file
done
[ -n "$page" ] || {
    echo "build-wheel.sh: there is no page in build/view/page.html: build it (docs/building.md)" >&2
    exit 1
}

# copy_tree PLACE: the tree, including uncommitted changes, with the page
copy_tree() {
    mkdir -p "$1"
    if git -C "$root" rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        (cd "$root" && git ls-files -z --cached --others --exclude-standard | tar --null --files-from=- --ignore-failed-read -cf -) |
            tar -xf - --no-same-owner -C "$1"
    else
        (cd "$root" && tar --exclude='./build*' -cf - .) | tar -xf - --no-same-owner -C "$1"
    fi
    cp "$page" "$1/view/page.html"
}

# ---- in a fresh system ---------------------------------------------------------------------------

if [ "$here" = no ]; then
    release=${WHEEL_RELEASE:-bullseye}
    mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
    system=$scratch/system
    unshare --mount --propagation private debootstrap --variant=minbase "$release" "$system" "$mirror" >"$scratch/log" 2>&1 || {
        tail -n 3 "$scratch/log"
        exit 1
    }
    cp /etc/resolv.conf "$system/etc/resolv.conf"
    ${DEBIAN_SETUP:-true} "$system"
    # meson, and the sources, are of a later release
    printf 'deb %s %s main\ndeb %s %s main\ndeb-src %s %s main\ndeb-src %s-security %s-security main\n' \
        "$mirror" "$release" "$mirror" "$SOURCES" "$mirror" "$SOURCES" "$mirror" "$SOURCES" >"$system/etc/apt/sources.list"
    printf 'Package: *\nPin: release n=%s*\nPin-Priority: 100\n' "$SOURCES" >"$system/etc/apt/preferences.d/later"
    copy_tree "$system/srv/tandem"
    cat >"$system/root/build" <<SCRIPT
set -eu
apt-get update -qq
apt-get install -y -qq --no-install-recommends gcc libc6-dev make meson/$SOURCES ninja-build pkg-config dpkg-dev \
    python3-dev python3-cffi python3-numpy >/root/log 2>&1 || { tail -n 20 /root/log; exit 1; }
cd /root && sh /srv/tandem/package/build-wheel.sh --here /root/wheel
SCRIPT
    unshare --mount --propagation private sh -c 'mount -t proc proc "$1/proc" && mount -t tmpfs tmpfs "$1/dev/shm" &&
        exec chroot "$1" /usr/bin/env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive WHEEL_OPTIONS="$2" \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin sh /root/build' \
        sh "$system" "${WHEEL_OPTIONS-}" </dev/null
    cp "$system"/root/wheel/*.whl "$target"
    exit 0
fi

# ---- on this system ------------------------------------------------------------------------------

# The libraries get sections of their own for each function, of which the linker keeps those that are called.
prefix=$scratch/prefix
flags='-O2 -fPIC -ffunction-sections -fdata-sections'
mkdir -p "$prefix/lib/pkgconfig" "$scratch/licenses"

# archive NAME LIBRARY FLAG...: compiles *.c of the folder into a static library with a file for pkg-config
archive() {
    name=$1 library=$2
    shift 2
    # splits flags into words
    # shellcheck disable=SC2086
    cc $flags "$@" -c ./*.c
    ar rcs "$prefix/lib/lib$library.a" ./*.o
    printf 'Name: %s\nDescription: %s\nVersion: %s\nLibs: -L%s -l%s\nCflags: -I%s\n' "$name" "$name" "$version" \
        "$prefix/lib" "$library" "$prefix/include" >"$prefix/lib/pkgconfig/$name.pc"
}

cd "$scratch"
for name in $LIBRARIES; do
    apt-get source -qq --only-source "$name" >"$scratch/$name.log" 2>&1 || {
        tail -n 5 "$scratch/$name.log"
        exit 1
    }
    folder=$(find . -maxdepth 1 -type d -name "$name-*")
    version=$(printf '%s' "${folder##*-}" | sed 's/[^0-9.].*//')
    cp "$folder/debian/copyright" "licenses/LICENSE.$name"
    echo "build-wheel.sh: $name $(sed -n '1s/.*(\(.*\)).*/\1/p' "$folder/debian/changelog")"
    (
        cd "$folder"
        case $name in
        libxml2) # the parser alone, with the calls of SAX 1 that urdf/xml.c uses: no zlib, lzma, ICU, network
            # Debian's patches are newer than generated files
            nothing='AUTOMAKE=: AUTOCONF=: ACLOCAL=: AUTOHEADER=:'
            # shellcheck disable=SC2086
            CFLAGS=$flags ./configure --prefix="$prefix" --disable-shared --with-pic --with-minimum --with-sax1 --with-threads --with-iconv &&
                make $nothing libxml2.la && make $nothing install-libLTLIBRARIES install-pkgconfigDATA &&
                make $nothing -C include install
            ;;
        zlib) CFLAGS=$flags ./configure --prefix="$prefix" --static && make libz.a && make install ;;
        cjson)
            mkdir -p "$prefix/include/cjson" && cp cJSON.h "$prefix/include/cjson" && rm -f cJSON_Utils.c test.c
            archive libcjson cjson
            ;;
        libyaml)
            cp include/yaml.h "$prefix/include" && cd src
            archive yaml-0.1 yaml -I../include -DYAML_VERSION_STRING="\"$version\"" -DYAML_VERSION_MAJOR=0 -DYAML_VERSION_MINOR=2 \
                -DYAML_VERSION_PATCH=5
            ;;
        esac
    ) >"$scratch/$name.log" 2>&1 || {
        tail -n 20 "$scratch/$name.log"
        exit 1
    }
done

glibc=$(getconf GNU_LIBC_VERSION | sed 's/glibc //; s/\./_/')
tree=$scratch/tree
copy_tree "$tree"
cd "$tree"
PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig PYTHONPATH=$tree/python python3 -c "
import backend, sys
backend.build_wheel(sys.argv[1], {'platform': 'manylinux_$glibc' + '_' + sys.argv[2], 'licenses': sys.argv[3],
                                  'setup-args': ['-Dtools=enabled', '-Dyaml=enabled', '-Dview=enabled', *sys.argv[4:]]})" \
    "$target" "$(uname -m)" "$scratch/licenses" ${WHEEL_OPTIONS-} >"$scratch/log" 2>&1 || {
    tail -n 40 "$scratch/log"
    exit 1
}
python3 package/check_wheel.py "$target"/tandem_dynamics-*.whl
# the command in it computes
python3 -m zipfile -e "$target"/tandem_dynamics-*.whl "$scratch/used"
python3 "$scratch/used/tandem/__main__.py" verify tandem:gripper tandem:stewart >"$scratch/log" || {
    cat "$scratch/log"
    exit 1
}

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Installs what is missing, builds tandem in build/, and runs it:
#
#   sh tools/scripts/bootstrap.sh demo      describe a bundled robot and compute its joint torques
#   sh tools/scripts/bootstrap.sh test      run all tests
#   sh tools/scripts/bootstrap.sh develop   install what .ci/run takes beside that; builds nothing
#
# Works from any directory and may be repeated. Packages are installed by apt-get only, as root or
# by sudo, and only if one is missing; other systems are told what is needed.

set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
build=$root/build
missing=

say() {
    printf 'bootstrap: %s\n' "$*" >&2
}

usage() {
    echo "usage: sh tools/scripts/bootstrap.sh demo|test|develop" >&2
    exit 2
}

# ---- what is missing ----------------------------------------------------------------------------

# need_command NAME PACKAGE...
need_command() {
    if ! command -v "$1" >/dev/null 2>&1; then
        shift
        missing="$missing $*"
    fi
}

# need_module PKG_CONFIG_NAME PACKAGE
need_module() {
    pkg-config --exists "$1" 2>/dev/null || missing="$missing $2"
}

# need_python MODULE PACKAGE: for the system's Python, whatever other one stands first in PATH
need_python() {
    /usr/bin/python3 -c "import $1" 2>/dev/null || missing="$missing $2"
}

# need_blas: any flavour of OpenBLAS will do. Where there is none it becomes the serial one: the
# others start threads in every process that is linked with tandem.
need_blas() {
    need_module openblas libopenblas-serial-dev
}

# need_page: what the page of tandem view is built with, and the browser that tests it
need_page() {
    need_command node nodejs
    need_command npm npm
    need_command clang clang
    need_command wasm-ld lld
    need_command wasm-opt binaryen
    need_command chromium chromium
    [ -d /usr/lib/wasm32-wasi ] || missing="$missing wasi-libc"
    version=$(clang -dumpversion 2>/dev/null | cut -d. -f1)
    find /usr/lib/llvm-*/lib/clang -name 'libclang_rt.builtins-wasm32.a' 2>/dev/null | grep -q . ||
        missing="$missing libclang-rt-${version:-14}-dev-wasm32"
}

# need_header FILE PACKAGE
need_header() {
    printf '#include <%s>\n' "$1" | ${CC:-cc} -E - >/dev/null 2>&1 || missing="$missing $2"
}

find_missing() {
    missing=
    need_command meson meson
    need_command ninja ninja-build
    compiler=${CC:-cc} # it may be "ccache gcc"
    need_command "${compiler%% *}" gcc libc6-dev
    need_command pkg-config pkg-config
    need_module libxml-2.0 libxml2-dev
    need_module yaml-0.1 libyaml-dev
    need_blas
    need_module libcjson libcjson-dev
    need_header csv.h libcsv-dev
    if [ "$1" != demo ]; then
        need_module check check
        need_python numpy python3-numpy
        need_python cffi python3-cffi
        need_python pytest python3-pytest
        need_python mesonpy python3-mesonpy
        need_python ensurepip python3-venv
        /usr/bin/python3 -c 'import sysconfig, os; os.stat(sysconfig.get_path("include") + "/Python.h")' 2>/dev/null ||
            missing="$missing python3-dev"
    fi
    if [ "$1" = develop ]; then
        need_command clang clang
        need_command clang-format clang-format
        need_command cmake cmake
        need_command valgrind valgrind
        need_command gnuplot gnuplot-nox
        need_python scipy python3-scipy
        need_python matplotlib python3-matplotlib
        need_python pandas python3-pandas
        need_command mypy mypy
        need_header cvode/cvode.h libsundials-dev
        need_header mujoco/mujoco.h libmujoco-dev
        need_page
    fi
    missing=${missing# }
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

install_missing() {
    find_missing "$1"
    if [ -z "$missing" ]; then
        return
    fi
    if ! command -v apt-get >/dev/null 2>&1; then
        say "this system has no apt-get; please install what these Debian packages hold: $missing"
        exit 1
    fi
    if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null 2>&1; then
        say "neither root nor sudo; please run as root: apt-get install $missing"
        exit 1
    fi
    say "installing: $missing"
    as_root apt-get update -qq || say "apt-get update failed; trying with the lists that are there"
    # the list is words, one a package
    # shellcheck disable=SC2086
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends $missing
    find_missing "$1"
    if [ -n "$missing" ]; then
        say "still missing after the installation: $missing"
        exit 1
    fi
}

# ---- build and run ------------------------------------------------------------------------------

# only the command; a build directory that has tests keeps them
build_command() {
    if [ -f "$build/build.ninja" ]; then
        meson setup --reconfigure "$build" "$root" -Dtools=enabled
    else
        meson setup "$build" "$root" -Dtools=enabled -Dtests=disabled
    fi
    ninja -C "$build" tools/tandem
}

build_all() {
    if [ -f "$build/build.ninja" ]; then
        meson setup --reconfigure "$build" "$root" -Dtools=enabled -Dtests=enabled
    else
        meson setup "$build" "$root" -Dtools=enabled -Dtests=enabled
    fi
    ninja -C "$build"
}

# run COMMAND...: shows the command, then runs it
run() {
    printf '\n$ %s\n' "$*"
    "$@"
}

demo() {
    cd "$root"
    run build/tools/tandem info urdf/robots/recupera_shoulder.urdf
    run build/tools/tandem id -q J_200_232=0.3 -q J_400_600=1.2 urdf/robots/recupera_shoulder.urdf
}

if [ $# -ne 1 ]; then
    usage
fi
case $1 in
demo)
    install_missing demo
    build_command >&2
    demo
    ;;
test)
    install_missing test
    build_all
    meson test -C "$build" --print-errorlogs
    ;;
develop)
    install_missing develop
    ;;
*)
    usage
    ;;
esac

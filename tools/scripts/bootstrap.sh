#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Installs what is missing, builds tandem in build/, and runs it:
#
#   sh tools/scripts/bootstrap.sh install [PREFIX]
#                                           build for use and install: into /usr/local as root or with sudo,
#                                           else into ~/.local, or into PREFIX
#   sh tools/scripts/bootstrap.sh demo      describe a bundled robot and compute its joint torques
#   sh tools/scripts/bootstrap.sh test      run all tests, and report which were skipped and why
#   sh tools/scripts/bootstrap.sh develop   install the additional packages for .ci/run, without building
#
# All commands build in build/ and keep its other options, so "test" does not recompile what "install" has compiled. The
# Python package is for /usr/bin/python3. Optional parts (the Python package, the page of tandem view, tools that only
# tests use) are skipped if they cannot be installed, and the end of the output lists them. npm fetches the packages of
# view/package-lock.json for the page. The script works from any directory and can be run again. It installs missing
# packages with apt-get, as root or with sudo. On other systems it prints what is needed.

set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
build=$root/build
missing=
log=$(mktemp)
trap 'rm -f "$log"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

say() {
    printf 'bootstrap: %s\n' "$*" >&2
}

usage() {
    echo "usage: sh tools/scripts/bootstrap.sh install [PREFIX] | demo | test | develop" >&2
    exit 2
}

# ---- missing packages ----------------------------------------------------------------------------

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

# need_python MODULE PACKAGE: for the system's Python, even if another one is first in PATH
need_python() {
    /usr/bin/python3 -c "import $1" 2>/dev/null || missing="$missing $2"
}

# need_package: what the Python package needs to build and to run
need_package() {
    need_python numpy python3-numpy
    need_python cffi python3-cffi
    /usr/bin/python3 -c 'import sysconfig, os; os.stat(sysconfig.get_path("include") + "/Python.h")' 2>/dev/null ||
        missing="$missing python3-dev"
}

# need_blas: accepts any variant of OpenBLAS. If there is none, installs the serial one, because the
# others start threads in every process that is linked with tandem.
need_blas() {
    need_module openblas libopenblas-serial-dev
}

# clang_version: the installed version, or the version that apt-get would install
clang_version() {
    if command -v clang >/dev/null 2>&1; then
        clang -dumpversion | cut -d. -f1
    else
        apt-cache depends clang 2>/dev/null | sed -n 's/^ *Depends: clang-\([0-9]*\)$/\1/p' | head -n 1
    fi
}

# need_page: what the page of tandem view needs to build
need_page() {
    need_command node nodejs
    need_command npm npm
    need_command clang clang
    need_command wasm-ld lld
    need_command wasm-opt binaryen
    [ -d /usr/lib/wasm32-wasi ] || missing="$missing wasi-libc"
    find /usr/lib/llvm-*/lib/clang -name 'libclang_rt.builtins-wasm32.a' 2>/dev/null | grep -q . ||
        missing="$missing libclang-rt-$(clang_version)-dev-wasm32"
}

# need_tests: packages without which tests are skipped
need_tests() {
    need_python pytest python3-pytest
    need_python ensurepip python3-venv
    need_page
    need_command chromium chromium
    need_command g++ g++
    need_command cmake cmake
    need_command make make
    need_command valgrind valgrind
    need_command gnuplot gnuplot-nox
    need_command zsh zsh
    need_command groff groff-base
    need_command mandoc mandoc
    need_command mypy mypy
    need_command mpicc libopenmpi-dev
    need_command mpirun openmpi-bin
    need_python scipy python3-scipy
    need_python matplotlib python3-matplotlib
    need_python pandas python3-pandas
    need_python dask python3-dask
    need_module zlib zlib1g-dev
    need_module liblzma liblzma-dev # dependency of libxml2 for fully static programs
    need_header mujoco/mujoco.h libmujoco-dev
}

# need_header FILE PACKAGE
need_header() {
    printf '#if !__has_include(<%s>)\n#error missing\n#endif\n' "$1" | ${CC:-cc} -E - >/dev/null 2>&1 || missing="$missing $2"
}

# want NEED...: makes the missing packages of NEED optional
want() {
    before=$missing
    "$@"
    wanted=$wanted${missing#"$before"}
    missing=$before
}

find_missing() {
    missing='' wanted=''
    need_command meson meson
    need_command ninja ninja-build
    compiler=${CC:-cc} # can be "ccache gcc"
    need_command "${compiler%% *}" gcc
    need_header stdio.h libc6-dev
    need_command pkg-config pkg-config
    need_module libxml-2.0 libxml2-dev
    need_module yaml-0.1 libyaml-dev
    need_blas
    need_module libcjson libcjson-dev
    case $1 in
    install)
        want need_module zlib zlib1g-dev
        want need_package
        want need_command gnuplot gnuplot-nox
        want need_page
        ;;
    test)
        need_module check check
        want need_package
        want need_tests
        ;;
    develop)
        need_module check check
        need_package
        need_tests
        need_command clang-format clang-format
        need_command abidiff abigail-tools
        ;;
    esac
    missing=${missing# } wanted=${wanted# }
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

# apt_install PACKAGES: a list of words. Output of apt-get goes to $log
apt_install() {
    # shellcheck disable=SC2086
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $1 >"$log" 2>&1
}

# reason: prints the first error or warning in $log
reason() {
    {
        sed -n 's/^[EW]: *//p' "$log"
        tail -n 1 "$log"
    } | head -n 1
}

# refuse WHY...: installs nothing, and exits if a required package is missing
refuse() {
    if [ -n "$missing" ]; then
        say "$1 $missing"
        exit 1
    fi
    say "going on without what these Debian packages hold: $wanted"
}

# install_wanted: installs the optional packages that this release has
install_wanted() {
    known='' left=''
    for package in $wanted; do
        if apt-cache show "$package" >/dev/null 2>&1; then
            known="$known $package"
        else
            left="$left $package"
        fi
    done
    if [ -n "$known" ] && ! apt_install "$known"; then
        say "going on without what could not be installed:$known (${offline:-$(reason)})"
    fi
    if [ -n "$left" ]; then
        say "going on without what this release does not have:$left"
    fi
}

install_missing() {
    find_missing "$1"
    if [ -z "$missing$wanted" ]; then
        return
    fi
    if ! command -v apt-get >/dev/null 2>&1; then
        refuse "this system has no apt-get; please install what these Debian packages hold:"
        return
    fi
    if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null 2>&1; then
        refuse "neither root nor sudo; please run as root: apt-get install"
        return
    fi
    offline=
    as_root apt-get update -qq -o APT::Update::Error-Mode=any >"$log" 2>&1 || offline=$(reason)
    find_missing "$1" # the names of some packages depend on the release, which the lists tell
    say "installing: $missing $wanted"
    if [ -n "$missing" ] && ! apt_install "$missing"; then
        say "cannot install $missing: ${offline:-$(reason)}"
        exit 1
    fi
    install_wanted
    # meson caches dependencies that it did not find; this keeps object files
    rm -f "$build/meson-private/coredata.dat"
    find_missing "$1"
    if [ -n "$missing" ]; then
        say "still missing after the installation: $missing"
        exit 1
    fi
}

# ---- build and run ------------------------------------------------------------------------------

# is_writable FOLDER: succeeds if the missing part of the path can be created.
is_writable() {
    folder=$1
    while [ ! -e "$folder" ]; do
        folder=$(dirname -- "$folder")
    done
    [ -w "$folder" ]
}

# require_writable FOLDER: exits if it cannot build in the clone
require_writable() {
    if ! is_writable "$1"; then
        say "cannot build in $1, which is not writable: clone tandem to where you may write, and run this there"
        exit 1
    fi
}

# library_folder: where pkg-config and the loader of Debian search under a prefix. meson runs dpkg-architecture, which a
# bare system lacks, and then uses lib64, which neither of them searches.
library_folder() {
    pkg-config --variable=pc_path pkg-config 2>/dev/null | tr : '\n' |
        sed -n 's|^/usr/\(lib/[^/]*-linux-[^/]*\)/pkgconfig$|--libdir=\1|p' | head -n 1
}

is_configured() {
    [ -f "$build/meson-private/coredata.dat" ]
}

# configure OPTION...: sets up build/, or changes these options in it
configure() {
    if is_configured; then
        set -- --reconfigure "$@"
    fi
    if [ -x /usr/bin/python3 ]; then
        set -- "$@" -Dpython_interpreter=/usr/bin/python3
    fi
    # one word or empty
    # shellcheck disable=SC2046
    meson setup "$build" "$root" $(library_folder) -Dtools=enabled "$@"
}

# configure_for_use OPTION...: without tests, unless the build directory already has tests
configure_for_use() {
    if ! is_configured; then
        set -- "$@" -Dtests=disabled -Dpeers=disabled
    fi
    configure "$@"
}

# build_command: builds only the command
build_command() {
    configure_for_use
    ninja -C "$build" tools/tandem
}

build_all() {
    configure -Dtests=enabled -Dpeers=auto
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

# say_skips: prints the skipped checks of the last test run, and the reasons
say_skips() {
    python3 "$root/test/results.py" "$build/meson-logs/testlog.json" --skips | while IFS= read -r line; do
        say "skipped, $line"
    done
}

# ---- install ------------------------------------------------------------------------------------

# default_prefix: for all users of this machine if permitted
default_prefix() {
    if [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null 2>&1; then
        echo /usr/local
    else
        echo "$HOME/.local"
    fi
}

# build_install PREFIX
build_install() {
    configure_for_use --prefix="$1" --buildtype=release
    ninja -C "$build"
}

# install_into PREFIX
install_into() {
    if is_writable "$1"; then
        meson install -C "$build" --no-rebuild --quiet
    else
        as_root meson install -C "$build" --no-rebuild --quiet
        as_root chown "$(id -u)" "$build/meson-logs/install-log.txt"
    fi
    # only root can update the loader's cache
    if [ "$(id -u)" -eq 0 ]; then
        /sbin/ldconfig || true
    elif ! is_writable "$1"; then
        as_root /sbin/ldconfig || true
    fi
}

# say_where PREFIX: prints the next steps for the user
say_where() {
    tool=$1/bin/tandem
    found=$(command -v tandem || true)
    say "the command is $tool; the robots that come with it are in $1/share/tandem/robots"
    if [ "$found" = "$tool" ]; then
        say "try: tandem id -q driver_joint=0.3 tandem:gripper"
    else
        if [ -n "$found" ]; then
            say "'tandem' alone is $found, which comes first in PATH"
        fi
        say "put it first in PATH, here and in ~/.profile:  export PATH=\"$1/bin:\$PATH\""
        say "then try: tandem id -q driver_joint=0.3 tandem:gripper"
    fi
    if ! "$tool" --version | grep -q 'with:.*page of tandem view'; then
        why=$(sed -n 's/^Message: no page of tandem view: //p' "$build/meson-logs/meson-log.txt" | tail -n 1)
        say "'tandem view' has no page in this build${why:+: $why}"
    fi
    package=$(find "$1/lib" -path '*/tandem/__init__.py' 2>/dev/null | head -n 1)
    package=$(dirname -- "$(dirname -- "${package:-/-/-}")")
    if [ "$package" = / ] || [ "$package" = /- ]; then
        say "there is no Python package; docs/python.md says what it is built with"
    elif (cd / && /usr/bin/python3 -c "import sys; sys.exit('$package' not in sys.path)"); then
        say "Python: /usr/bin/python3 -c 'import tandem'"
    else
        say "Python looks elsewhere:  export PYTHONPATH=\"$package\""
    fi
}

# say_built: prints where the command in build/ is
say_built() {
    say "the command is $build/tools/tandem; 'sh tools/scripts/bootstrap.sh install' puts one in PATH"
}

if [ $# -lt 1 ] || [ $# -gt 2 ] || { [ $# -eq 2 ] && [ "$1" != install ]; }; then
    usage
fi
case $1 in
install)
    prefix=${2:-$(default_prefix)}
    case $prefix in
    -*) usage ;;
    /*) ;;
    *) prefix=$PWD/$prefix ;;
    esac
    require_writable "$build"
    install_missing install
    build_install "$prefix" >&2
    install_into "$prefix"
    say_where "$prefix"
    ;;
demo)
    require_writable "$build"
    install_missing demo
    build_command >&2
    demo
    say_built
    ;;
test)
    require_writable "$build"
    install_missing test
    build_all
    status=0
    meson test -C "$build" --print-errorlogs || status=$?
    say_skips
    say_built
    exit "$status"
    ;;
develop)
    install_missing develop
    ;;
*)
    usage
    ;;
esac

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the library as a user gets it: installs the build into a scratch directory, compiles the C
# example of README.md against it by pkg-config and runs it, compiles every public header by itself
# as strict C11 and as C++, looks at the symbols that the shared library exports, and runs the
# command from there.
#
#   sh test/installed.sh BUILD_DIRECTORY SOURCE_DIRECTORY
#
# Exit code 77 means skipped: a program that is needed is not there.

set -eu

build=$1
source=$2
cc=${CC:-cc}
strict="-Wall -Wextra -Wpedantic -Werror"

for program in meson pkg-config nm "${cc%% *}"; do
    if ! command -v "$program" >/dev/null 2>&1; then
        echo "skipped: there is no $program"
        exit 77
    fi
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
stage=$scratch/stage

fail() {
    echo "FAILED: $*"
    exit 1
}

# ---- install ------------------------------------------------------------------------------------

DESTDIR=$stage meson install -C "$build" --no-rebuild --quiet >"$scratch/log" 2>&1 ||
    { cat "$scratch/log"; fail "meson install"; }
include=$(dirname "$(dirname "$(find "$stage" -name tandem.h)")")
library=$(find "$stage" -name 'libtandem.so')
pc=$(find "$stage" -name tandem.pc)
[ -n "$library" ] || fail "no libtandem.so is installed"
[ -n "$pc" ] || fail "no tandem.pc is installed"

# A sanitized library needs the sanitizers in the program, and exports their symbols.
sanitize=
if nm -D "$library" | grep -q -e ' __asan_' -e ' __ubsan_'; then
    sanitize=-fsanitize=address,undefined
fi

# ---- headers ------------------------------------------------------------------------------------

# headers COMPILER FLAGS...: each header must compile by itself; all words are flags
headers() {
    for header in "$include"/tandem/*.h; do
        printf '#include "tandem/%s"\nint unused_;\n' "$(basename "$header")" |
            "$@" -I"$include" -fsyntax-only - || fail "$(basename "$header") with $*"
    done
}

# shellcheck disable=SC2086
headers $cc -x c -std=c11 $strict
if command -v g++ >/dev/null 2>&1; then
    # shellcheck disable=SC2086
    headers g++ -x c++ -std=c++11 $strict
fi

# ---- exported symbols ---------------------------------------------------------------------------

if [ -z "$sanitize" ]; then
    foreign=$(nm -D --defined-only "$library" | awk '{ print $NF }' | grep -v '^td_' || true)
    [ -z "$foreign" ] || fail "the library exports more than td_: $foreign"
fi

# ---- the command --------------------------------------------------------------------------------

# runs from where it is installed, without LD_LIBRARY_PATH
tool=$(find "$stage" -path '*/bin/tandem')
if [ -n "$tool" ]; then
    "$tool" --version || fail "the installed command does not run"
fi

# ---- the README's example -----------------------------------------------------------------------

if ! grep -q 'TANDEM_HAS_URDF 1' "$include/tandem/config.h"; then
    echo "the example needs the importer, which this build does not have"
    exit 0
fi
awk '/^```c$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$source/README.md" \
    >"$scratch/example.c"
[ -s "$scratch/example.c" ] || fail "README.md has no block of C"

PKG_CONFIG_PATH=$(dirname "$pc")
PKG_CONFIG_SYSROOT_DIR=$stage
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
flags=$(pkg-config --cflags --libs tandem) || fail "pkg-config"
# shellcheck disable=SC2086
$cc -std=c11 $strict $sanitize -o "$scratch/example" "$scratch/example.c" $flags ||
    fail "the example of README.md does not compile"

LD_LIBRARY_PATH=$(dirname "$library")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
    "$scratch/example" "$source/urdf/robots/gripper.urdf" >"$scratch/output" ||
    fail "the example of README.md does not run"
cat "$scratch/output"
grep -Eq '^driver_joint -?[0-9.]+(e-?[0-9]+)?$' "$scratch/output" ||
    fail "the example prints no torque of driver_joint"
[ "$(wc -l <"$scratch/output")" -eq 1 ] || fail "the gripper has one independent joint"

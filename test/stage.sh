# SPDX-License-Identifier: MIT
#
# Read by the scripts that test the library as a user gets it: installs the build into a scratch
# directory, which goes away when the script ends, and says where things are. Needs $build, the
# build directory.
#
#   stage     what stands for the root of the file system     include   the directory of the headers
#   archive   libtandem.a, "" where it is not built           library   libtandem.so, likewise
#   pc        tandem.pc                                       tool      the command, likewise
#   sanitize  the compiler's flags for a program with a sanitized library, else ""

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
stage=$scratch/stage

fail() {
    echo "FAILED: $*"
    exit 1
}

DESTDIR=$stage meson install -C "$build" --no-rebuild --quiet >"$scratch/log" 2>&1 ||
    { cat "$scratch/log"; fail "meson install"; }
include=$(dirname "$(dirname "$(find "$stage" -name tandem.h)")")
library=$(find "$stage" -name 'libtandem.so')
archive=$(find "$stage" -name 'libtandem.a')
pc=$(find "$stage" -name tandem.pc)
tool=$(find "$stage" -path '*/bin/tandem')
[ -n "$library$archive" ] || fail "no library is installed"
[ -n "$pc" ] || fail "no tandem.pc is installed"
sanitize=
if nm "${archive:-$library}" 2>/dev/null | grep -q -e ' __asan_' -e ' __ubsan_'; then
    sanitize=-fsanitize=address,undefined
fi

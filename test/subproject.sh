#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests tandem as a subproject of a meson project that requests it by dependency('tandem'). It must build only
# the library, and examples/hold.c must run with it.
#
#   sh test/subproject.sh SOURCE_DIRECTORY

set -eu

source=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
    cat "$scratch/log"
    echo "FAILED: $*"
    exit 1
}

mkdir "$scratch/subprojects"
ln -s "$source" "$scratch/subprojects/tandem"
cat >"$scratch/subprojects/tandem.wrap" <<'WRAP'
[wrap-file]
directory = tandem

[provide]
dependency_names = tandem, tandem-simulation
WRAP
cat >"$scratch/meson.build" <<'MESON'
project('hold', 'c', version: '7.8.9', default_options: 'default_library=static')
tandem_dep = dependency('tandem', version: ['>= 0.1', '< 7'])
executable('hold', 'hold.c', dependencies: tandem_dep)
executable('fall', 'fall.c', dependencies: [dependency('tandem-simulation'), meson.get_compiler('c').find_library('m')])
MESON
cp "$source/examples/hold.c" "$source/examples/fall.c" "$scratch"

meson setup "$scratch/build" "$scratch" --wrap-mode=forcefallback -Dtandem:default_library=static \
    -Dtandem:avx2=false -Dtandem:optimization=0 >"$scratch/log" 2>&1 || fail "meson setup"
ninja -C "$scratch/build" >"$scratch/log" 2>&1 || fail "ninja"
"$scratch/build/hold" "$source/urdf/robots/gripper.urdf" >"$scratch/log" || fail "the example"
grep -q '^driver_joint ' "$scratch/log" || fail "the example prints no torque"
"$scratch/build/fall" "$source/urdf/robots/gripper.urdf" 0.1 >"$scratch/log" || fail "the fall"
grep -q '^energy less work within' "$scratch/log" || fail "the fall does not end"
for other in tools bench test; do
    [ ! -d "$scratch/build/subprojects/tandem/$other" ] ||
        [ -z "$(find "$scratch/build/subprojects/tandem/$other" -type f)" ] ||
        fail "the superproject gets $other/ as well"
done

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the library as users get it, after an installation into a scratch directory: each header by itself as
# strict C11 and as C++; hardening of libraries and command; no build paths in them; the installed command
# with its robots, manual pages and completion; examples/hold.c and examples/fall.c through pkg-config, shared
# and static, and through CMake from a moved prefix; so is examples/control_loop.cpp; the Python package where Python looks for it; and the
# threads that linking the library starts.
#
#   sh test/installed.sh BUILD_DIRECTORY SOURCE_DIRECTORY [PYTHON]
#
# PYTHON is the interpreter that the package is built for.
#
# Prints TAP: a line for each part, with the reason if it is skipped.

set -u

build=$1
source=$2
python=${3:-}
cc=${CC:-cc}
strict="-Wall -Wextra -Wpedantic -Werror"

# ---- install ------------------------------------------------------------------------------------

scratch=$(mktemp -d)
stage=$scratch/stage
installed=$build/meson-logs/install-log.txt # of the user's last installation, needed to uninstall it
[ ! -f "$installed" ] || cp "$installed" "$scratch/installed"
trap '[ ! -f "$scratch/installed" ] || cp "$scratch/installed" "$installed"; rm -rf "$scratch"' EXIT

fail() {
    echo "FAILED: $*"
    exit 1
}

DESTDIR=$stage meson install -C "$build" --no-rebuild >"$scratch/log" 2>&1 ||
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

# skip WHY...: ends a part that cannot be tested here
skip() {
    echo "skipped: $*"
    exit 77
}

need() {
    for program in "$@"; do
        command -v "$program" >/dev/null 2>&1 || skip "there is no $program"
    done
}

# ---- the Python package -------------------------------------------------------------------------

# where Python looks, if that is in the prefix; otherwise the log contains the location
python_imports() {
    [ -n "$python" ] || skip "this build has no Python package"
    package=$(dirname "$(find "$stage" -path '*/tandem/__init__.py')")
    place=$(dirname "${package#"$stage"}")
    prefix=$(dirname "$include")
    looks=$("$python" -c 'import site, sys
print(*[p for p in site.getsitepackages() if p.startswith(sys.argv[1] + "/lib")], sep="\n")' \
        "${prefix#"$stage"}")
    echo "in $place"
    if [ -n "$looks" ]; then
        printf '%s\n' "$looks" | grep -qx "$place" || fail "$python looks in $looks"
        ! grep 'does not look' "$scratch/log" || fail "the installation says that it does not"
    else
        grep -q "PYTHONPATH=$place" "$scratch/log" || fail "the installation does not say where it went"
    fi
    [ -z "$sanitize" ] || skip "a sanitizer would have to be loaded before Python"
    (cd / && PYTHONPATH=$(dirname "$package") PYTHONDONTWRITEBYTECODE=1 "$python" -c "
import tandem
assert tandem.__file__.startswith('$package'), tandem.__file__
from importlib import metadata # what pip list shows
assert metadata.version('tandem-dynamics') == tandem.version(), metadata.version('tandem-dynamics')
robot = tandem.load('$source/urdf/robots/gripper.urdf')
print(robot.inverse_dynamics(robot.state(driver_joint=0.3)))") || fail "the package cannot be used"
    [ -z "$("$python" "$source/python/place.py" find "$scratch")" ] ||
        fail "$python is said to look in $scratch"
}

# ---- headers ------------------------------------------------------------------------------------

# headers COMPILER FLAGS...: each header must compile by itself
headers() {
    need "$1"
    for header in "$include"/tandem/*.h; do
        printf '#include "tandem/%s"\nint unused_;\n' "$(basename "$header")" |
            "$@" -I"$include" -fsyntax-only - || fail "$(basename "$header") with $*"
    done
}

# split flags into words
# shellcheck disable=SC2086
headers_in_c() {
    headers $cc -x c -std=c11 $strict
}

# shellcheck disable=SC2086
headers_in_cpp() {
    headers g++ -x c++ -std=c++11 $strict
}

# examples/control_loop.cpp, whose output check_control_loop reads
write_control_loop() {
    [ -n "$(has_importer)" ] || skip "the example needs the importer, which this build does not have"
    cp "$source/examples/control_loop.cpp" "$1"
}

check_control_loop() {
    "$@" "$source/urdf/robots/gripper.urdf" >"$scratch/control" || fail "the control loop does not run"
    cat "$scratch/control"
    grep -q '^largest error after 2 s: [0-9.]*e-1[0-9]$' "$scratch/control" || fail "the control loop ends elsewhere"
}

# tandem.hpp through pkg-config
# shellcheck disable=SC2086
wrapper() {
    need pkg-config g++
    write_control_loop "$scratch/control_loop.cpp"
    flags=$(flags_of --cflags --libs) || fail "pkg-config"
    g++ -std=c++17 $strict $sanitize -o "$scratch/control_loop" "$scratch/control_loop.cpp" $flags || fail "it does not compile"
    check_control_loop at_stage "$scratch/control_loop"
}

# ---- hardening ----------------------------------------------------------------------------------

# the installed programs and shared libraries
binaries() {
    find "$stage" -type f \( -name '*.so' -o -name '*.so.*' -o -path '*/bin/*' \)
}

# Properties documented in docs/building.md: bound at start and then read-only, no executable stack, no search
# path for libraries, and position-independent programs.
hardened() {
    need readelf
    [ -n "$library$tool" ] || skip "there is nothing that the loader reads"
    for file in $(binaries); do
        readelf -Wd "$file" >"$scratch/dynamic" && readelf -Wl "$file" >"$scratch/segments" || fail "readelf $file"
        grep -q -e BIND_NOW -e 'FLAGS_1.*NOW' "$scratch/dynamic" || fail "$file is not bound at start"
        ! grep -E 'RPATH|RUNPATH' "$scratch/dynamic" || fail "$file looks for libraries in a path"
        ! grep TEXTREL "$scratch/dynamic" || fail "$file has code that the loader writes"
        grep -q GNU_RELRO "$scratch/segments" || fail "$file stays writable"
        grep GNU_STACK "$scratch/segments" | grep -q 'RW ' || fail "the stack of $file"
        ! grep 'LOAD.*RWE' "$scratch/segments" || fail "$file has a segment that is written and run"
        case $file in
        */bin/*) grep -q 'FLAGS_1.*PIE' "$scratch/dynamic" || fail "$file has a fixed address" ;;
        esac
    done
}

# Canaries and checked calls, if the compiler's flags request them: in an optimized build without a sanitizer.
guarded() {
    need nm
    [ -z "$sanitize" ] || skip "a sanitizer looks at the same"
    optimization=$(meson introspect "$build" --buildoptions 2>/dev/null | python3 -c 'import json, sys
print(*[o["value"] for o in json.load(sys.stdin) if o["name"] == "optimization"])') || skip "meson introspect needs python3"
    case $optimization in
    0 | plain) skip "the build has optimization $optimization" ;;
    esac
    for file in $(binaries); do
        nm -D --undefined-only "$file" >"$scratch/called"
        grep -q __stack_chk_fail "$scratch/called" || fail "$file has no canaries"
        case $file in
        *libtandem-simulation*) ;; # calls no checked function
        *) grep -q '_chk@' "$scratch/called" || fail "$file has no checked calls" ;;
        esac
    done
}

# no path of this machine in installed files
no_build_paths() {
    need strings
    sources=$(cd "$source" && pwd -P)
    builds=$(cd "$build" && pwd -P)
    for file in $(binaries) $archive $(find "$stage" -name '*.pc' -o -name '*.cmake' -o -name '*.h'); do
        ! strings -a "$file" | grep -F -e "$sources" -e "$builds" | head -n 3 | grep . || fail "$file names the build"
    done
}

# ---- the command --------------------------------------------------------------------------------

# runs from where it is installed, without LD_LIBRARY_PATH
command_runs() {
    [ -n "$tool" ] || skip "this build has no command"
    "$tool" --version || fail "the installed command does not run"
    if command -v ldd >/dev/null 2>&1 && ldd "$tool" | grep libtandem; then
        fail "the command needs a shared library of ours"
    fi
}

# finds robots from any directory, through its prefix
command_finds_robots() {
    [ -n "$tool" ] || skip "this build has no command"
    (cd / && env -u TANDEM_ROBOTS "$tool" id -q driver_joint=0.3 tandem:gripper) >"$scratch/output" ||
        fail "tandem:gripper is not found"
    grep '^driver_joint ' "$scratch/output" || fail "there is no torque"
    (cd / && env -u TANDEM_ROBOTS "$tool" robots) | grep "^tandem:gripper  *$(dirname "$include")/share/tandem/robots/gripper.urdf$" ||
        fail "the robot is elsewhere"
    for file in hold.c live.py tour.ipynb; do
        [ -f "$(dirname "$include")/share/doc/tandem/examples/$file" ] || fail "no example $file"
    done
}

# manual pages for every command and for shared topics; completion scripts where shells look for them
manuals_and_completion() {
    [ -n "$tool" ] || skip "this build has no command"
    share=$(dirname "$include")/share
    for name in '' $("$tool" help | sed -n 's/^  \([a-z][a-z]*\)  *[a-z].*/-\1/p'); do
        grep -q '^\.SH SYNOPSIS' "$share/man/man1/tandem$name.1" || fail "no manual page tandem$name"
    done
    for name in robot state table; do
        [ -s "$share/man/man7/tandem-$name.7" ] || fail "no manual page tandem-$name"
    done
    [ -s "$share/bash-completion/completions/tandem" ] && [ -s "$share/zsh/site-functions/_tandem" ] ||
        fail "no completion"
}

# ---- programs by pkg-config ---------------------------------------------------------------------

# flags_of OPTION... [MODULE]: prints what pkg-config returns for the staged library
flags_of() {
    case $* in *tandem*) set -- "$@" ;; *) set -- "$@" tandem ;; esac
    mkdir -p "$scratch/pkgconfig"
    for module in "$(dirname "$pc")"/*.pc; do
        sed "s|^prefix=.*|prefix=$(dirname "$include")|" "$module" \
            >"$scratch/pkgconfig/$(basename "$module")"
    done
    PKG_CONFIG_PATH=$scratch/pkgconfig:${PKG_CONFIG_PATH:-} pkg-config "$@"
}

# at_stage COMMAND...: runs with the staged shared library, if there is one
at_stage() {
    if [ -n "$library" ]; then
        LD_LIBRARY_PATH=$(dirname "$library")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$@"
    else
        "$@"
    fi
}

has_importer() {
    sed -n '/TANDEM_HAS_URDF 1/p' "$include/tandem/config.h"
}

# examples/hold.c
write_example() {
    [ -n "$(has_importer)" ] || skip "the example needs the importer, which this build does not have"
    cp "$source/examples/hold.c" "$1"
}

# check_example COMMAND...: runs the example, which must print one torque
check_example() {
    "$@" "$source/urdf/robots/gripper.urdf" >"$scratch/output" || fail "the example does not run"
    cat "$scratch/output"
    grep -Eq '^driver_joint -?[0-9.]+(e-?[0-9]+)?$' "$scratch/output" ||
        fail "the example prints no torque of driver_joint"
    [ "$(wc -l <"$scratch/output")" -eq 1 ] || fail "the gripper has one independent joint"
    check_example_names "$@"
}

# with a joint as argument, as its first lines document; with a joint that does not exist, and one that
# follows another
check_example_names() {
    gripper=$source/urdf/robots/gripper.urdf
    "$@" "$gripper" driver_joint 0.3 >"$scratch/moved" || fail "the example finds no driver_joint"
    cat "$scratch/moved"
    if cmp -s "$scratch/output" "$scratch/moved"; then
        fail "the example does not move driver_joint"
    fi
    if [ -n "$tool" ]; then
        expected=$("$tool" id -q driver_joint=0.3 "$gripper" |
            awk '$1 == "driver_joint" { print $5 }')
        [ "$(awk '{ print $2 }' "$scratch/moved")" = "$expected" ] ||
            fail "the command has the torque $expected"
    fi
    for joint in driver_jiont left_tip_joint; do
        if "$@" "$gripper" "$joint" 0.3 >"$scratch/none" || [ -s "$scratch/none" ]; then
            fail "the example takes $joint"
        fi
    done
}

# check_fall COMMAND...: runs examples/fall.c, whose last line reports the energy
check_fall() {
    "$@" "$source/urdf/robots/gripper.urdf" 0.1 >"$scratch/fall" || fail "the fall does not run"
    tail -n 1 "$scratch/fall"
    grep -q '^energy less work within' "$scratch/fall" || fail "the fall does not end"
}

write_fall() {
    [ -n "$(has_importer)" ] || skip "the example needs the importer, which this build does not have"
    cp "$source/examples/fall.c" "$1"
}

# shellcheck disable=SC2086
simulation() {
    need pkg-config "${cc%% *}"
    write_fall "$scratch/fall.c"
    flags=$(flags_of --cflags --libs tandem-simulation) || fail "pkg-config"
    $cc -std=c11 $strict $sanitize -o "$scratch/fall_program" "$scratch/fall.c" $flags -lm ||
        fail "examples/fall.c does not compile"
    check_fall at_stage "$scratch/fall_program"
}

# shellcheck disable=SC2086
simulation_static() {
    flags=$(flags_of --static --cflags --libs tandem-simulation) || fail "pkg-config --static"
    need_archives $flags
    write_fall "$scratch/fall.c"
    $cc -static -std=c11 $strict -o "$scratch/fall_static" "$scratch/fall.c" $flags || fail "$cc -static"
    check_fall "$scratch/fall_static"
}

# shellcheck disable=SC2086
example() {
    need pkg-config "${cc%% *}"
    write_example "$scratch/example.c"
    flags=$(flags_of --cflags --libs) || fail "pkg-config"
    $cc -std=c11 $strict $sanitize -o "$scratch/example" "$scratch/example.c" $flags ||
        fail "examples/hold.c does not compile"
    check_example at_stage "$scratch/example"
    if [ -n "$library" ]; then # the library finds the robots installed with it
        (cd / && unset TANDEM_ROBOTS && at_stage "$scratch/example" tandem:gripper) >"$scratch/named" ||
            fail "tandem:gripper is not found"
        cmp "$scratch/output" "$scratch/named" || fail "tandem:gripper is another robot"
    fi
}

# the same program, which finds the library through its rpath
# shellcheck disable=SC2086
example_with_rpath() {
    need pkg-config "${cc%% *}"
    [ -n "$library" ] || skip "there is no shared library"
    write_example "$scratch/rpath.c"
    flags=$(flags_of --cflags --libs) || fail "pkg-config"
    $cc -std=c11 $strict $sanitize -o "$scratch/rpath" "$scratch/rpath.c" $flags \
        -Wl,-rpath,"$(flags_of --variable=libdir)" || fail "the example does not compile"
    check_example "$scratch/rpath"
}

# need_archives FLAG...: archives needed to link a program without any shared library
need_archives() {
    need pkg-config "${cc%% *}"
    [ -n "$archive" ] || skip "there is no static library"
    [ -z "$sanitize" ] || skip "sanitizers need shared libraries"
    for flag in "$@" -lc; do
        case $flag in
        -L*) LIBRARY_PATH=${flag#-L}:${LIBRARY_PATH:-} && export LIBRARY_PATH ;;
        -l*)
            at=$($cc -print-file-name="lib${flag#-l}.a")
            [ -f "$at" ] || skip "there is no lib${flag#-l}.a"
            ;;
        esac
    done
}

# shellcheck disable=SC2086
static_program() {
    flags=$(flags_of --static --cflags --libs) || fail "pkg-config --static"
    need_archives $flags
    if [ -n "$(has_importer)" ]; then
        write_example "$scratch/static.c"
        $cc -static -std=c11 $strict -o "$scratch/static" "$scratch/static.c" $flags || fail "$cc -static"
        check_example "$scratch/static"
    else
        $cc -static -std=gnu11 -D_GNU_SOURCE -o "$scratch/static" "$source/test/linked.c" $flags ||
            fail "$cc -static"
        "$scratch/static" || fail "the static program does not run"
    fi
}

# ---- programs by CMake --------------------------------------------------------------------------

# by_cmake NAME OPTION...: the example as a CMake project, with a copy of the installation
by_cmake() {
    need cmake pkg-config make
    project=$scratch/cmake_$1
    shift
    mkdir -p "$project"
    write_example "$project/hold.c"
    write_fall "$project/fall.c"
    prefix=$(dirname "$include")
    cp -R "$prefix" "$project/moved"
    cat >"$project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.13)
project(hold C)
find_package(tandem 0.1 REQUIRED)
add_executable(hold hold.c)
target_link_libraries(hold tandem::tandem)
add_executable(fall fall.c)
target_link_libraries(fall tandem::simulation m)
CMAKE
    if command -v g++ >/dev/null 2>&1; then
        write_control_loop "$project/control_loop.cpp"
        cat >>"$project/CMakeLists.txt" <<'CMAKE'
enable_language(CXX)
add_executable(control_loop control_loop.cpp)
target_link_libraries(control_loop tandem::cpp)
CMAKE
    fi
    cmake -S "$project" -B "$project/build" -G "Unix Makefiles" -DCMAKE_PREFIX_PATH="$project/moved" \
        -DCMAKE_C_FLAGS="$sanitize" -DCMAKE_CXX_FLAGS="$sanitize" "$@" >"$scratch/log" 2>&1 &&
        cmake --build "$project/build" >>"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "cmake"; }
    grep -q "^tandem_DIR:PATH=$project/moved/" "$project/build/CMakeCache.txt" ||
        fail "CMake took another tandem"
    check_example "$project/build/hold"
    check_fall "$project/build/fall"
    [ ! -x "$project/build/control_loop" ] || check_control_loop "$project/build/control_loop"
}

by_cmake_shared() {
    [ -n "$library" ] || skip "there is no shared library"
    by_cmake shared
}

by_cmake_static() {
    [ -n "$archive" ] || skip "there is no static library"
    by_cmake static -Dtandem_USE_STATIC_LIBS=ON
    if command -v ldd >/dev/null 2>&1 && ldd "$scratch/cmake_static/build/hold" "$scratch/cmake_static/build/fall" | grep libtandem; then
        fail "the program has the shared library"
    fi
}

# shellcheck disable=SC2046
by_cmake_without_shared() {
    need_archives $(flags_of --static --libs)
    by_cmake without_shared -Dtandem_USE_STATIC_LIBS=ON -DCMAKE_EXE_LINKER_FLAGS=-static
}

# versions that do not match the library; a matching version would end in an error about targets in scripts
cmake_versions() {
    need cmake
    for version in 0.0.9 0.2 1.0 0.1.1 0.0...0.0.9 0.2...0.9; do
        printf 'list(APPEND CMAKE_PREFIX_PATH "%s")\nfind_package(tandem %s QUIET)\n%s\n' \
            "$(dirname "$(find "$stage" -name tandemConfig.cmake)")" "$version" \
            'if(tandem_FOUND OR NOT tandem_CONSIDERED_VERSIONS)
               message(FATAL_ERROR "found, or not even considered")
             endif()' >"$scratch/find.cmake"
        cmake -P "$scratch/find.cmake" || fail "version $version"
    done
}

# ---- threads ------------------------------------------------------------------------------------

# Counts the threads of a program linked with the library. Then 1 if an OpenBLAS that starts threads is
# linked, otherwise 0.
# shellcheck disable=SC2086
count_threads() {
    need pkg-config "${cc%% *}"
    [ -d /proc/self/task ] || skip "this system does not list threads"
    [ -n "$library" ] || skip "there is no shared library"
    [ -z "$sanitize" ] || skip "sanitizers may start a thread"
    flags=$(flags_of --cflags --libs) || fail "pkg-config"
    $cc -std=gnu11 $strict -D_GNU_SOURCE -o "$scratch/linked" "$source/test/linked.c" $flags -ldl ||
        fail "linked.c does not compile"
    at_stage "$scratch/linked" >"$scratch/threads" || fail "linked.c does not run"
    read -r count by_blas <"$scratch/threads"
    echo "threads: $count"
}

no_threads() {
    count_threads
    [ "$by_blas" -eq 0 ] || [ "$count" -eq 1 ] ||
        skip "this OpenBLAS is of the flavour with threads, of which it starts $((count - 1))"
    [ "$count" -eq 1 ] || fail "linking tandem starts threads"
}

# the remedy of README.md for that OpenBLAS
no_threads_by_variable() {
    OPENBLAS_NUM_THREADS=1
    export OPENBLAS_NUM_THREADS
    count_threads
    [ "$count" -eq 1 ] || fail "linking tandem starts threads"
}

# ---- all parts ----------------------------------------------------------------------------------

number=0
failed=0
for part in headers_in_c headers_in_cpp hardened guarded no_build_paths command_runs command_finds_robots manuals_and_completion example example_with_rpath \
    static_program wrapper simulation simulation_static python_imports by_cmake_shared by_cmake_static by_cmake_without_shared cmake_versions no_threads \
    no_threads_by_variable; do
    number=$((number + 1))
    output=$(set -e; trap - EXIT; "$part" 2>&1)
    status=$?
    printf '%s\n' "$output" | sed 's/^/# /'
    case $status in
    0) echo "ok $number - $part" ;;
    77) echo "ok $number - $part # SKIP $(printf '%s\n' "$output" | sed -n 's/^skipped: //p')" ;;
    *)
        echo "not ok $number - $part"
        failed=1
        ;;
    esac
done
echo "1..$number"
exit "$failed"

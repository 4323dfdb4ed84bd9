# SPDX-License-Identifier: MIT
#
# Shared functions of the steps of .ci/long for other architectures and C libraries, which source this file.

# lacking COMMAND...: prints the missing commands
lacking() {
    local command
    for command; do
        command -v "$command" >/dev/null || printf '%s ' "$command"
    done
}

# cross_build NAME DIRECTORY OPTION...: sets up and builds with .ci/cross/NAME.ini and the packages in DIRECTORY/packages,
# if any; builds all targets, or the ones in cross_targets
cross_build() {
    local name=$1 directory=$2 files=(--cross-file "$root/.ci/cross/$1.ini")
    if [ -f "$directory/packages/sysroot.ini" ]; then
        files+=(--cross-file "$directory/packages/sysroot.ini")
    fi
    meson setup "$directory/build" "$root" "${files[@]}" -Dpeers=disabled -Dview=disabled -Dpython=disabled \
        -Dwerror=true "${@:3}" && ninja -C "$directory/build" ${cross_targets-}
}

# emulate DIRECTORY EMULATOR...: replaces programs that tests start directly by scripts that run them in the emulator
emulate() {
    local program emulator
    emulator=$(command -v "$2") # tests change PATH
    for program in "$1"/tools/tandem "$1"/bench/compare "$1"/examples/*; do
        if [ -f "$program" ] && [ -x "$program" ] && [ ! -e "$program.emulated" ]; then
            mv "$program" "$program.emulated"
            printf '#!/bin/sh\nexec %s -0 "$0" "%s" "$@"\n' "$emulator ${*:3}" "$(realpath "$program.emulated")" >"$program"
            chmod +x "$program"
        fi
    done
}

export -f cross_build emulate

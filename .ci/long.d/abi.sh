# SPDX-License-Identifier: MIT
#
# abidiff (libabigail) between the shared libraries of another commit and those of this one: ABI_BASE, else the last tag, else
# the commit before. What only adds is no finding.

# abi_build SOURCES BUILD: both libraries with what a debugger knows of types
abi_build() {
    meson setup "$2" "$1" -Dtests=disabled -Dtools=disabled -Dview=disabled -Dpython=disabled -Dpeers=disabled \
        -Davx2=false -Ddefault_library=shared -Ddebug=true -Doptimization=0 &&
        ninja -C "$2"
}

# abidiff's exit code: 4 for any change, 8 for one that breaks
abi_compare() {
    local before=$scratch/abi_before library status=0 all=0
    mkdir -p "$before" && git -C "$root" archive "$1" | tar -x -C "$before" &&
        abi_build "$before" "$scratch/abi_one" && abi_build "$root" "$scratch/abi_other" || return
    for library in libtandem.so lib/simulation/libtandem-simulation.so; do
        status=0
        abidiff --headers-dir1 "$before/include" --headers-dir2 "$root/include" --no-added-syms \
            "$scratch/abi_one/$library" "$scratch/abi_other/$library" || status=$?
        [ $((status & ~4)) -eq 0 ] || all=1
    done
    return "$all"
}

long_abi() {
    local base
    base=${ABI_BASE:-$(git -C "$root" describe --tags --abbrev=0 2>/dev/null || git -C "$root" rev-parse -q --verify HEAD~1)}
    if ! command -v abidiff >/dev/null; then
        skip_step "abidiff" "there is no abidiff (Debian: abigail-tools)"
        return
    fi
    if [ -z "$base" ]; then
        skip_step "abidiff" "this clone has one commit alone"
        return
    fi
    export -f abi_build abi_compare
    step "abidiff with $base" "" bash -c 'abi_compare "$1"' long "$base"
}

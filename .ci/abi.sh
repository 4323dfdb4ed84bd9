# SPDX-License-Identifier: MIT
#
# Compares the shared libraries with an earlier commit by abidiff (libabigail): ABI_BASE, else the last tag, else the last
# commit that removed lines from package/abi/. docs/abi.md documents the allowed changes. .ci/run sources this file, and
# sets root and scratch.

# abi_build SOURCES BUILD: builds both libraries with debug information. Other steps check warnings.
abi_build() {
    CFLAGS=-w meson setup "$2" "$1" -Dtests=disabled -Dtools=disabled -Dview=disabled -Dpython=disabled -Dpeers=disabled \
        -Davx2=false -Ddefault_library=shared -Ddebug=true -Doptimization=0 &&
        ninja -C "$2"
}

soname() {
    readelf -d "$1" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p'
}

# abi_compare BASE: fails for any change, except new symbols, changes in abi.suppressions, and a changed soname
abi_compare() {
    local before=$scratch/abi_before one=$scratch/abi_one other=$scratch/abi_other library all=0
    mkdir -p "$before" && git -C "$root" archive "$1" | tar -x -C "$before" &&
        abi_build "$before" "$one" && abi_build "$root" "$other" || return
    for library in libtandem.so lib/simulation/libtandem-simulation.so; do
        if [ "$(soname "$one/$library")" != "$(soname "$other/$library")" ]; then
            echo "$library has another soname: what was compiled with the other stays with the other"
            continue
        fi
        abidiff --headers-dir1 "$before/include" --headers-dir2 "$root/include" --no-added-syms \
            --suppressions "$root/.ci/abi.suppressions" "$one/$library" "$other/$library" || all=1
    done
    return "$all"
}

# abi_last_break: prints the last commit, including HEAD, that removed or changed lines of the lists; nothing if there is
# none. A commit that only adds lines is compatible, and is compared with an earlier one.
abi_last_break() {
    git -C "$root" log --first-parent -m --format=%H --numstat -- package/abi 2>/dev/null |
        awk 'NF == 1 { commit = $1 } NF == 3 && $2 > 0 && !found { found = 1; print commit }'
}

# Before the first release, the interface can change. An intended incompatible change is a commit that rewrites the lists;
# later commits are compared with it.
abi_base() {
    if [ -n "${ABI_BASE-}" ]; then
        echo "$ABI_BASE"
    else
        git -C "$root" describe --tags --abbrev=0 2>/dev/null || abi_last_break
    fi
}

# abi_only_grows BASE: whether the lists have all lines that they had; they contain layouts of structs, too
abi_only_grows() {
    ! git -C "$root" diff --numstat "$1" -- package/abi | grep -q -v -P '\t0\t'
}

# abi_step [always]: compares only if lines of the lists are missing or "always" is given, because it builds two libraries
abi_step() {
    local base
    base=$(abi_base)
    if ! command -v abidiff >/dev/null; then
        skip_step "abidiff" "there is no abidiff (Debian: abigail-tools)"
    elif [ -z "$base" ]; then
        skip_step "abidiff" "this clone has no earlier commit that it could be compared with"
    elif git -C "$root" diff --quiet "$base" -- package/abi lib/meson.build meson.build; then
        skip_step "abidiff" "the lists in package/abi have not changed since $base"
    elif [ "${1-}" != always ] && abi_only_grows "$base"; then
        skip_step "abidiff" "the lists in package/abi only have more lines than in $base (.ci/long everything compares)"
    else
        export root scratch
        export -f abi_build abi_compare soname
        step "abidiff with $base" "" bash -c 'abi_compare "$1"' step "$base"
    fi
}

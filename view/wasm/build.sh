#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Compiles the core of tandem, its simulation, the functions of the page (*.c here) and what of the
# command reads tables to one module of WebAssembly, by clang and wasi-libc:
#
#   build.sh OUTPUT DEPENDENCIES SCRATCH SOURCE_ROOT VERSION SOURCE...
#
# DEPENDENCIES becomes a list for ninja, SCRATCH keeps objects and tandem/config.h.

set -eu

output=$1 dependencies=$2 scratch=$3 root=$4 version=$5
shift 5
mkdir -p "$scratch/tandem"

# no importer, lists, threads or CVODE
sed -e 's/@has_[a-z]*@/0/' -e "s/@version@/$version/" "$root/include/tandem/config.h.in" >"$scratch/tandem/config.h"

# There is one kernel, of one state: nothing in the page computes a batch, so the name of the batch's
# kernels is that of the others. With SIMD, clang 14 lets local variables of the articulated-body
# algorithm share a place while both are in use: no-stack-coloring keeps them apart.
flags="--target=wasm32-wasi --sysroot=/usr -msimd128 -std=gnu11 -D_GNU_SOURCE -fvisibility=hidden
 -DTD_CHECKS=0 -DTD_HAVE_LAPACK=0 -DTD_HAVE_X86_KERNELS=0 -DTD_HAVE_AVX512_KERNELS=0
 -Dtd_kernels_baseline_2=td_kernels_baseline_1
 -I$root/include -I$scratch -I$root/lib -Wall -Wextra -Werror -MD
 -mllvm -no-stack-coloring"
# sources of the command, which read tables
command="-I$root/tools -I$root/view/wasm/system -include $root/view/wasm/system/absent.h"
kernel="-O3 -ffp-contract=fast -fno-vectorize -fno-slp-vectorize -DTD_REAL_DOUBLE
 -DTD_KERNELS=td_kernels_baseline_1 -DTD_ISA_NAME=\"baseline\""

objects=
for source in "$root/lib/kernel/kernels.c" "$@"; do
    object=$scratch/$(printf '%s' "${source#"$root"/}" | tr './' '__').o
    objects="$objects $object"
    case $source in
    # the words of flags are arguments
    # shellcheck disable=SC2086
    */kernel/kernels.c) clang $flags $kernel -c "$source" -o "$object" ;;
    # shellcheck disable=SC2086
    */tools/* | */view/wasm/motion.c) clang $flags $command -Os -c "$source" -o "$object" ;;
    # shellcheck disable=SC2086
    *) clang $flags -Os -c "$source" -o "$object" ;;
    esac
done

# what the page calls: the prototypes of page.h
exports=$(sed -n 's/^[a-z].*[ *]\(tv_[a-z_]*\)(.*/-Wl,--export=\1/p' "$root/view/wasm/page.h")

# Linked without -O: with binaryen in PATH clang would run wasm-opt itself, without SIMD, and fail.
# shellcheck disable=SC2086
clang --target=wasm32-wasi --sysroot=/usr -mexec-model=reactor -Wl,--strip-all -Wl,--stack-first \
    -Wl,-z,stack-size=1048576 $exports -o "$scratch/linked.wasm" $objects
if command -v wasm-opt >/dev/null; then # a tenth smaller
    wasm-opt -O2 --enable-simd --enable-bulk-memory -o "$output" "$scratch/linked.wasm"
else
    cp "$scratch/linked.wasm" "$output"
fi

# all headers that any of them has read
{
    printf '%s: ' "$output"
    cat "$scratch"/*.d | tr -d '\\' | tr -s ' \n' '\n\n' | grep -v ':$' | sort -u | tr '\n' ' '
    echo
} >"$dependencies"

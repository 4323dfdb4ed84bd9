#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Compiles the core of tandem, its simulation, the functions of the page (*.c here) and the command's
# sources that read tables to one WebAssembly module, with clang and wasi-libc:
#
#   build.sh OUTPUT DEPENDENCIES SCRATCH SOURCE_ROOT VERSION SOURCE...
#
# DEPENDENCIES is the output file with dependencies for ninja; SCRATCH keeps objects and tandem/config.h.

set -eu

output=$1 dependencies=$2 scratch=$3 root=$4 version=$5
shift 5
mkdir -p "$scratch/tandem"

# without importer, submechanism lists and threads
sed -e 's/@has_[a-z]*@/0/' -e "s/@version@/$version/" "$root/include/tandem/config.h.in" >"$scratch/tandem/config.h"

# Only the kernels for one state are compiled. The page computes no batches, so the kernels of batches
# are an alias of them. With SIMD, clang 14 assigns the same stack slot to local variables of the
# articulated-body algorithm that are in use at the same time; no-stack-coloring prevents this.
flags="--target=wasm32-wasi --sysroot=/usr -msimd128 -std=gnu11 -D_GNU_SOURCE -fvisibility=hidden
 -DTD_CHECKS=0 -DTD_HAVE_LAPACK=0 -DTD_HAVE_X86_KERNELS=0 -DTD_HAVE_AVX512_KERNELS=0
 -Dtd_kernels_baseline_2=td_kernels_baseline_1
 -I$root/include -I$scratch -I$root/lib -Wall -Wextra -Werror -MD
 -mllvm -no-stack-coloring"
# flags for the command's sources that read tables
command="-I$root/tools -I$root/view/wasm/system -include $root/view/wasm/system/absent.h"
kernel="-O3 -ffp-contract=fast -fno-vectorize -fno-slp-vectorize -DTD_REAL_DOUBLE
 -DTD_KERNELS=td_kernels_baseline_1 -DTD_ISA_NAME=\"baseline\""

objects=
for source in "$root/lib/kernel/kernels.c" "$@"; do
    object=$scratch/$(printf '%s' "${source#"$root"/}" | tr './' '__').o
    objects="$objects $object"
    case $source in
    # flags are split into words
    # shellcheck disable=SC2086
    */kernel/kernels.c) clang $flags $kernel -c "$source" -o "$object" ;;
    # shellcheck disable=SC2086
    */tools/* | */view/wasm/motion.c) clang $flags $command -Os -c "$source" -o "$object" ;;
    # shellcheck disable=SC2086
    *) clang $flags -Os -c "$source" -o "$object" ;;
    esac
done

# exports the functions that page.h declares
exports=$(sed -n 's/^[a-z].*[ *]\(tv_[a-z_]*\)(.*/-Wl,--export=\1/p' "$root/view/wasm/page.h")

# Links without -O: with binaryen in PATH, clang would run wasm-opt without SIMD, and fail.
# shellcheck disable=SC2086
clang --target=wasm32-wasi --sysroot=/usr -mexec-model=reactor -Wl,--strip-all -Wl,--stack-first \
    -Wl,-z,stack-size=1048576 $exports -o "$scratch/linked.wasm" $objects
if command -v wasm-opt >/dev/null; then # reduces the size by a tenth
    wasm-opt -O2 --enable-simd --enable-bulk-memory -o "$output" "$scratch/linked.wasm"
else
    cp "$scratch/linked.wasm" "$output"
fi

# all headers that any source includes
{
    printf '%s: ' "$output"
    cat "$scratch"/*.d | tr -d '\\' | tr -s ' \n' '\n\n' | grep -v ':$' | sort -u | tr '\n' ' '
    echo
} >"$dependencies"

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Instructions per joint and call, by valgrind, on chains of 10, 100 and 1000 joints; and of forward
# dynamics by either plan on chains of parallelograms, three joints each, two of which follow the
# third. Last, whole calls for an arm of seven joints with fingers of three coupled joints. The same on
# every machine with the same compiler. Loading and start-up drop out, because the counts of a few and of
# more calls are subtracted.
#
#   sh bench/instructions.sh BUILD_DIRECTORY >bench/instructions.txt

set -eu

program=${1:?usage: instructions.sh BUILD_DIRECTORY}/bench/instructions
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# instructions of the whole program: count ISA FUNCTION JOINTS CALLS
count() {
    TANDEM_ISA=$1 valgrind --tool=callgrind --callgrind-out-file="$scratch/out" \
        "$program" "$2" "$3" "$4" 2>&1 | sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

# row ISA FUNCTION JOINTS_PER_UNIT SIZE...
row() {
    isa=$1 function=$2 joints=$3
    shift 3
    printf '%-9s %-8s' "$isa" "$function"
    for size; do
        few=$(count "$isa" "$function" "$size" 2)
        more=$(count "$isa" "$function" "$size" 6)
        printf ' %9s' $(((more - few) / 4 / joints / size))
    done
    printf '\n'
}

printf '%-9s %-8s %9s %9s %9s\n' set joints: 10 100 1000
for isa in baseline avx2; do
    for function in fk rnea aba crba; do
        row "$isa" "$function" 1 10 100 1000
    done
done

printf '\n%-9s %-8s %9s %9s %9s %9s %9s %9s\n' set modules: 1 2 5 20 100 500
for isa in baseline avx2; do
    for function in cluster reduced; do
        row "$isa" "$function" 3 1 2 5 20 100 500
    done
done

printf '\n%-9s %-14s %9s %9s %9s %9s\n' set fingers: 1 4 16 64
for isa in baseline avx2; do
    for function in hand-cluster hand-reduced; do
        printf '%-9s %-14s' "$isa" "$function"
        for fingers in 1 4 16 64; do
            few=$(count "$isa" "$function" "$fingers" 2)
            more=$(count "$isa" "$function" "$fingers" 6)
            printf ' %9s' $(((more - few) / 4))
        done
        printf '\n'
    done
done

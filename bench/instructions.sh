#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Instructions per joint and call on chains of 10, 100 and 1000 joints, by valgrind: the same on every
# machine with the same compiler. Loading and start-up drop out, because the counts of a few and of
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

printf '%-9s %-5s %12s %12s %12s\n' set call '10 joints' '100 joints' '1000 joints'
for isa in baseline avx2; do
    for function in fk rnea aba crba; do
        printf '%-9s %-5s' "$isa" "$function"
        for joints in 10 100 1000; do
            few=$(count "$isa" "$function" "$joints" 2)
            more=$(count "$isa" "$function" "$joints" 6)
            printf ' %12s' $(((more - few) / 4 / joints))
        done
        printf '\n'
    done
done

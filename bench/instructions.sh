#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Instructions of tandem's functions by valgrind, for the baseline and the AVX2 kernels, the same on
# every machine with the same compiler:
#
#   joints    per joint and call, on chains of that many joints; derivatives are those of inverse
#             dynamics by y and ẏ, with the mass matrix
#   batch     per joint and state, on the same chains, four states a call
#   modules   per joint, forward dynamics by either plan and γ with velocities and accelerations on
#             chains of parallelograms, three joints each, two of which follow the third
#   pairs     per joint, γ and forward dynamics on chains of pairs of joints, the second of which
#             follows the first by a curve
#   loops     per loop, on chains of four-bars, of which γ has a formula: γ with velocities and
#             accelerations, inverse dynamics, the mass matrix, forward dynamics by either plan, each
#             call 0.01 rad from the last one; and per loop and state γ, inverse and forward dynamics
#             of four states in one call, 0.3 rad from the reference
#   sliders   the same on chains of cranks and sliders, which have one too
#   fingers   whole calls, forward dynamics by either plan on an arm of seven joints with fingers of
#             three coupled joints
#
# Loading and start-up are not counted. What grows with the square of the depth per joint stops at
# 100 joints.
# Functions may be named to have their rows alone; instructions_diff.sh compares with the counts
# that are committed.
#
#   sh bench/instructions.sh BUILD_DIRECTORY [FUNCTION...] >bench/instructions.txt

set -eu

program=${1:?usage: instructions.sh BUILD_DIRECTORY [FUNCTION...]}/bench/instructions
shift
wanted=" $* "
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

calls=4

# instructions of all calls: count ISA FUNCTION SIZE. Symbols are bound at the start, so that the
# first call does what the others do.
count() {
    LD_BIND_NOW=1 TANDEM_ISA=$1 valgrind --tool=callgrind --callgrind-out-file="$scratch/out" \
        --toggle-collect='counted_*' "$program" "$2" "$3" "$calls" 2>&1 |
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

# row WIDTH ISA FUNCTION PER_UNIT SIZE...: PER_UNIT is what a call's count is divided by for every
# unit of size, 0 for whole calls
row() {
    width=$1 isa=$2 function=$3 unit=$4
    shift 4
    printf "%-9s %-${width}s" "$isa" "$function"
    for size; do
        divisor=$((unit * size))
        [ "$unit" -gt 0 ] || divisor=1
        printf ' %9s' $(($(count "$isa" "$function" "$size") / calls / divisor))
    done
    printf '\n'
}

# is FUNCTION among those that were named, if any were?
is_wanted() {
    [ "$wanted" = '  ' ] || case $wanted in *" $1 "*) ;; *) false ;; esac
}

# block HEADING "FUNCTION..." WIDTH PER_UNIT SIZE...
first=yes
block() {
    heading=$1 functions=$2 width=$3 unit=$4
    shift 4
    rows=
    for function in $functions; do
        if is_wanted "$function"; then
            rows="$rows $function"
        fi
    done
    [ -n "$rows" ] || return 0
    [ "$first" = yes ] || printf '\n'
    first=no
    printf "%-9s %-${width}s" set "$heading:"
    printf ' %9s' "$@"
    printf '\n'
    for isa in baseline avx2; do
        for function in $rows; do
            row "$width" "$isa" "$function" "$unit" "$@"
        done
    done
}

block joints 'fk rnea aba crba' 8 1 10 100 1000
block modules 'cluster reduced' 8 3 1 2 5 20 100 500
block modules 'cluster_batch reduced_batch' 14 12 1 2 5 20 100
block modules mimic-closure 14 3 1 5 100
block modules mimic-closure_batch 20 12 1 5 100
block pairs 'curve-closure curve-aba' 14 2 1 5 50
block pairs curve-closure_batch 20 8 1 5 50
block loops 'loop-closure loop-rnea loop-crba loop-cluster loop-reduced' 15 1 1 2 4 8 16 32 64
block loops loop-rnea_batch 15 4 1 2 4 8 16 32 64
block loops 'loop-closure_batch loop-cluster_batch' 19 4 1 8 64
block sliders 'slider-closure slider-rnea' 15 1 1 8 64
block sliders 'slider-rnea_batch slider-closure_batch' 21 4 1 8 64
block fingers 'hand-cluster hand-reduced' 14 0 1 4 16 64
block fingers 'hand-cluster_batch hand-reduced_batch' 19 0 1 4 16 64
block joints 'velocity jacobian momentum factors inverse coriolis' 8 1 10 100
block joints derivatives 11 1 10 100
block batch 'fk_batch rnea_batch aba_batch crba_batch factors_batch' 11 4 10 100

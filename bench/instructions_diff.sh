#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What a change did to the counts of instructions.sh: the change of every count in percent against
# the committed one. '.' is a change below 0.5 %, 'new' a count that was not there. Functions may be
# named to have those alone, which takes seconds where all take minutes.
#
#   sh bench/instructions_diff.sh BUILD_DIRECTORY [FUNCTION...]
#
# BEFORE=FILE compares with the counts in FILE instead, AFTER=FILE takes the new counts from there
# instead of counting.

set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

before=${BEFORE-}
if [ -z "$before" ]; then
    before=$scratch/before
    git -C "$here" show HEAD:./instructions.txt >"$before"
fi
after=${AFTER-}
if [ -z "$after" ]; then
    after=$scratch/after
    : "${1:?usage: instructions_diff.sh BUILD_DIRECTORY [FUNCTION...]}"
    sh "$here/instructions.sh" "$@" >"$after"
fi

# A row is known by its heading, its set and its function, a count by its column's size.
awk '
    NF == 0 { next }
    $1 == "set" {
        heading = $2
        split($0, size)
        if (NR != FNR) {
            printf "%s%-9s %-14s", blocks++ ? "\n" : "", $1, $2
            for (i = 3; i <= NF; i++)
                printf " %9s", $i
            printf "\n"
        }
        next
    }
    NR == FNR {
        for (i = 3; i <= NF; i++)
            old[heading, $1, $2, size[i]] = $i
        next
    }
    {
        printf "%-9s %-14s", $1, $2
        for (i = 3; i <= NF; i++) {
            was = old[heading, $1, $2, size[i]]
            change = was > 0 ? 100 * ($i - was) / was : 0
            small = change < 0.5 && change > -0.5
            printf " %9s", was == "" ? "new" : small ? "." : sprintf("%+.1f%%", change)
        }
        printf "\n"
    }
' "$before" "$after"

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Nothing that the library gives depends on memory that was never written: valgrind watches the
# command's selftest on robots of all kinds, with the instruction set that it offers and with the
# baseline. The sanitizers of the compilers do not see this.
#
#   sh test/undefined.sh COMMAND DIRECTORY_OF_ROBOTS
#
# Exit code 77 means skipped: there is no valgrind that works, or the build is for instructions that
# it does not know.

set -eu

command=$1
robots=$2

if ! valgrind --quiet true >/dev/null 2>&1; then
    echo "skipped: there is no valgrind that works"
    exit 77
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT

unset TANDEM_ISA
for set in any baseline; do
    [ "$set" = any ] || export TANDEM_ISA="$set"
    for robot in arm7 gripper hand_b humanoid larm_leg linear_leg recupera_shoulder stewart; do
        status=0
        valgrind --quiet --error-exitcode=99 "$command" selftest --states 2 \
            "$robots/$robot.urdf" >"$log" 2>&1 || status=$?
        if [ "$status" -eq 132 ]; then
            echo "skipped: the build is for instructions that valgrind does not know"
            exit 77
        elif [ "$status" -ne 0 ]; then
            cat "$log"
            echo "FAILED: $robot, instruction set $set"
            exit 1
        fi
    done
done

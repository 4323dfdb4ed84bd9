#!/bin/sh
# SPDX-License-Identifier: MIT
#
# No result may depend on uninitialized memory. Runs tandem verify under valgrind on robots of all
# kinds, with the instruction set that it selects and with the baseline. Compiler sanitizers do not detect
# this.
#
#   sh test/undefined.sh COMMAND DIRECTORY_OF_ROBOTS
#
# Exit code 77 means skipped: valgrind does not work, or does not know the instructions of the build.

set -eu

command=$1
robots=$2

if ! valgrind --quiet true >/dev/null 2>&1; then
    echo "skipped: there is no valgrind that works"
    exit 77
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# with a share of the cases, each robot has one of the sets
unset TANDEM_ISA
number=0
for set in any baseline; do
    [ "$set" = any ] || export TANDEM_ISA="$set"
    for robot in arm7 gripper hand_b humanoid larm_leg linear_leg recupera_shoulder stewart; do
        number=$((number + 1))
        if [ "${TANDEM_TEST_SHARE:-1}" -gt 1 ] && [ $(((number + number / 9) % 2)) -eq 0 ]; then
            continue
        fi
        status=0
        valgrind --quiet --error-exitcode=99 "$command" verify --states 2 \
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

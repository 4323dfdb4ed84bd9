#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The programs in examples/ must behave as documented, on bundled robots and with wrong arguments; prints TAP.
#
#   sh test/examples.sh DIRECTORY_OF_PROGRAMS DIRECTORY_OF_ROBOTS [COMMAND]

set -u

programs=$1
robots=$2
command=${3:-}
number=0
failed=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# check TITLE STATUS PATTERN PROGRAM ARGUMENT...: checks the exit code, and for a line of output or messages
check() {
    title=$1 wanted=$2 pattern=$3 program=$4
    shift 4
    number=$((number + 1)) status=0
    "$programs/example_$program" "$@" >"$scratch/output" 2>&1 || status=$?
    if [ "$status" -eq "$wanted" ] && grep -Eq -- "$pattern" "$scratch/output"; then
        echo "ok $number - $title"
    else
        failed=1
        echo "not ok $number - $title"
        echo "# exit code $status; output:"
        sed 's/^/# /' "$scratch/output"
    fi
}

echo "1..20"
tau=-
[ -z "$command" ] || tau=$("$command" id -q driver_joint=0.3 "$robots/gripper.urdf" |
    awk '$1 == "driver_joint" { print $5 }')
check "hold: the command has the same torque" 0 "^driver_joint $tau" hold "$robots/gripper.urdf" \
    driver_joint 0.3
check "hold: a name that is none" 1 "no element has this name" hold "$robots/gripper.urdf" drive 0.3
check "hold: a file that is none" 1 "cannot be read" hold "$scratch/none.urdf"
check "control_loop: an arm ends where it should" 0 "^largest error after 2 s: [0-9.]+e-1[0-9]" \
    control_loop "$robots/arm7.urdf"
check "control_loop: so does a robot with mimic joints" 0 \
    "^largest error after 2 s: [0-9.]+e-1[0-9]" control_loop "$robots/hand_a.urdf"
if [ -x "$programs/example_control_loop_cpp" ]; then
    check "control_loop in C++: a robot with mimic joints ends where it should" 0 \
        "^largest error after 2 s: [0-9.]+e-1[0-9]" control_loop_cpp "$robots/hand_a.urdf"
    check "control_loop in C++: a file that is none, with the reason" 1 "cannot be read" control_loop_cpp "$scratch/none.urdf"
else
    for number in 6 7; do
        echo "ok $number - control_loop in C++ # SKIP there is no compiler of C++"
    done
fi
check "batch: a line for every joint" 0 "^driver_joint [0-9.]+$" batch "$robots/gripper.urdf" 1000
check "batch: a file that is none" 1 "cannot be read" batch "$scratch/none.urdf"
check "loop: joints that follow are told" 0 "^rocker_joint -?[0-9.]+ follows$" loop \
    "$robots/four_bar.urdf" 0.2
check "loop: one that cannot be closed" 1 "loop 'D' stays open by 0.348" loop \
    "$robots/five_bar.urdf" 2.5
check "own_closure: (g m) r sin 2θ" 0 "^torque 0.033019 N m$" own_closure 0.5
check "own_closure: nothing at the top" 0 "^torque -?0.000000 N m$" own_closure 1.5707963267948966

check "fall: an arm ends on its stops, and its energy balances" 0 \
    "^energy less work within [0-9]e-(09|1[0-9]) J" fall "$robots/arm7.urdf" 0.6
check "fall: bouncing ends in rest" 0 "^1.0 -0.080000$" fall "$robots/five_bar.urdf" 1
check "fall: a file that is none" 1 "cannot be read" fall "$scratch/none.urdf" 1

ends="^exact derivatives: [0-9]+ iterations, [0-9.]+ ms, ends [0-9.]+e-0[3-9] from the goal$"
check "swing_up: an arm with a passive elbow stands up" 0 "$ends" swing_up
check "swing_up: a robot with mimic joints from rest to rest" 0 "$ends" swing_up \
    "$robots/gripper.urdf" 0.5
check "swing_up: through a loop" 0 "$ends" swing_up "$robots/four_bar.urdf" 0.5
check "swing_up: a file that is none" 1 "cannot be read" swing_up "$scratch/none.urdf" 0.5
exit $failed

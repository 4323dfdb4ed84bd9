#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Memory of commands. Commands without matrices must work on a beam of thousands of rods in an address space
# too small for its matrices. Commands with matrices must report their size and a remedy.
#
#   sh test/command_memory.sh COMMAND
#
# Exit code 77 means skipped: the command cannot start in so little memory, as with the address sanitizer.

# shellcheck disable=SC3045 # memory limits are not in POSIX; without them the test is skipped
set -eu

case $1 in
/*) command=$1 ;;
*) command=$PWD/$1 ;;
esac
limit=600000 # KiB; the workspace of the beam with matrices takes 3.2 GB

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

if ! (ulimit -v "$limit" && "$command" --version) >log 2>&1; then
    echo "skipped: the command does not start in $limit KiB"
    exit 77
fi

# a link of 4000 rods, and one of 4
for rods in 4000 4; do
    cat >beam$rods.urdf <<EOF
<robot name="beam"><link name="base"/>
<link name="beam"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
<inertia ixx="0" ixy="0" ixz="0" iyy="0.0833333" iyz="0" izz="0.0833333"/></inertial>
<flexible axis="1 0 0" length="1" across="0 1 0" EI="10" mass_per_length="1" segments="$rods"/></link>
<joint name="shoulder" type="continuous"><parent link="base"/><child link="beam"/><axis xyz="0 0 1"/>
</joint></robot>
EOF
done

# a chain of COUNT joints; with FOLLOWERS 1 each follows the one before
chain() {
    awk -v count="$1" -v followers="$2" '
    BEGIN {
        print "<robot name=\"chain\"><link name=\"l0\"/>"
        for (k = 1; k <= count; k++) {
            print "<link name=\"l" k "\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\"" \
                  " ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link>"
            print "<joint name=\"j" k "\" type=\"continuous\"><parent link=\"l" k - 1 "\"/><child" \
                  " link=\"l" k "\"/><origin xyz=\"0.1 0 0\"/><axis xyz=\"0 0 1\"/>"
            if (followers && k > 1)
                print "<mimic joint=\"j" k - 1 "\" multiplier=\"0.99\"/>"
            print "</joint>"
        }
        print "</robot>"
    }'
}
chain 4200 0 >chain.urdf
chain 4200 1 >followers.urdf

failed=0
within() {
    status=0
    (ulimit -v "$limit" && exec "$command" "$@") >out 2>err || status=$?
}
works() {
    within "$@"
    if [ "$status" -ne 0 ]; then
        echo "FAILED: $*: $status, $(tail -1 err)"
        failed=1
    fi
}
# says TEXT COMMAND...: it must exit with code 4 (no result) and TEXT in its message
says() {
    text=$1
    shift
    within "$@"
    if [ "$status" -ne 4 ] || ! grep -q "$text" err; then
        echo "FAILED: $*: $status, $(tail -1 err)"
        failed=1
    fi
}

for robot in beam4000 chain followers; do
    for task in tree "tree --dot" info fk id energy; do
        works $task $robot.urdf
    done
done
# a table of matrices needs memory for one state, not for a batch of rows
chain 350 0 >chain350.urdf
printf 'q:j1\n0.1\n0.2\n' >states.csv
works derivatives chain350.urdf states.csv -o derivatives.npy
works fd followers.urdf # its plan needs no matrices
most=$(awk 'BEGIN { printf "j2"; for (k = 3; k <= 4200; k++) printf ",j%d", k }')
works info --actuated "$most" chain.urdf
grep -q 'M_u is too large (4199 × 4200)' out || {
    echo "FAILED: info does not say what it leaves out"
    failed=1
}
works mass beam4.urdf
matrices='out of memory: .*matrices of 4001 × 4001 numbers, in a workspace of [0-9]*\.[0-9] GB; fewer segments'
says "$matrices" mass beam4000.urdf
says "$matrices" derivatives beam4000.urdf

exit $failed

#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Plots of tables: content, format, names that would do harm if gnuplot interpreted them as commands, and
# messages for errors; prints TAP.
#
#   sh test/plot.sh COMMAND DIRECTORY_OF_ROBOTS

set -u

command=$1
robots=$2
. "$(dirname -- "$0")/verdict.sh"

draw() {
    "$command" plot "$@" 2>"$scratch/messages"
}

# refused PATTERN ARGUMENT...: exit code 2 with a message, and no picture
refused() {
    pattern=$1
    shift
    status=0
    draw "$@" -o "$scratch/none.svg" || status=$?
    [ "$status" -eq 3 ] && grep -q -- "$pattern" "$scratch/messages" && [ ! -e "$scratch/none.svg" ] &&
        [ -z "$(find "$scratch" -name 'none.svg.*')" ]
}

if ! command -v gnuplot >/dev/null 2>&1; then
    echo "1..0 # SKIP there is no gnuplot"
    exit 0
fi
echo "1..35"

printf 't,q:elbow,q:wrist,qd:elbow,event,status\n0,0,1,2,,ok\n0.5,0.25,nan,1,stop of elbow,ok\n1,1,0,0,,ok\n' \
    >"$scratch/table.csv"
draw "$scratch/table.csv" && grep -q '^<svg' "$scratch/table.svg" && grep -q '>elbow<' "$scratch/table.svg" &&
    grep -q '>wrist<' "$scratch/table.svg" && grep -q 'stop of elbow' "$scratch/table.svg"
verdict "a picture beside its table, with names and events"

printf 't,q:elbow,event,event\n0,0,first,second\n1,1,,third\n' >"$scratch/twice.csv"
draw "$scratch/twice.csv" && grep -q first "$scratch/twice.svg" && grep -q third "$scratch/twice.svg" &&
    ! grep -q second "$scratch/twice.svg"
verdict "of two columns of events the first that says something"

draw "$scratch/table.csv" -o "$scratch/a.png" && [ "$(head -c 4 "$scratch/a.png" | tail -c 3)" = PNG ]
verdict "PNG"

draw - -o "$scratch/a.pdf" <"$scratch/table.csv" && [ "$(head -c 4 "$scratch/a.pdf")" = %PDF ]
verdict "PDF, of a table from standard input"

draw "$scratch/table.csv" -c qd -o "$scratch/b.svg" && ! grep -q '>wrist<' "$scratch/b.svg"
verdict "one quantity"

draw "$scratch/table.csv" -c q:wrist --x q:elbow --title "a 'title'" -o "$scratch/b.svg" &&
    grep -q ">a 'title'<" "$scratch/b.svg" && grep -q '>q:elbow<' "$scratch/b.svg"
verdict "another column across, and a title"

# backticks, quotes, a backslash, a newline and an ampersand
printf 't,"q:`touch %s/harm`","q:a'"'"' ; system ""touch %s/harm"" #","q:two\nlines","q:<b>&\\"\n0,1,2,3,4\n1,2,3,4,5\n' \
    "$scratch" "$scratch" >"$scratch/names.csv"
draw "$scratch/names.csv" && [ ! -e "$scratch/harm" ] && grep -q 'touch' "$scratch/names.svg" &&
    grep -q '&lt;b\(>\|&gt;\)&amp;' "$scratch/names.svg"
verdict "names are data"

# gnuplot does not escape >, which XML forbids after ]]
printf 't,q:a]]>,q:]]]>>\n0,1,2\n1,2,3\n2,3,4\n' >"$scratch/ends.csv"
draw "$scratch/ends.csv" && grep -q '>a\]\]&gt;<' "$scratch/ends.svg" && ! grep -q '\]\]>' "$scratch/ends.svg" &&
    "$command" plot "$scratch/ends.csv" -o - 2>/dev/null | cmp -s - "$scratch/ends.svg"
verdict "names that end what XML has not begun"

awk 'BEGIN { print "t,q:a"; for (i = 0; i < 100000; i++) print i / 1000 "," (i == 77777 ? 9 : sin(i / 1e4)) }' \
    >"$scratch/long.csv"
draw "$scratch/long.csv" && [ "$(wc -c <"$scratch/long.svg")" -lt 300000 ] &&
    grep -q '> [89]<' "$scratch/long.svg"
verdict "a long table keeps its peaks and makes a small picture"

refused "more than\|has 1 field\|row 1 has" "$scratch/names.csv.none"
[ $? -ne 0 ] && grep -q 'No such file' "$scratch/messages"
verdict "a table that does not exist"

printf 't,q:a\n0\n' >"$scratch/short.csv"
refused "row 1 has 1 field, but the heading has 2" "$scratch/short.csv"
verdict "a row that is too short"

refused "no column or quantity 'tau'" "$scratch/table.csv" -c tau
verdict "a quantity that the table does not have"

refused "no column 'time'" "$scratch/table.csv" --x time
verdict "a column across that the table does not have"

status=0
draw "$scratch/table.csv" -o "$scratch/a.jpg" || status=$?
[ "$status" -eq 2 ] && grep -q 'a picture must be .svg, .png or .pdf' "$scratch/messages" && [ ! -e "$scratch/a.jpg" ]
verdict "another format"

"$command" closure --sweep crank_joint --plot "$scratch/sweep.svg" "$robots/four_bar.urdf" \
    >"$scratch/output" 2>"$scratch/messages" && [ ! -s "$scratch/output" ] &&
    grep -q '>q:crank_joint<' "$scratch/sweep.svg" && grep -q '>rocker_joint<' "$scratch/sweep.svg"
verdict "a sweep is drawn instead of printed"

printf 't,q:driver_joint\n0,0.1\n1,0.2\n' |
    "$command" id --plot "$scratch/id.png" "$robots/gripper.urdf" - 2>"$scratch/messages" &&
    [ -s "$scratch/id.png" ]
verdict "torques of a table"

# limits: 0 and 0.8 rad, 2 rad/s; a limit is drawn as a dashed line where the curve comes near it
printf 't,q:driver_joint,qd:driver_joint\n0,0.1,0.1\n1,0.7,0.2\n' >"$scratch/near.csv"
draw "$scratch/near.csv" --robot "$robots/gripper.urdf" -o "$scratch/near.svg" &&
    grep -q '>position (rad)<' "$scratch/near.svg" && grep -q '>velocity (rad/s)<' "$scratch/near.svg" &&
    [ "$(grep -c 'stroke-dasharray' "$scratch/near.svg")" -gt "$(draw "$scratch/near.csv" -o "$scratch/far.svg" &&
        grep -c 'stroke-dasharray' "$scratch/far.svg")" ]
verdict "units and limits of a robot"

# every command that writes a table: simulate, trajectory, motion, fd, energy
table() {
    rm -f "$scratch/t.svg"
    "$command" "$@" --plot "$scratch/t.svg" >"$scratch/output" 2>"$scratch/messages" &&
        [ ! -s "$scratch/output" ] && grep -q '^<svg' "$scratch/t.svg"
}

table simulate "$robots/hand_a.urdf" --time 0.1 && grep -q '>velocity (m/s)<' "$scratch/t.svg" &&
    grep -q '>wrist<' "$scratch/t.svg" && grep -q '>total<' "$scratch/t.svg"
verdict "a simulation"

printf 'q:driver_joint\n0\n0.5\n' >"$scratch/points.csv"
table trajectory "$robots/gripper.urdf" "$scratch/points.csv" && grep -q '>torque (N m)<' "$scratch/t.svg"
verdict "a trajectory"

printf 't,driver_joint\n0,0\n1,0.2\n2,0.3\n3,0.1\n' >"$scratch/recorded.csv"
table motion "$robots/gripper.urdf" "$scratch/recorded.csv" && grep -q '>acceleration (rad/s²)<' "$scratch/t.svg"
verdict "a recorded motion"

table energy "$robots/gripper.urdf" "$scratch/near.csv" && grep -q '>kinetic<' "$scratch/t.svg" &&
    grep -q '>potential<' "$scratch/t.svg"
verdict "energies"

"$command" fd "$robots/gripper.urdf" "$scratch/near.csv" -o "$scratch/fd.svg" 2>"$scratch/messages" &&
    grep -q '>acceleration (rad/s²)<' "$scratch/fd.svg"
verdict "-o with the name of a picture"

status=0
printf 't,q:driver_joint\n0,0.1\n1,0.2\n' | PATH=/nowhere "$command" id --plot "$scratch/no.png" \
    "$robots/gripper.urdf" - 2>"$scratch/messages" || status=$?
[ "$status" -eq 3 ] && grep -q 'gnuplot, which is not installed' "$scratch/messages" &&
    [ ! -e "$scratch/no.png" ]
verdict "one clear line without gnuplot"

# checked before the table is computed: a simulation that would never end is not started
status=0
PATH=/nowhere "$command" simulate "$robots/arm7.urdf" --time 1e9 --plot "$scratch/no.png" 2>"$scratch/messages" ||
    status=$?
[ "$status" -eq 3 ] && grep -q 'gnuplot, which is not installed' "$scratch/messages" &&
    [ "$(wc -l <"$scratch/messages")" -eq 1 ]
verdict "without gnuplot nothing is computed"

table motion "$robots/gripper.urdf" "$scratch/recorded.csv" --reactions all &&
    grep -q '>reaction, moment (N m)<' "$scratch/t.svg" && grep -q '>reaction, force (N)<' "$scratch/t.svg" &&
    grep -q '>driver_joint.mx<' "$scratch/t.svg" && grep -q '>driver_joint.fz<' "$scratch/t.svg"
verdict "reactions"

awk 'BEGIN { print "t,q:a"; for (i = 0; i < 40; i++) printf "%.2f,%g\n", 1700000000 + i / 10, i * i }' \
    >"$scratch/clock.csv"
draw "$scratch/clock.csv" -o "$scratch/clock.svg" && grep -q '>t (s)<' "$scratch/clock.svg" &&
    grep -q '> 3.5<' "$scratch/clock.svg" && ! grep -q 'e+09<' "$scratch/clock.svg"
verdict "times of a clock are drawn from the first one on"

awk 'BEGIN { print "x,y"; for (i = 0; i < 40; i++) printf "%.2f,%g\n", 1700000000 + i / 10, i * i }' \
    >"$scratch/far.csv"
draw "$scratch/far.csv" --x x -c y -o "$scratch/far.svg" && grep -q '>x − 1700000000<' "$scratch/far.svg" &&
    grep -q '> 3.5<' "$scratch/far.svg" && ! grep -q 'e+09<' "$scratch/far.svg"
verdict "so are other columns that are far from zero"

"$command" simulate "$robots/gripper.urdf" --time 0.1 2>/dev/null | draw - -c energy -o - >"$scratch/standard.svg" &&
    grep -q '</svg>' "$scratch/standard.svg" && grep -q '>total<' "$scratch/standard.svg"
verdict "to standard output"

# an axis of 1e-17 would show in the labels
printf 't,q:a,qd:a\n0,1,1e-17\n1,1.5,-2e-17\n2,2,0\n' >"$scratch/rounding.csv"
draw "$scratch/rounding.csv" -o "$scratch/rounding.svg" && ! grep -q 'e-17<' "$scratch/rounding.svg" &&
    printf 't,q:a,qd:a\n0,1,1e-9\n1,1.5,-2e-9\n2,2,0\n' | draw - -o "$scratch/small.svg" &&
    grep -q 'e-09<' "$scratch/small.svg"
verdict "rounding is drawn as nothing, what is small is not"

printf 't,energy,work\n0,0,0\n1,3e-10,1e-12\n2,-2e-10,0\n' >"$scratch/energy.csv"
draw "$scratch/energy.csv" --robot "$robots/arm7.urdf" -o "$scratch/energy.svg" &&
    ! grep -q 'e-10<' "$scratch/energy.svg"
verdict "a constant energy is a line beside the robot's weight"

printf 't,q:driver_joint\n0,0.1\n1,0.2\n' >"$scratch/states.csv"
table fk "$robots/gripper.urdf" "$scratch/states.csv" && grep -q '>position of links (m)<' "$scratch/t.svg" &&
    grep -q '>quaternion of links<' "$scratch/t.svg" && table mass "$robots/gripper.urdf" "$scratch/states.csv" &&
    grep -q '>driver_joint,driver_joint<' "$scratch/t.svg"
verdict "places of links, and the mass matrix"

link=$(sed -n 's/.*<link name="\([^"]*\)".*/\1/p' "$robots/arm7.urdf" | tail -n 1)
printf 't,q:joint_1\n0,0.1\n1,0.2\n' >"$scratch/states.csv"
table jacobian "$robots/arm7.urdf" -l "$link" "$scratch/states.csv" &&
    grep -q '>Jacobian, rotation<' "$scratch/t.svg" && grep -q '>Jacobian, translation<' "$scratch/t.svg" &&
    grep -q '>vx:joint_1<' "$scratch/t.svg"
verdict "a Jacobian"

# every quantity of a command's results has a panel
table energy "$robots/arm7.urdf" "$scratch/states.csv" &&
    grep -q '>com<' "$scratch/t.svg" && grep -q '>angular:x<' "$scratch/t.svg"
verdict "quantities without a panel in the table of panels"

both() {
    rm -f "$scratch/both.csv" "$scratch/both.svg"
    "$command" "$@" -o "$scratch/both.csv" --plot "$scratch/both.svg" >"$scratch/report" 2>"$scratch/messages" &&
        grep -q '</svg>' "$scratch/both.svg" && grep -q 'q:\|tau:' "$scratch/both.csv"
}
printf "t,q:'x,q:a''b,q:'\n0,0,1,2\n1,1,2,3\n" >"$scratch/quotes.csv"
draw "$scratch/quotes.csv" && [ "$(grep -c '’' "$scratch/quotes.svg")" -ge 2 ]
verdict "names that begin with a quote, or have two"

printf 't,q:joint_1\n0,0\n0.1,0.1\n0.2,0.2\n0.3,0.2\n0.4,0.1\n' >"$scratch/states.csv"
both simulate "$robots/arm7.urdf" --time 0.05 && both id "$robots/arm7.urdf" "$scratch/states.csv" &&
    both motion "$robots/arm7.urdf" "$scratch/states.csv" && grep -q '^largest force' "$scratch/report" &&
    both trajectory "$robots/arm7.urdf" "$scratch/states.csv"
verdict "a table and its picture"

status=0
printf 't,x,y,z\n0,9,0,0\n1,8,0,0\n' | "$command" ik "$robots/arm7.urdf" --link tool - -o "$scratch/far.svg" \
    2>"$scratch/messages" || status=$?
[ "$status" -eq 1 ] && grep -q '2 rows not reached' "$scratch/messages" && grep -q '</svg>' "$scratch/far.svg"
verdict "a picture does not hide that the task has failed"
exit $failed

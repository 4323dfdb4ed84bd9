#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Every example in a command's --help must work, in a folder with the files that the examples name; prints
# TAP.
#
#   sh test/help.sh COMMAND

set -u
unset COLUMNS ARGP_HELP_FMT

command=$(CDPATH= cd -- "$(dirname -- "$1")" && pwd)/$(basename -- "$1")
PATH=$(dirname -- "$command"):$PATH
TANDEM_ROBOTS=$(CDPATH= cd -- "$(dirname -- "$0")/../urdf/robots" && pwd)
export TANDEM_ROBOTS
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
number=0
failed=0

cat >robot.urdf <<END
<robot name="robot">
  <link name="base"/>
  <link name="upper"><inertial><mass value="2"/><origin xyz="0.2 0 0"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="hand"><inertial><mass value="1"/><origin xyz="0.1 0 0"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" velocity="5" effort="50"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="hand"/><axis xyz="0 1 0"/>
    <origin xyz="0.4 0 0"/><limit lower="-2" upper="2" velocity="5" effort="50"/>
    <dynamics damping="0.1" friction="0.05"/></joint>
</robot>
END
printf 't,q:shoulder,q:elbow,qd:elbow,qdd:elbow\n0,0,0,0,0\n0.1,0.1,0.2,1,0\n0.2,0.2,0.3,0,1\n' >motion.csv
printf 't,q:shoulder,q:elbow,qd:shoulder,qd:elbow\n0,0,0,0,0\n0.1,0.1,0.2,1,0\n' >encoders.csv
printf 'q:shoulder,q:elbow\n0,0\n0.5,1\n0,0\n' >points.csv
printf 'x,y,z\n0.4,0,-0.1\n0.4,0,-0.12\n0.41,0,-0.13\n' >seam.csv
printf 'point,link,x,y,z\na,upper,0.1,0,0\nb,hand,0.1,0,0.05\n' >markers.csv
printf 't,a.x,a.y,a.z,b.x,b.y,b.z\n0,0.1,0,0,0.5,0,0.05\n0.1,,,,0.5,0,0.04\n' >marked.csv
printf 't,tau:elbow\n0,0\n0.5,1\n10,0\n' >tau.csv
awk 'BEGIN { print "time,Elbow angle"; for (i = 0; i < 200; i++) print 10 * i "," 20 * sin(i / 30) }' \
    >recorded.csv
awk 'BEGIN { print "q:finger_base,q:finger_tip"; for (i = 0; i < 50; i++) print i / 40 "," i * i / 1e4 }' >run.csv
awk 'BEGIN { print "cam,lift"; for (i = 0; i < 200; i++) print i / 30 "," sin(i / 30) / 100 }' >cam.csv
printf '%s\n' 'states: 5000' 'vary: {q: limits}' 'evaluate: [id]' 'keep: [{histogram: tau, bins: [-20, 20, 9]}]' >torques.yaml
for shard in 0 1 2; do
    tandem sweep robot.urdf torques.yaml --shard $shard/4 -o torques.json >/dev/null
done

for name in $(tandem help | sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p' | grep -v '^help$'); do
    # without line breaks
    COLUMNS=1000 tandem help "$name" >text 2>/dev/null || continue
    sed -n '/^ *Examples*:/,$s/^  *\(tandem .*\)/\1/p' text >examples
    while IFS= read -r example; do
        case $example in *' --plot '* | *' plot '*)
            if ! command -v gnuplot >/dev/null 2>&1; then
                number=$((number + 1))
                echo "ok $number - $example # SKIP there is no gnuplot"
                continue
            fi
            ;;
        esac
        case $example in *'| dot '*)
            if ! command -v dot >/dev/null 2>&1; then
                number=$((number + 1))
                echo "ok $number - $example # SKIP there is no dot"
                continue
            fi
            ;;
        esac
        # the recording of the second example has columns of another layout; the first example needs a joint
        rm -f output
        number=$((number + 1))
        file=recorded.csv
        case $example in *"recorded.csv --unit deg --filter"*)
            file=plain.csv
            sed '1s/Elbow angle/elbow/' recorded.csv | awk -F, 'NR > 1 { $1 /= 1000 } { print $1 "," $2 }' \
                >$file
            ;;
        esac
        if sh -c "$(printf '%s' "$example" | sed "s/recorded\.csv/$file/")" >output 2>messages </dev/null; then
            echo "ok $number - $example"
        else
            failed=1
            echo "not ok $number - $example"
            sed 's/^/# /' messages
        fi
    done <examples
done
[ "$number" -ge 12 ] || failed=1

# every page must fit a screen of 50 lines, list -h, and adapt to the width; names in one table stay distinct
for name in $(tandem help | sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p') robot state table; do
    number=$((number + 1))
    fault=
    COLUMNS=80 tandem help "$name" >text
    [ "$name" = help ] || [ "$(wc -l <text)" -le 50 ] || fault="$(wc -l <text) lines"
    case $name in robot | state | table) ;; *) grep -q '^  -h, --help ' text || fault="no -h" ;; esac
    for width in 40 57 80; do
        COLUMNS=$width tandem help "$name" | LC_ALL=C tr -d '\200-\277' >text
        wide=$(awk -v most="$width" 'length > most' text)
        [ -z "$wide" ] || fault="wider than $width: $wide"
    done
    if [ -z "$fault" ]; then
        echo "ok $number - the page of $name fits"
    else
        failed=1
        echo "not ok $number - the page of $name fits"
        printf '%s\n' "$fault" | sed 's/^/# /'
    fi
done
for file in torques.csv torques.svg path.csv fall.csv fall.png motion.svg sweep.svg; do
    case $file in *.csv) ;; *) command -v gnuplot >/dev/null 2>&1 || continue ;; esac
    number=$((number + 1))
    if [ -s "$file" ]; then
        echo "ok $number - $file was written"
    else
        failed=1
        echo "not ok $number - $file was written"
    fi
done
echo "1..$number"
exit $failed

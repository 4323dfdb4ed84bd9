#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The time to load must grow linearly with the size of the robot. Counts instructions with valgrind: per loop
# of chains of planar four-bars and of parallelograms, per rod of a flexible link, and per joint of chains in
# which each joint follows the one before, linearly or by a curve with limits. Also per transmission, spring,
# bushing, coupling and four-bar from the root, and, for tandem contributions, per follower of one joint. With four
# times as many elements, each may take half as much again; the mass matrix of a chain, for example, needs
# this.
#
# Loops that share joints with the next are solved together, with matrices of all of them. With four times as
# many, each may take four times as much, and half of that again. The same holds for the legs of a platform,
# all of which share its joints, and for the rods of a flexible link in a loop.
#
#   sh test/load_growth.sh COMMAND
#
# Exit code 77 means skipped: valgrind does not work, or does not know the instructions of the build.

set -eu

command=$1
unset MALLOC_PERTURB_ # set by meson; filling memory blocks would change the counts

if ! valgrind --quiet true >/dev/null 2>&1; then
    echo "skipped: there is no valgrind that works"
    exit 77
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# chain COUNT ROCKER: four-bars, each on the rocker of the one before, closed at q = 0. If the rocker is as
# long as the crank they are parallelograms.
chain() {
    awk -v count="$1" -v rocker="$2" '
    function link(name) {
        print "<link name=\"" name "\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\"" \
              " ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link>"
    }
    function joint(name, parent, child, x, y) {
        print "<joint name=\"" name "\" type=\"continuous\"><parent link=\"" parent "\"/><child" \
              " link=\"" child "\"/><origin xyz=\"" x " " y " 0\"/><axis xyz=\"0 0 1\"/></joint>"
    }
    BEGIN {
        print "<robot name=\"chain\">"
        link("rocker0")
        for (k = 1; k <= count; k++) {
            below = "rocker" k - 1
            link("crank" k); link("coupler" k); link("rocker" k)
            joint("turn" k, below, "crank" k, 0, 0.1)
            joint("elbow" k, "crank" k, "coupler" k, 0, 0.1)
            joint("swing" k, below, "rocker" k, 0.3, 0.2 - rocker)
            print "<loop name=\"loop" k "\" type=\"revolute\"><predecessor link=\"coupler" k "\">" \
                  "<origin xyz=\"0.3 0 0\"/></predecessor><successor link=\"rocker" k "\">" \
                  "<origin xyz=\"0 " rocker " 0\"/></successor><axis xyz=\"0 0 1\"/></loop>"
        }
        print "</robot>"
    }'
}

four_bars() { chain "$1" 0.15; }
parallelograms() { chain "$1" 0.1; }

# a ladder of COUNT rungs: each side of a field is a revolute joint on the rung below
ladder() {
    awk -v count="$1" '
    function link(name) {
        print "<link name=\"" name "\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\"" \
              " ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link>"
    }
    function joint(name, parent, child, x, y) {
        print "<joint name=\"" name "\" type=\"continuous\"><parent link=\"" parent "\"/><child" \
              " link=\"" child "\"/><origin xyz=\"" x " " y " 0\"/><axis xyz=\"0 0 1\"/></joint>"
    }
    BEGIN {
        print "<robot name=\"ladder\">"
        link("rung0")
        for (k = 1; k <= count; k++) {
            link("left" k); link("rung" k); link("right" k)
            joint("foot" k, k > 1 ? "left" k - 1 : "rung0", "left" k, 0, k > 1 ? 0.1 : 0)
            joint("head" k, "left" k, "rung" k, 0, 0.1)
            joint("hang" k, "rung" k, "right" k, 0.1, 0)
            print "<loop name=\"loop" k "\" type=\"revolute\"><predecessor link=\"right" k "\">" \
                  "<origin xyz=\"0 -0.1 0\"/></predecessor><successor link=\"rung" k - 1 "\">" \
                  "<origin xyz=\"0.1 0 0\"/></successor><axis xyz=\"0 0 1\"/></loop>"
        }
        print "</robot>"
    }'
}

# COUNT legs of two links each between the ground and one plate
legs() {
    awk -v count="$1" '
    function link(name) {
        print "<link name=\"" name "\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\"" \
              " ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link>"
    }
    function joint(name, type, parent, child, x, y, axis) {
        print "<joint name=\"" name "\" type=\"" type "\"><parent link=\"" parent "\"/><child" \
              " link=\"" child "\"/><origin xyz=\"" x " " y " 0\"/><axis xyz=\"" axis "\"/>"
        if (type == "prismatic")
            print "<limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/>"
        print "</joint>"
    }
    BEGIN {
        print "<robot name=\"legs\">"
        link("ground"); link("along"); link("across"); link("plate")
        joint("x", "prismatic", "ground", "along", 0, 0, "1 0 0")
        joint("y", "prismatic", "along", "across", 0, 0, "0 1 0")
        joint("turn", "continuous", "across", "plate", 0, 0, "0 0 1")
        for (k = 0; k < count; k++) {
            link("thigh" k); link("shank" k)
            joint("hip" k, "continuous", "ground", "thigh" k, 0.1 * k, -1, "0 0 1")
            joint("knee" k, "continuous", "thigh" k, "shank" k, 0.3, 0.5, "0 0 1")
            print "<loop name=\"loop" k "\" type=\"revolute\"><predecessor link=\"shank" k "\">" \
                  "<origin xyz=\"-0.3 0.5 0\"/></predecessor><successor link=\"plate\">" \
                  "<origin xyz=\"" 0.1 * k " 0 0\"/></successor><axis xyz=\"0 0 1\"/></loop>"
        }
        print "</robot>"
    }'
}

# a link of COUNT rods
beam() {
    cat <<EOF
<robot name="beam"><link name="base"/>
<link name="beam"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
<inertia ixx="0" ixy="0" ixz="0" iyy="0.0833333" iyz="0" izz="0.0833333"/></inertial>
<flexible axis="1 0 0" length="1" across="0 1 0" EI="10" mass_per_length="1" segments="$1"/></link>
<joint name="shoulder" type="continuous"><parent link="base"/><child link="beam"/><axis xyz="0 0 1"/>
</joint></robot>
EOF
}

# COUNT joints; each follows the one before by a <mimic> with these attributes
series() {
    awk -v count="$1" -v how="$2" '
    BEGIN {
        print "<robot name=\"series\"><link name=\"l0\"/>"
        for (k = 1; k <= count; k++) {
            print "<link name=\"l" k "\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\"" \
                  " ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link>"
            print "<joint name=\"j" k "\" type=\"revolute\"><parent link=\"l" k - 1 "\"/><child" \
                  " link=\"l" k "\"/><origin xyz=\"0.1 0 0\"/><axis xyz=\"0 0 1\"/>" \
                  "<limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/>"
            if (k > 1)
                print "<mimic joint=\"j" k - 1 "\" " how "/>"
            print "</joint>"
        }
        print "</robot>"
    }'
}

followers() { series "$1" 'multiplier="0.99"'; }
curves() { series "$1" 'polycoef="0 0.9 0.1"'; }

# a link of COUNT rods whose end slides along a wall
pinned_beam() {
    beam "$1" | sed '$d'
    cat <<EOF
</joint><link name="slide"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="wall" type="prismatic"><parent link="base"/><child link="slide"/><origin xyz="1 0 0"/>
<axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<loop name="pin" type="revolute"><predecessor link="beam"><origin xyz="1 0 0"/></predecessor>
<successor link="slide"/><axis xyz="0 0 1"/></loop></robot>
EOF
}

# COUNT joints from the root, and for each the lines of the second argument, with its number in place of K
star() {
    awk -v count="$1" '
    BEGIN {
        print "<robot name=\"star\"><link name=\"l0\"/>"
        for (k = 1; k <= count; k++) {
            print "<link name=\"l" k "\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\"" \
                  " ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link>"
            print "<joint name=\"j" k "\" type=\"revolute\"><parent link=\"l0\"/><child" \
                  " link=\"l" k "\"/><origin xyz=\"0.1 0 0\"/><axis xyz=\"0 0 1\"/>" \
                  "<limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/></joint>"
        }
    }'
    awk -v count="$1" -v each="$2" 'BEGIN {
        for (k = 1; k <= count; k++) {
            line = each
            gsub("K", k, line)
            print line
        }
        print "</robot>"
    }'
}

transmissions() {
    star "$1" '<transmission name="tK"><type>transmission_interface/SimpleTransmission</type>
<joint name="jK"><hardwareInterface>EffortJointInterface</hardwareInterface></joint>
<actuator name="mK"><mechanicalReduction>2</mechanicalReduction></actuator></transmission>'
}

springs() {
    star "$1" '<drake:linear_spring_damper><drake:linear_spring_damper_body_A name="l0"/>
<drake:linear_spring_damper_p_AP value="0 1 0"/><drake:linear_spring_damper_body_B name="lK"/>
<drake:linear_spring_damper_p_BQ value="0 0.1 0"/>
<drake:linear_spring_damper_free_length value="0.5"/>
<drake:linear_spring_damper_stiffness value="10"/>
<drake:linear_spring_damper_damping value="1"/></drake:linear_spring_damper>'
}

bushings() {
    star "$1" '<drake:linear_bushing_rpy><drake:bushing_frameA name="l0"/>
<drake:bushing_frameC name="fK"/><drake:bushing_torque_stiffness value="1 1 1"/>
<drake:bushing_torque_damping value="0 0 0"/><drake:bushing_force_stiffness value="1 1 1"/>
<drake:bushing_force_damping value="0 0 0"/></drake:linear_bushing_rpy>
<frame name="fK" link="lK" xyz="0 0 0.1" rpy="0 0 0"/>'
}

# star, with a crank for each joint and a coupler to it
four_bars_from_root() {
    star "$1" '<link name="cK"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<link name="dK"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="turnK" type="continuous"><parent link="l0"/><child link="cK"/>
<origin xyz="-0.2 0.05 0"/><axis xyz="0 0 1"/></joint>
<joint name="elbowK" type="continuous"><parent link="cK"/><child link="dK"/>
<origin xyz="0 0.1 0"/><axis xyz="0 0 1"/></joint>
<loop name="loopK" type="revolute"><predecessor link="dK"><origin xyz="0.3 0 0"/></predecessor>
<successor link="lK"><origin xyz="0 0.15 0"/></successor><axis xyz="0 0 1"/></loop>'
}

# star, where all joints but the first follow the first
followers_of_one() {
    star "$1" '' | sed '/name="j1"/!s|</joint>|<mimic joint="j1" multiplier="0.9"/></joint>|'
}

# star, with another joint geared to each
couplings() {
    star "$1" '<link name="gK"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="hK" type="continuous"><parent link="l0"/>
<child link="gK"/><axis xyz="0 0 1"/></joint><coupling name="cK"><predecessor link="lK"/>
<successor link="gK"/><ratio value="2"/></coupling>'
}

# how KIND: prints the arguments of the command for a robot of that kind
how() {
    case $1 in
    followers_of_one) echo "contributions $scratch/$1.urdf j1" ;;
    *) echo "check $scratch/$1.urdf" ;;
    esac
}

# counts the instructions for a robot of that kind and size
count() {
    "$1" "$2" >"$scratch/$1.urdf"
    status=0
    # shellcheck disable=SC2046 # split into words
    valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$command" $(how "$1") \
        >"$scratch/log" 2>&1 || status=$?
    if [ "$status" -eq 132 ]; then
        echo "skipped: the build is for instructions that valgrind does not know" >&2
        exit 77
    elif [ "$status" -ne 0 ]; then
        cat "$scratch/log" >&2
        exit 1
    fi
    sed -n 's/.* I *refs: *//p' "$scratch/log" | tr -d ,
}

# grows KIND FEW MANY TIMES [PERCENT]: subtracts the cost of the first element. Each of MANY elements may take
# TIMES as much as each of FEW, plus PERCENT of that (50).
grows() {
    first=$(count "$1" 1)
    few=$(count "$1" "$2")
    many=$(count "$1" "$3")
    each_of_few=$(((few - first) / ($2 - 1)))
    each_of_many=$(((many - first) / ($3 - 1)))
    echo "$1: $each_of_few instructions each of $2, $each_of_many each of $3"
    if [ $((100 * each_of_many)) -gt $(((100 + ${5:-50}) * $4 * each_of_few)) ]; then
        echo "FAILED: $1 take more the more there are"
        exit 1
    fi
}

grows four_bars 30 120 1
grows parallelograms 30 120 1
grows ladder 20 80 4
grows legs 20 60 3
grows beam 100 400 1
grows pinned_beam 25 100 4
grows followers 200 800 1
grows curves 200 800 1
grows transmissions 200 800 1
grows springs 200 800 1
grows couplings 200 1600 1 20
grows bushings 200 1600 1 20
grows four_bars_from_root 100 800 1 1
grows followers_of_one 100 800 1 20

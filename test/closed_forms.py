#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Motions computed by the command against closed forms: simulate with motions and forces from tables, trajectory within
limits, recordings with missing values, sweeps of closures. TAP.

    python3 test/closed_forms.py COMMAND

The robots are a carriage (2 kg) on a rail and a slide (3 kg) on the carriage, without friction or gravity in the
direction of motion: f = M ẍ with M = [5 3; 3 3].
"""
import csv
import io
import json
import math
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from tap import check, finish  # noqa: E402

command = pathlib.Path(sys.argv[1]).resolve()
scratch = tempfile.TemporaryDirectory()
folder = pathlib.Path(scratch.name)


def carriage(limit="", slide="", more=""):
    """Writes the robot; limit and slide become attributes of the two joints' limits."""
    def link(name, mass):
        return (f'<link name="{name}"><inertial><mass value="{mass}"/>'
                '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>')

    def joint(name, parent, child, limits):
        return (f'<joint name="{name}" type="prismatic"><parent link="{parent}"/><child link="{child}"/>'
                f'<axis xyz="1 0 0"/><limit lower="-100" upper="100" effort="1e6" {limits}/></joint>')
    path = folder / "carriage.urdf"
    path.write_text('<robot name="carriage"><link name="world"/>' + link("carriage", 2) + link("slide", 3) +
                    joint("rail", "world", "carriage", limit or 'velocity="100"') +
                    joint("way", "carriage", "slide", slide or 'velocity="100"') + more + "</robot>")
    return path


def write(name, heading, rows):
    path = folder / name
    path.write_text("\n".join([heading] + [",".join(x if isinstance(x, str) else repr(x) for x in row) for row in rows])
                    + "\n")
    return path


def run(*arguments, code=0):
    done = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == code, (arguments, done.returncode, done.stderr)
    return done


def columns(text):
    rows = list(csv.reader(io.StringIO(text)))
    return {name: [float(row[i] or "nan") for row in rows[1:]] for i, name in enumerate(rows[0])
            if name not in ("event", "status")}


def simulate(robot, *options):
    return columns(run("simulate", robot, *options).stdout)


def near(x, y, tolerance=1e-9):
    assert len(x) == len(y), (len(x), len(y))
    for i, (a, b) in enumerate(zip(x, y)):
        assert abs(a - b) <= tolerance, (i, a, b)


# ---- motions that are prescribed ------------------------------------------------------------------------------------

def smooth(t, begin, end, way):
    """Returns way · (3 s² − 2 s³) from begin to end with its derivatives, constant before and after."""
    T, s = end - begin, min(max((t - begin) / (end - begin), 0), 1)
    moves = begin <= t < end
    return (way * s * s * (3 - 2 * s), way * 6 * s * (1 - s) / T, way * (6 - 12 * s) / T**2 if moves else 0)


def begins_late(step):
    """The rail stands still until 0.2 s, moves until 0.6 s, and stops. The slide is free, so it does not move in the
    world."""
    motion = write("late.csv", "t,q:rail,qd:rail,qdd:rail", [[t, *smooth(t, 0.2, 0.6, 0.3)[:2], 0.3 * a / 0.16]
                                                            for t, a in ((0.2, 6), (0.6, -6))])
    x = simulate(carriage(), "--drive", motion, "--time", 0.9, "--rate", 40, *step)
    rail = [smooth(t, 0.2, 0.6, 0.3) for t in x["t"]]
    near(x["q:rail"], [r[0] for r in rail])
    near(x["qd:rail"], [r[1] for r in rail])
    near(x["qdd:rail"], [r[2] for r in rail])
    near(x["q:way"], [-r[0] for r in rail])
    near(x["tau:rail"], [2 * r[2] for r in rail], 1e-8)
    near(x["work"], [r[1]**2 for r in rail])  # 2 ẋ²/2


def lasts_as_long():
    """Without --time a simulation ends with the last motion or force. A motion that ends before 0 has no effect on the
    end."""
    motion = write("m.csv", "t,q:rail,qd:rail,qdd:rail", [[0.1, 0, 0, 0], [0.7, 1, 0, 0]])
    force = write("f.csv", "t,tau:way", [[0, 1], [0.4, 0], [1.3, 0]])
    assert simulate(carriage(), "--drive", motion)["t"][-1] == 0.7
    assert simulate(carriage(), "--drive", motion, "--tau", force)["t"][-1] == 1.3
    before = write("before.csv", "t,q:rail,qd:rail,qdd:rail", [[-2, 0, 0, 0], [-1, 1, 0, 0]])
    x = simulate(carriage(), "--drive", before)
    assert x["t"][-1] == 1 and set(x["q:rail"]) == {1}


def cannot_rest():
    """Rejects a nonzero velocity where a motion would have to stop. It is no fault if the motion is not left there."""
    for sign in (1, -1):
        moving = write("moving.csv", "t,q:rail,qd:rail,qdd:rail", [[0.2, 0, sign * 0.5, 0], [0.6, sign * 0.2, 0, 0]])
        said = run("simulate", carriage(), "--drive", moving, "--time", 0.6, code=4).stderr
        assert f"velocity {sign * 0.5:g} at 0.2 s, the first row, so it cannot rest before" in said, said
        ending = write("ending.csv", "t,q:rail,qd:rail,qdd:rail", [[0, 0, 0, 0], [0.6, sign * 0.2, sign * 0.5, 0]])
        said = run("simulate", carriage(), "--drive", ending, "--time", 0.7, code=4).stderr
        assert f"velocity {sign * 0.5:g} at 0.6 s, the last row, so it cannot rest from there on" in said, said
        for time in (0.5, 0.6):
            assert simulate(carriage(), "--drive", ending, "--time", time)["t"][-1] == time
        for begin in (0, -0.1):
            moving = write("moving.csv", "t,q:rail,qd:rail,qdd:rail", [[begin, 0, sign, 0], [1, sign, 0, 0]])
            assert abs(simulate(carriage(), "--drive", moving)["qd:rail"][0]) > 0.5


def begins_on_the_motion():
    """A motion that began before 0 is used from its position and velocity at 0."""
    motion = write("m.csv", "t,q:rail,qd:rail,qdd:rail", [[t, 0.5 * (t + 1)**2, t + 1, 1] for t in (-1, 0.5, 2)])
    for how in ("--drive", "--computed-torque"):
        x = simulate(carriage(), how, motion, "--time", 1, "--rate", 10)
        near(x["q:rail"], [0.5 * (t + 1)**2 for t in x["t"]])
        near(x["qd:rail"], [t + 1 for t in x["t"]])


# ---- controllers ----------------------------------------------------------------------------------------------------

def error_of(t, e, kp, kd, push=0):
    """ë + kd ė + kp e = push from rest at e"""
    return push / kp + free_error(t, e - push / kp, kp, kd)


def free_error(t, e, kp, kd):
    d, square = kd / 2, kp - kd * kd / 4
    if square == 0:
        return e * (1 + d * t) * math.exp(-d * t)
    w = math.sqrt(square)
    return e * math.exp(-d * t) * (math.cos(w * t) + d / w * math.sin(w * t))


def tracks(gains):
    """A joint starts next to the motion that it tracks, while another joint is driven and a force of 7 N disturbs its 3
    kg. The error is an oscillator with the gains, 100 and 20 without --pd."""
    kp, kd = gains or (100, 20)
    begin = 0.07
    track = write("track.csv", "t,q:way,qd:way,qdd:way",
                  [[t, 3 * (t - begin)**2, 6 * (t - begin), 6] for t in (begin, 0.4, 0.8)])
    drive = write("drive.csv", "t,q:rail,qd:rail,qdd:rail", [[0.1, 0, 0, 3], [0.5, 0.2, 0, -3]])
    x = simulate(carriage(), "--computed-torque", track, "--drive", drive, "-q", "way=0.1", "--tau", "way=7", "--rate",
                 20, "--rtol", 1e-10, *(["--pd", f"{kp},{kd}"] if gains else []))
    near(x["q:way"], [3 * max(t - begin, 0)**2 + error_of(t, 0.1, kp, kd, 7 / 3) for t in x["t"]], 1e-7)


def counts_on_forces():
    """Computed torque includes the forces of free joints and does not change them. The rail follows its motion, and the
    slide obeys 7 N: 3 (ẍ + ÿ) = 7."""
    begin = 0.23
    track = write("track.csv", "t,q:rail,qd:rail,qdd:rail",
                  [[t, 2 * (t - begin)**2, 4 * (t - begin), 4] for t in (begin, 1)])
    x = simulate(carriage(), "--computed-torque", track, "--pd", "0,0", "--tau", "way=7", "--rate", 10,
                 "--rtol", 1e-3)
    rail = [2 * max(t - begin, 0)**2 for t in x["t"]]
    near(x["q:rail"], rail)
    near(x["q:way"], [7 / 3 * t * t / 2 - r for t, r in zip(x["t"], rail)])


def holds_through_a_follower():
    """A motor at a follower moves its leader. With 5 kg, and a slide of 1 kg that moves twice as far, the mass is 5 + 4
    · 1 = 9 kg."""
    more = ('<link name="f"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
            '</inertial></link><joint name="f" type="prismatic"><parent link="world"/><child link="f"/>'
            '<axis xyz="1 0 0"/><limit lower="-200" upper="200" effort="1e6" velocity="200"/>'
            '<mimic joint="rail" multiplier="2"/></joint>')
    rest = write("rest.csv", "t,q:way,qd:way,qdd:way", [[0, 0, 0, 0], [2, 0, 0, 0]])
    x = simulate(carriage(more=more), "--actuated", "f,way", "--pd", "81,0", "--drive", rest, "--qd", "rail=0.6", "--time", 1,
                 "--rate", 10, "--rtol", 1e-10)
    near(x["q:rail"], [0.2 * math.sin(3 * t) for t in x["t"]], 1e-7)


def floats_freely():
    """Holding the joints does not hold the base: it falls."""
    robot = carriage()
    robot.write_text(robot.read_text().replace('<link name="world"/>', '<link name="world"><inertial><mass value="7"/>'
                     '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'))
    x = simulate(robot, "--base", "floating", "--pd", "100,20", "--time", 0.5, "--rate", 10)
    name = next(n for n in x if n.startswith("q:base") and n.endswith("z") and not n.endswith("qz"))
    near(x[name], [-9.81 / 2 * t * t for t in x["t"]])


def wrenches_add_up():
    """Wrenches of a table and of an option add up; the rail stands still."""
    rest = write("rest.csv", "t,q:rail,qd:rail,qdd:rail", [[0, 0, 0, 0], [2, 0, 0, 0]])
    table = write("wrench.csv", "t,wrench:slide.fx", [[0, 4], [0.3, 1]])
    x = simulate(carriage(), "--drive", rest, "--tau", table, "--wrench", "slide=2,0,0", "--time", 0.5, "--rate", 10)
    near(x["qdd:way"], [(6 if t < 0.3 else 3) / 3 for t in x["t"]])


def begins_where_the_state_is():
    """A given state overrides the start of the tracked motion."""
    state = folder / "state.json"
    state.write_text(run("id", carriage(), "-q", "way=0.1", "--json").stdout)
    track = write("track.csv", "t,q:way,qd:way,qdd:way", [[0, 0.3, 0, 0], [1, 0.3, 0, 0]])
    assert simulate(carriage(), "--computed-torque", track)["q:way"][0] == 0.3
    assert simulate(carriage(), "--computed-torque", track, "--state", state)["q:way"][0] == 0.1


def holds_what_is_not_driven():
    """--pd holds all other joints at their initial position: (M ẍ) of the slide alone, with its inertia 3."""
    drive = write("drive.csv", "t,q:rail,qd:rail,qdd:rail", [[0, 0, 0, 0], [2, 0, 0, 0]])
    x = simulate(carriage(), "--pd", "75,6", "--drive", drive, "-q", "way=0.1", "--qd", "way=0.5", "--time", 1, "--rate",
                 20, "--rtol", 1e-10)
    d, w = 1, math.sqrt(24)  # ẍ + 2 ẋ + 25 (x − 0.1) = 0 with initial ẋ = 0.5
    near(x["q:way"], [0.1 + 0.5 / w * math.exp(-d * t) * math.sin(w * t) for t in x["t"]], 1e-7)
    near(x["q:rail"], [0] * len(x["t"]))


def refused():
    """Joints that cannot be driven, or are driven, tracked or given twice, are refused with the reason."""
    rows = [[0, 0, 0, 0], [1, 1, 0, 0]]
    rail, way = (write(f"{n}.csv", f"t,q:{n},qd:{n},qdd:{n}", rows) for n in ("rail", "way"))
    for arguments, reason in (
            (["--drive", rail, "--computed-torque", rail], "the motion of 'rail' is already prescribed by"),
            (["--drive", rail, "--qd", "rail=0.1"], "--qd rail: its motion is prescribed"),
            (["--computed-torque", rail, "--actuated", "way"], "no motor moves 'rail'"),
            (["--pd", "1,1", "--drive", rail, "--actuated", "rail"], "the robot has no joint with a motor"),
            (["--tau", way], "a column tau:JOINT is missing")):
        said = run("simulate", carriage(), *arguments, code=3 if "column" in reason else 2).stderr
        assert reason in said, said


def planar_as_a_whole():
    """All coordinates of a planar joint must be driven or tracked together."""
    link = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    path = folder / "planar.urdf"
    path.write_text(f'<robot name="planar"><link name="world"/><link name="plate">{link}</link><joint name="p" '
                    'type="planar"><parent link="world"/><child link="plate"/><axis xyz="0 0 1"/></joint></robot>')
    names = ("p.x", "p.y", "p.angle")
    heading = run("simulate", path, "--time", 0.01).stdout.split("\n", 1)[0].split(",")
    names = [h[2:] for h in heading if h.startswith("q:")]
    assert len(names) == 3, heading
    for how in ("--drive", "--computed-torque"):
        for n in range(1, 4):
            motion = write("p.csv", "t," + ",".join(f"q:{name}" for name in names[:n]), [[t] + n * [0] for t in (0, 1)])
            if n < 3:
                assert "needs columns for all its coordinates" in run("simulate", path, how, motion, code=2).stderr
            else:
                near(simulate(path, how, motion, "--gravity", "0,0,0")[f"q:{names[0]}"], [0] * 101)


# ---- forces of tables -----------------------------------------------------------------------------------------------

def forces(hold):
    """Before its first row and after its last row a table of forces is constant. Between rows the last row holds, or a
    line to the next. Only the slide is pushed: 3 ẍ = f with the rail driven at rest. Steps of any length are exact for
    such forces if no step crosses one of their jumps."""
    table = [(-0.5, 4), (0.2, 6), (0.5, -3), (0.8, 1)]
    rest = write("rest.csv", "t,q:rail,qd:rail,qdd:rail", [[0, 0, 0, 0], [2, 0, 0, 0]])

    def force(t):
        at = max([i for i, row in enumerate(table) if row[0] <= t], default=0)
        if hold == "first" or at + 1 == len(table) or t < table[0][0]:
            return table[at][1]
        (a, f), (b, g) = table[at], table[at + 1]
        return f + (g - f) * (t - a) / (b - a)

    for first in (0, 1):
        rows = table[first:]
        path = write("forces.csv", "t,tau:way", rows)
        table = rows
        x = simulate(carriage(), "--tau", path, "--drive", rest, "--time", 1.1, "--rate", 40, "--rtol", 1e-3,
                     *(["--interpolate", "linear"] if hold == "linear" else []))
        near(x["tau:way"], [force(t) for t in x["t"]], 1e-9)
        near(x["qdd:way"], [force(t) / 3 for t in x["t"]], 1e-9)
        velocity, v, steps = [0.0], 0.0, sorted(set(x["t"] + [row[0] for row in rows if 0 < row[0] < 1.1]))
        for a, b in zip(steps, steps[1:]):  # the force is linear in between
            v += force((a + b) / 2) * (b - a) / 3
            velocity += [v] if b in x["t"] else []
        near(x["qd:way"], velocity)


# ---- trajectories ---------------------------------------------------------------------------------------------------

def plan(robot, points, *options, code=0):
    return run("trajectory", robot, points, *options, code=code)


def brakes(acceleration, deceleration):
    """The fastest trapezoid over 2 m at 0.8 m/s takes D/V + V/a, where a is the smaller acceleration limit of the
    joint."""
    robot = carriage(limit=f'velocity="0.8" acceleration="{acceleration}" deceleration="{deceleration}"')
    points = write("points.csv", "q:rail", [[0], [2]])
    x = columns(plan(robot, points, "--curve", "trapezoid", "--rate", 50, "--acceleration", 7).stdout)
    a = min(acceleration, deceleration)
    near([x["t"][-1], max(x["qdd:rail"]), -min(x["qdd:rail"]), max(x["qd:rail"])], [2 / 0.8 + 0.8 / a, a, a, 0.8])


def own_limits():
    """Limits of a joint override the options, which apply to other joints. A jerk-limited motion over D that reaches V,
    A and J takes D/V + V/A + A/J."""
    points = {n: write(f"{n}.csv", f"q:{n}", [[0], [4]]) for n in ("rail", "way")}
    robot = carriage(limit='velocity="1" acceleration="2" jerk="10"', slide='velocity="1"')
    for name, a, j in (("rail", 2, 10), ("way", 3, 20)):
        x = columns(plan(robot, points[name], "--curve", "jerk-limited", "--acceleration", 3, "--jerk", 20).stdout)
        near([x["t"][-1], max(x["qdd:" + name])], [4 + 1 / a + a / j, a])
    for option, left in (("acceleration", ["--jerk", 20]), ("jerk", ["--acceleration", 3])):
        said = plan(robot, points["way"], "--curve", "jerk-limited", *left, code=2).stderr
        assert f"joint 'way' has no limit of {option}" in said and f"(--{option})" in said, said
    for limits, needed in (('velocity="0"', "velocity"), ('velocity="1"', "acceleration")):
        said = plan(carriage(limit=limits), points["rail"], "--curve", "trapezoid", code=2).stderr
        assert f"joint 'rail' has no limit of {needed}" in said, said
        plan(carriage(limit='velocity="1" acceleration="1"', slide=limits), points["rail"], "--curve", "trapezoid")


def times_by_limits():
    """Points without times: durations are the distances at the velocity limits. Joints without a limit move at 1 m/s,
    and joints that do not move take no time."""
    for slide, rate in (('velocity="0.5"', 0.5), ('velocity="0"', 1)):
        robot = carriage(limit='velocity="2"', slide=slide)
        points = write("points.csv", "q:rail,q:way", [[0, 0], [3, 0], [3, 2]])
        done = plan(robot, points, "--rate", 2000)
        x = columns(done.stdout)
        part = 1.5 / (1.5 + 2 / rate) * x["t"][-1]
        at = min(range(len(x["t"])), key=lambda i: abs(x["t"][i] - part))
        near([x["q:rail"][at], x["q:way"][at]], [3, 0], 0.01)


def other_joints_rest():
    """Joints without a column stay at the position of -q, and times start at the first time of the table."""
    points = write("points.csv", "t,q:rail", [[0.5, 0], [2.5, 1]])
    for curve in ("cubic", "quintic", "minimum-jerk", "septic", "cycloid"):
        x = columns(plan(carriage(), points, "-q", "way=0.4", "--curve", curve, "--rate", 8).stdout)
        near(x["q:way"], [0.4] * len(x["t"]))
        near([x["t"][0], x["t"][-1], x["q:rail"][0], x["q:rail"][-1]], [0.5, 2.5, 0, 1])
        middle = x["t"].index(1.5)
        peak = {"cubic": 1.5, "quintic": 1.875, "minimum-jerk": 1.875, "septic": 2.1875, "cycloid": 2}[curve]
        near([x["q:rail"][middle], x["qd:rail"][middle]], [0.5, peak / 2])


def slower_where_asked():
    """With --time-scale a motion that exceeds a limit v becomes slower by v/V; the summary reports when the limit is
    reached."""
    points = write("points.csv", "t,q:rail", [[1, 0], [2, 1]])
    robot = carriage(limit='velocity="0.6"')  # a cubic reaches 1.5 at t = 1.5
    said = plan(robot, points, code=4).stderr
    assert "take 2.5 times as long" in said and "velocity of joint 'rail' at 1.5 s" in said, said
    done = plan(robot, points, "--time-scale", "--rate", 20)
    x = columns(done.stdout)
    near([x["t"][0], x["t"][-1], max(x["qd:rail"])], [1, 3.5, 0.6])
    assert "at 2.25 s" in done.stderr, done.stderr
    for limit, code in ((1.5, 0), (1.4995, 4)):  # just within the limit, and just beyond
        done = plan(carriage(limit=f'velocity="{limit}"'), points, code=code)
        assert code or columns(done.stdout)["t"][-1] == 2


def efforts_limit():
    """Effort limit of the rail alone: 5 a + f = E. The fastest cubic over 1 m has a = 6/T² at its ends. A wrench w
    counts as well. If motors do not move all joints, effort limits cannot be checked."""
    robot = carriage(limit='velocity="100"').read_text().replace('effort="1e6"', 'effort="15"', 1)
    path = folder / "weak.urdf"
    path.write_text(robot.replace("</joint>", '<dynamics friction="3"/></joint>', 1))
    points = write("points.csv", "q:rail", [[0], [1]])
    for options, left in ((["--no-passive"], 15), (["--no-passive", "--wrench", "slide=-5,0,0"], 10)):
        x = columns(plan(path, points, "--rate", 10, *options).stdout)
        near([x["t"][-1], max(x["tau:rail"])], [math.sqrt(6 * 5 / left), 15], 1e-6)
    near([columns(plan(path, points).stdout)["t"][-1]], [math.sqrt(6 * 5 / 12)], 0.01)  # friction needs some velocity
    done = plan(path, points, "--rate", 10, "--actuated", "rail")
    assert "efforts of motors are not checked" in done.stderr, done.stderr
    near([columns(done.stdout)["t"][-1]], [1.5 / 100], 1e-6)


def points_differ():
    """Two equal points need a time between them."""
    same = write("points.csv", "q:rail", [[0], [1], [1], [2]])
    said = plan(carriage(), same, code=3).stderr
    assert ":4: the point equals the point of line 3" in said, said


# ---- recordings -----------------------------------------------------------------------------------------------------

def repaired(rows, *options, code=0):
    done = run("recording", carriage(), write("recorded.csv", "t,rail", rows), "-o", "-", *options, code=code)
    return done.stdout, done.stderr


def cubic(t):
    return 0.1 + 0.5 * t - 0.7 * t * t + 0.2 * t**3


def equal_times():
    """Of two rows with equal times the first is kept if an option asks for it; otherwise they are refused."""
    rows = [[t, cubic(t)] for t in (0, 1, 2, 3, 4)]
    twice = rows[:2] + [[1, 99]] + rows[2:]
    said = repaired(twice, code=3)[1]
    assert ":4: time 1 is not after 1 of line 3" in said and "1 row whose time does not increase" in said, said
    x = columns(repaired(twice, "--repair")[0])
    near(x["t"], [0, 1, 2, 3, 4])
    near(x["q:rail"], [cubic(t) for t in x["t"]])


def many_bad_times():
    """Reports five rows individually and counts all."""
    rows = [[t, cubic(t)] for t in (0, 1, 2, 3, 4)] + [[t, 0] for t in (4, 3, "inf", 2, 1, 0)] + [[5, cubic(5)]]
    said = repaired(rows, code=3)[1]
    assert said.count("is not after 4 of line 6") == 5 and "6 rows whose time does not increase (--repair" in said, said
    x = columns(repaired(rows, "--repair")[0])
    near(x["q:rail"], [cubic(t) for t in x["t"]])
    said = repaired([["nan", 0], ["nan", 0]] + rows[:5], code=3)[1]
    assert ":2: the time is missing" in said and ":3: the time is missing" in said and "2 rows whose" in said, said


def four_rows():
    assert "needs four rows, but this one has 3" in repaired([[t, cubic(t)] for t in (0, 1, 2)], code=3)[1]
    said = repaired([[t, cubic(t)] for t in (0, 1, 1, 2)], "--repair", code=3)[1]
    assert "3 rows with a time, but a recording needs four" in said, said
    x = columns(repaired([[t, cubic(t)] for t in (0, 1, 2, 3)])[0])
    near(x["q:rail"], [cubic(t) for t in x["t"]])
    said = repaired([[0, 1], [1, ""], [2, 1], [3, ""], [4, 1]], code=3)[1]
    assert "column 'rail' has 3 values, but a recording needs four" in said, said


def missing_values():
    """A missing value is filled from a cubic through its neighbors, which is exact for cubics. Gaps may span ten steps,
    measured from the row before to the row after, or --gap. Reported lines are the lines of the gap."""
    times = [0.25 * i for i in range(40)]

    def holed(first, last):
        return [[t, "" if first <= i <= last else cubic(t)] for i, t in enumerate(times)]

    x, said = repaired(holed(5, 13))  # ten steps
    near(columns(x)["q:rail"], [cubic(t) for t in times])
    assert ":7-15: column 'rail': 9 values missing, interpolated" in said, said
    said = repaired(holed(5, 14), code=3)[1]
    assert ":7-16: column 'rail' has no values for 2.75 s (--gap" in said, said
    for options in (["--gap", 2.75], ["--repair"]):
        near(columns(repaired(holed(5, 14), *options)[0])["q:rail"], [cubic(t) for t in times])
    said = repaired(holed(5, 6), "--gap", 0.7, code=3)[1]
    assert ":7-8: column 'rail' has no values for 0.75 s" in said, said
    for holes in (5, 6, 7):  # five are reported individually
        rows = [[t, "" if i % 5 == 3 and i // 5 < holes else cubic(t)] for i, t in enumerate(times)]
        said = repaired(rows)[1]
        assert said.count("1 value missing, interpolated") == 5, said
        more = {5: "", 6: "1 gap more", 7: "2 gaps more"}[holes]
        assert (more in said) and ("more, interpolated" in said) == bool(more), said


def ends_without_values():
    """Incomplete rows at the ends are dropped and reported."""
    rows = [[t, cubic(t)] for t in range(9)]
    rows[0][1] = rows[1][1] = rows[8][1] = ""
    x, said = repaired(rows)
    assert ":2-3: skipped" in said and ":10: skipped" in said, said
    near(columns(x)["t"], [2, 3, 4, 5, 6, 7])
    near(columns(x)["q:rail"], [cubic(t) for t in range(2, 8)])


def missing_rows():
    """Steps longer than 1.5 times the usual step are reported, and refused beyond 10 times. The usual step is the
    median; for an even count the mean of the middle two."""
    def of_steps(steps):
        t, rows = 0.0, [[0.0, cubic(0)]]
        for step in steps:
            t += step
            rows.append([t, cubic(t)])
        return rows

    said = repaired(of_steps([1, 1, 1.4, 1.6, 1]))[1]
    assert ":6: no row for 1.6 s, but time steps are 1 s" in said and said.count("no row for") == 1, said
    assert "but time steps are 1.25 s" in repaired(of_steps([1, 1, 1.5, 2]))[1]
    assert "no row for" in repaired(of_steps([1, 1, 1, 10, 1]))[1]
    said = repaired(of_steps([1, 1, 1, 10.5, 1]), code=3)[1]
    assert ":6: no row for 10.5 s, but time steps are 1 s (--gap" in said, said
    for options in (["--gap", 11], ["--repair"]):
        assert "no row for 10.5 s" in repaired(of_steps([1, 1, 1, 10.5, 1]), *options)[1]
    assert "(--gap" in repaired(of_steps([1, 1, 1, 3, 1]), "--gap", 2.9, code=3)[1]
    for longer in (5, 6, 8):
        said = repaired(of_steps([1, 1] + 6 * [1] + longer * [2] + 6 * [1]))[1]
        assert said.count("no row for") == 5, said
        assert (f"{longer - 5} more steps are longer" in said) == (longer > 5), said
    said = repaired(of_steps(7 * [1] + 6 * [2] + [10.5, 1]), code=3)[1]  # a refusal is reported for any number of them
    assert "no row for 10.5 s, but time steps are 1 s (--gap" in said, said


def outliers():
    """Outliers are reported in the unit of the column, and only for positions: forces may jump."""
    times = [0.125 * i for i in range(40)]
    rows = [[t, 1e3 * cubic(t) + (4000 if i == 20 else 0), 5 if i == 20 else 0] for i, t in enumerate(times)]
    table = write("recorded.csv", "t,rail [mm],wrench:slide.fx", rows)
    done = run("recording", carriage(), table, "-o", "-", "--repair")
    value, suggested = rows[20][1], 1e3 * cubic(times[20])
    told = [line for line in done.stderr.split("\n") if "is an outlier" in line]
    assert len(told) == 1 and ":22: column 'rail" in told[0], done.stderr
    words = told[0].replace(",", "").split()
    near([float(words[words.index("is") - 1]), float(words[-1])], [value, suggested], 50)
    x = columns(done.stdout)
    near(x["q:rail"], [cubic(t) for t in times])


# ---- sweeps ---------------------------------------------------------------------------------------------------------

def sweep_ends():
    """Rows are spaced evenly, and both ends are exact to the last digit, ascending or descending. Without --first and
    --last the ends are the joint's limits."""
    for a, b in ((-0.1, 0.3), (0.3, -0.1), (0.1, 0.7), (-0.7, 1.1)):
        n = 7
        x = columns(run("closure", "--sweep", "rail", "--first", repr(a), "--last", repr(b), "--steps", n,
                        carriage()).stdout)["q:rail"]
        assert len(x) == n + 1 and x[0] == a and x[-1] == b, x
        near(x, [a + (b - a) * i / n for i in range(n + 1)], 1e-15)
    x = columns(run("closure", "--sweep", "rail", "--steps", 1, carriage()).stdout)["q:rail"]
    assert x == [-100, 100], x


for step in (["--rtol", 1e-3], ["--step", 0.001]):
    check(f"a motion that begins late and ends early, {step[0]}", begins_late, step)
check("how long a motion lasts", lasts_as_long)
check("motions that cannot rest", cannot_rest)
check("a motion that began before", begins_on_the_motion)
for gains in (None, (25, 6)):
    check(f"what is left of an error, gains {gains or 'of their own'}", tracks, gains)
check("computed torque and other forces", counts_on_forces)
check("a motor at a follower", holds_through_a_follower)
check("a base that floats is not held", floats_freely)
check("wrenches of a table and of an option", wrenches_add_up)
check("a state that is given", begins_where_the_state_is)
check("what is not driven is held", holds_what_is_not_driven)
check("what cannot act together is refused", refused)
check("planar joints move as a whole", planar_as_a_whole)
for hold in ("first", "linear"):
    check(f"forces of a table, {hold}", forces, hold)
for limits in ((2, 0.5), (0.5, 2)):
    check(f"acceleration and deceleration, {limits}", brakes, *limits)
check("own limits before those of options", own_limits)
check("times by limits of velocity", times_by_limits)
check("joints without a column, tables that begin late", other_joints_rest)
check("slower where asked", slower_where_asked)
check("efforts limit", efforts_limit)
check("points that are the same", points_differ)
check("rows with equal times", equal_times)
check("many bad times", many_bad_times)
check("a recording needs four rows", four_rows)
check("missing values", missing_values)
check("ends without values", ends_without_values)
check("missing rows", missing_rows)
check("outliers", outliers)
check("the ends of a sweep", sweep_ends)
finish()

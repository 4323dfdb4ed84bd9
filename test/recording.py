#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tandem recording on recordings of a known motion of a hand with known forces. TAP.

    python3 test/recording.py COMMAND DIRECTORY_OF_ROBOTS DIRECTORY_OF_EXAMPLES

The hand, its motion and its tables are those in test_tendon_finger.c: the finger of A. Musiolik's thesis (2008), pulled
by a string. The tables come from programs that share nothing with this library.
"""
import csv
import io
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from tap import check, finish  # noqa: E402

command, robots, examples = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
scratch = tempfile.TemporaryDirectory()
folder = pathlib.Path(scratch.name)
NAMES = ["wx", "wy", "wrist", "mcp", "pip", "dip"]
START = [0.222256, -0.008233, -0.11610507863106667, 0.16686274282588226, -0.1772111707058186,
         0.04693735047328544]
WAY = [0.003, 0.010, 0.05, -0.70, -0.50, -0.30]
PULSE = 2 * math.pi / 2.8
CABLE = ["--cable", "string:0,0,0,0.114,-0.124,0,1.962"]
# t: moments at dip, pip, mcp, wrist; forces there (test_tendon_finger.c)
GOLDEN = {
    "hand_a.urdf": {
        0: ([-9.16740676e-6, 0.0177612161, 0.0395274487, 0.118819901],
            [(8.0875169e-6, -7.5199398e-4), (1.78413192, 0.815198785), (1.78442974, 0.815506136),
             (1.78980251, 0.835367619)]),
        0.7: ([-8.47280863e-7, 0.0299525232, 0.0664297294, 0.136783876],
              [(-4.14508753e-4, 3.14360717e-4), (1.81246747, 0.749846816), (1.8122292, 0.74991247),
               (1.81214914, 0.749919784)]),
        1.4: ([9.51210316e-6, 0.0336342609, 0.082675906, 0.147258661],
              [(7.75687533e-4, 1.63838054e-4), (1.82303472, 0.72916726), (1.82320534, 0.728730876),
               (1.81799266, 0.708854767)])},
    "hand_b.urdf": {
        0: ([-1.19875543e-5, 0.0177546989, 0.0395103629, 0.118923372], []),
        0.7: ([-8.47280863e-7, 0.0299525232, 0.0664297294, 0.136783876], []),
        1.4: ([1.23322507e-5, 0.0336407781, 0.0826929918, 0.147155189], [])}}


def state(t):
    s, sd, sdd = ((1 - math.cos(PULSE * t)) / 2, PULSE * math.sin(PULSE * t) / 2,
                  PULSE**2 * math.cos(PULSE * t) / 2)
    return [(a + b * s, b * sd, b * sdd) for a, b in zip(START, WAY)]


def record(name, times, heading, cells):
    """Writes a file with a row of cells(t) for each time."""
    path = folder / name
    path.write_text("\n".join([",".join(heading)] + [",".join(map(repr, cells(t))) for t in times])
                    + "\n")
    return path


def run(*arguments, code=0):
    done = subprocess.run([command, "recording", *map(str, arguments)], capture_output=True, text=True,
                          cwd=robots)
    assert done.returncode == code, (done.returncode, done.stderr)
    return done


def table(text):
    rows = list(csv.reader(io.StringIO(text)))
    return {name: [float(row[i] or "nan") for row in rows[1:]] for i, name in enumerate(rows[0])}


def motion(robot, recorded, *options):
    return table(run(robot, recorded, "-o", "-", *options).stdout)


def truth(robot="hand_a.urdf", rate=120, seconds=11.2):
    """The motion with its exact velocities and accelerations."""
    times = [i / rate for i in range(round(seconds * rate) + 1)]
    heading = ["t"] + [f"{p}:{n}" for n in NAMES[:5] for p in ("q", "qd", "qdd")]
    path = record("truth.csv", times, heading, lambda t: [t] + [x for q in state(t)[:5] for x in q])
    return motion(robot, path, *CABLE, "--reactions", "all")


def close(x, printed, digits=9):
    unit = 10 ** (math.floor(math.log10(abs(printed))) - digits + 1)
    # the tables are printed to eight or nine digits
    assert abs(x - printed) <= max(0.5001 * unit, 1e-8 * abs(printed)), (x, printed)


def own_derivatives():
    for robot, rows in GOLDEN.items():
        m = truth(robot)
        for t, (moments, forces) in rows.items():
            i = min(range(len(m["t"])), key=lambda k: abs(m["t"][k] - t))
            for joint, moment in zip(("dip", "pip", "mcp", "wrist"), moments):
                close(m[f"reaction:{joint}.mz"][i], moment)
            for joint, force in zip(("dip", "pip", "mcp", "wrist"), forces):
                close(m[f"reaction:{joint}.fx"][i], force[0])
                close(m[f"reaction:{joint}.fy"][i], force[1])
            # the fingertip follows, so its moment counts 0.6 times
            close(m["tau:pip"][i], m["reaction:pip.mz"][i] + 0.6 * m["reaction:dip.mz"][i])


def far(ours, theirs, columns, skip=0):
    """Returns the largest difference of columns relative to the range of each."""
    worst = 0
    for c in columns:
        a, b = ours[c], theirs[c]
        a, b = (a[skip:-skip], b[skip:-skip]) if skip else (a, b)
        worst = max(worst, max(abs(x - y) for x, y in zip(a, b, strict=True)) / (max(b) - min(b)))
    return worst


TAU = [f"tau:{n}" for n in NAMES[:5]]
RESULTS = TAU + [f"reaction:{j}.{c}" for j in ("dip", "pip", "mcp", "wrist")
                 for c in ("mz", "fx", "fy")]


def positions(options, tolerance, columns):
    times = [i / 120 for i in range(1345)]
    path = record("positions.csv", times, ["t"] + NAMES[:5],
                  lambda t: [t] + [q[0] for q in state(t)[:5]])
    error = far(motion("hand_a.urdf", path, *CABLE, "--reactions", "all", *options), truth(), columns)
    assert error < tolerance, error


def units():
    times = [i / 120 for i in range(1345)]
    heading = ["elapsed", "wx [mm]", "wy (mm)", "palm", "mcp", "pip [rad]", "tip speed", "dip"]
    path = record("units.csv", times, heading,
                  lambda t: [1e3 * t + 500] + [1e3 * q[0] for q in state(t)[:2]]
                  + [math.degrees(q[0]) for q in state(t)[2:4]] + [state(t)[4][0], 7.5]
                  + [math.degrees(state(t)[5][0])])
    options = ["--map", "elapsed=t", "--unit", "ms", "--unit", "deg", "--map", "palm=wrist",
               *CABLE, "--reactions", "all"]
    done = run("hand_a.urdf", path, "-o", "-", *options)
    assert "not used: column 'tip speed'" in done.stderr, done.stderr
    m = table(done.stdout)
    assert abs(m["t"][0] - 0.5) < 1e-12
    assert far(m, truth(), RESULTS) < 1e-6
    report = json.loads(run("hand_a.urdf", path, "--json", *options).stdout)
    follower = report["followers"][0]
    assert follower["name"] == "dip" and abs(follower["deviation"]["value"]) < 1e-14, follower


def speeds_in_rpm():
    times = [i / 120 for i in range(337)]
    heading = ["t"] + NAMES[:5] + ["pip rpm"]
    path = record("rpm.csv", times, heading, lambda t: [t] + [q[0] for q in state(t)[:5]]
                  + [state(t)[4][1] * 30 / math.pi])
    m = motion("hand_a.urdf", path, *CABLE, "--map", "pip rpm=pip", "--unit", "pip rpm=rpm")
    exact = [state(t)[4][1] for t in times]
    assert max(abs(a - b) for a, b in zip(m["qd:pip"], exact, strict=True)) < 1e-14


def resampled():
    # uneven steps and another rate
    times = [i / 120 + 0.002 * math.sin(i) for i in range(1345)]
    path = record("uneven.csv", times, ["t"] + NAMES[:5],
                  lambda t: [t] + [q[0] for q in state(t)[:5]])
    m = motion("hand_a.urdf", path, *CABLE, "--rate", 60)
    exact = folder / "exact.csv"
    heading = ["t"] + [f"{p}:{n}" for n in NAMES[:5] for p in ("q", "qd", "qdd")]
    record("exact.csv", m["t"], heading, lambda t: [t] + [x for q in state(t)[:5] for x in q])
    assert abs(m["t"][1] - m["t"][0] - 1 / 60) < 1e-12
    assert far(m, motion("hand_a.urdf", exact, *CABLE), TAU) < 1e-6
    done = run("hand_a.urdf", path, *CABLE, "--filter", "butterworth", "--cutoff", 30)
    assert "resampled at" in done.stderr, done.stderr


def example(options, tolerance):
    """The recording of the examples: noise of 0.05 mm and 0.1 degrees, a gap, an outlier."""
    m = motion("hand_a.urdf", examples / "hand_recording.csv", "--map", "wrist x=wx", "--map",
               "wrist y=wy", *CABLE, "--reactions", "all", "--repair", *options)
    # the file stores times to 0.1 ms and angles to 0.01 degrees
    exact = truth(rate=60, seconds=5.6)
    names = ("tau:wrist", "tau:mcp", "tau:pip")
    for name in names:
        n = len(m["t"])
        error = math.sqrt(sum((a - b) ** 2 for a, b in zip(m[name], exact[name], strict=True)) / n)
        assert error < tolerance * (max(exact[name]) - min(exact[name])), (name, error)


def unfiltered_is_worse():
    try:
        example([], 0.02)
    except AssertionError:
        return
    raise AssertionError("the noise of the example does no harm")


def report():
    times = [i / 120 for i in range(1345)]
    path = record("report.csv", times, ["t"] + NAMES[:5],
                  lambda t: [t] + [q[0] for q in state(t)[:5]])
    m = motion("hand_a.urdf", path, *CABLE)
    r = json.loads(run("hand_a.urdf", path, "--json", *CABLE).stdout)
    lines = list(csv.DictReader(io.StringIO(run("hand_a.urdf", path, "--csv", *CABLE).stdout)))
    number = {(line["name"], line["quantity"]): float(line["value"]) for line in lines
              if line["kind"] == "motor"}
    balance = 0
    for motor in r["motors"]:
        name = motor["name"]
        u, v = m[f"tau:{name}"], m[f"qd:{name}"]
        worst = max(range(len(u)), key=lambda i: abs(u[i]))
        # the first of equal ones, which agree up to rounding
        assert abs(abs(motor["force"]["value"] / u[worst]) - 1) < 1e-11
        assert u[times.index(motor["force"]["t"])] == motor["force"]["value"]
        rms = math.sqrt(sum(x * x for x in u) / len(u))
        assert abs(motor["force_rms"] / rms - 1) < 1e-3
        power = [a * b for a, b in zip(u, v)]
        assert abs(motor["power"]["value"] / max(power) - 1) < 1e-11
        assert abs(motor["power_least"]["value"] / min(power) - 1) < 1e-11
        work = sum((a + b) / 240 for a, b in zip(power, power[1:]))
        assert abs(motor["energy_given"] - motor["energy_taken"] - work) < 1e-12
        balance += work
        for key, quantity in (("force_rms", "RMS force"), ("speed_rms", "RMS speed"),
                              ("energy_given", "energy given"), ("energy_taken", "energy taken")):
            assert number[name, quantity] == motor[key]
        # contributions add up to the largest force, by joints and by links
        shares = motor["worst"]
        assert abs(sum(shares["joints"].values()) - motor["force"]["value"]) < 1e-12
        links = sum(shares["links"].values()) + shares["cables"] + shares["wrenches"] + shares["springs"] + shares["passive"]
        assert abs(links - motor["force"]["value"]) < 1e-12
    # the motion returns to its start, and so does the cable's potential
    assert abs(balance) < 1e-7, balance
    assert r["violations"] == []


def violations():
    times = [i / 100 for i in range(401)]

    def q(t):
        return 0.9 * math.sin(math.pi * t / 2) + 0.3
    path = record("fast.csv", times, ["t", "finger_joint"], lambda t: [t, q(t)])
    robot = folder / "limited.urdf"
    robot.write_text("""<robot name="limited"><link name="base"/><link name="a"><inertial><mass
value="2"/><origin xyz="0.5 0 0"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>
</inertial></link><joint name="finger_joint" type="revolute"><parent link="base"/><child link="a"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="1" velocity="1.2" effort="9"/></joint></robot>""")
    r = json.loads(run(robot, path, "--json").stdout)
    spell = {kind: [v for v in r["violations"] if v["kind"] == kind]
             for kind in ("position", "velocity", "effort")}
    above = [t for t in times if q(t) > 1]
    assert [(v["from"], v["to"]) for v in spell["position"]] == [(above[0], above[-1])]
    assert abs(spell["position"][0]["worst"]["value"] - 1.2) < 1e-9
    # 0.9 π/2 cos: above 1.2 around 0, 2 and 4
    assert len(spell["velocity"]) == 3 and spell["velocity"][1]["worst"]["t"] == 2
    assert abs(spell["velocity"][1]["worst"]["value"] + 0.9 * math.pi / 2) < 1e-6
    # m g l cos q = 9.81 cos q, plus the contribution of the acceleration
    assert spell["effort"] and all(abs(v["worst"]["value"]) > 9 for v in spell["effort"])

def body(name, mass, x, y, z=0.0, moment=0.01):
    return (f'<link name="{name}"><inertial><origin xyz="{x} {y} {z}"/><mass value="{mass}"/><inertia '
            f'ixx="{moment}" iyy="{moment}" izz="{moment}" ixy="0" ixz="0" iyz="0"/></inertial></link>')


def three_legs():
    """A plate on three legs of variable length in a plane. One motion can lead from one assembly to another."""
    base, plate = [(0, 0), (1.5, 0), (1.2, 1.3)], [(0, 0), (1.1, 0), (0.4, 0.5)]
    x, y, turn = 0.979, -0.1288, 1.1867
    text = '<robot name="three_legs"><link name="base"/>'
    for k, ((bx, by), (px, py)) in enumerate(zip(base, plate)):
        dx = x + math.cos(turn) * px - math.sin(turn) * py - bx
        dy = y + math.sin(turn) * px + math.cos(turn) * py - by
        angle, length = math.atan2(dy, dx), math.hypot(dx, dy)
        text += body(f"leg{k}", 0.3, 0.1, 0) + body(f"rod{k}", 0.2, -0.1, 0)
        text += (f'<joint name="a{k}" type="continuous" independent="false"><parent link="base"/>'
                 f'<child link="leg{k}"/><origin xyz="{bx} {by} 0" rpy="0 0 {angle}"/>'
                 f'<axis xyz="0 0 1"/></joint><joint name="p{k}" type="prismatic" independent="true">'
                 f'<parent link="leg{k}"/><child link="rod{k}"/><origin xyz="{length} 0 0"/>'
                 '<axis xyz="1 0 0"/><limit lower="-5" upper="5" effort="1e9" velocity="100"/></joint>')
        if k == 0:
            text += body("plate", 1, 0.1, 0.2)
            text += ('<joint name="turn" type="continuous" independent="false"><parent link="rod0"/>'
                     f'<child link="plate"/><origin rpy="0 0 {turn - angle}"/><axis xyz="0 0 1"/></joint>')
        else:
            text += (f'<loop name="c{k}" type="revolute"><predecessor link="rod{k}"/><successor '
                     f'link="plate"><origin xyz="{px} {py} 0"/></successor><axis xyz="0 0 1"/></loop>')
    robot = folder / "three_legs.urdf"
    robot.write_text(text + "</robot>")
    return robot


def shares_of_the_row():
    """The motion passes a fold. Closing the loops from the last row gives another branch."""
    def length(k, t):
        frequency, phase = (1, 2, 1)[k], (4, 0, 2)[k]
        return 0.3 * (math.sin(2 * math.pi * frequency * t + phase) - math.sin(phase))
    times = [i / 80 for i in range(81)]
    path = record("legs.csv", times, ["t", "p0", "p1", "p2"],
                  lambda t: [t] + [length(k, t) for k in range(3)])
    r = json.loads(run(three_legs(), path, "--json", "--gravity=0,-9.81,0").stdout)
    for motor in r["motors"]:
        force, shares = motor["force"]["value"], motor["worst"]
        assert abs(sum(shares["joints"].values()) / force - 1) < 1e-6, (motor["name"], force, shares)
        links = sum(shares["links"].values()) + shares["passive"]
        assert abs(links / force - 1) < 1e-6, (motor["name"], force, shares)


FINGER = """<robot name="finger"><link name="base"/>{bodies}<joint name="lead" type="revolute"><parent
link="base"/><child link="a"/><axis xyz="0 1 0"/><limit lower="-3" upper="3" velocity="90"
effort="100"/></joint><joint name="follow" type="revolute"><parent link="a"/><child link="b"/><origin
xyz="0.5 0 0"/><axis xyz="0 1 0"/><limit lower="-3" upper="3" velocity="90" effort="{effort}"/><mimic
joint="lead" multiplier="0.5"/></joint></robot>"""


def finger(effort):
    robot = folder / "finger.urdf"
    robot.write_text(FINGER.format(bodies=body("a", 4, 0.4, 0) + body("b", 1, 0.2, 0), effort=effort))
    return robot


def followers_effort():
    """At rest: the follower supports 1 kg at 0.2 m, its leader much more."""
    path = record("rest.csv", [i / 10 for i in range(21)], ["t", "lead"], lambda t: [t, 0.0])
    own = 9.81 * 0.2
    r = json.loads(run(finger(1.01 * own), path, "--json").stdout)
    assert abs(r["motors"][0]["force"]["value"]) > 5 * own, r["motors"]
    assert r["violations"] == [], r["violations"]
    r = json.loads(run(finger(0.99 * own), path, "--json").stdout)
    broken, = r["violations"]
    assert (broken["name"], broken["kind"], broken["from"], broken["to"]) == \
        ("follow", "effort", 0, 2), broken
    assert abs(abs(broken["worst"]["value"]) - own) < 1e-12, broken
    assert abs(broken["limit"]) == 0.99 * own, broken


def shared_coordinate():
    """Two motors at one coordinate: neither provides all of its force, and neither has contributions."""
    path = record("rest.csv", [i / 10 for i in range(21)], ["t", "lead"], lambda t: [t, 0.0])
    r = json.loads(run(finger(100), path, "--json", "--actuated", "lead,follow").stdout)
    assert len(r["motors"]) == 2 and not any("worst" in motor for motor in r["motors"]), r["motors"]
    text = run(finger(100), path, "--actuated", "lead,follow").stdout
    assert "differs from the sum of its coordinate's shares" in text, text


def power_of_one_sign():
    """Slow falling absorbs power throughout, rising provides it."""
    for sign in (1, -1):
        path = record("slow.csv", [i / 50 for i in range(101)], ["t", "lead"],
                      lambda t: [t, sign * (0.3 + 0.1 * t + 0.01 * t * t)])
        m, r = motion(finger(100), path), json.loads(run(finger(100), path, "--json").stdout)
        power = [a * b for a, b in zip(m["tau:lead"], m["qd:lead"])]
        assert max(power) * min(power) > 0
        motor = r["motors"][0]
        for key, row in (("power", power.index(max(power))), ("power_least", power.index(min(power)))):
            assert abs(motor[key]["value"] / power[row] - 1) < 1e-9, (motor[key], power[row])
            assert abs(motor[key]["t"] - m["t"][row]) < 1e-9, (motor[key], m["t"][row])


ARM = [((0, 0, 1), (0, 0, 0.2), 7, (0, 0, 0)), ((0, 1, 0), (0, 0.17, 0), 13, (0, 0, 0.3)),
       ((0, 1, 0), (0, -0.1, 0.6), 4, (0, 0, 0.28)), ((1, 0, 0), (0, 0, 0.55), 2, (0, 0.05, 0.1))]


def arm():
    text = '<robot name="arm"><link name="l0"/>'
    for i, (axis, origin, mass, centre) in enumerate(ARM, 1):
        text += body(f"l{i}", mass, *centre, 0.03 * mass)
        text += (f'<joint name="j{i}" type="revolute"><parent link="l{i - 1}"/><child link="l{i}"/>'
                 '<origin xyz="{} {} {}"/><axis xyz="{} {} {}"/><limit lower="-9" upper="9" velocity="3" '
                 'effort="900"/></joint>'.format(*origin, *axis))
    robot = folder / "arm.urdf"
    robot.write_text(text + "</robot>")
    return robot


def waves(t, derivative):
    frequencies, sizes, middle = (0.13, 0.21, 0.31, 0.45), (1, 0.5, 0.6, 0.8), (0, 0.4, 1, -0.5)
    out = []
    for f, a, m in zip(frequencies, sizes, middle):
        w = 2 * math.pi * f
        out.append((m if derivative == 0 else 0)
                   + a * w**derivative * math.sin(w * t + f + derivative * math.pi / 2))
    return out


def root_mean_square(rows):
    return math.sqrt(sum(x * x for x in rows) / len(rows))


def noisy(rate, degrees, kind):
    """Noise is detected, the standard errors of torques are right, and other cut-off frequencies are no better."""
    robot, names = arm(), ["j1", "j2", "j3", "j4"]
    times = [i / rate for i in range(20 * rate + 1)]
    exact = motion(robot, record("exact.csv", times, ["t"] + [f"{q}:{n}" for q in ("q", "qd", "qdd")
                                                              for n in names],
                                 lambda t: [t] + waves(t, 0) + waves(t, 1) + waves(t, 2)))
    chance = random.Random(rate)
    path = record("noisy.csv", times, ["t"] + [f"{n} [deg]" for n in names],
                  lambda t: [t] + [math.degrees(q) + chance.gauss(0, degrees) for q in waves(t, 0)])
    skip = len(times) // 20

    def errors(*options):
        m = motion(robot, path, "--filter", kind, *options)
        return [root_mean_square([a - b for a, b in zip(m[f"tau:{n}"][skip:-skip],
                                                        exact[f"tau:{n}"][skip:-skip], strict=True)])
                for n in names]
    done = run(robot, path, "--filter", kind, "--json")
    r = json.loads(done.stdout)
    assert r["filter"] == kind
    for column in r["columns"]:
        assert column["chosen"] and abs(math.degrees(column["noise"]) / degrees - 1) < 0.15, column
    chosen = errors()
    for motor, error in zip(r["motors"], chosen):
        assert 0.6 < error / motor["force_error"] < 2.5, (motor, error)
    for k, column in enumerate(r["columns"]):  # the torque of the same column, at others of its cut-off frequencies
        other = {s: errors(*[w for c in r["columns"] for w in ("--cutoff", "{}={}".format(
            c["name"], c["cutoff"] * (s if c is column else 1)))])[k] for s in (1 / 2.25, 2.25)}
        assert all(error > chosen[k] for error in other.values()), (column, chosen[k], other)
    text = run(robot, path, "--filter", kind).stdout
    assert "\nnoise     " in text and "error" in text, text
    # without a filter all noise remains, and the report states it
    raw = json.loads(run(robot, path, "--json").stdout)
    assert raw["filter"] == "none"
    for motor, error in zip(raw["motors"], raw_errors(robot, path, exact, names, skip)):
        assert 0.8 < error / motor["force_error"] < 1.25, (motor, error)


def raw_errors(robot, path, exact, names, skip):
    m = motion(robot, path)
    return [root_mean_square([a - b for a, b in zip(m[f"tau:{n}"][skip:-skip],
                                                    exact[f"tau:{n}"][skip:-skip], strict=True)])
            for n in names]


CURVES = ("cubic", "quintic", "b-spline", "minimum-jerk", "septic", "cycloid", "trapezoid",
          "jerk-limited")


def planned(curve, rate):
    """A motion of tandem trajectory through points, with times that suit the curve."""
    points = [(0, 0, 0, 0), (0.2, 1, 0, 0.1), (0.2, 1, 1, 0.2), (-1, 0.4, 1, 0.2), (-1, 0.3, 1, 1.5)]
    timed = curve not in ("trapezoid", "jerk-limited")
    heading = (["t"] if timed else []) + [f"q:j{k}" for k in range(1, 5)]
    lines = [",".join(heading)] + [",".join(map(str, ((1.3 * i,) if timed else ()) + row))
                                   for i, row in enumerate(points)]
    path = folder / "points.csv"
    path.write_text("\n".join(lines) + "\n")
    done = subprocess.run([command, "trajectory", arm(), path, "--curve", curve, "--rate", str(rate),
                           "--acceleration", "9", "--jerk", "90"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return list(csv.reader(io.StringIO(done.stdout)))


def write_rows(rows, columns):
    path = folder / "planned.csv"
    path.write_text("\n".join(",".join(row[:columns]) for row in rows) + "\n")
    return path


def corners(curve):
    """Corners of acceleration and jerk belong to the motion, in positions and in their derivatives."""
    for rate in (10, 25, 50, 100, 250, 1000):
        # with few rows, a corner gives velocities a peak of one row
        path = write_rows(planned(curve, rate), 13 if rate >= 50 else 5)
        done = run(arm(), path)
        assert "outlier" not in done.stderr, (curve, rate, done.stderr)


def spikes(curve):
    """One value in a hundred is off by a fiftieth of the range: all are found and replaced."""
    rows = planned(curve, 100)
    exact = [float(row[1]) for row in rows[1:]]
    bad = list(range(30, len(exact) - 10, 97))
    spiky = [list(row) for row in rows]
    for i in bad:
        spiky[i + 1][1] = repr(exact[i] + 0.02 * (max(exact) - min(exact)))
    path = write_rows(spiky, 5)
    done = run(arm(), path)
    assert f"'q:j1': {len(bad)} outlier" in done.stderr, (curve, len(bad), done.stderr)
    for i in bad[:5]:
        assert f":{i + 2}: column 'q:j1'" in done.stderr, (i, done.stderr)
    mended = motion(arm(), path, "--repair")["q:j1"]
    assert max(abs(a - b) for a, b in zip(mended, exact, strict=True)) < 2e-3 * (max(exact) - min(exact))


def spikes_in_noise():
    """Noise alone has no outliers; isolated spikes of thirty times its size are outliers."""
    chance = random.Random(4)
    times = [i / 250 for i in range(5001)]
    noise = 0.002
    values = [[t] + [q + chance.gauss(0, noise) for q in waves(t, 0)] for t in times]
    heading = ["t", "j1", "j2", "j3", "j4"]
    path = folder / "noise.csv"
    path.write_text("\n".join([",".join(heading)] + [",".join(map(repr, v)) for v in values]) + "\n")
    done = run(arm(), path)
    assert done.stderr.count("is an outlier") <= 1, done.stderr
    bad = range(20, 4990, 41)
    for i in bad:
        values[i][2] += 30 * noise * chance.choice((-1, 1))
    path.write_text("\n".join([",".join(heading)] + [",".join(map(repr, v)) for v in values]) + "\n")
    done = run(arm(), path)
    line, = [x for x in done.stderr.splitlines() if "column 'j2'" in x and "--repair" in x]
    found = int(line.split(": ")[-1].split()[0])
    assert 0.93 * len(bad) < found <= len(bad) + 1, (found, len(bad))


def turner(kind="continuous", limit=""):
    """A joint that makes whole turns, and one that follows it by half of its angle."""
    def joint(name, parent, child, type, more):
        return (f'<joint name="{name}" type="{type}"><parent link="{parent}"/><child link="{child}"/>'
                f'<origin xyz="0.1 0 0"/><axis xyz="0 1 0"/>{more}</joint>')
    path = folder / f"{kind}{len(limit)}.urdf"
    path.write_text(f'<robot name="turner"><link name="ground"/>{body("arm", 1, 0.1, 0)}'
                    f'{body("half", 0.5, 0.2, 0)}{joint("turn", "ground", "arm", kind, limit)}'
                    + joint("half", "arm", "half", "continuous",
                            '<mimic joint="turn" multiplier="0.5" offset="0.2"/>') + "</robot>\n")
    return path


def going(t):
    """To 2.6 turns and back."""
    return 10 * math.sin(0.9 * t) + 4 * t


def modulo(x, low=-math.pi, turn=2 * math.pi):
    return (x - low) % turn + low


def same(a, b, tolerance=1e-6):
    for name in a:
        worst = max(abs(x - y) for x, y in zip(a[name], b[name], strict=True))
        assert worst < tolerance * max(1, max(map(abs, b[name]))), (name, worst)


def whole_turns():
    """A joint without limits, recorded modulo a turn: differentiation must not see its jumps."""
    robot, times = turner(), [i / 100 for i in range(500)]
    heading = ["t", "turn", "half"]
    def goes(t):
        return [t, going(t), 0.5 * going(t) + 0.2]
    exact = record("counted.csv", times, heading, goes)
    assert "jump" not in run(robot, exact).stderr + run(robot, exact).stdout
    truth = motion(robot, exact)
    for low, unit, name in ((-math.pi, 1, "turn [rad]"), (0, 180 / math.pi, "turn [deg]")):
        path = record("modulo.csv", times, ["t", name, "half"],
                      lambda t: [t, unit * modulo(going(t), low), modulo(goes(t)[2], 9)])
        values = [modulo(going(t), low) for t in times]
        rows = [i for i in range(1, 500) if abs(values[i] - values[i - 1]) > math.pi]
        assert len(rows) >= 3, rows
        turns = 2 * math.pi * ((going(0) - values[0]) // (2 * math.pi))
        found = motion(robot, path)
        found["q:turn"] = [q + turns for q in found["q:turn"]]
        same(found, truth)
        done = run(robot, path)
        assert (f"column '{name}': removed {len(rows)} jumps by whole turns, the first at line "
                f"{rows[0] + 2}\n") in done.stderr, done.stderr
        assert f"turns         {name}: removed {len(rows)} jumps by whole turns" in done.stdout
        assert "doubtful" not in done.stdout and "too far apart" not in done.stderr
        r = json.loads(run(robot, path, "--json").stdout)
        assert r["columns"][0]["jumps_taken_out"] == len(rows) and "doubtful_steps" not in r["columns"][0]
        # the follower's column is compared, and both are modulo a turn
        assert abs(r["followers"][0]["deviation"]["value"]) < 1e-9, r["followers"]


def whole_turns_and_faults():
    """Same with missing rows and missing values, one of them at a jump."""
    robot, times = turner(), [i / 100 for i in range(500)]
    truth = motion(robot, record("counted.csv", times, ["t", "turn"], lambda t: [t, going(t)]))
    values = [modulo(going(t)) for t in times]
    rows = [i for i in range(1, 500) if abs(values[i] - values[i - 1]) > math.pi]
    values[rows[0] - 2] = 0.1
    values[rows[1]] = values[rows[1] + 1] = "nan"
    values[300] += 1
    path = folder / "faults.csv"
    path.write_text("t,turn\n" + "".join(f"{t!r},{v}\n" for t, v in zip(times, values)))
    found = motion(robot, path, "--repair")
    same(found, truth, 1e-3)
    done = run(robot, path, "--repair")
    assert f"removed {len(rows)} jumps by whole turns" in done.stderr, done.stderr
    assert "2 outliers, replaced" in done.stderr, done.stderr


def turns_in_doubt():
    """Steps near half a turn are reported, with the position of the first."""
    path = record("slow.csv", [i / 100 for i in range(50)], ["t", "turn"],
                  lambda t: [t, modulo(290 * t)])
    done = run(turner(), path)
    assert ("slow.csv:3: column 'turn': rows are too far apart to tell how far 'turn' turns here, "
            "and later\n") in done.stderr, done.stderr
    assert "doubtful      turn: 49 steps in which rows are too far apart" in done.stdout, done.stdout
    assert json.loads(run(turner(), path, "--json").stdout)["columns"][0]["doubtful_steps"] == 49


def turns_of_limited_joints():
    """A joint with limits stays as recorded, and its jump is reported. For a joint without end limits, limits of its
    followers count, except for whole turns."""
    times = [i / 100 for i in range(300)]
    path = record("limited.csv", times, ["t", "turn"], lambda t: [t, modulo(3 * t)])
    robot = turner("revolute", '<limit lower="-7" upper="7" effort="9" velocity="9"/>')
    done = run(robot, path)
    assert "limited.csv:107: column 'turn' jumps by about a turn, but joint 'turn' has limits, so the jump is kept" in done.stderr
    assert "whole turns" not in done.stderr
    assert motion(robot, path)["q:turn"] == [modulo(3 * t) for t in times]
    robot = turner("continuous", '<limit lower="-3.1416" upper="3.1416" effort="900" velocity="9"/>')
    done = run(robot, path)
    assert "1 jump by whole turns" in done.stderr and "limits: no violations" in done.stdout, done.stdout
    robot = turner("continuous", '<limit lower="-3" upper="3" effort="900" velocity="9"/>')
    r = json.loads(run(robot, path, "--json").stdout)
    assert [round(v["worst"]["value"], 2) for v in r["violations"]] == [-3.13], r["violations"]


def turns_of_other_joints():
    """Universal joints and the angle of planar joints."""
    def robot(kind):
        path = folder / f"{kind}.urdf"
        path.write_text(f'<robot name="{kind}"><link name="ground"/>{body("arm", 1, 0.1, 0)}'
                        f'<joint name="j" type="{kind}"><parent link="ground"/><child link="arm"/>'
                        '<axis xyz="0 1 0"/></joint></robot>\n')
        return path
    times = [i / 100 for i in range(500)]
    for kind, names, turns in (("universal", ["rx", "ry"], [True, True]),
                               ("planar", ["x", "y", "theta"], [False, False, True])):
        heading = ["t"] + [f"q:j.{n}" for n in names]
        truth = motion(robot(kind), record("counted.csv", times, heading, lambda t: [t] + [
            going(t) + k for k in range(len(names))]), "--repair")
        path = record("modulo.csv", times, heading, lambda t: [t] + [
            modulo(going(t) + k) if turn else going(t) + k for k, turn in enumerate(turns)])
        found = motion(robot(kind), path)
        for name, turn in zip(names, turns):
            if turn:
                by = round((truth[f"q:j.{name}"][0] - found[f"q:j.{name}"][0]) / (2 * math.pi))
                found[f"q:j.{name}"] = [q + 2 * math.pi * by for q in found[f"q:j.{name}"]]
        same(found, truth)


def turns_that_are_followed():
    """tandem simulate follows a table as it is and reports where it jumps."""
    times = [i / 100 for i in range(300)]
    path = record("drive.csv", times, ["t", "q:turn"], lambda t: [t, modulo(3 * t)])
    done = subprocess.run([command, "simulate", turner(), "--drive", path, "--time", "0.1"],
                          capture_output=True, text=True)
    assert "drive.csv:107: column 'q:turn' jumps by about a turn, and is followed as it is" in done.stderr, done.stderr
    path = record("drive.csv", times, ["t", "q:turn"], lambda t: [t, 3 * t])
    done = subprocess.run([command, "simulate", turner(), "--drive", path, "--time", "0.1"],
                          capture_output=True, text=True)
    assert "jump" not in done.stderr, done.stderr


# ---- joints with quaternions

MASS, CENTER, MOMENT, GRAVITY = 1.3, (0.05, 0.02, -0.3), 0.01, (0, 0, -9.81)


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def into_body(p, x):
    """The vector of world axes in the axes of the quaternion."""
    t = [2 * c for c in cross([-c for c in p[:3]], x)]
    return [a + p[3] * b + c for a, b, c in zip(x, t, cross([-c for c in p[:3]], t))]


def coning(t, a=1.3, b=0.7, c=2.1):
    """Rz(a t) Rx(b) Rz(c t): the quaternion, and ω and α in body axes."""
    C, S = math.cos(b / 2), math.sin(b / 2)
    p = [S * math.cos((a - c) * t / 2), S * math.sin((a - c) * t / 2), C * math.sin((a + c) * t / 2), C * math.cos((a + c) * t / 2)]
    w = [a * math.sin(b) * math.sin(c * t), a * math.sin(b) * math.cos(c * t), a * math.cos(b) + c]
    return p, w, [a * c * math.sin(b) * math.cos(c * t), -a * c * math.sin(b) * math.sin(c * t), 0]


def way(t):
    """A position and its derivatives."""
    return [[0.3 * (1 + i) ** d * math.sin((1 + i) * t + d * math.pi / 2) for i in range(3)] for d in range(3)]


def wrench(t, floating):
    """Moment about the body's origin and force, by Newton and Euler, in body axes."""
    p, w, alpha = coning(t)
    a = into_body(p, [x - g for x, g in zip(way(t)[2] if floating else [0, 0, 0], GRAVITY)])
    lever = [x + y for x, y in zip(cross(alpha, CENTER), cross(w, cross(w, CENTER)))]
    force = [MASS * (x + y) for x, y in zip(a, lever)]
    return [MOMENT * x + y for x, y in zip(alpha, cross(CENTER, force))] + force


def body_robot(floating):
    robot = folder / ("free.urdf" if floating else "ball.urdf")
    joint = '' if floating else '<joint name="hip" type="ball"><parent link="w"/><child link="a"/></joint>'
    ground = '' if floating else '<link name="w"/>'
    robot.write_text(f'<robot name="b">{ground}{body("a", MASS, *CENTER, MOMENT)}{joint}</robot>')
    return [robot, "--base", "floating"] if floating else [robot]


def poses(floating, times, sign=lambda i: 1, derivatives=False):
    """Rows of positions, optionally with velocities and accelerations."""
    joint = "base" if floating else "hip"
    heading = ["t"] + [f"q:{joint}.{n}" for n in (("x", "y", "z") if floating else ()) + ("qx", "qy", "qz", "qw")]
    parts = ("wx", "wy", "wz") + (("vx", "vy", "vz") if floating else ())
    heading += [f"{q}:{joint}.{n}" for q in ("qd", "qdd") for n in parts] if derivatives else []
    rows = []
    for i, t in enumerate(times):
        p, w, alpha = coning(t)
        x, v, a = way(t)
        row = [t] + (x if floating else []) + [sign(i) * c for c in p]
        if derivatives:
            v = into_body(p, v)
            a = [c - d for c, d in zip(into_body(p, a), cross(w, v))]
            row += w + (v if floating else []) + alpha + (a if floating else [])
        rows.append(row)
    return heading, rows


def write(name, heading, rows):
    return record(name, range(len(rows)), heading, lambda i: rows[i])


def pose_error(m, floating, skip=0):
    """The largest error of the forces relative to their size, away from the ends."""
    joint = "base" if floating else "hip"
    parts = ("mx", "my", "mz") + (("fx", "fy", "fz") if floating else ())
    rows = range(skip, len(m["t"]) - skip)
    exact = [wrench(m["t"][i], floating) for i in rows]
    size = max(abs(x) for row in exact for x in row)
    return max(abs(m[f"tau:{joint}.{n}"][i] - row[k]) for k, n in enumerate(parts) for i, row in zip(rows, exact)) / size


TIMES = [i / 100 for i in range(401)]


def poses_as_data():
    """Positions alone, with signs that change; velocities and accelerations of the table; either curve; other rows."""
    for floating in (False, True):
        robot = body_robot(floating)
        exact = write("exact.csv", *poses(floating, TIMES, derivatives=True))
        assert pose_error(motion(*robot[:1], exact, *robot[1:]), floating) < 1e-14
        signs = write("signs.csv", *poses(floating, TIMES, lambda i: -1 if i % 7 in (1, 2, 5) else 1))
        found = motion(*robot[:1], signs, *robot[1:])
        assert pose_error(found, floating, 10) < 1e-8, pose_error(found, floating, 10)
        assert pose_error(motion(*robot[:1], signs, *robot[1:], "--curve", "cubic"), floating, 10) < 1e-3
        assert pose_error(motion(*robot[:1], signs, *robot[1:], "--rate", 170), floating, 20) < 1e-8
        joint = "base" if floating else "hip"
        assert all(abs(sum(found[f"q:{joint}.q{n}"][i] ** 2 for n in "xyzw") - 1) < 1e-15 for i in range(401))


def defects_of_poses():
    """Gaps, outliers and quaternions of a wrong length."""
    heading, rows = poses(True, TIMES)
    rows[50][5] = rows[51][5] = math.nan
    rows[120][4:8] = [0, 0, 0, 1]
    rows[200][4:8] = [0, 0, 0, 0]
    path = write("defects.csv", heading, rows)
    robot = body_robot(True)
    done = run(*robot[:1], path, *robot[1:], code=3)
    assert "defects.csv:202: the quaternion of 'base' has length 0, not 1" in done.stderr, done.stderr
    done = run(*robot[:1], path, *robot[1:], "--repair", "-o", "-")
    assert "is an outlier" in done.stderr and "replaced by what their neighbors suggest" in done.stderr, done.stderr
    assert pose_error(table(done.stdout), True, 10) < 2e-3, pose_error(table(done.stdout), True, 10)
    heading, rows = poses(False, [0.9 * i for i in range(40)])
    fast = write("fast.csv", heading, rows)
    assert "rows are too far apart to tell how 'hip' turns here" in run(*body_robot(False), fast).stderr
    rows = [r[:4] for r in poses(False, TIMES, derivatives=True)[1]]
    some = write("some.csv", ["t", "q:hip.qx", "qd:hip.wx", "q:hip.qw"], [[r[0], 0.0, 0.0, 1.0] for r in rows])
    assert "'hip' has columns of some velocities but not of all 3" in run(*body_robot(False), some, code=3).stderr


def noise_of_poses():
    """Filters do not depend on the parent's frame; their cut-offs are shared and improve the forces."""
    chance, robot, times = random.Random(5), body_robot(False), [i / 200 for i in range(1001)]
    heading, rows = poses(False, times)
    rows = [[r[0]] + [x + chance.gauss(0, 2e-4) for x in r[1:]] for r in rows]
    path = write("noisy.csv", heading, rows)
    assert pose_error(motion(*robot, path), False, 60) > 0.5
    for kind in ("butterworth", "spline"):
        report = json.loads(run(*robot, path, "--filter", kind, "--json").stdout)
        cutoffs = [c["cutoff"] for c in report["columns"]]
        assert len(cutoffs) == 4 and len(set(cutoffs)) == 1, cutoffs
        found = motion(*robot, path, "--filter", kind)
        assert pose_error(found, False, 60) < 0.02, pose_error(found, False, 60)
        # the same recording in a turned parent frame: Ry(0.8) from the left
        s, c = math.sin(0.4), math.cos(0.4)
        turned = [[r[0], c * r[1] + s * r[3], c * r[2] + s * r[4], c * r[3] - s * r[1], c * r[4] - s * r[2]] for r in rows]
        cut = ["--filter", kind, "--cutoff", 5]
        a, b = (motion(*robot, write("turned.csv", heading, x), *cut) for x in (rows, turned))
        assert max(abs(x - y) for n in "xyz" for x, y in zip(a[f"qd:hip.w{n}"], b[f"qd:hip.w{n}"])) < 1e-9


def poses_that_drive():
    """simulate follows the motion; a planned move turns about a fixed axis; both return as recordings."""
    for floating in (False, True):
        robot = body_robot(floating)
        path = write("exact.csv", *poses(floating, TIMES, derivatives=True))
        done = subprocess.run([command, "simulate", *robot, "--drive", path, "-o", "-", "--rate", "100", "--time", "3.9"],
                              capture_output=True, text=True)
        # the motion does not rest before its first row
        assert done.returncode == 0 or "so it cannot rest" in done.stderr, done.stderr
    points = folder / "points.csv"
    points.write_text("t,q:hip.qx,q:hip.qy,q:hip.qz,q:hip.qw\n0,0,0,0,1\n1,0.6,0,0,0.8\n2.5,0,-0.6,0,-0.8\n")
    robot = body_robot(False)
    done = subprocess.run([command, "trajectory", *robot, points, "--curve", "minimum-jerk"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    m = table(done.stdout)
    angle = 2 * math.asin(0.6)
    for i, t in enumerate(m["t"]):
        if t < 1:
            rate = 30 * t**2 - 60 * t**3 + 30 * t**4
            assert abs(m["qd:hip.wx"][i] - angle * rate) < 1e-12 and abs(m["qd:hip.wy"][i]) < 1e-15
    (folder / "moves.csv").write_text(done.stdout)
    again = motion(*robot, folder / "moves.csv")
    same({k: v for k, v in again.items() if k.startswith("tau")}, m, 1e-12)
    done = subprocess.run([command, "simulate", *robot, "--drive", folder / "moves.csv", "-o", "-", "--rate", "100", "--time", "2.5"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    driven = table(done.stdout)
    for name in ("q:hip.qx", "q:hip.qy", "q:hip.qw"):
        assert max(abs(x - y) for x, y in zip(driven[name], m[name])) < 1e-9, name
    points.write_text("q:hip.qx,q:hip.qy,q:hip.qz,q:hip.qw\n0,0,0,1\n0.6,0,0,0.8\n")
    done = subprocess.run([command, "trajectory", *robot, points, "--curve", "trapezoid"], capture_output=True, text=True)
    assert "has no limit of velocity, which --curve trapezoid and jerk-limited need (--velocity)" in done.stderr, done.stderr
    done = subprocess.run([command, "trajectory", *robot, points, "--curve", "trapezoid", "--velocity", "0.5", "--acceleration", "2"],
                          capture_output=True, text=True)
    m = table(done.stdout)
    assert abs(max(m["qd:hip.wx"]) - 0.5) < 1e-12 and abs(m["t"][-1] - (angle / 0.5 + 0.25)) < 1e-12, done.stderr


def markers_to_forces():
    """Recorded points become poses of a floating base, which recording reads."""
    robot, marks = body_robot(True), {"front": (0.3, 0, 0), "left": (0, 0.2, 0.1), "top": (-0.1, 0, 0.3), "low": (0, -0.1, -0.2)}
    (folder / "marks.csv").write_text("point,link,x,y,z\n" + "".join(f"{n},a,{x},{y},{z}\n" for n, (x, y, z) in marks.items()))

    def row(t):
        p, x = coning(t)[0], way(t)[0]
        back = [-c for c in p[:3]] + [p[3]]
        return [t] + [a + b for mark in marks.values() for a, b in zip(x, into_body(back, mark))]
    seen = record("seen.csv", TIMES, ["t"] + [f"{n}.{k}" for n in marks for k in "xyz"], row)
    done = subprocess.run([command, "ik", *robot, "--points", folder / "marks.csv", seen, "-o", folder / "poses.csv"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = motion(robot[0], folder / "poses.csv", *robot[1:])
    assert pose_error(found, True, 10) < 1e-5, pose_error(found, True, 10)  # ik ends at 1e-9


check("the hand from its own velocities and accelerations, to the digits of the tables",
      own_derivatives)
check("from positions at 120 Hz by a cubic spline, to 1e-4 of the range",
      lambda: positions(["--curve", "cubic"], 1e-4, TAU))
check("from positions at 120 Hz by a quintic spline, reactions too",
      lambda: positions([], 1e-6, RESULTS))
check("deg, mm, ms; columns by name, --map and headings; a follower's column", units)
check("a column of speeds in rpm", speeds_in_rpm)
check("uneven steps, another rate", resampled)
check("the example: Butterworth with chosen cut-offs",
      lambda: example(["--filter", "butterworth"], 0.02))
check("the example: smoothing spline", lambda: example(["--filter", "spline", "--cutoff", 3], 0.02))
check("the example needs a filter", unfiltered_is_worse)
check("the report against the table; energy over a cycle; shares add up", report)
check("limits of position, velocity and effort, with their times", violations)
check("shares of the largest force are those of its row, on its branch", shares_of_the_row)
check("shares that are not the motor's are not told", shared_coordinate)
check("efforts of followers are their own", followers_effort)
check("power that is negative throughout, or positive", power_of_one_sign)
for rate, degrees, kind in ((60, 0.1, "butterworth"), (125, 0.001, "spline"),
                            (500, 0.02, "butterworth")):
    check(f"noise of {degrees} degrees at {rate} Hz, {kind}: found, told, filtered at best",
          lambda: noisy(rate, degrees, kind))
for curve in CURVES:
    check(f"{curve}: corners are no outliers", lambda: corners(curve))
    check(f"{curve}: spikes are", lambda: spikes(curve))
check("spikes in noise", spikes_in_noise)
check("angles modulo a turn: the motion that counts turns", whole_turns)
check("angles modulo a turn, with gaps and outliers", whole_turns_and_faults)
check("rows too far apart for turns are told", turns_in_doubt)
check("jumps of joints with limits are told", turns_of_limited_joints)
check("angles of universal and planar joints", turns_of_other_joints)
check("tables that are followed as they are", turns_that_are_followed)
check("poses as data: exact derivatives, quintic and cubic splines, any signs, other rows", poses_as_data)
check("gaps, outliers and lengths of quaternions", defects_of_poses)
check("noise of quaternions: one cut-off, any parent frame", noise_of_poses)
check("poses in simulate and trajectory", poses_that_drive)
check("points, poses of a floating base, forces", markers_to_forces)
finish()

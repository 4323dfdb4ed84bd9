#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recorded motion against the motion that it is of: tandem motion on a hand whose forces are known. TAP.

    python3 test/motion.py COMMAND DIRECTORY_OF_ROBOTS DIRECTORY_OF_EXAMPLES

The hand, its motion and its tables are those of test_hand.c: the finger of A. Musiolik's thesis (2008),
pulled by a string; the tables come from programs that share nothing with this library.
"""
import csv
import io
import json
import math
import pathlib
import subprocess
import sys
import tempfile

command, robots, examples = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
scratch = tempfile.TemporaryDirectory()
folder = pathlib.Path(scratch.name)
results = []
NAMES = ["wx", "wy", "wrist", "mcp", "pip", "dip"]
START = [0.222256, -0.008233, -0.11610507863106667, 0.16686274282588226, -0.1772111707058186,
         0.04693735047328544]
WAY = [0.003, 0.010, 0.05, -0.70, -0.50, -0.30]
PULSE = 2 * math.pi / 2.8
CABLE = ["--cable", "string:0,0,0,0.114,-0.124,0,1.962"]
# t: moments at dip, pip, mcp, wrist; forces there (test_hand.c)
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
    """A file with a row of cells(t) for each time."""
    path = folder / name
    path.write_text("\n".join([",".join(heading)] + [",".join(map(repr, cells(t))) for t in times])
                    + "\n")
    return path


def run(*arguments, code=0):
    done = subprocess.run([command, "motion", *map(str, arguments)], capture_output=True, text=True,
                          cwd=robots)
    assert done.returncode == code, (done.returncode, done.stderr)
    return done


def table(text):
    rows = list(csv.reader(io.StringIO(text)))
    return {name: [float(row[i]) for row in rows[1:]] for i, name in enumerate(rows[0])}


def motion(robot, recorded, *options):
    return table(run(robot, recorded, "-o", "-", *options).stdout)


def truth(robot="hand_a.urdf", rate=120, seconds=11.2):
    """The motion with its own velocities and accelerations."""
    times = [i / rate for i in range(round(seconds * rate) + 1)]
    heading = ["t"] + [f"{p}:{n}" for n in NAMES[:5] for p in ("q", "qd", "qdd")]
    path = record("truth.csv", times, heading, lambda t: [t] + [x for q in state(t)[:5] for x in q])
    return motion(robot, path, *CABLE, "--reactions", "all")


def check(title, function):
    try:
        function()
        results.append(True)
        print(f"ok {len(results)} - {title}")
    except Exception as error:  # a failure is a line of the report
        results.append(False)
        print(f"not ok {len(results)} - {title}\n# " + repr(error)[:2000].replace("\n", "\n# "))


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
            # the fingertip follows: its moment counts 0.6 times
            close(m["tau:pip"][i], m["reaction:pip.mz"][i] + 0.6 * m["reaction:dip.mz"][i])


def far(ours, theirs, columns, skip=0):
    """The largest difference of columns, of the range of each."""
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
    # it stores times to 0.1 ms and angles to 0.01 degrees
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
        # of equal ones the first: the same but for rounding
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
        # what the largest force comes from adds up to it, by joints and by links
        shares = motor["worst"]
        assert abs(sum(shares["joints"].values()) - motor["force"]["value"]) < 1e-12
        links = sum(shares["links"].values()) + shares["cables"] + shares["passive"]
        assert abs(links - motor["force"]["value"]) < 1e-12
    # the motion ends where it began, and so does the cable's potential
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
    # m g l cos q = 9.81 cos q and what acceleration adds
    assert spell["effort"] and all(abs(v["worst"]["value"]) > 9 for v in spell["effort"])


check("the hand from its own velocities and accelerations, to the digits of the tables",
      own_derivatives)
check("from positions at 120 Hz by a cubic spline, to 1e-4 of the range",
      lambda: positions(["--spline", "cubic"], 1e-4, TAU))
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
print(f"1..{len(results)}")
sys.exit(0 if all(results) else 1)

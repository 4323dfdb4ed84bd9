#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ground reactions of tandem id and tandem recording, for motions whose forces follow from a few equations. TAP.

    python3 test/ground.py COMMAND DIRECTORY_OF_ROBOTS DIRECTORY_OF_TOOL_ROBOTS
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

command, robots, own = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
scratch = tempfile.TemporaryDirectory()
folder = pathlib.Path(scratch.name)
walker = own / "walker.urdf"
PARTS = ["mx", "my", "mz", "fx", "fy", "fz"]
FEET = {"left": (0.05, 0.1, -0.5), "right": (-0.05, -0.1, -0.5)}  # joints on the trunk
OPTIONS = ["--ground", "0,0,0", "--foot", "left_foot", "--foot", "right_foot"]
HEIGHT = ["--contact", "1mm"]
PLATES = ["--plate", "left_foot:0.3,0.4,0", "--plate", "right_foot:-0.1,0.2,0.05"]
POINTS = {"left": (0.3, 0.4, 0), "right": (-0.1, 0.2, 0.05)}
G = 9.81


def run(*arguments, code=0):
    done = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, (done.returncode, done.stderr)
    return done


def table(text):
    rows = list(csv.reader(io.StringIO(text)))
    return {name: [float(row[i] or "nan") for row in rows[1:]] for i, name in enumerate(rows[0])}


def write(name, columns):
    """Writes a table of columns."""
    rows = [",".join(columns)] + [",".join(map(repr, row)) for row in zip(*columns.values())]
    (folder / name).write_text("\n".join(rows) + "\n")
    return folder / name


def lifted(s):
    """Height of a foot that leaves the ground from s = 0 to 1, with two derivatives; all vanish at the ends."""
    if s <= 0 or s >= 1:
        return 0, 0, 0
    p, d, dd = s - s * s, 1 - 2 * s, -2
    return 25.6 * p**4, 102.4 * p**3 * d, 102.4 * (3 * p**2 * d * d + p**3 * dd)


def coordinates(t):
    """Positions, velocities and accelerations at time t: the right foot is up until 0.4 s, the left one from 0.6 s on."""
    left, right = lifted((t - 0.6) / 0.4), lifted(t / 0.4)
    return {"x": (0.1 * math.sin(3 * t), 0.3 * math.cos(3 * t), -0.9 * math.sin(3 * t)), "z": (0.5, 0, 0),
            "left": tuple(a / 0.4**k for k, a in enumerate(left)), "right": tuple(a / 0.4**k for k, a in enumerate(right))}


TIMES = [i / 40 for i in range(41)]


def recorded(at=coordinates, times=TIMES):
    states = [at(t) for t in times]
    columns = {"t": times}
    for joint in ("x", "z", "left", "right"):
        for k, quantity in enumerate(("q", "qd", "qdd")):
            columns[f"{quantity}:{joint}"] = [s[joint][k] for s in states]
    return columns


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def needed(s):
    """The wrench about the origin: each mass times its acceleration minus gravity, and the moments of these forces."""
    total = [0.0] * 6
    x, z = s["x"], s["z"]
    bodies = [(10, (x[0], 0, z[0]), z[2])]
    for joint, at in FEET.items():
        bodies.append((1, (x[0] + at[0] + 0.02, at[1], z[0] + at[2] + s[joint][0] + 0.05), z[2] + s[joint][2]))
    for mass, place, up in bodies:
        force = [mass * x[2], 0.0, mass * (up + G)]
        total = [a + b for a, b in zip(total, cross(place, force) + force)]
    return total


def foot_point(s, joint):
    at = FEET[joint]
    return s["x"][0] + at[0], at[1], s["z"][0] + at[2] + s[joint][0]


def moved(wrench, origin, to):
    """The wrench about another point."""
    arm = [a - b for a, b in zip(origin, to)]
    return [a + b for a, b in zip(wrench[:3], cross(arm, wrench[3:]))] + list(wrench[3:])


def row(m, prefix, i):
    return [m[prefix + part][i] for part in PARTS]


def far(a, b):
    return max(abs(x - y) for x, y in zip(a, b))


def sums(m, at=coordinates):
    """Returns the largest difference between the sum of the feet's wrenches and the residual wrench."""
    worst = 0.0
    for i, t in enumerate(m["t"]):
        s = at(t)
        total = [0.0] * 6
        for joint in FEET:
            foot = moved(row(m, f"foot:{joint}_foot.", i), foot_point(s, joint), (0, 0, 0))
            total = [a + b for a, b in zip(total, foot)]
        worst = max(worst, far(total, row(m, "residual:", i)))
    return worst


def walk(path, *options):
    return table(run("recording", walker, path, *OPTIONS, *options, "-o", "-").stdout)


def residual():
    m = walk(write("walk.csv", recorded()), *HEIGHT)
    for i, t in enumerate(TIMES):
        w = needed(coordinates(t))
        assert far(row(m, "residual:", i), w) < 1e-10, (t, row(m, "residual:", i), w)
        center = [-w[1] / w[5], w[0] / w[5], 0]
        for point in ("cop", "zmp"):
            assert far([m[f"{point}:{a}"][i] for a in "xyz"], center) < 1e-12
        assert abs(m["cop:moment"][i] - (w[2] - center[0] * w[4] + center[1] * w[3])) < 1e-11


def states():
    """tandem id prints the same numbers as tandem recording."""
    path = write("walk.csv", recorded())
    m, n = walk(path, *HEIGHT), table(run("id", walker, path, "--ground", "0,0,0", "--passive").stdout)
    names = [f"residual:{p}" for p in PARTS] + ["cop:x", "cop:y", "cop:z", "cop:moment", "zmp:x", "zmp:y", "zmp:z"]
    assert all(far(m[name], n[name]) < 1e-11 for name in names)


def linear():
    """The left foot carries all in its single support, then a share that falls linearly from 1 to 0."""
    m = walk(write("walk.csv", recorded()), *HEIGHT)
    assert sums(m) < 1e-12
    down = [all(coordinates(t)[joint][0] < 1e-3 for joint in FEET) for t in TIMES]
    inner = [i for i, both in enumerate(down) if both and 0.2 < TIMES[i] < 0.8]
    begin, end = TIMES[inner[0]] - 1 / 80, TIMES[inner[-1]] + 1 / 80
    for i, t in enumerate(TIMES):
        if 0.2 < t < 0.8:
            share = min(max((end - t) / (end - begin), 0), 1)
            assert abs(m["foot:left_foot.fz"][i] - share * m["residual:fz"][i]) < 1e-11
    column = dict(recorded(), **{"contact:left_foot": [float(coordinates(t)["left"][0] < 1e-3) for t in TIMES],
                                 "contact:right_foot": [float(coordinates(t)["right"][0] < 1e-3) for t in TIMES]})
    assert walk(write("contacts.csv", column)) == m


def with_plates(m, noise):
    """Adds columns of plates that measure the feet's wrenches of m."""
    columns = recorded()
    source = random.Random(4)
    for joint in FEET:
        rows = [moved(row(m, f"foot:{joint}_foot.", i), foot_point(coordinates(t), joint), POINTS[joint])
                for i, t in enumerate(TIMES)]
        for k, part in enumerate(PARTS):
            size = noise * (1 if k > 2 else 0.1)
            columns[f"plate:{joint}_foot.{part}"] = [r[k] + size * source.gauss(0, 1) for r in rows]
    return columns


def distance(a, b):
    """|force|² + |moment|²/length² with the default length."""
    return sum((x - y)**2 * (1 if k > 2 else 100) for k, (x, y) in enumerate(zip(a, b)))


def in_double_support(m):
    rows = [i for i in range(len(TIMES)) if m["foot:left_foot.fz"][i] and m["foot:right_foot.fz"][i]]
    assert len(rows) >= 8
    return rows


def plates():
    path = write("walk.csv", recorded())
    exact = walk(path, *HEIGHT)
    same = walk(write("plates.csv", with_plates(exact, 0)), *PLATES)
    assert all(far(exact[name], same[name]) < 1e-11 for name in exact)
    noisy = with_plates(exact, 2)
    m = walk(write("noisy.csv", noisy), *PLATES)
    assert sums(m) < 1e-12
    for i in in_double_support(m):  # a projection on the splits with the right sum, and the exact one is among them
        before = after = 0.0
        for joint in FEET:
            truth = row(exact, f"foot:{joint}_foot.", i)
            plate = moved(row(noisy, f"plate:{joint}_foot.", i), POINTS[joint], foot_point(coordinates(TIMES[i]), joint))
            before += distance(plate, truth)
            after += distance(row(m, f"foot:{joint}_foot.", i), truth)
        assert after < before, (after, before)
    # without the right foot's plate, the left one is believed in double support
    half = {name: x for name, x in noisy.items() if not name.startswith("plate:right")}
    one = walk(write("half.csv", half), *PLATES[:2], *HEIGHT)
    assert sums(one) < 1e-12
    assert all(abs(one["foot:left_foot.fz"][i] - noisy["plate:left_foot.fz"][i]) < 1e-10 for i in in_double_support(one))


def flight():
    """A humanoid that is thrown needs nothing. A jumper's report says so."""
    times = [i / 50 for i in range(26)]
    columns = {"t": times, "q:base.x": [0.7 * t for t in times], "q:base.z": [1 + 2 * t - G / 2 * t * t for t in times],
               "q:base.qx": [0.36] * 26, "q:base.qy": [0.48] * 26, "q:base.qz": [0.64] * 26, "q:base.qw": [0.48] * 26}
    path = write("thrown.csv", columns)
    m = table(run("recording", robots / "humanoid.urdf", path, "--base", "floating", "--ground", "0,0,0", "-o", "-").stdout)
    assert max(map(abs, (x for p in PARTS for x in m[f"residual:{p}"]))) < 1e-6, "650 N of weight"
    assert all(math.isnan(x) for x in m["cop:x"] + m["cop:moment"] + m["zmp:z"])

    def jump(t):
        return dict(coordinates(0.5), x=(0.2 * t, 0.2, 0), z=(0.6 + t - G / 2 * t * t, 1 - G * t, -G))

    path = write("jump.csv", recorded(jump, [i / 100 for i in range(11)]))
    report = json.loads(run("recording", walker, path, *OPTIONS, *HEIGHT, "--json").stdout)["ground"]
    assert report["flight"]["rows"] == 11
    assert report["flight"]["force"] < 1e-10 and report["flight"]["moment"] < 1e-10
    assert all(e["most"]["value"] is None for e in report["extremes"] if e["name"].startswith("cop"))


check("the residual wrench, center of pressure and ZMP are the sums over the bodies", residual)
check("id and recording agree", states)
check("shares are linear in double support; columns of contacts", linear)
check("plates: exact, noisy, and one missing", plates)
check("in flight nothing is needed", flight)
finish()

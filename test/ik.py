#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tandem ik of tables, paths and recorded points, against tandem fk and against statistics. TAP.

    python3 test/ik.py COMMAND DIRECTORY_OF_ROBOTS DIRECTORY_OF_EXAMPLES
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


def run(*arguments, code=0, text=None):
    done = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True, cwd=robots, input=text)
    assert done.returncode == code, (arguments, done.returncode, done.stderr)
    return done


def columns(text):
    rows = list(csv.reader(io.StringIO(text)))
    return {name: [float(row[i] or "nan") for row in rows[1:]] for i, name in enumerate(rows[0])}


def table(heading, rows):
    return "\n".join([",".join(heading)] + [",".join("" if x is None else repr(x) for x in row) for row in rows]) + "\n"


def limits(robot):
    """Returns independent joints with their limits, from the report."""
    listed = json.loads(run("info", "--json", robot).stdout)["limits"]
    return {j["joint"]: (j["lower"], j["upper"]) for j in listed if j.get("lower") is not None}


def smooth(joints, rows, part):
    """Returns a motion within a fraction of the limits around their center."""
    dice = random.Random(len(joints))
    shape = {n: (dice.uniform(0.5, 1.5), dice.uniform(0, 6)) for n in joints}
    return [[(a + b) / 2 + part * (b - a) / 2 * math.sin(shape[n][0] * 0.05 * k + shape[n][1]) for n, (a, b) in
             joints.items()] for k in range(rows)]


def fk(robot, joints, rows, *options):
    return columns(run("fk", robot, "-", *options, text=table([f"q:{n}" for n in joints], rows)).stdout)


def there_and_back(robot, link, part, tolerance, every):
    """fk | ik must return the pose, and the configuration where the pose determines it."""
    joints = limits(robot)
    rows = smooth(joints, 40, part)
    poses = run("fk", robot, "-", "--link", link, text=table([f"q:{n}" for n in joints], rows)).stdout
    seed = ",".join(f"{n}={x!r}" for n, x in zip(joints, rows[0]))
    found = columns(run("ik", robot, "-", "-q", seed, text=poses).stdout)
    assert all(x == 1 for x in found["reached"])
    again, wanted = fk(robot, joints, list(zip(*[found[f"q:{n}"] for n in joints])), "--link", link), columns(poses)
    for name in wanted:
        sign = [1 if again[f"qw:{link}"][k] * wanted[f"qw:{link}"][k] >= 0 or name[0] != "q" else -1 for k in range(40)]
        assert max(abs(s * a - b) for s, a, b in zip(sign, again[name], wanted[name])) < 3e-6, name
    if every:
        for i, n in enumerate(joints):
            assert max(abs(x - row[i]) for x, row in zip(found[f"q:{n}"], rows)) < tolerance, n


def seam():
    """The tool on the seam, as in docs/guides/poses-to-motion.md."""
    path = examples / "seam.csv"
    joints, motion = folder / "joints.csv", folder / "motion.csv"
    arm = str(robots / "arm7.urdf")
    begin = "joint_2=-0.8,joint_4=-0.8,joint_6=-1.5"
    for line in (["ik", arm, "--path", "--link", "tool", "--pointing", "0 0 -1", str(path), "-q", begin, "-o", str(joints)],
                 ["trajectory", arm, str(joints), "-o", str(motion)]):
        done = subprocess.run([command, *line], capture_output=True, text=True, cwd=folder)
        assert done.returncode == 0 and "jump" not in done.stderr and "singular" not in done.stderr, done.stderr
    found, wanted, moved = columns(joints.read_text()), columns(path.read_text()), columns(motion.read_text())
    again = columns(run("fk", "arm7.urdf", joints, "--link", "tool").stdout)
    for c in "xyz":
        assert max(abs(a - b / 1000) for a, b in zip(again[f"{c}:tool"], wanted[f"{c} [mm]"])) < 1e-8
    for k in range(len(again["t"])):  # the link's z axis: −z of the world
        assert again["qx:tool"][k] ** 2 + again["qy:tool"][k] ** 2 > 1 - 1e-12
    for i in range(1, 8):
        q = found[f"q:joint_{i}"]
        assert max(abs(a - b) for a, b in zip(q, q[1:])) < 0.05
        assert f"tau:joint_{i}" in moved
    assert found["t"] == wanted["t"] and abs(moved["t"][-1] - wanted["t"][-1]) < 1e-9


def path(name, points):
    file = folder / name
    file.write_text(table(["x", "y", "z"], points))
    return file


def jumps():
    """Two turns around the base exceed the joint's range, so somewhere the arm must restart, and ik reports it."""
    around = [(0.3 * math.cos(a), 0.3 * math.sin(a), 0.4) for a in (k * 0.05 for k in range(260))]
    done = run("ik", "arm7.urdf", "--path", "--link", "tool", "--pointing", "0 0 -1", path("around.csv", around), code=1)
    found = columns(done.stdout)
    step = [max(abs(found[f"q:joint_{i}"][k + 1] - found[f"q:joint_{i}"][k]) for i in range(1, 8)) for k in range(259)]
    far = [k + 2 for k, s in enumerate(step) if s > 0.5]
    assert far and all(x == 1 for x in found["reached"])
    told = [int(line.split("row ")[1].split(":")[0]) for line in done.stderr.splitlines() if "jumps by" in line]
    assert told == far, (told, far)
    for row in told:
        line = next(x for x in done.stderr.splitlines() if f"row {row}: " in x)
        joint = line.split("'")[1]
        size = float(line.split("jumps by ")[1].split(":")[0])
        assert abs(abs(found[f"q:{joint}"][row - 1] - found[f"q:{joint}"][row - 2]) - size) < 1e-5 * size


def singular():
    """A straight path to the position where the five-bar's arms are stretched: its smallest singular value decreases to
    zero."""
    robot = folder / "planar.urdf"
    link = '<link name="{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    joint = ('<joint name="{}" type="revolute"><parent link="{}"/><child link="{}"/><origin xyz="{} 0 0"/>'
             '<axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>')
    robot.write_text('<robot name="planar">' + "".join(link.format(n) for n in "abc") + joint.format("u", "a", "b", 0) +
                     joint.format("v", "b", "c", 1) + "</robot>")
    reach = [1.5 + 0.4999 * math.sin(math.pi * k / 100) for k in range(101)]
    file = path("reach.csv", [(r, 0.0, 0.0) for r in reach])
    done = run("ik", robot, "--path", "--link", "c", "--point", "1,0,0", "-q", "v=1", file)
    told = [line for line in done.stderr.splitlines() if "singular" in line]
    assert len(told) == 1, done.stderr
    # J of the tip: det = sin v, sum of squares 2 + 2 cos v + 1 ...
    v = math.acos((max(reach) ** 2 - 2) / 2)
    square = max(reach) ** 2 + 1
    least = math.sqrt((square - math.sqrt(square ** 2 - 4 * math.sin(v) ** 2)) / 2)
    assert abs(float(told[0].split("value is ")[1].split(" ")[0]) - least) < 1e-3 * least, (told, least)
    assert "at row 51," in told[0], told


def determinant_free_solve(a, b):
    """Solves a x = b by elimination with pivoting, for few unknowns."""
    n = len(b)
    m = [row[:] + [y] for row, y in zip(a, b)]
    for i in range(n):
        p = max(range(i, n), key=lambda r: abs(m[r][i]))
        m[i], m[p] = m[p], m[i]
        for r in range(i + 1, n):
            f = m[r][i] / m[i][i]
            m[r] = [x - f * y for x, y in zip(m[r], m[i])]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (m[i][n] - sum(m[i][k] * x[k] for k in range(i + 1, n))) / m[i][i]
    return x


def transform(poses, link, k, point):
    """Returns the position of a link in row k of a table of fk."""
    x, y, z, w = (poses[f"q{c}:{link}"][k] for c in "xyzw")
    u = [x, y, z]
    cross = lambda a, b: [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    c = cross(u, point)
    cc = cross(u, c)
    return [poses[f"{a}:{link}"][k] + point[i] + 2 * (w * c[i] + cc[i]) for i, a in enumerate("xyz")]


def recorded(robot, points, part, rows=150, sigma=1e-3, missing=0.1, seed=7):
    """Angles from points with noise: errors e' (J'J) e and residuals must have the chi-squared distributions of least
    squares."""
    dice = random.Random(seed)
    joints = limits(robot)
    motion = smooth(joints, rows, part)
    n, h = len(joints), 1e-6
    states = []
    for y in motion:
        states.append(y)
        for i in range(n):
            states += [y[:i] + [y[i] + s * h] + y[i + 1:] for s in (1, -1)]
    poses = fk(robot, joints, states)
    block = 2 * n + 1
    heading = ["t"] + [f"{p}.{c} [mm]" for p in points for c in "xyz"]
    cells, seen = [], []
    for k in range(rows):
        row, there = [k * 0.01], []
        for name, (link, point) in points.items():
            exact = transform(poses, link, k * block, point)
            there.append(dice.random() >= missing)
            row += [1e3 * (x + dice.gauss(0, sigma)) if there[-1] else None for x in exact]
        cells.append(row)
        seen.append(there)
    (folder / "points.csv").write_text("point,link,x,y,z\n" + "".join(
        f"{p},{link},{x[0]!r},{x[1]!r},{x[2]!r}\n" for p, (link, x) in points.items()))
    done = run("ik", "--points", folder / "points.csv", robot, "-", text=table(heading, cells))
    found = columns(done.stdout)
    error_sum = left_sum = 0.0
    error_count = left_count = 0
    for k in range(rows):
        J = []
        for (name, (link, point)), there in zip(points.items(), seen[k]):
            if there:
                change = [[(a - b) / (2 * h) for a, b in zip(transform(poses, link, k * block + 1 + 2 * i, point),
                                                              transform(poses, link, k * block + 2 + 2 * i, point))]
                          for i in range(n)]
                J += [[change[i][c] for i in range(n)] for c in range(3)]
        e = [found[f"q:{name}"][k] - motion[k][i] for i, name in enumerate(joints)]
        if any(math.isnan(x) for x in e):
            continue
        Je = [sum(a * b for a, b in zip(r, e)) for r in J]
        error_sum += sum(x * x for x in Je) / sigma ** 2
        error_count += n
        left_sum += found["residual"][k] ** 2 * (len(J) // 3) / sigma ** 2
        left_count += len(J) - n
    assert error_count >= 0.9 * n * rows, error_count
    for total, count in ((error_sum, error_count), (left_sum, left_count)):
        # mean `count`, variance 2 count: five standard deviations
        assert abs(total - count) < 5 * math.sqrt(2 * count), (total / count, count)
    return done.stdout


HAND = {"w1": ("metacarpal", [0.01, 0.012, 0.01]), "w2": ("metacarpal", [0.05, -0.01, 0.012]),
        "w3": ("metacarpal", [0.02, -0.012, -0.01]), "p1": ("proximal", [0.01, 0.01, 0.0]),
        "p2": ("proximal", [0.035, 0.01, 0.005]), "m1": ("middle", [0.01, 0.008, 0.0]), "m2": ("middle", [0.02, 0.0, 0.01]),
        "d1": ("distal", [0.01, 0.008, 0.0]), "tip": ("tip", [0.0, 0.0, 0.0])}
LEG = {"thigh1": ("thigh", [0.05, 0.0, -0.1]), "thigh2": ("thigh", [0.0, 0.05, -0.2]), "thigh3": ("thigh", [-0.04, 0.0, -0.25]),
       "shank1": ("shank", [0.05, 0.0, -0.1]), "shank2": ("shank", [0.0, 0.05, -0.25]), "foot1": ("foot", [0.12, 0.0, -0.03]),
       "foot2": ("foot", [-0.06, 0.04, -0.03]), "foot3": ("foot", [0.0, -0.05, 0.02])}


def hand_to_motion():
    """The output is valid input of tandem recording."""
    joints = folder / "hand.csv"
    joints.write_text(recorded("hand_a.urdf", HAND, 0.6))
    moved = run("recording", "hand_a.urdf", joints, "--filter", "butterworth", "-o", "-")
    assert "tau:mcp" in moved.stdout.splitlines()[0]


def in_space():
    """Twenty poses of a gripper on a floating base, from points alone: its fingers and rack follow one joint."""
    dice = random.Random(3)
    points = {"a": ("palm", [0.05, 0, 0]), "b": ("palm", [0, 0.05, 0]), "c": ("palm", [0, 0, 0.05]),
              "d": ("left_tip", [0, 0, 0.02]), "e": ("right_tip", [0.01, 0, 0.02]), "f": ("rack", [0, 0, 0.01])}
    (folder / "points.csv").write_text("point,link,x,y,z\n" + "".join(
        f"{p},{link},{x[0]},{x[1]},{x[2]}\n" for p, (link, x) in points.items()))
    states = []
    for _ in range(20):
        q = [dice.gauss(0, 1) for _ in range(4)]
        length = math.sqrt(sum(x * x for x in q))
        states.append([dice.uniform(-2, 2) for _ in range(3)] + [x / length for x in q] + [dice.uniform(0.05, 0.75)])
    heading = [f"q:base.{c}" for c in ("x", "y", "z", "qx", "qy", "qz", "qw")] + ["q:driver_joint"]
    poses = columns(run("fk", "--base", "floating", "gripper.urdf", "-", text=table(heading, states)).stdout)
    rows = [[x for link, p in points.values() for x in transform(poses, link, k, p)] for k in range(20)]
    found = columns(run("ik", "--base", "floating", "--points", folder / "points.csv", "gripper.urdf", "-",
                        text=table([f"{p}.{c}" for p in points for c in "xyz"], rows)).stdout)
    for k, state in enumerate(states):
        assert found["residual"][k] < 1e-7 and abs(found["q:driver_joint"][k] - state[7]) < 1e-5, (k, found["residual"][k])
        q = [found[c][k] for c in heading[3:7]]
        assert abs(abs(sum(a * b for a, b in zip(q, state[3:7]))) - 1) < 1e-9


def gaps():
    """A row without points has no positions; in other rows, joints that no point determines have none."""
    (folder / "points.csv").write_text("point,link,x,y,z\na,carriage_x,0,0,0\nb,distal,0.01,0,0\nc,distal,0,0.01,0\n"
                                       "d,middle,0.01,0,0\ne,proximal,0.01,0.01,0\n")
    joints = limits("hand_a.urdf")
    poses = fk("hand_a.urdf", joints, smooth(joints, 3, 0.5))
    place = {"a": ("carriage_x", [0, 0, 0]), "b": ("distal", [0.01, 0, 0]), "c": ("distal", [0, 0.01, 0]),
             "d": ("middle", [0.01, 0, 0]), "e": ("proximal", [0.01, 0.01, 0])}
    rows = [[0.1 * k] + [x for p in place.values() for x in transform(poses, p[0], k, p[1])] for k in range(3)]
    rows[1][1:] = [None] * 15
    rows[2][4:] = [None] * 12
    done = run("ik", "--points", folder / "points.csv", "hand_a.urdf", "-",
               text=table(["t"] + [f"{p}.{c}" for p in place for c in "xyz"], rows))
    found = columns(done.stdout)
    assert found["residual"][0] < 1e-6 and math.isnan(found["residual"][1])
    assert all(math.isnan(found[f"q:{n}"][1]) for n in joints)
    assert [math.isnan(found[f"q:{n}"][2]) for n in joints] == [n != "wx" for n in joints]


def on_an_axis():
    """A point on a joint's axis determines nothing about the joint, up to rounding."""
    (folder / "points.csv").write_text("point,link,x,y,z\na,link_1,0.1,0,0\nb,link_2,0,0,0.1\nc,link_2,0.1,0,0\n")
    joints = ["joint_1", "joint_2"]
    poses = fk("arm7.urdf", joints, [[0.3 * k, 0.2 * k - 0.7] for k in range(6)])
    place = {"a": ("link_1", [0.1, 0, 0]), "b": ("link_2", [0, 0, 0.1]), "c": ("link_2", [0.1, 0, 0])}
    rows = [[x for p in place.values() for x in transform(poses, p[0], k, p[1])] for k in range(6)]
    for row in rows[1:]:
        row[6:] = [None] * 3
    heading = [f"{p}.{c}" for p in place for c in "xyz"]
    found = columns(run("ik", "--points", folder / "points.csv", "arm7.urdf", "-", text=table(heading, rows)).stdout)
    assert [math.isnan(x) for x in found["q:joint_2"]] == [False] + [True] * 5, found["q:joint_2"]
    assert all(abs(x - 0.3 * k) < 1e-6 for k, x in enumerate(found["q:joint_1"]))


check("a leg with four loops: fk | ik", lambda: there_and_back("linear_leg.urdf", "foot", 0.7, 1e-4, True))
check("an arm of seven joints: fk | ik has the poses", lambda: there_and_back("arm7.urdf", "tool", 0.4, 0, False))
check("a seam becomes joints, forces and a picture", seam)
check("jumps are told with row, joint and size", jumps)
check("a singular passage is told with its least singular value", singular)
check("points on a hand with mimic joints: errors as their covariance says", hand_to_motion)
check("points on a leg with four loops", lambda: recorded("linear_leg.urdf", LEG, 0.6))
check("points on a gripper in space", in_space)
check("rows without points, and joints that none tells of", gaps)
check("a point on a joint's axis tells nothing of it", on_an_axis)
finish()

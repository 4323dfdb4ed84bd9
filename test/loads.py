#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--payload and --wrench of the command, against files with an additional link and against Jacobians. TAP.

    python3 test/loads.py COMMAND DIRECTORY_OF_ROBOTS
"""
import csv
import io
import json
import math
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from tap import check, finish  # noqa: E402

command, robots = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
scratch = tempfile.TemporaryDirectory()
folder = pathlib.Path(scratch.name)
# robot, and the link that carries the load
ROBOTS = [("arm7.urdf", "tool"), ("gripper.urdf", "rack"), ("linear_leg.urdf", "foot"), ("hand_a.urdf", "tip")]
MASS, COM, INERTIA = 1.7, [0.03, -0.02, 0.05], [0.02, 0.03, 0.025, 0.004, -0.003, 0.002]
PAYLOAD = f"{MASS}@" + ",".join(map(str, COM + INERTIA))


def run(*arguments, code=0, text=None):
    done = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True, cwd=robots, input=text)
    assert done.returncode == code, (arguments, done.returncode, done.stderr)
    return done


def columns(text):
    rows = list(csv.reader(io.StringIO(text)))
    return {name: [float(row[i]) for row in rows[1:]] for i, name in enumerate(rows[0]) if name != "event"}


def array(path):
    """Returns the numbers of a plain NumPy array."""
    data = path.read_bytes()
    begin = 10 + struct.unpack("<H", data[8:10])[0]
    return list(struct.unpack(f"<{(len(data) - begin) // 8}d", data[begin:]))


def loaded(robot, link):
    """Returns the file with the payload as a link fixed to the other one."""
    ixx, iyy, izz, ixy, ixz, iyz = INERTIA
    more = (f'<link name="td_load"><inertial><origin xyz="{COM[0]} {COM[1]} {COM[2]}"/><mass value="{MASS}"/>'
            f'<inertia ixx="{ixx}" iyy="{iyy}" izz="{izz}" ixy="{ixy}" ixz="{ixz}" iyz="{iyz}"/></inertial></link>'
            f'<joint name="td_load_joint" type="fixed"><parent link="{link}"/><child link="td_load"/></joint></robot>')
    text = (robots / robot).read_text(encoding="utf-8")
    path = folder / f"loaded_{pathlib.Path(robot).name}"
    path.write_text(text.replace("</robot>", more), encoding="utf-8")
    return path


def numbers(a):
    """Returns all numbers of JSON or a table, without the description of the loads."""
    if isinstance(a, dict):
        return [x for k in sorted(a) if k not in ("payloads", "wrenches", "links", "recording") for x in numbers(a[k])]
    if isinstance(a, list):
        return [x for b in a for x in numbers(b)]
    return [a] if isinstance(a, (int, float)) and not isinstance(a, bool) else []


def same(a, b, tolerance):
    x, y = numbers(a), numbers(b)
    scale = max(map(abs, x))
    assert len(x) == len(y) and len(x) > 1
    assert max(abs(p - q) for p, q in zip(x, y)) <= tolerance * scale, max(zip((abs(p - q) for p, q in zip(x, y)), x, y))


def motion_of(robot, rows=12):
    """Writes a table of states within limits; also returns one state as options."""
    listed = json.loads(run("info", "--json", robot).stdout)["limits"]
    dice = random.Random(robot)
    joints = {j["joint"]: (j["lower"], j["upper"]) for j in listed if j.get("lower") is not None}
    names, waves = list(joints), [dice.uniform(0, 6) for _ in joints]
    lines = ["t," + ",".join(f"{p}:{n}" for n in names for p in ("q", "qd", "qdd"))]
    for k in range(rows):
        t, cells = 0.05 * k, []
        for (a, b), w in zip(joints.values(), waves):
            r, c = 0.3 * (b - a) / 2, (a + b) / 2
            cells += [c + r * math.sin(2 * t + w), 2 * r * math.cos(2 * t + w), -4 * r * math.sin(2 * t + w)]
        lines.append(f"{t!r}," + ",".join(map(repr, cells)))
    path = folder / f"motion_{robot}.csv"
    path.write_text("\n".join(lines) + "\n")
    one = folder / f"one_{robot}.csv"
    one.write_text("\n".join([lines[0], lines[5]]) + "\n")
    return path, one, names


def payload(robot, link):
    with_link = loaded(robot, link)
    table, one, names = motion_of(robot)
    option = ["--payload", f"{link}={PAYLOAD}"]
    both = lambda name, *a: [run(name, f, *a, *(option if f == robot else [])) for f in (robot, with_link)]
    for name, more in (("id", ["--passive"]), ("fd", []), ("mass", []), ("energy", []), ("energy", ["--scope", "moving"]),
                       ("derivatives", []), ("derivatives", ["--of", "fd"]), ("id", ["--reactions"]),
                       ("linearize", ["--inputs", "forces"])):
        ours, theirs = (json.loads(d.stdout) for d in both(name, "--json", "--state", one, *more))
        assert ours["payloads"][0]["link"] == link and "payloads" not in theirs
        if "reactions" in theirs:
            theirs["reactions"].pop("td_load_joint")
            for x in (ours, theirs):  # rounding errors at open loops
                x.pop("loop_reactions"), x.pop("reactions") if robot == "linear_leg.urdf" else None
        same(ours, theirs, 1e-9)
    for name in ("id", "fd", "energy", "mass", "derivatives"):
        ours, theirs = (columns(d.stdout) for d in both(name, table))
        same(ours, theirs, 1e-9)
    states = folder / "states.npy"
    run("simulate", robot, "--time", 0.1, "--state", one, "-o", states)
    for options in (option, option + ["--wrench", f"{link}=1,2,3@0.1,0,0"]):
        arrays = []
        for f, more in ((robot, options), (with_link, options[2:])):
            run("id", f, states, "-o", folder / "tau.npy", *more)
            arrays.append(array(folder / "tau.npy"))
        same(*arrays, 1e-9)
    ours, theirs = (columns(d.stdout) for d in both("recording", table, "--filter", "none", "-o", "-"))
    same(ours, theirs, 1e-8)
    ours, theirs = (columns(d.stdout) for d in both("simulate", "--time", 0.1, "--state", one))
    same(ours, theirs, 1e-6)
    joint = names[0]
    ours, theirs = (json.loads(d.stdout) for d in both("contributions", joint, "--json"))
    assert "payloads" in ours
    key = lambda x: sum(numbers([l for l in x["links"]]))
    assert abs(key(ours) - key(theirs)) <= 1e-9 * (1 + abs(key(theirs)))
    mass = [json.loads(d.stdout)["mass"] for d in both("energy", "--json")]
    assert abs(mass[0] - mass[1]) < 1e-12 * mass[1]


def trajectory():
    weak = folder / "weak.urdf"
    text = (robots / "arm7.urdf").read_text(encoding="utf-8")
    weak.write_text(text.replace('effort="150" velocity="2.1"', 'effort="40" velocity="21"'), encoding="utf-8")
    points = "q:joint_2\n0\n1.2\n0\n"
    ours = columns(run("trajectory", weak, "-", "--payload", f"tool={PAYLOAD}", text=points).stdout)
    empty = columns(run("trajectory", weak, "-", text=points).stdout)
    theirs = columns(run("trajectory", loaded(weak, "tool"), "-", text=points).stdout)
    same(ours, theirs, 1e-7)
    assert empty["t"][-1] < ours["t"][-1]  # effort limits are active
    # for very slow motions, a weight at a point equals a force there
    slow = "t,q:joint_2\n0,0\n1000,0.8\n2000,0\n"
    weight = columns(run("trajectory", weak, "-", "--rate", "0.01", "--payload", "tool=2@0.1,0,0.2", text=slow).stdout)
    force = columns(run("trajectory", weak, "-", "--rate", "0.01", "--wrench", f"tool=0,0,{-2 * 9.81!r}@0.1,0,0.2",
                        text=slow).stdout)
    for n in weight:
        assert all(abs(a - b) < 1e-4 for a, b in zip(weight[n], force[n])), n
    pushed = columns(run("trajectory", weak, "-", "--wrench", "tool=0,0,-20", text=points).stdout)
    assert empty["t"][-1] < pushed["t"][-1]
    largest = max(abs(x) for x in pushed["tau:joint_2"])
    assert 0.98 * 40 < largest < 1.001 * 40, largest
    assert "wrenches" in run("trajectory", weak, "-", "--wrench", "tool=0,0,-200", text=points, code=4).stderr


def listed(numbers_of):
    return ",".join(map(str, numbers_of))


def wrench(robot, link):
    """tau with the wrench minus tau without it must be −Jᵀ of the point times the wrench."""
    table, one, names = motion_of(robot)
    force, moment, point = [3.0, -20.0, 7.0], [0.5, 1.5, -2.0], [0.1, -0.05, 0.2]
    option = ["--wrench", f"{link}=force:{listed(force)},moment:{listed(moment)},point:{listed(point)}"]
    with_it, without = (columns(run("id", robot, table, *o).stdout) for o in (option, []))
    J = columns(run("jacobian", robot, table, "--link", link, "--point", ",".join(map(str, point))).stdout)
    for n in names:
        for k in range(len(without["t"])):
            jw = sum(w * J[f"{c}:{n}"][k] for c, w in zip(("wx", "wy", "wz", "vx", "vy", "vz"), moment + force))
            change = with_it[f"tau:{n}"][k] - without[f"tau:{n}"][k]
            assert abs(change + jw) < 1e-10 * (1 + abs(without[f"tau:{n}"][k]) + abs(jw)), (n, k, change, -jw)
    # a single state equals its row, and fd inverts id
    single = json.loads(run("id", robot, "--state", one, "--json", *option).stdout)
    assert single["wrenches"][0]["point"] == point
    for n in names:
        assert abs(single["tau"][n] - with_it[f"tau:{n}"][4]) < 1e-10 * (1 + abs(single["tau"][n]))
    forces = run("id", robot, table, "--keep", *option).stdout
    back = columns(run("fd", robot, "-", *option, text=forces).stdout)
    wanted = columns(table.read_text())
    same({n: back[f"qdd:{n}"] for n in names}, {n: wanted[f"qdd:{n}"] for n in names}, 1e-8)
    # columns of the table: constant wrenches at the origin, and others
    at_origin = ["--wrench", f"{link}=force:{listed(force)},moment:{listed(moment)}"]
    lines = table.read_text().splitlines()
    heading = "," + ",".join(f"wrench:{link}.{c}" for c in ("fx", "fy", "fz", "mx", "my", "mz"))
    text = "\n".join([lines[0] + heading] + [x + "," + ",".join(map(str, force + moment)) for x in lines[1:]]) + "\n"
    same(columns(run("id", robot, "-", text=text).stdout), columns(run("id", robot, table, *at_origin).stdout), 1e-12)
    double = columns(run("id", robot, "-", *option, text=text).stdout)
    plain = columns(run("id", robot, table, *at_origin, *option).stdout)
    same(double, plain, 1e-12)
    # over time: the table of a motion accepts only the wrench as a force
    moved = run("simulate", robot, "--time", 0.2, "--rate", 20, "--state", one, *option).stdout
    taken = columns(run("id", robot, "-", "--passive", *option, text=moved).stdout)
    scale = max(1, max(abs(x) for n in names for x in columns(run("id", robot, "-", "--passive", text=moved).stdout)[f"tau:{n}"]))
    assert max(abs(x) for n in names for x in taken[f"tau:{n}"]) < 1e-6 * scale
    recorded = columns(run("recording", robot, table, "--no-passive", "--filter", "none", "-o", "-", *option).stdout)
    states = "t," + ",".join(f"{p}:{n}" for n in names for p in ("q", "qd", "qdd")) + "\n" + "".join(
        ",".join(repr(recorded[c][k]) for c in ["t"] + [f"{p}:{n}" for n in names for p in ("q", "qd", "qdd")]) + "\n"
        for k in range(len(recorded["t"])))
    again = columns(run("id", robot, "-", *option, text=states).stdout)
    same({n: recorded[f"tau:{n}"] for n in names}, {n: again[f"tau:{n}"] for n in names}, 1e-9)


def contributed():
    """In the contributions, the part that belongs to no link is the contribution of the wrench."""
    option = ["--wrench", "tool=0,0,-20@0.1,0,0"]
    e = json.loads(run("contributions", "arm7.urdf", "joint_2", "--json", *option).stdout)
    tau = [json.loads(run("id", "arm7.urdf", "--json", *o).stdout)["tau"]["joint_2"] for o in (option, [])]
    assert abs(e["tau"]["joint_2"] - tau[0]) < 1e-12 * abs(tau[0])
    assert abs(e["other"] - (tau[0] - tau[1])) < 1e-9 * abs(tau[0]), e["other"]


def shares():
    """motion: the largest force of each motor is the sum of its contributions; those of wrenches and cables are −Jᵀ
    f."""
    force, pull, anchor = [3, -4, 2], 5, [0.4, 0.3, 0.2]
    option = ["--filter", "none", "--wrench", "shade=" + ",".join(map(str, force)), "--cable",
              "forearm:0,0,0," + ",".join(map(str, anchor + [pull]))]
    names = ["turn", "shoulder", "elbow", "tilt"]
    text = "t," + ",".join(f"q:{n}" for n in names) + "\n" + "".join(
        f"{0.05 * k}," + ",".join(str(0.3 * math.sin(0.3 * k + i)) for i in range(4)) + "\n" for k in range(20))
    table = columns(run("recording", "lamp.urdf", "-", "-o", "-", *option, text=text).stdout)
    report = json.loads(run("recording", "lamp.urdf", "-", "--json", *option, text=text).stdout)
    states = ",".join(f"q:{n}" for n in names) + "\n" + "".join(
        ",".join(repr(table[f"q:{n}"][k]) for n in names) + "\n" for k in range(len(table["t"])))
    J = {link: columns(run("jacobian", "lamp.urdf", "-", "--link", link, text=states).stdout) for link in ("shade", "forearm")}
    poses = columns(run("fk", "lamp.urdf", "-", text=states).stdout)
    assert len(report["motors"]) == 4, report["motors"]
    for motor in report["motors"]:
        n, k, worst = motor["name"], table["t"].index(motor["force"]["t"]), motor["worst"]
        to = [a - poses[f"{c}:forearm"][k] for a, c in zip(anchor, "xyz")]
        string = [pull * x / math.hypot(*to) for x in to]
        for share, link, f in (("wrenches", "shade", force), ("cables", "forearm", string)):
            wanted = -sum(x * J[link][f"{c}:{n}"][k] for x, c in zip(f, ("vx", "vy", "vz")))
            assert abs(worst[share] - wanted) < 1e-10, (n, share, worst[share], wanted)
        total = sum(worst["links"].values()) + sum(worst[s] for s in ("wrenches", "cables", "springs", "passive"))
        assert abs(total - motor["force"]["value"]) < 1e-9 * abs(total), (n, total)
        assert n == "turn" or n == "tilt" or abs(worst["springs"]) > 0.1, worst


def at_point(robot, link, q):
    """Derivatives of torques with respect to y for a wrench at a point, by differences; same for accelerations and
    linear models."""
    option = ["--wrench", f"{link}=force:3,-20,7,moment:0.5,1.5,-2,point:0.1,-0.05,0.2", "--wrench", f"{link}=1,2,3@0,0.1,0"]
    state = ["-q", q]
    found = json.loads(run("derivatives", robot, "--json", *state, *option).stdout)
    K, names = found["dtau_y_dy"], found["names"]
    y = json.loads(run("id", robot, "--json", *state).stdout)["q"]
    h, rows = 1e-4, []
    for n in names:
        for k in (-2, -1, 1, 2):
            rows.append([y[m] + (k * h if m == n else 0) for m in names])
    table = ",".join(f"q:{n}" for n in names) + "\n" + "\n".join(",".join(map(repr, r)) for r in rows) + "\n"
    tau = columns(run("id", robot, "-", *option, text=table).stdout)
    scale = max(abs(x) for row in K for x in row)
    for j in range(len(names)):
        for i, n in enumerate(names):
            a, b, c, d = tau[f"tau:{n}"][4 * j:4 * j + 4]
            assert abs((a - 8 * b + 8 * c - d) / (12 * h) - K[i][j]) < 1e-8 * scale, (i, j)
    plain = json.loads(run("derivatives", robot, "--json", *state).stdout)["dtau_y_dy"]
    assert max(abs(x - z) for r, s in zip(K, plain) for x, z in zip(r, s)) > 1e-2 * scale
    # the linear model about the equilibrium of the motors: Newton's law with these derivatives
    held = json.loads(run("id", robot, "--json", *state, *option).stdout)["tau"]
    forces = ",".join(f"{n}={held[n]!r}" for n in names)
    of_fd = json.loads(run("derivatives", "--of", "fd", robot, "--json", *state, "--tau", forces, *option).stdout)
    A = json.loads(run("linearize", robot, "--json", *state, *option).stdout)["A"]
    n = len(names)
    same([row[:n] for row in A[n:]] + [0], of_fd["dydd_dy"] + [0], 1e-8)


def at_rest():
    """equilibrium: --wrench equals --load, and a payload equals its weight."""
    robot = "flexible_arm.urdf"
    links = json.loads(run("fk", robot, "--json").stdout)["links"]
    link = list(links)[-1]
    both = [json.loads(run("equilibrium", robot, "--json", *o).stdout) for o in
            (["--wrench", f"{link}=0,0,-2"], ["--load", f"{link}=0,0,-2"])]
    same(both[0], both[1], 1e-12)
    weight = json.loads(run("equilibrium", robot, "--json", "--payload", f"{link}=0.2").stdout)
    same(weight, json.loads(run("equilibrium", robot, "--json", "--load", f"{link}=0,0,{-0.2 * 9.81!r}").stdout), 1e-9)
    # also off its origin: a weight is a force at its center, both for the equilibrium and for compliance
    weight, force = (json.loads(run("equilibrium", robot, "--json", *o).stdout) for o in
                     (["--payload", f"{link}=0.2@0.05,0.02,0.1"], ["--wrench", f"{link}=0,0,{-0.2 * 9.81!r}@0.05,0.02,0.1"]))
    same(weight, force, 1e-8)


def faults():
    for text, words in (("tool=-1", "must not be negative"), ("tool=1@0,0", "expected"), ("tool=1@0,0,0,1,1,3,0,0,0", "no rigid body"),
                        ("tool=1@0,0,0,1,1,1,2,0,0", "no rigid body"), ("tool=1@0,0,5deg", "expected"), ("=1", "expected"),
                        ("toool=1", "did you mean 'tool'"), ("tool=1m", "expected"),
                        ("tool=1@0,0,0,1mm,1mm,1mm,0,0,0", "expected"), ("tool=nan", "expected")):
        assert words in run("id", "arm7.urdf", "--payload", text, code=2).stderr, text
    for text in ("tool=1,2", "tool=1,2,3,4", "tool=1,2,3@1,2", "tool=1,2,3m", "tool", "tool=1N,2N,3Nm"):
        assert "expected" in run("id", "arm7.urdf", "--wrench", text, code=2).stderr, text
    assert "already has a payload" in run("id", "arm7.urdf", "--payload", "tool=1", "--payload", "tool=2", code=2).stderr
    same(json.loads(run("id", "arm7.urdf", "--json", "--payload", "tool=500g@0,0,50mm", "--wrench", "tool=force:1kN,2N,3,moment:4Nm,5,6").stdout),
         json.loads(run("id", "arm7.urdf", "--json", "--payload", "tool=0.5@0,0,0.05", "--wrench", "tool=moment:4,5,6,force:1000,2,3").stdout), 1e-15)
    for name in ("fk", "ik", "check", "info", "tree", "closure", "jacobian", "verify", "bench"):
        assert "'--payload' belongs to" in run(name, "arm7.urdf", "--payload", "tool=1", code=2).stderr, name
    heading = "q:joint_1,wrench:tool.fx,wrench:tool.fx\n"
    assert "occurs twice" in run("id", "arm7.urdf", "-", text=heading, code=3).stderr
    assert "wrench:LINK" in run("id", "arm7.urdf", "-", text="q:joint_1,wrench:tool.f\n", code=3).stderr
    assert "not used" in run("mass", "arm7.urdf", "-", text="q:joint_1,wrench:tool.fx\n").stderr


for robot, link in ROBOTS:
    check(f"{robot}: a payload is a link more", payload, robot, link)
    check(f"{robot}: a wrench is Jᵀ f", wrench, robot, link)
check("trajectory: efforts are those with the payload", trajectory)
check("contributions: the share of a wrench", contributed)
check("motion: shares of wrenches, cables and springs", shares)
check("equilibrium: wrenches and weights", at_rest)
for robot, link, q in (("arm7.urdf", "tool", "joint_2=0.4,joint_4=-0.7"), ("gripper.urdf", "left_tip", "driver_joint=0.3"),
                       ("four_bar.urdf", "coupler", "crank_joint=0.3")):
    check(f"{robot}: derivatives with a wrench at a point", at_point, robot, link, q)
check("what is wrong is said", faults)
finish()

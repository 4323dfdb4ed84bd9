#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""'tandem sweep': results against the other commands state by state, and against plain loops over all states. Also
equal bits for any number of threads, shards and ranks, interrupted sweeps, and wrong specifications. TAP.

    python3 test/sweep.py COMMAND DIRECTORY_OF_ROBOTS [PROGRAM_WITH_MPI]
"""
import json
import math
import os
import pathlib
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from tap import check, finish, skip  # noqa: E402

command, robots = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
mpi = pathlib.Path(sys.argv[3]).resolve() if len(sys.argv) > 3 else None
scratch = tempfile.TemporaryDirectory()
folder = pathlib.Path(scratch.name)


def run(*arguments, code=0, program=(command,), env=None):
    done = subprocess.run([*program, *map(str, arguments)], capture_output=True, text=True, cwd=folder,
                          env={**os.environ, **(env or {})})
    assert done.returncode == code, (arguments, done.returncode, done.stdout[:500], done.stderr[:1000])
    return done


def write(name, text):
    path = folder / name
    path.write_text(text)
    return path


def robot(name):
    return robots / f"{name}.urdf"


def sweep(name, spec, *options, code=0, **more):
    return run("sweep", robot(name), spec, *options, code=code, **more)


def result(name, spec, *options):
    return json.loads(sweep(name, spec, "--json", *options).stdout)


def state(name, spec, i, *options, code=0):
    return json.loads(sweep(name, spec, "--at", i, "--json", *options, code=code).stdout)["values"]


def kept(found, kind, column):
    return next(k for k in found["kept"] if k["kind"] == kind and k["column"] == column)


def near(a, b, tolerance=1e-12, size=1.0):
    assert abs(a - b) <= tolerance * max(abs(a), abs(b), size), (a, b)


def read_rows(path):
    """Returns names and rows of an array of records of doubles, without NumPy."""
    data = path.read_bytes()
    assert data[:6] == b"\x93NUMPY"
    long = data[6] > 1
    length = struct.unpack("<I" if long else "<H", data[8:12 if long else 10])[0]
    start = (12 if long else 10) + length
    heading = eval(data[start - length:start], {"__builtins__": {}})  # noqa: S307
    names = [n for n, _ in heading["descr"]]
    count = heading["shape"][0]
    numbers = struct.unpack(f"<{count * len(names)}d", data[start:])
    return names, [numbers[i * len(names):(i + 1) * len(names)] for i in range(count)]


def singular_values(J):
    """Returns the singular values of a matrix with 3 rows: roots of the characteristic polynomial of J Jᵀ, by the
    trigonometric formula."""
    a = [[math.fsum(x * y for x, y in zip(r, s)) for s in J] for r in J]
    mean = (a[0][0] + a[1][1] + a[2][2]) / 3
    b = [[a[i][k] - (mean if i == k else 0) for k in range(3)] for i in range(3)]
    p = math.sqrt(math.fsum(x * x for row in b for x in row) / 6)
    det = (b[0][0] * (b[1][1] * b[2][2] - b[1][2] * b[2][1]) - b[0][1] * (b[1][0] * b[2][2] - b[1][2] * b[2][0])
           + b[0][2] * (b[1][0] * b[2][1] - b[1][1] * b[2][0])) / p ** 3 / 2
    angle = math.acos(max(-1, min(1, det))) / 3
    return [math.sqrt(max(0, mean + 2 * p * math.cos(angle + 2 * math.pi * k / 3))) for k in range(3)]


# ---- values ---------------------------------------------------------------------------------------------------------------

ARM = write("arm.yaml", """\
states: 5000
seed: 11
vary:
  q: limits
  qd: {all: {uniform: [-1, 1]}, joint_7: {normal: [0.2, 3]}}
  qdd: {all: {uniform: [-2, 2]}, joint_1: 30deg/s2}
evaluate: [id, limits, {poses: [tool, {link: link_4, point: [0.1, 0, 0.2]}]}, {jacobian: tool}, {reactions: [joint_2]}]
keep:
  - moments: [tau, q]
  - {largest: tau:joint_2, count: 7}
  - {smallest: smallest:tool, count: 3}
  - {histogram: tau:joint_4, bins: [-6, 5, 44], percentiles: [0, 5, 50, 95, 100]}
  - {cells: force:joint_2, over: {"x:tool": [-1, 1, 9], "z:tool": [-1, 1.2, 7]}, where: {"use:effort": [~, 0.1]}}
  - {rows: [q, qd, qdd, tau, tool, x, z, limits, use, smallest, force:joint_2],}
""".replace("tool, x,", "x,").replace(",}", "}"))


def all_rows():
    sweep("arm7", ARM, "-o", "arm.json")
    names, rows = read_rows(folder / "arm.rows.npy")
    columns = {n: [r[i] for r in rows] for i, n in enumerate(names)}
    assert columns["state"] == [float(i) for i in range(5000)]
    return columns, json.loads((folder / "arm.json").read_text())


def moments():
    columns, found = all_rows()
    for name in [f"tau:joint_{i}" for i in range(1, 8)] + ["q:joint_3"]:
        x = columns[name]
        k = kept(found, "moments", name)
        mean = math.fsum(x) / len(x)
        near(k["mean"], mean, 1e-13, max(map(abs, x)))
        near(k["deviation"], math.sqrt(math.fsum((v - mean) ** 2 for v in x) / len(x)))
        assert k["smallest"] == min(x) and k["smallest_state"] == x.index(min(x))
        assert k["largest"] == max(x) and k["largest_state"] == x.index(max(x))
        assert k["counted"] == 5000 and k["missing"] == 0


def extremes():
    columns, found = all_rows()
    order = sorted(range(5000), key=lambda i: (-columns["tau:joint_2"][i], i))[:7]
    k = kept(found, "largest", "tau:joint_2")
    assert k["states"] == order and k["values"] == [columns["tau:joint_2"][i] for i in order]
    order = sorted(range(5000), key=lambda i: (columns["smallest:tool"][i], i))[:3]
    assert kept(found, "smallest", "smallest:tool")["states"] == order
    told = {s["state"]: dict(zip(found["inputs"], s["values"])) for s in found["states"]}
    for i in order:
        assert told[i]["q:joint_2"] == columns["q:joint_2"][i]


def histogram():
    columns, found = all_rows()
    x = columns["tau:joint_4"]
    k = kept(found, "histogram", "tau:joint_4")
    counts = [0] * 44
    for v in x:
        bin_of = math.floor((v + 6) / 11 * 44)
        if -6 <= v <= 5:
            counts[min(bin_of, 43)] += 1
    assert sum(abs(a - b) for a, b in zip(counts, k["counts"])) <= 2  # numbers at a bin's edge
    assert k["below"] == sum(v < -6 for v in x) and k["above"] == sum(v > 5 for v in x)
    inside = sorted(x)
    for p in k["percentiles"]:
        if 0 < p["percent"] < 100:
            exact = inside[int(p["percent"] / 100 * len(x))]
            assert abs(p["value"] - exact) <= 11 / 44 * 1.01, (p, exact)


def cells():
    columns, found = all_rows()
    k = kept(found, "cells", "force:joint_2")
    counts, largest, outside = [0] * 63, [-math.inf] * 63, 0
    for i in range(5000):
        if columns["use:effort"][i] > 0.1:
            continue
        a, b = (columns["x:tool"][i] + 1) / 2 * 9, (columns["z:tool"][i] + 1) / 2.2 * 7
        if not (0 <= a <= 9 and 0 <= b <= 7):
            outside += 1
            continue
        cell = min(int(a), 8) * 7 + min(int(b), 6)
        counts[cell] += 1
        largest[cell] = max(largest[cell], columns["force:joint_2"][i])
    assert k["counts"] == counts and k["outside"] == outside
    assert [x if x is not None else -math.inf for x in k["largest"]] == largest


def state_by_state():
    """The numbers of a state must equal the results of other commands."""
    columns, _ = all_rows()
    for i in (0, 77, 1023, 1024, 4999):
        values = state("arm7", ARM, i)
        for name in columns:
            if name != "state":
                assert values[name] == columns[name][i], name
        given = [",".join(f"joint_{j}={values[f'{k}:joint_{j}']!r}" for j in range(1, 8)) for k in ("q", "qd", "qdd")]
        tau = json.loads(run("id", robot("arm7"), "-q", given[0], "--qd", given[1], "--qdd", given[2], "--json").stdout)["tau"]
        for name, value in tau.items():
            near(values[f"tau:{name}"], value, 1e-12, 10)
        for link, point in (("link_4", "0.1,0,0.2"), ("tool", "0,0,0")):
            place = json.loads(run("fk", robot("arm7"), "-q", given[0], "--link", link, "--point", point, "--json").stdout)["links"][link]
            for k, name in enumerate(("x", "y", "z", "qx", "qy", "qz", "qw")):
                near(values[f"{name}:{link}"], (place["position"] + place["quaternion"])[k])
        J = json.loads(run("jacobian", robot("arm7"), "-q", given[0], "--link", "tool", "--json").stdout)["J"][3:]
        near(values["smallest:tool"], min(singular_values(J)), 1e-11)
        near(values["largest:tool"], max(singular_values(J)), 1e-11)
        reaction = json.loads(run("id", robot("arm7"), "-q", given[0], "--qd", given[1], "--qdd", given[2], "--reactions",
                                  "--json").stdout)["reactions"]["joint_2"]
        wrench = reaction.get("wrench", reaction) if isinstance(reaction, dict) else reaction
        force = [wrench["force"][k] for k in range(3)] if "force" in wrench else wrench[3:6]
        near(values["force:joint_2"], math.sqrt(sum(f * f for f in force)), 1e-10)
        assert abs(values["qdd:joint_1"] - math.radians(30)) < 1e-15


def few_coordinates():
    """Singular values of a point that one or two coordinates move: square roots of the eigenvalues of JᵀJ."""
    for name, link in (("gripper", "rack"), ("five_bar", "BC")):
        spec = write(f"few_{name}.yaml", f"states: 20\nseed: 3\nvary: {{q: limits}}\nevaluate: [{{jacobian: {link}}}]\n"
                     f"keep: [{{moments: 'largest:{link}'}}, {{rows: [q, 'smallest:{link}', 'largest:{link}']}}]\n")
        for i in (0, 7, 19):
            values = state(name, spec, i)
            given = ",".join(f"{key[2:]}={x!r}" for key, x in values.items() if key.startswith("q:"))
            J = json.loads(run("jacobian", robot(name), "-q", given, "--link", link, "--json").stdout)["J"][3:]
            columns = list(zip(*J))
            assert 0 < len(columns) < 3, len(columns)
            gram = [[math.fsum(x * y for x, y in zip(a, b)) for a in columns] for b in columns]
            mean, way = (gram[0][0], 0) if len(columns) == 1 else (
                (gram[0][0] + gram[1][1]) / 2, math.hypot((gram[0][0] - gram[1][1]) / 2, gram[0][1]))
            near(values[f"largest:{link}"], math.sqrt(mean + way), 1e-12)
            near(values[f"smallest:{link}"], math.sqrt(max(0, mean - way)), 1e-7)


def distributions():
    """Uniform numbers must fill their range evenly, normal ones have their mean and deviation, and Sobol points be even
    to 1/n."""
    columns, _ = all_rows()
    x = sorted(columns["qd:joint_1"])
    assert max(abs((v + 1) / 2 - (i + 0.5) / 5000) for i, v in enumerate(x)) < 1.63 / math.sqrt(5000)  # Kolmogorov-Smirnov test, 1 %
    z = [(v - 0.2) / 3 for v in columns["qd:joint_7"]]
    mean = math.fsum(z) / 5000
    assert abs(mean) < 3 / math.sqrt(5000) and abs(math.fsum(v * v for v in z) / 5000 - 1) < 0.1
    even = write("even.yaml", "states: 4096\nsequence: sobol\nseed: 3\nvary: {q: {joint_2: {uniform: [0, 1]}}}\n"
                 "evaluate: [id]\nkeep: [{histogram: 'q:joint_2', bins: [0, 1, 256]}]\n")
    assert kept(result("arm7", even), "histogram", "q:joint_2")["counts"] == [16] * 256


def grids_and_samples():
    """The first grid changes slowest; rows of a table are used in turn."""
    grid = write("grid.yaml", "vary: {q: {joint_2: {grid: [-1, 1, 5]}, joint_4: {grid: [0, 2, 3]}}}\nevaluate: [id]\n"
                 "keep: [{rows: [q:joint_2, q:joint_4, tau:joint_2]}]\n")
    sweep("arm7", grid, "-o", "grid.json")
    _, rows = read_rows(folder / "grid.rows.npy")
    assert [r[1:3] for r in rows] == [(-1 + 0.5 * a, float(b)) for a in range(5) for b in range(3)]
    write("table.csv", "q:joint_2,qd:joint_2\n" + "".join(f"{0.1 * i},{-i}\n" for i in range(7)))
    turn = write("turn.yaml", "states: 20\nvary: {samples: {file: table.csv}}\nevaluate: [id]\n"
                 "keep: [{rows: [q:joint_2, qd:joint_2, tau:joint_2]}]\n")
    sweep("arm7", turn, "-o", "turn.json")
    _, rows = read_rows(folder / "turn.rows.npy")
    assert [r[2] for r in rows] == [float(-(i % 7)) for i in range(20)]
    tau = run("id", robot("arm7"), "table.csv").stdout.split("\n")
    column = tau[0].split(",").index("tau:joint_2")
    for i, row in enumerate(rows):
        near(row[3], float(tau[1 + i % 7].split(",")[column]), 1e-12, 10)
    chance = write("chance.yaml", "states: 1000\nvary: {samples: {file: table.csv, choose: by-chance}}\nevaluate: [id]\n"
                   "keep: [{histogram: qd:joint_2, bins: [-6.5, 0.5, 7]}]\n")
    counts = kept(result("arm7", chance), "histogram", "qd:joint_2")["counts"]
    assert sum(counts) == 1000 and all(100 < n < 190 for n in counts), counts


def even_in_every_step():
    """Sobol points in each step of a grid, and with each row of a table, are even by themselves."""
    spec = write("steps.yaml", "states: 4096\nsequence: sobol\nvary:\n  payload: {tool: {mass: {grid: [0, 3, 4]}}}\n"
                 "  q: {joint_2: {uniform: [0, 1]}}\nevaluate: [id]\nkeep:\n"
                 "  - {cells: tau:joint_2, over: {mass:tool: [-0.5, 3.5, 4], q:joint_2: [0, 1, 64]}}\n")
    assert kept(result("arm7", spec), "cells", "tau:joint_2")["counts"] == [16] * 256
    spec = write("steps.yaml", "states: 4096\nsequence: sobol\nvary:\n  samples: {file: table4.csv}\n"
                 "  q: {joint_2: {uniform: [0, 1]}, joint_1: 0.7}\nevaluate: [id]\nkeep:\n"
                 "  - {cells: q:joint_1, over: {qd:joint_2: [-0.5, 3.5, 4], q:joint_2: [0, 1, 64]}}\n")
    write("table4.csv", "q:joint_1,qd:joint_2\n" + "".join(f"0.1,{i}\n" for i in range(4)))
    k = kept(result("arm7", spec), "cells", "q:joint_1")
    assert k["counts"] == [16] * 256 and set(k["smallest"] + k["largest"]) == {0.7}  # combined with samples
    # no point is the corner of the cube, which would be far out for normal numbers
    spec = write("normal.yaml", "states: 4096\nsequence: sobol\nvary: {qd: {all: {normal: [0, 1]}}}\nevaluate: [id]\nkeep: [{moments: qd}]\n")
    assert all(-6 < k["smallest"] and k["largest"] < 6 for k in result("arm7", spec)["kept"])


def ends_of_grids():
    spec = write("ends.yaml", "vary: {q: {joint_2: {grid: [-0.1, 0.2, 4]}, all: 0.5}}\nevaluate: [id]\n"
                 "keep: [{moments: tau, where: {q:joint_2: [-0.1, 0.2]}}]\n")
    assert kept(result("arm7", spec), "moments", "tau:joint_2")["counted"] == 4
    assert state("arm7", spec, 3)["q:joint_2"] == 0.2 and state("arm7", spec, 3)["q:joint_1"] == 0.5
    order = write("order.yaml", "vary: {q: {joint_1: {grid: [0, 1, 2]}, all: {grid: [0, 2, 3]}}}\nevaluate: [id]\nkeep: [{moments: tau}]\n")
    assert [state("arm7", order, i)["q:joint_1"] for i in (0, 728, 729, 1457)] == [0, 0, 1, 1]


def too_few_motors():
    """Motor efforts are undefined where a joint needs a force that no motor provides, and where no forces are
    computed."""
    spec = write("few.yaml", "states: 500\nvary: {q: {A: {uniform: [-0.05, 0.05]}, O: {uniform: [-0.2, 0.2]}}}\n"
                 "evaluate: [id, limits]\nkeep: [{moments: [use:effort, tau]}, {moments: use:velocity, where: {limits:effort: 0}}]\n")
    both = result("five_bar", spec)
    assert kept(both, "moments", "use:effort")["counted"] == 500
    one = result("five_bar", spec, "--actuated", "A")
    assert kept(one, "moments", "use:effort")["missing"] == 500 and kept(one, "moments", "tau:A")["counted"] == 500
    assert kept(one, "moments", "use:velocity")["counted"] == 0
    none = write("no_efforts.yaml", "states: 10\nvary: {q: limits}\nevaluate: [limits]\nkeep: [{moments: use:effort}]\n")
    assert "use:effort" in sweep("arm7", none, code=3).stderr


def failed_payloads():
    spec = write("minus.yaml", "states: 100\nvary: {payload: {tool: {mass: {uniform: [-9, 1]}}}}\nevaluate: [id]\nkeep: [{moments: tau}]\n")
    assert any("negative mass" in f["why"] for f in result("arm7", spec)["failed"])


def followers():
    """The limit of a follower applies to the force that it needs (id and fd), and the limit of its leader to the
    total."""
    text = """<robot name="finger"><link name="base"/><link name="a"><inertial><origin xyz="0.4 0 0"/><mass value="4"/><inertia ixx="0.01"
iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="b"><inertial><origin xyz="0.2 0 0"/><mass value="1"/><inertia
ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="lead" type="revolute"><parent link="base"/><child
link="a"/><axis xyz="0 1 0"/><limit lower="-3" upper="3" velocity="90" effort="LEAD"/></joint><joint name="follow" type="revolute"><parent
link="a"/><child link="b"/><origin xyz="0.5 0 0"/><axis xyz="0 1 0"/><limit lower="-3" upper="3" velocity="90" effort="FOLLOW"/><mimic
joint="lead" multiplier="0.5"/></joint></robot>"""
    own, all_of_it = 9.81 * 0.2, 9.81 * (4 * 0.4 + 0.7 + 0.5 * 0.2)
    for lead, follow, passed in ((100, 1.01, 0), (100, 0.99, 1), (1, 0.99, 2), (1, 1.01, 1)):
        path = write("finger.urdf", text.replace("LEAD", str(lead)).replace("FOLLOW", repr(follow * own)))
        for kind in ("vary: {qdd: {lead: 0}}\nevaluate: [id, limits]", f"vary: {{tau: {{lead: {-all_of_it!r}}}}}\nevaluate: [fd, limits]"):
            spec = write("finger.yaml", f"states: 2\n{kind}\nkeep: [{{moments: [use:effort, limits:effort]}}]\n")
            v = json.loads(run("sweep", path, spec, "--at", 1, "--json").stdout)["values"]
            assert v["limits:effort"] == passed, (lead, follow, kind, v)
            near(v["use:effort"], max(all_of_it / lead, 1 / follow), 1e-12)


def loads():
    """Payloads and gravity of a state must have the same effect as in id."""
    spec = write("loads.yaml", "states: 40\nvary:\n  q: limits\n  payload: {palm: {mass: {uniform: [0, 5]}, com: [0, 0.01, 0.1]}}\n"
                 "  gravity: {x: {uniform: [-3, 3]}}\nevaluate: [id, limits]\nkeep: [{moments: tau}]\n")
    for i in (0, 7, 39):
        v = state("pick_arm", spec, i)
        q = ",".join(f"{j}={v[f'q:{j}']!r}" for j in ("slew", "shoulder", "elbow", "left_finger"))
        tau = json.loads(run("id", robot("pick_arm"), "-q", q, "--gravity", f"{v['gravity:x']!r},0,-9.81", "--payload",
                             f"palm={v['mass:palm']!r}@0,0.01,0.1", "--json").stdout)["tau"]
        for name, value in tau.items():
            near(v[f"tau:{name}"], value, 1e-12, 10)
        efforts = (("slew", 60), ("shoulder", 95), ("elbow", 45), ("left_finger", 120))
        every = q + f",wrist={-0.5 * v['q:elbow']!r},right_finger={v['q:left_finger']!r}"
        follower = json.loads(run("id", robot("pick_arm"), "--tree", "-q", every, "--gravity", f"{v['gravity:x']!r},0,-9.81",
                                  "--payload", f"palm={v['mass:palm']!r}@0,0.01,0.1", "--json").stdout)["tau"]
        used = [abs(tau[j]) / e for j, e in efforts] + [abs(follower["wrist"]) / 25, abs(follower["right_finger"]) / 120]
        assert v["limits:effort"] == sum(x > 1 for x in used)
        near(v["use:effort"], max(used))


def accelerations():
    """fd of a state, through loops, inverts id. Motors are named where they are not coordinates."""
    spec = write("fd.yaml", "states: 3000\nvary:\n  q: {A: {uniform: [-0.05, 0.05]}, O: {uniform: [-0.2, 0.2]}}\n"
                 "  qd: {all: {uniform: [-1, 1]}}\n  tau: limits\nevaluate: [fd, loops, motors, limits]\n"
                 "keep: [{moments: [qdd, loops, motors, limits]}]\n")
    for i in (3, 1500):
        v = state("five_bar", spec, i)
        words = [",".join(f"{j}={v[f'{k}:{j}']!r}" for j in "AO") for k in ("q", "qd", "qdd")]
        tau = json.loads(run("id", robot("five_bar"), "-q", words[0], "--qd", words[1], "--qdd", words[2], "--json").stdout)["tau"]
        for name, value in tau.items():
            near(v[f"tau:{name}"], value, 1e-9, 200)
        said = run("closure", robot("five_bar"), "-q", words[0]).stdout
        assert v["loops:smallest"] > 0 and f"{v['loops:smallest']:.3g}"[:4] in said, (v["loops:smallest"], said)


def failures():
    """Failed states are counted by type, the first ones are listed, and no statistics include them."""
    spec = write("fails.yaml", "states: 3000\nexamples: 4\nvary: {q: {A: {uniform: [-3, 3]}, O: {uniform: [-3, 3]}}}\n"
                 "evaluate: [id]\nkeep: [{moments: tau}, {rows: [q]}]\n")
    sweep("five_bar", spec, "-o", "fails.json")
    found = json.loads((folder / "fails.json").read_text())
    failed = sum(f["count"] for f in found["failed"])
    assert failed > 0 and kept(found, "moments", "tau:A")["counted"] == 3000 - failed
    _, rows = read_rows(folder / "fails.rows.npy")
    good = {int(r[0]) for r in rows}
    assert len(good) == 3000 - failed
    for kind in found["failed"]:
        assert len(kind["states"]) == min(4, kind["count"]) and not good & set(kind["states"])
        done = sweep("five_bar", spec, "--at", kind["states"][0], code=4)
        assert kind["why"] in done.stderr
    assert "failed: " in sweep("five_bar", spec, "-o", "fails.json").stdout


check("moments are those of all rows", moments)
check("the largest and smallest rows, with their states", extremes)
check("histograms and percentiles", histogram)
check("cells of a grid, with a condition", cells)
check("single states are those that id, fk and reactions compute", state_by_state)
check("singular values of points that few coordinates move", few_coordinates)
check("distributions", distributions)
check("grids, and rows of tables", grids_and_samples)
check("Sobol's points are even in every step", even_in_every_step)
check("ends and order of grids", ends_of_grids)
check("too few motors", too_few_motors)
check("payloads that cannot be", failed_payloads)
check("payloads, gravity and limits", loads)
check("efforts of followers", followers)
check("accelerations, loops and motors", accelerations)
check("failures are counted, and told by their first states", failures)

# ---- the same bits --------------------------------------------------------------------------------------------------------

SPECS = {
    "arm7": ARM,
    "five_bar": write("five.yaml", "states: 6000\nvary:\n  q: {A: {uniform: [-1, 1]}, O: {uniform: [-1, 1]}}\n"
                      "  qd: {all: {uniform: [-1, 1]}}\nevaluate: [id, loops, motors, {reactions: [B]}]\n"
                      "keep: [{moments: [tau, loops, motors, force]}, {largest: force:B, count: 9}]\n"),
    "pick_arm": write("pick.yaml", "states: 5000\nsequence: sobol\nvary:\n  payload: {palm: {mass: {grid: [0, 5, 4]}}}\n"
                      "  q: limits\nevaluate: [id, limits, {poses: grasp_point}]\nkeep:\n  - moments: [tau, use]\n"
                      "  - {cells: mass:palm, over: {x:grasp_point: [-1, 1, 20]}, where: {limits:effort: 0}}\n"),
}


def files(stem):
    found = [folder / f"{stem}.json"]
    rows = folder / f"{stem}.rows.npy"
    return [p.read_bytes() for p in found + ([rows] if rows.exists() else [])]


def threads(name):
    sweep(name, SPECS[name], "-o", "one.json", "--threads", 1)
    sweep(name, SPECS[name], "-o", "four.json", "--threads", 4)
    assert files("one") == files("four")
    for stem in ("one", "four"):
        for path in folder.glob(f"{stem}.*"):
            path.unlink()


def shards(name):
    sweep(name, SPECS[name], "-o", "whole.json")
    for i in (2, 0, 1):
        sweep(name, SPECS[name], "--shard", f"{i}/3", "-o", "part.json", "--threads", 1 + i)
    parts = [f"part.shard-{i}-of-3.json" for i in (1, 2, 0)]
    two = run("sweep", "--merge", parts[0], parts[2], code=3)
    assert two.stderr.splitlines()[-1] == "tandem: shards are missing, or not complete: --array=2", two.stderr
    run("sweep", "--merge", *parts, parts[1], "-o", "merged.json")
    assert (folder / "merged.json").read_bytes() == (folder / "whole.json").read_bytes()
    before = (folder / parts[1]).stat().st_mtime_ns
    sweep(name, SPECS[name], "--shard", "2/3", "-o", "part.json")  # the file exists already
    assert (folder / parts[1]).stat().st_mtime_ns == before
    for stem in ("part", "merged", "whole"):
        for path in folder.glob(f"{stem}.*"):
            path.unlink()


def job_arrays():
    """--shard auto: job arrays that start at 10, and tasks that run again."""
    env = {"SLURM_ARRAY_TASK_MIN": "10", "SLURM_ARRAY_TASK_MAX": "11", "SLURM_ARRAY_TASK_COUNT": "2"}
    for task in ("10", "11"):
        sweep("arm7", ARM, "--shard", "auto", "-o", "auto.json", env={**env, "SLURM_ARRAY_TASK_ID": task})
    run("sweep", "--merge", "auto.shard-0-of-2.json", "auto.shard-1-of-2.json", "-o", "auto.json")
    sweep("arm7", ARM, "-o", "whole.json")
    assert (folder / "auto.json").read_bytes() == (folder / "whole.json").read_bytes()
    env = {"SLURM_ARRAY_TASK_MIN": "3", "SLURM_ARRAY_TASK_MAX": "7", "SLURM_ARRAY_TASK_COUNT": "2", "SLURM_ARRAY_TASK_ID": "7"}
    done = sweep("arm7", ARM, "--shard", "auto", "-o", "auto.json", env=env, code=2)
    assert "auto/N" in done.stderr
    sweep("arm7", ARM, "--shard", "auto/9", "-o", "auto.json", env=env)
    assert (folder / "auto.shard-7-of-9.json").exists()
    clean = {k: "" for k in env}
    assert "SLURM" in sweep("arm7", ARM, "--shard", "auto", "-o", "auto.json", env=clean, code=2).stderr


def batch_script():
    """examples/sweep.sbatch, with a substitute for srun that runs its arguments."""
    tools = folder / "bin"
    tools.mkdir()
    for name, text in (("srun", 'while [ "${1#-}" != "$1" ]; do shift; done\nexec "$@"'), ("tandem", f'exec "{command}" "$@"')):
        (tools / name).write_text(f"#!/bin/sh\n{text}\n")
        (tools / name).chmod(0o755)
    script = robots.parent.parent / "examples" / "sweep.sbatch"
    env = {"SLURM_ARRAY_TASK_ID": "99", "SLURM_CPUS_PER_TASK": "2", "PATH": f"{tools}:{os.environ['PATH']}"}
    run(script, robot("arm7"), LONG, program=("sh",), env=env)
    assert (folder / "long.shard-99-of-100.json").exists()


LONG = write("long.yaml", ARM.read_text().replace("states: 5000", "states: 200000").replace(
    "force:joint_2]}", "force:joint_2], where: {use:effort: [0.14, ~]}}"))


# runs for a second or more, so that it can be interrupted
TO_STOP = write("to_stop.yaml", """\
states: 1.5e6
vary: {q: limits, qd: limits}
evaluate: [id, limits]
keep: [{moments: [tau, use]}, {largest: use:effort, count: 9}, {rows: [q, use:effort], where: {use:effort: [0.14, ~]}}]
""")


def whole():
    """Returns the result of an uninterrupted sweep."""
    if not (folder / "to_stop.json").exists():
        sweep("arm7", TO_STOP, "-o", "to_stop.json")
    return files("to_stop")


def stopped(program, stem, *options):
    """Starts a sweep and returns it once it has written data."""
    process = subprocess.Popen([*map(str, program), robot("arm7"), TO_STOP, "-o", f"{stem}.json", *options], cwd=folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    parts = []
    while process.poll() is None and not parts:
        time.sleep(0.02)
        parts = [p for p in folder.glob(f"{stem}.*part") if p.stat().st_size > 0]
    return process


def resumed():
    process = stopped((command, "sweep"), "stopped", "--threads", "1")
    process.send_signal(signal.SIGTERM)
    said = process.communicate()[1]
    assert process.returncode == -signal.SIGTERM, (process.returncode, said)
    assert "continues from" in said and not (folder / "stopped.json").exists()
    assert (folder / "stopped.json.checkpoint").exists()
    sweep("arm7", TO_STOP, "-o", "stopped.json", "--threads", 2)
    assert files("stopped") == whole()
    assert not list(folder.glob("stopped.*checkpoint")) and not list(folder.glob("stopped.*part"))


def killed():
    """A sweep killed between two checkpoints continues from the last one."""
    process = stopped((command, "sweep"), "killed", "--threads", "1", "--checkpoint", "0.05")
    while process.poll() is None and not (folder / "killed.json.checkpoint").exists():
        time.sleep(0.01)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    sweep("arm7", TO_STOP, "-o", "killed.json")
    assert files("killed") == whole()


def other_results():
    """A result or checkpoint of another sweep is not continued, and damaged ones are refused."""
    sweep("arm7", ARM, "-o", "mine.json")
    other = write("other.yaml", ARM.read_text().replace("seed: 11", "seed: 12"))
    assert "another sweep" in sweep("arm7", other, "-o", "mine.json", code=3).stderr
    sweep("arm7", other, "-o", "other.json")
    assert "different specifications" in run("sweep", "--merge", "mine.json", "other.json", code=3).stderr
    assert "robots" in run("sweep", robot("pick_arm"), write("p.yaml", "states: 5000\nevaluate: [id]\nkeep: [{moments: tau}]\n"), "-o",
                           "mine.json", code=3).stderr
    # inputs outside of the specification
    write("own.csv", "q:joint_2\n0.1\n0.2\n")
    own = write("own.yaml", "states: 3000\nvary: {samples: {file: own.csv}}\nevaluate: [id]\nkeep: [{moments: tau}]\n")
    sweep("arm7", own, "--shard", "0/2", "-o", "own.json")
    for change, options in ((lambda: None, ["--wrench", "tool=0,0,5"]), (lambda: write("own.csv", "q:joint_2\n0.1\n0.3\n"), [])):
        change()
        sweep("arm7", own, "--shard", "1/2", "-o", "own2.json", *options)
        assert "different" in run("sweep", "--merge", "own.shard-0-of-2.json", "own2.shard-1-of-2.json", code=3).stderr
        assert "another sweep" in sweep("arm7", own, "--shard", "0/2", "-o", "own.json", *options, code=3).stderr
        (folder / "own2.shard-1-of-2.json").unlink()
    text = (folder / "mine.json").read_text()
    no_counts = [re.sub(rf'("{key}":\s*)\d+', rf"\g<1>{count}", text, count=1) for key in ("states", "examples", "bins") for count in ("-1", '"1"')]
    assert text not in no_counts
    for damaged in ["", "{}", text[:len(text) // 2], text.replace('"bins": 44', '"bins": 45').replace('"bins":\t44', '"bins":\t45')] + no_counts:
        write("damaged.json", damaged)
        assert "damaged" in run("sweep", "--merge", "damaged.json", code=3).stderr
        if '"checksum"' in damaged:  # a malformed file is not read either
            write("damaged.json", with_checksum(damaged))
            assert "damaged" in run("sweep", "--merge", "damaged.json", code=3).stderr


def with_checksum(text):
    """Returns a result with the checksum of its content: FNV-1a of all bytes before it."""
    body, member, _ = text.rpartition(',\n\t"checksum":\t')
    value = 14695981039346656037
    for byte in body.encode():
        value = (value ^ byte) * 1099511628211 % 2**64
    return f'{body}{member}"{value:016x}"\n}}\n'


def checksums():
    """A merged result never contains a damaged part: every byte counts."""
    spec = write("sum.yaml", """\
states: 5000
vary: {q: limits}
evaluate: [id]
keep:
  - {moments: tau}
  - {largest: tau, count: 3}
  - {histogram: tau, bins: [-2, 2, 20], percentiles: [5, 50]}
""")
    names = [f"sum.shard-{k}-of-3.json" for k in range(3)]
    for k in range(3):
        sweep("gripper", spec, "--shard", f"{k}/3", "-o", "sum.json")
    whole = run("sweep", "--merge", *names, "-o", "sum.json", "--json").stdout
    good = (folder / names[1]).read_text()
    assert with_checksum(good) == good
    numbers = [m.start() for m in re.finditer(r"[1-9]", good)]
    places = numbers[::max(1, len(numbers) // 40)] + [0, 1, good.index('"values"') + 3, good.index('"reduction"') + 40, len(good) - 5]
    # a digit, another order of members, a number that rounds to the same, a blank, and no checksum at all
    damages = [good[:at] + ("7" if good[at] != "7" else "8") + good[at + 1:] for at in places]
    damages += [good.replace("\t\"complete\"", "\t \"complete\""), good.replace(" ", "", 1), good + " ", good[:-3],
                re.sub(r',\n\t"checksum":.*', "", good), good.replace('"checksum"', '"Checksum"')]
    for damaged in damages:
        assert damaged != good
        write(names[1], damaged)
        (folder / "sum2.json").unlink(missing_ok=True)
        said = run("sweep", "--merge", *names, "-o", "sum2.json", code=3)
        assert names[1] in said.stderr and "damaged" in said.stderr and said.stdout == "", (damaged[:200], said)
        assert not (folder / "sum2.json").exists()
    said = sweep("gripper", spec, "--shard", "1/3", "-o", "sum.json", code=3)  # such a part does not count as finished either
    assert "damaged" in said.stderr, said.stderr
    write(names[1], good)
    assert run("sweep", "--merge", *names, "--json").stdout == whole
    assert run("sweep", "--merge", "sum.json", "--json").stdout == whole
    clear("sum")


def rows_of_merged():
    """Rows of a merged result are its states, up to both ends."""
    for k in range(2):
        sweep("arm7", ARM, "--shard", f"{k}/2", "-o", "both.json")
    run("sweep", "--merge", "both.shard-0-of-2.json", "both.shard-1-of-2.json", "-o", "both.json")
    sweep("arm7", ARM, "-o", "arm.json")
    rows, good = folder / "both.rows.npy", (folder / "arm.rows.npy").read_bytes()
    rows.write_bytes(good)
    run("sweep", "--merge", "both.json")
    names, numbers = read_rows(folder / "arm.rows.npy")
    width = 8 * len(names)
    for row, state in ((4999, 5000.0), (0, -1.0)):
        at = len(good) - width * (len(numbers) - row)
        rows.write_bytes(good[:at] + struct.pack("<d", state) + good[at + 8:])
        assert "not the rows of" in run("sweep", "--merge", "both.json", code=3).stderr, state
    # a part has only the states of its shard
    name, part = "both.shard-0-of-2.json", folder / "both.shard-0-of-2.rows.npy"
    end, good = json.loads((folder / name).read_text())["ranges"][0][1], part.read_bytes()
    part.write_bytes(good[:-width] + struct.pack("<d", float(end)) + good[len(good) - width + 8:])
    assert "not the rows of" in run("sweep", "--merge", name, code=3).stderr
    part.write_bytes(good)
    assert "not the rows of" not in run("sweep", "--merge", name, code=3).stderr  # because the other one is missing
    clear("both")


def clear(stem):
    for path in folder.glob(f"{stem}.*"):
        path.unlink()


def subtle():
    """Specifications whose results depend on more than the dynamics: motors, limits, how accelerations are
    computed."""
    head = "states: 3000\nvary: {q: limits, qd: {all: {uniform: [-1, 1]}}}\n"
    return {
        "motors": write("motors.yaml", "states: 3000\nvary: {q: limits}\nevaluate: [motors]\nkeep: [{moments: motors}]\n"),
        "use": write("use.yaml", "states: 3000\nvary: {q: limits, qd: limits}\nevaluate: [id, limits]\nkeep: [{moments: [use, qd]}]\n"),
        "fd": write("fd.yaml", head + "evaluate: [fd]\nkeep: [{moments: qdd}]\n"),
        "loops": write("open.yaml", head + "evaluate: [id]\nkeep: [{moments: 'tau:crank_joint'}]\n"),
    }


def edited(name, *changes):
    """Returns a copy of a robot's file, in a separate folder, with these texts replaced."""
    text = robot(name).read_text()
    for before, after in changes:
        assert before in text, before
        text = text.replace(before, after)
    place = folder / "edited"
    place.mkdir(exist_ok=True)
    (place / f"{name}.urdf").write_text(text)
    return place / f"{name}.urdf"


def other_robots():
    """Changes that affect results but not the digest of dynamics make another robot, for results and for parts."""
    specs = subtle()
    drive = ('<transmission name="t"><type>SimpleTransmission</type><joint name="driver_joint"/><actuator name="m"><mechanicalReduction>%s'
             "</mechanicalReduction></actuator></transmission>\n</robot>")
    five, seven = (edited("gripper", ("</robot>", drive % n)).rename(folder / f"drive{n}.urdf") for n in (5, 7))
    cases = [
        ("motors", robot("four_bar"), [robot("four_bar"), "--actuated", "rocker_joint"]),
        ("use", five, [seven]),
        ("use", robot("gripper"), [edited("gripper", ('effort="20"', 'effort="0.02"')).rename(folder / "weak.urdf")]),
        ("use", robot("gripper"), [edited("gripper", ('velocity="2"', 'velocity="20"')).rename(folder / "fast.urdf")]),
        ("use", robot("gripper"), [edited("gripper", ('upper="0.8" effort="5"', 'upper="0.7" effort="5"')).rename(folder / "short.urdf")]),
        ("fd", robot("four_bar"), [robot("four_bar"), "--fd-plan", "reduced"]),
        ("loops", robot("four_bar"), [robot("four_bar"), "--open-loops"]),
        ("use", robot("gripper"), [robot("gripper"), "--gravity", "0,0,-1"]),
        ("use", robot("gripper"), [robot("gripper"), "--payload", "palm=1@0,0,0"]),
        ("use", robot("gripper"), [robot("gripper"), "--base", "floating"]),
        ("motors", robot("four_bar"), [robot("four_bar"), "--start", "crank_joint=0.5"]),
    ]
    for spec, mine, other in cases:
        clear("is")
        run("sweep", mine, specs[spec], "-o", "is.json")
        before = (folder / "is.json").read_bytes()
        said = run("sweep", other[0], specs[spec], *other[1:], "-o", "is.json", code=3)
        assert "another sweep with different robots" in said.stderr and said.stdout == "", (other, said.stderr)
        assert (folder / "is.json").read_bytes() == before
        run("sweep", mine, specs[spec], "--shard", "0/2", "-o", "is.json")
        run("sweep", other[0], specs[spec], *other[1:], "--shard", "1/2", "-o", "is.json")
        said = run("sweep", "--merge", "is.shard-0-of-2.json", "is.shard-1-of-2.json", code=3)
        assert "different robots" in said.stderr and said.stdout == "", (other, said.stderr)
    clear("is")


def same_robots():
    """Changes that affect no number do not make another robot."""
    spec = subtle()["use"]
    sweep("gripper", spec, "-o", "same.json")
    before = (folder / "same.json").stat().st_mtime_ns
    text = robot("gripper").read_text()
    start, end = text.index("<visual>"), text.index("</visual>") + len("</visual>")
    for changes, options in (([], ["--strict"]), ([], ["--base", "fixed", "--gravity", "0,0,-9.81"]),
                             ([('effort="20"', 'effort = "2.0e1"')], []), ([("<robot ", "<!-- moved -->\n\n<robot ")], []),
                             ([(text[start:end], "")], [])):
        run("sweep", edited("gripper", *changes), spec, *options, "-o", "same.json")
        assert (folder / "same.json").stat().st_mtime_ns == before, changes
    clear("same")


def goes_on_alone():
    """A checkpoint of a robot with other motors is not continued."""
    process = stopped((command, "sweep"), "motor", "--threads", "1")
    process.send_signal(signal.SIGTERM)
    process.communicate()
    files_before = {p.name: p.read_bytes() for p in folder.glob("motor.*")}
    assert set(files_before) == {"motor.json.checkpoint", "motor.rows.npy.part"}
    for options in (["--actuated", "joint_1"], ["--fd-plan", "reduced"]):
        said = sweep("arm7", TO_STOP, "-o", "motor.json", *options, code=3)
        assert "with different robots" in said.stderr, said.stderr
    assert {p.name: p.read_bytes() for p in folder.glob("motor.*")} == files_before
    # nor a checkpoint whose rows were replaced
    part = folder / "motor.rows.npy.part"
    for damaged in (b"\1" + part.read_bytes()[1:], part.read_bytes()[:-8], None):
        part.unlink()
        if damaged is not None:
            part.write_bytes(damaged)
        said = sweep("arm7", TO_STOP, "-o", "motor.json", code=3)
        assert "the rows differ from those that were written" in said.stderr, said.stderr
    clear("motor")


def two_at_a_time():
    """Of two simultaneous runs one owns the rows until it ends, in whatever way."""
    process = stopped((command, "sweep"), "two", "--threads", "1", "--checkpoint", "1000")
    process.send_signal(signal.SIGSTOP)
    said = sweep("arm7", TO_STOP, "-o", "two.json", code=3)
    assert f"another run, process {process.pid}," in said.stderr and "another -o" in said.stderr, said.stderr
    assert (folder / "two.rows.npy.part").stat().st_size > 0 and not (folder / "two.json").exists()
    process.send_signal(signal.SIGCONT)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert [p.name for p in folder.glob("two.*")] == ["two.rows.npy.part"]
    sweep("arm7", TO_STOP, "-o", "two.json")
    assert files("two") == whole() and not list(folder.glob("two.*part"))
    clear("two")
    # also of two that continue one checkpoint
    process = stopped((command, "sweep"), "two", "--threads", "1")
    process.send_signal(signal.SIGTERM)
    process.communicate()
    size = (folder / "two.rows.npy.part").stat().st_size
    process = subprocess.Popen([command, "sweep", robot("arm7"), TO_STOP, "-o", "two.json", "--threads", "1"], cwd=folder,
                               stdout=subprocess.DEVNULL)
    while process.poll() is None and (folder / "two.rows.npy.part").stat().st_size <= size:
        time.sleep(0.01)
    process.send_signal(signal.SIGSTOP)
    assert "another run" in sweep("arm7", TO_STOP, "-o", "two.json", code=3).stderr
    process.send_signal(signal.SIGCONT)
    assert process.wait() == 0 and files("two") == whole()
    clear("two")


def changed_rows():
    """Rows that another program overwrites without a lock do not become an array, and rows of another result are not
    used."""
    process = stopped((command, "sweep"), "changed", "--threads", "1")
    process.send_signal(signal.SIGSTOP)
    with open(folder / "changed.rows.npy.part", "r+b") as part:
        part.write(bytes(64))
    process.send_signal(signal.SIGCONT)
    said = process.communicate()[1]
    assert process.returncode == 3 and "the rows differ from those that were written" in said, (process.returncode, said)
    assert not list(folder.glob("changed.*")), list(folder.glob("changed.*"))
    sweep("arm7", ARM, "-o", "changed.json")
    rows = folder / "changed.rows.npy"
    good = rows.read_bytes()
    names, numbers = read_rows(rows)
    width, begin = 8 * len(names), len(good) - 8 * len(names) * len(numbers)
    twice = good[:begin + width] + good[begin:begin + width] + good[begin + 2 * width:]
    for damaged in (good[:begin + 3 * width] + bytes(width) + good[begin + 4 * width:], twice, good.replace(b"5000", b"4999")):
        rows.write_bytes(damaged)
        assert damaged != good and "not the rows of" in sweep("arm7", ARM, "-o", "changed.json", code=3).stderr
        if b"4999" not in damaged[:begin]:  # a merged part may have fewer, according to 'most'
            assert "not the rows of" in run("sweep", "--merge", "changed.json", code=3).stderr
    rows.write_bytes(good)
    sweep("arm7", ARM, "-o", "changed.json")
    rows.unlink()
    run("sweep", "--merge", "changed.json")  # rows are optional
    assert "are missing; remove it to compute both again" in sweep("arm7", ARM, "-o", "changed.json", code=3).stderr
    clear("changed")


def meanwhile():
    """A result of another sweep that appeared during the run is not overwritten."""
    spec = write("later.yaml", "states: 6e6\nvary: {q: limits}\nevaluate: [id]\nkeep: [{moments: tau}]\n")
    process = subprocess.Popen([command, "sweep", robot("arm7"), spec, "-o", "later.json", "--threads", "1", "--checkpoint", "0.05"],
                               cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not (folder / "later.json.checkpoint").exists():
        time.sleep(0.01)
    process.send_signal(signal.SIGSTOP)
    sweep("arm7", write("earlier.yaml", spec.read_text().replace("6e6", "2000")), "-o", "earlier.json")
    before = (folder / "earlier.json").read_bytes()
    (folder / "later.json").write_bytes(before)
    process.send_signal(signal.SIGCONT)
    said = process.communicate()[1]
    assert process.returncode == 3 and "another sweep" in said, (process.returncode, said)
    assert (folder / "later.json").read_bytes() == before
    clear("later")


def part_ended():
    """The partial file of rows: its permissions, and signals after which the sweep cannot continue."""
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)  # background processes of a shell ignore it
    array = folder / "part.rows.npy"
    for name in ("QUIT", "PIPE", "ALRM", "USR2", "XFSZ", "VTALRM", "PROF", "ABRT"):
        array.write_text("old")
        array.chmod(0o600)
        process = stopped((command, "sweep"), "part", "--threads", "1", "--checkpoint", "1000")
        assert (folder / "part.rows.npy.part").stat().st_mode & 0o777 == 0o600
        process.send_signal(getattr(signal, f"SIG{name}"))
        process.communicate()
        assert process.returncode == -getattr(signal, f"SIG{name}"), (name, process.returncode)
        assert [p.name for p in folder.glob("part.*")] == ["part.rows.npy"] and array.read_text() == "old", name
    clear("part")


def part_replaced():
    """Whatever replaces the partial file of rows is not written into."""
    clear("part")
    precious = write("precious", "precious")
    link = folder / "part.rows.npy.part"
    for target in ("precious", "absent", "part.rows.npy.part"):
        link.symlink_to(target)
        assert "remove what is there" in sweep("arm7", ARM, "-o", "part.json", code=3).stderr
        assert link.is_symlink() and precious.read_text() == "precious" and not (folder / "absent").exists()
        link.unlink()
    os.mkfifo(link)
    assert "remove what is there" in sweep("arm7", ARM, "-o", "part.json", code=3).stderr
    link.unlink()
    os.link(precious, link)  # a file that a run left behind is removed and not written into
    sweep("arm7", ARM, "-o", "part.json")
    assert precious.read_text() == "precious" and not link.exists()
    clear("part")


def all_failed():
    """A whole sweep in which nothing could be computed exits with 1 and reports it; a part of a sweep does not."""
    spec = write("nothing.yaml", "states: 1025\nvary: {q: {all: {uniform: [5, 6]}}}\nevaluate: [loops]\nkeep: [{moments: loops}]\n")
    for options in ([], ["-o", "nothing.json"], ["-o", "nothing.json", "--json"]):
        assert "nothing was computed" in sweep("stewart", spec, *options, code=1).stderr
    found = json.loads((folder / "nothing.json").read_text())
    assert sum(f["count"] for f in found["failed"]) == 1025 and kept(found, "moments", "loops:smallest")["counted"] == 0
    for i in range(2):
        assert "nothing was computed" in sweep("stewart", spec, "--shard", f"{i}/2", "-o", "nothing.json").stderr
    parts = [f"nothing.shard-{i}-of-2.json" for i in range(2)]
    assert "nothing was computed" in run("sweep", "--merge", *parts, "-o", "merged.json", code=1).stderr
    assert (folder / "merged.json").read_bytes() == (folder / "nothing.json").read_bytes()
    clear("merged")


def two_ranks(start, first, second):
    """Runs two ranks with different commands. A shell selects by rank, because mpirun of Open MPI 5.0.7 crashes with
    two consecutive commands."""
    choice = f'if [ "${{OMPI_COMM_WORLD_RANK-$PMI_RANK}}" = 0 ]; then exec {shell_words(first)}; else exec {shell_words(second)}; fi'
    return subprocess.run([*start, "-n", "2", "sh", "-c", choice], cwd=folder, capture_output=True, text=True, timeout=60)


def shell_words(command):
    return shlex.join(str(word) for word in command)


def ranks():
    sweep("arm7", LONG, "-o", "long.json")
    start = ("mpirun", "--oversubscribe", *(["--allow-run-as-root"] if os.getuid() == 0 else []))
    for n in (1, 2, 4):
        for count in (1, 2):
            run("-n", n, mpi, robot("arm7"), LONG, "-o", "ranks.json", "--threads", count, program=start)
            assert (folder / "ranks.json").read_bytes() == (folder / "long.json").read_bytes()
            before = (folder / "ranks.json").stat().st_mtime_ns
            run("-n", n, mpi, robot("arm7"), LONG, "-o", "ranks.json", program=start)  # the file exists already
            assert (folder / "ranks.json").stat().st_mtime_ns == before
            (folder / "ranks.json").unlink()
    # one rank with another specification, with none, or with other kernels ends the job
    other = write("other.yaml", LONG.read_text().replace("seed: 11", "seed: 12"))
    for spec, words in ((other, "different specifications"), ("none.yaml.absent", "No such file")):
        done = two_ranks(start, ["env", mpi, robot("arm7"), LONG], ["env", mpi, robot("arm7"), spec])
        assert done.returncode != 0 and words in done.stderr, done.stderr
    same = [mpi, robot("arm7"), ARM, "-o", "isa.json"]
    done = two_ranks(start, ["env", "TANDEM_ISA=baseline", *same], ["env", *same])
    assert done.returncode == 0 or "instruction sets" in done.stderr, done.stderr
    process = stopped((*start, "-n", "2", mpi), "rank", "--checkpoint", "0.05")
    while process.poll() is None and not list(folder.glob("rank.shard*checkpoint")):
        time.sleep(0.01)
    process.terminate()
    process.communicate()
    assert not (folder / "rank.json").exists()
    run("-n", 2, mpi, robot("arm7"), TO_STOP, "-o", "rank.json", program=start)
    assert (folder / "rank.json").read_bytes() == whole()[0]


for name in SPECS:
    check(f"{name}: the same bits for 1 and 4 threads", threads, name)
    check(f"{name}: the same bits of 3 shards, one of them twice", shards, name)
check("shards of a job array", job_arrays)
check("the example of a job array", batch_script)
check("stopped and gone on with", resumed)
check("killed and gone on with", killed)
check("results of other sweeps", other_results)
check("results and parts of robots that differ in what dynamics do not depend on", other_robots)
check("the same robot, written otherwise", same_robots)
check("checkpoints of another robot, or with other rows", goes_on_alone)
check("two runs at a time", two_at_a_time)
check("rows that were changed", changed_rows)
check("checksums of results", checksums)
check("rows of merged results", rows_of_merged)
check("a result of another sweep that came meanwhile", meanwhile)
check("the file of rows: signals and permissions", part_ended)
check("what stands in place of the file of rows", part_replaced)
check("all states fail", all_failed)
if mpi and shutil.which("mpirun"):
    check("1, 2 and 4 ranks of MPI, and a job that was stopped", ranks)
else:
    skip("1, 2 and 4 ranks of MPI, and a job that was stopped", "built without MPI")

# ---- what is wrong --------------------------------------------------------------------------------------------------------

WRONG = [
    ("", "empty"),
    ("- a", "expected a map"),
    ("states: 10\nevaluate: [id]", "'keep' is missing"),
    ("evaluate: [id]\nkeep: [{moments: tau}]", "the number of states"),
    ("states: 10\nstats: 1\nevaluate: [id]\nkeep: [{moments: tau}]", "2:8: unknown key 'stats'"),
    ("states: 0\nevaluate: [id]\nkeep: [{moments: tau}]", "a whole number from 1"),
    ("states: 1.5\nevaluate: [id]\nkeep: [{moments: tau}]", "a whole number"),
    ("states: 10\nevaluate: [ik]\nkeep: [{moments: tau}]", "'ik' cannot be evaluated"),
    ("states: 10\nevaluate: [id, fd]\nkeep: [{moments: tau}]", "id and fd"),
    ("states: 10\nevaluate: [id, id]\nkeep: [{moments: tau}]", "given twice"),
    ("states: 10\nevaluate: [{poses: tol}]\nkeep: [{moments: x}]", "no link 'tol'"),
    ("states: 10\nevaluate: [{reactions: tol}]\nkeep: [{moments: x}]", "no joint 'tol'"),
    ("states: 10\nevaluate: [id]\nkeep: [{moments: taus}]", "'taus'"),
    ("states: 10\nevaluate: [id]\nkeep: [{moments: 'tau:joint_8'}]", "is one, for example"),
    ("states: 10\nevaluate: [id]\nkeep: [{moment: tau}]", "one of moments"),
    ("states: 10\nevaluate: [id]\nkeep: [{moments: tau, count: 3}]", "unknown key 'count'"),
    ("states: 10\nevaluate: [id]\nkeep: [{histogram: tau}]", "a histogram needs bins"),
    ("states: 10\nevaluate: [id]\nkeep: [{histogram: tau, bins: [1, 0, 5]}]", "must increase"),
    ("states: 10\nevaluate: [id]\nkeep: [{histogram: tau, bins: [0, 1, 5], percentiles: [101]}]", "from 0 to 100"),
    ("states: 10\nevaluate: [id]\nkeep: [{cells: 'tau:joint_1', over: {}}]", "one to three columns"),
    ("states: 10\nevaluate: [id]\nkeep: [{cells: 'tau:joint_1', over: {'q:joint_1': [0, 1, 1e5], 'q:joint_2': [0, 1, 1e5]}}]", "are too many; at most"),
    ("states: 10\nevaluate: [id]\nkeep: [{moments: tau, where: {'q:joint_1': [1]}}]", "[FROM, TO]"),
    ("states: 10\nvary: {q: {joint_9: 1}}\nevaluate: [id]\nkeep: [{moments: tau}]", "joint_9"),
    ("states: 10\nvary: {q: {joint_1: {uniform: [1, 0]}}}\nevaluate: [id]\nkeep: [{moments: tau}]", "must increase"),
    ("states: 10\nvary: {q: {joint_1: {normal: [1, -1]}}}\nevaluate: [id]\nkeep: [{moments: tau}]", "must not be negative"),
    ("states: 10\nvary: {q: {joint_1: 1mm}}\nevaluate: [id]\nkeep: [{moments: tau}]", "'mm' is not a unit"),
    ("states: 10\nvary: {qdd: limits}\nevaluate: [id]\nkeep: [{moments: tau}]", "has no limits"),
    ("states: 10\nvary: {tau: limits}\nevaluate: [id]\nkeep: [{moments: tau}]", "does not affect"),
    ("states: 10\nvary: {payload: {tool: {com: [0, 0, 1]}}}\nevaluate: [id]\nkeep: [{moments: tau}]", "needs a mass"),
    ("states: 10\nvary: {payload: {toll: {mass: 1}}}\nevaluate: [id]\nkeep: [{moments: tau}]", "no link 'toll'"),
    ("states: 10\nsequence: halton\nevaluate: [id]\nkeep: [{moments: tau}]", "'random' or 'sobol'"),
    ("states: 10\nevaluate: [id]\nkeep: [{rows: tau}, {rows: q}]", "kept only once"),
    ("states: 10\nevaluate: [id\nkeep: [{moments: tau}]", "wrong.yaml:"),
    ("states: 10\nevaluate: [id]\nkeep: [{rows: [tau, foo]}]", "'foo'"),
    ("states: 10\nevaluate: [id]\nkeep: [{rows: tau, where: {foo: 1}}]", "'foo'"),
    ("states: 10\nevaluate: [id]\nkeep: [{rows: tau, most: 0}]", "whole number from 1"),
    ("states: 10\nevaluate: [id]\nkeep: [{rows: []}]", "a name or a list of names"),
    ("states: 10\nevaluate: [id]\nkeep: [{moments: [tau, 'tau:joint_1']}]", "given twice"),
    ("states: 10\nevaluate: [id]\nkeep: [{moments: tau, where: {'q:joint_1': [1, 0]}}]", "must increase"),
    ("states: 10\nvary: {q: {joint_1: 1, joint_1: 2}}\nevaluate: [id]\nkeep: [{moments: tau}]", "given twice"),
    ("states: 10\nevaluate: [id]\nkeep: [{cells: 'tau:joint_1', over: {'q:joint_1': [0, 1, 2], 'q:joint_1': [0, 1, 2]}}]", "given twice"),
    ("states: 10\nevaluate: [{reactions: [joint_1, joint_1]}]\nkeep: [{moments: force}]", "given twice"),
    ("states: 10\nevaluate: [{poses: []}]\nkeep: [{moments: x}]", "a list of links"),
    ("states: 10\nevaluate: [loops]\nkeep: [{moments: loops}]", "no iterated loops"),
]


def wrong(text, words):
    done = sweep("arm7", write("wrong.yaml", text), code=3)
    assert words in done.stderr and "wrong.yaml" in done.stderr, done.stderr


for text, words in WRONG:
    check(f"wrong: {words}", wrong, text, words)


def wrong_options():
    assert "specification" in run("sweep", robot("arm7"), code=2).stderr
    assert "give -o" in sweep("arm7", ARM, code=3).stderr  # the sweep writes rows
    for shard in ("3/3", "1", "x/2", "1/0", "-1/2"):
        assert "--shard must be I/N" in sweep("arm7", ARM, "--shard", shard, code=2).stderr, shard
    assert "FILE.json" in sweep("arm7", ARM, "-o", "/dev/null", code=2).stderr
    assert "--at shows one state" in sweep("arm7", ARM, "--at", "1", "-o", "x.json", code=2).stderr
    simple = write("simple.yaml", "states: 100\nvary: {q: limits}\nevaluate: [id]\nkeep: [{moments: tau}]\n")
    assert "no kept result can be drawn" in sweep("arm7", simple, "--plot", "x.svg", code=3).stderr
    assert "unexpected argument" in sweep("arm7", ARM, "more", code=2).stderr
    assert "numbered from 0" in sweep("arm7", ARM, "--at", "5000", code=2).stderr
    assert "No such file" in sweep("arm7", "none.yaml", code=3).stderr
    both = write("both.yaml", "states: 9\nvary: {payload: {tool: {mass: 1}}}\nevaluate: [id]\nkeep: [{moments: tau}]\n")
    assert "in --payload" in sweep("arm7", both, "--payload", "tool=1@0,0,0", code=3).stderr


def full_disk():
    """A result that cannot be written is an error, and nothing partial remains."""
    if not pathlib.Path("/dev/full").exists():
        return
    done = subprocess.run(f"'{command}' sweep '{robot('arm7')}' simple.yaml > /dev/full", shell=True, cwd=folder,
                          capture_output=True, text=True)
    assert done.returncode == 3 and "No space" in done.stderr, done.stderr
    limited = subprocess.run(["sh", "-c", f"ulimit -f 1; trap '' XFSZ; exec '{command}' sweep '{robot('arm7')}' '{ARM}' -o full.json"],
                             cwd=folder, capture_output=True, text=True)
    assert limited.returncode == 3 and "File too large" in limited.stderr, limited
    assert not list(folder.glob("full.*")), list(folder.glob("full.*"))
    # only the result exceeds the limit, after its rows
    late = write("late.yaml", "states: 2000\nvary: {q: limits}\nevaluate: [id]\nkeep: [{histogram: tau, bins: [-9, 9, 20000]}, {rows: q:joint_1}]\n")
    limited = subprocess.run(["sh", "-c", f"ulimit -f 100; trap '' XFSZ; exec '{command}' sweep '{robot('arm7')}' '{late}' -o full.json"],
                             cwd=folder, capture_output=True, text=True)
    assert limited.returncode == 3 and "File too large" in limited.stderr, limited
    assert not list(folder.glob("full.*")), list(folder.glob("full.*"))


write("simple.yaml", "states: 100\nvary: {q: limits}\nevaluate: [id]\nkeep: [{moments: tau}]\n")
check("wrong options", wrong_options)
check("a full disk", full_disk)
finish()

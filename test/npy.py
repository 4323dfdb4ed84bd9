#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Arrays of states in NumPy's format must give the same results as tables, and damaged ones a clear message. TAP.

    python3 test/npy.py COMMAND DIRECTORY_OF_ROBOTS

Needs no NumPy: arrays are written and read here, following the description of the format.
"""
import ast
import csv
import json
import math
import pathlib
import random
import re
import resource
import struct
import subprocess
import sys
import tempfile

command, robots = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
scratch = tempfile.TemporaryDirectory()
folder = pathlib.Path(scratch.name)
results = []


def write(name, rows, columns=None, descr="'<f8'", order="False", shape=None, version=1, cut=0, kind="d", first="<"):
    """Writes an array of rows of numbers. columns: names, for records; first: '>' for big-endian."""
    if columns:
        size = struct.calcsize(kind)
        descr = "[" + ", ".join(f"('{c}', '{first}f{size}')" for c in columns) + "]"
        shape = shape or f"({len(rows)},)"
    shape = shape or f"({len(rows)}, {len(rows[0]) if rows else 0})"
    heading = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n".encode()
    size = struct.pack("<H" if version == 1 else "<I", len(heading))
    data = b"".join(struct.pack(f"{first}{len(r)}{kind}", *r) for r in rows)
    path = folder / name
    path.write_bytes(b"\x93NUMPY" + bytes([version, 0]) + size + heading + data[:len(data) - cut])
    return path


def read_records(path):
    """Returns names and rows of an array of records."""
    data = path.read_bytes()
    assert data[:6] == b"\x93NUMPY"
    width = 2 if data[6] == 1 else 4
    size = int.from_bytes(data[8:8 + width], "little")
    start = 8 + width + size
    assert start % 64 == 0
    heading = ast.literal_eval(data[8 + width:start].decode())
    fields = [name for name, kind in heading["descr"] if kind == "<f8"]
    assert len(data) == start + 8 * len(fields) * heading["shape"][0]
    return fields, [list(r) for r in struct.iter_unpack(f"<{len(fields)}d", data[start:])]


def read(path):
    data = path.read_bytes()
    assert data[:8] == b"\x93NUMPY\x01\x00" and (10 + struct.unpack("<H", data[8:10])[0]) % 64 == 0
    length = struct.unpack("<H", data[8:10])[0]
    shape = re.search(rb"'shape': \((\d+), (\d+)\)", data[10:10 + length])
    rows, columns = int(shape[1]), int(shape[2])
    numbers = struct.unpack(f"<{rows * columns}d", data[10 + length:])
    return [numbers[i * columns:(i + 1) * columns] for i in range(rows)]


def run(*arguments):
    return subprocess.run([command, *map(str, arguments)], capture_output=True, text=True)


def check(title, good, said=""):
    results.append(good)
    print(f"{'ok' if good else 'not ok'} {len(results)} - {title}")
    if not good:
        print("\n".join("# " + line for line in said.splitlines()))


def by_table(verb, robot, names, rows):
    path = folder / "states.csv"
    path.write_text("\n".join([",".join(names)] + [",".join(map(repr, r)) for r in rows]) + "\n")
    lines = run(verb, robot, path).stdout.splitlines()
    wanted = [i for i, c in enumerate(lines[0].split(",")) if c.startswith(("tau:", "qdd:"))]
    return [[float(line.split(",")[i]) for i in wanted] for line in lines[1:]]


def same(a, b):
    return len(a) == len(b) and all(
        len(x) == len(y) and all(p == q or (math.isnan(p) and math.isnan(q)) for p, q in zip(x, y))
        for x, y in zip(a, b))


arm, gripper = robots / "arm7.urdf", robots / "gripper.urdf"
joints = [f"joint_{i}" for i in range(1, 8)]
draw = random.Random(1)
rows = [[draw.uniform(-1, 1) for _ in range(21)] for _ in range(300)]
out = folder / "out.npy"
for verb, cause in (("id", "qdd"), ("fd", "tau")):
    names = [f"{q}:{j}" for q in ("q", "qd", cause) for j in joints]
    done = run(verb, arm, write("a.npy", rows), "-o", out)
    check(f"{verb}: an array gives what a table gives",
          done.returncode == 0 and same(read(out), by_table(verb, arm, names, rows)), done.stderr)

for first in "<>":
    for kind, size in (("d", 8), ("f", 4)):
        given = [[struct.unpack(kind, struct.pack(kind, x))[0] for x in r] for r in rows[:20]]
        path = write("b.npy", given, descr=f"'{first}f{size}'", kind=kind, first=first)
        done = run("id", arm, path, "-o", out)
        names = [f"{q}:{j}" for q in ("q", "qd", "qdd") for j in joints]
        check(f"numbers of {first}f{size}",
              done.returncode == 0 and same(read(out), by_table("id", arm, names, given)), done.stderr)

names = ["t", "qd:joint_2", "q:joint_5", "qdd:joint_1", "other"]
records = [[draw.uniform(-1, 1) for _ in names] for _ in range(20)]
done = run("id", arm, write("r.npy", records, names, version=2), "-o", out)
check("records by the names of their fields",
      done.returncode == 0 and
      same(read(out), by_table("id", arm, names[:4], [r[:4] for r in records])), done.stderr)
done = run("id", arm, write("rb.npy", records, names, first=">"), "-o", out)
check("records with the highest byte first",
      done.returncode == 0 and
      same(read(out), by_table("id", arm, names[:4], [r[:4] for r in records])), done.stderr)

# names of record fields are read like headings of tables: time, units, bare names, forces on links
names = ["time [ms]", "joint_2 [deg]", "q:joint_5", "wrench:tool.fx", "wrench:tool.mz"]
path = write("wrench.npy", records, names)
done = run("id", arm, path, "-o", out)
wanted = by_table("id", arm, names, records)
without = by_table("id", arm, names[:3], [r[:3] for r in records])
check("records with forces on links", done.returncode == 0 and same(read(out), wanted) and
      not same(wanted, without), done.stderr)
done = run("id", arm, write("no_wrench.npy", records, names[:3] + ["a", "b"]), "-o", out)
check("records with units", done.returncode == 0 and same(read(out), without), done.stderr)
late = [list(r) for r in records[:3]]
late[1][0] = math.nan
done = run("simulate", arm, "--drive", write("late.npy", late, names), "--time", "0.1")
check("a time that is none", done.returncode == 3 and
      "late.npy: row 2, column 'time [ms]': not a finite number" in done.stderr, done.stderr)

broken = [list(r) for r in rows[:5]]
broken[2][4] = math.nan
done = run("id", arm, write("n.npy", broken), "-o", out)
values = read(out)
check("a row with NaN is a row of NaN, told, and exit code 1",
      done.returncode == 1 and "row 3: the state or the result is not a finite number" in done.stderr
      and all(map(math.isnan, values[2])) and not any(math.isnan(x) for r in values[3:] for x in r),
      done.stderr)

many = [[math.nan] * 21] * 19 + rows[:1]
done = run("id", arm, write("m.npy", many), "-o", out)
check("of many such rows ten are told one by one",
      done.stderr.count("row ") == 10 and "9 more rows have no result" in done.stderr, done.stderr)

# the width determines the content of an array
done = run("id", arm, write("y.npy", [r[:7] for r in rows[:50]]), "-o", out)
at_rest = [r[:7] + [0.0] * 14 for r in rows[:50]]
names = [f"{q}:{j}" for q in ("q", "qd", "qdd") for j in joints]
check("positions alone are at rest, which is said",
      done.returncode == 0 and same(read(out), by_table("id", arm, names, at_rest)) and
      "y.npy: its 7 columns are q; zero is used for qd and qdd" in done.stderr, done.stderr)

done = run("id", gripper, write("e.npy", [], shape="(0, 3)"), "-o", out)
check("no rows", done.returncode == 0 and read(out) == [], done.stderr)

names = [f"{q}:{j}" for q in ("q", "qd", "qdd") for j in joints]
text = "\n".join([",".join(names)] + [",".join(map(repr, r)) for r in rows]) + "\n"
(folder / "states.csv").write_text(text)
done = run("id", arm, folder / "states.csv", "-o", out)
check("a table gives an array", done.returncode == 0 and
      same(read(out), by_table("id", arm, names, rows)), done.stderr)
done = run("id", arm, folder / "a.npy")
numbers = [[float(x) for x in line.split(",")] for line in done.stdout.splitlines()[1:]]
check("an array gives a table", done.returncode == 0 and
      same(numbers, by_table("id", arm, names, rows)), done.stderr)

# more rows than a batch, and names that Python must quote
odd = folder / "odd.urdf"
odd.write_text(gripper.read_text().replace("driver_joint", "driver 'n \\ b"))
states = [[0.3 * i / 600, 1.0] for i in range(600)]
plain = write("two.npy", states)
(folder / "two.csv").write_text("q:driver 'n \\ b,qd:driver 'n \\ b\n" +
                                "".join(f"{a!r},{b!r}\n" for a, b in states))
for verb, more in (("fk", []), ("energy", []), ("mass", []), ("closure", []),
                   ("jacobian", ["--link", "left_tip"])):
    done = run(verb, odd, plain, "-o", out, *more)
    fields, values = read_records(out)
    lines = run(verb, odd, folder / "two.csv", *more).stdout.splitlines()
    table = [[float(x) for x in line.split(",")] for line in lines[1:]]
    check(f"{verb}: records are what a table has",
          done.returncode == 0 and [fields] == list(csv.reader(lines[:1])) and same(values, table),
          done.stderr)
done = run("closure", odd, plain, "-o", out)
back = run("energy", "--tree", odd, out)
check("records are read by their names",
      done.returncode == back.returncode == 0 and
      len(back.stdout.splitlines()) == 601, done.stderr + back.stderr)

# tables of motions: the numbers of the CSV without its text column
points = folder / "points.csv"
points.write_text("t,q:joint_1,q:joint_2\n0,0,0\n0.5,0.4,-0.3\n1,0,0.2\n1.5,0.1,0.1\n2,0,0\n2.5,0.3,0.1\n")
motions = [("simulate", [arm, "--time", "0.3", "--step", "2e-4", "--constraints", "--residual"]),
           ("trajectory", [arm, points, "--time-scale"]),
           ("recording", [arm, points, "--filter", "none", "--reactions", "joint_2"])]
for verb, arguments in motions:
    out.unlink(missing_ok=True)
    table = folder / "motion.csv"
    done, plain = run(verb, *arguments, "-o", out), run(verb, *arguments, "-o", table)
    good = done.returncode == plain.returncode == 0 and out.exists()
    if good:
        lines = list(csv.reader(table.open()))
        keep = [k for k, name in enumerate(lines[0]) if name != "event"]
        fields, values = read_records(out)
        good = (fields == [lines[0][k] for k in keep] and len(values) > 2 and
                values == [[float(line[k]) for k in keep] for line in lines[1:]])
    check(f"{verb} writes an array", good, done.stderr + plain.stderr)
done = run("trajectory", arm, points, "--time-scale", "-o", out)
back = run("simulate", arm, "--drive", out, "--time", "0.1")
check("an array drives a simulation", done.returncode == back.returncode == 0 and
      len(back.stdout.splitlines()) == 12, done.stderr + back.stderr)
for verb, arguments in motions:
    done = run(verb, *arguments, "-o", folder / "absent" / "out.npy")
    check(f"{verb} names the folder that is missing", done.returncode == 3 and "No such file" in done.stderr,
          done.stderr)
# in every command the suffix determines the file format; without a suffix --json does
state = [arm, "-q", "joint_2=0.3"]
tables = [("simulate", [*state, "--time", "0.01"]), ("trajectory", [arm, points, "--time-scale"]), ("linearize", state),
          ("jacobian", [*state, "--link", "tool"]), ("ik", [arm, "--link", "tool", "--position", "0.3 0 0.4"]),
          *((verb, state) for verb in ("id", "fd", "fk", "mass", "energy", "closure", "derivatives"))]
for verb, arguments in tables:
    refused = [run(verb, *arguments, "--json", "-o", folder / f"x.{suffix}") for suffix in ("csv", "npy", "svg")]
    check(f"{verb}: no JSON into .csv, .npy and .svg", all(d.returncode == 2 for d in refused) and all("does not match the suffix" in d.stderr for d in refused[:2]),
          "".join(d.stderr for d in refused))
    for name, more in (("x.json", []), ("x.json", ["--json"]), ("plain", ["--json"])):
        (folder / name).unlink(missing_ok=True)
        done = run(verb, *arguments, *more, "-o", folder / name)
        check(f"{verb} {' '.join(more)} -o {name}: JSON", done.returncode == 0 and json.loads((folder / name).read_text()), done.stderr)
done = run("recording", *motions[2][1], "-o", folder / "x.json")
check("no motion into .json", done.returncode == 2 and "not written as JSON" in done.stderr, done.stderr)

# options about columns: --unit also applies without names, to the coordinates themselves; --map does not
degrees = [[math.degrees(x) for x in r] for r in rows[:20]]
done = run("id", arm, write("deg.npy", degrees), "--unit", "deg", "--unit", "deg/s", "--unit", "deg/s2", "-o", out)
names = [f"{q}:{j}" for q in ("q", "qd", "qdd") for j in joints]
close = lambda a, b: len(a) == len(b) and all(abs(x - y) < 1e-9 * (1 + abs(y)) for r, s in zip(a, b) for x, y in zip(r, s))
wanted = by_table("id", arm, names, rows[:20])
check("units of an array without names", done.returncode == 0 and close(read(out), wanted), done.stderr)
one = [[math.degrees(x) if k == 1 else x for k, x in enumerate(r)] for r in rows[:20]]
done = run("id", arm, write("deg.npy", one), "--unit", "q:joint_2=deg", "-o", out)
check("and of one of its columns", done.returncode == 0 and close(read(out), wanted), done.stderr)
for option, word, text in (("--map", "0=joint_1", "have no names"), ("--unit", "q:joint_1=mm", "not mm"),
                           ("--unit", "absent=deg", "has no column 'absent'"), ("--unit", "q:joint_1=foo", "unknown unit 'foo'")):
    done = run("id", arm, folder / "deg.npy", option, word)
    check(f"refused: {option} {word} of an array without names", done.returncode == 2 and text in done.stderr, done.stderr)

# a header of one mebibyte takes memory in proportion
fields = [f"c{k:x}" for k in range(40000)]
path = write("wide.npy", [[0.0] * len(fields)], fields, version=2)
limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))
if subprocess.run([command, "--version"], capture_output=True, preexec_fn=limit).returncode != 0:
    limit = None  # a sanitizer reserves terabytes of addresses
done = subprocess.run([command, "fk", arm, path], capture_output=True, text=True, preexec_fn=limit)
check("a long heading", done.returncode == 3 and "no column names one of" in done.stderr, done.stderr[:500])

garbage = folder / "g.npy"
garbage.write_bytes(b"no array at all")
faults = [
    (write("x.npy", [r[:20] for r in rows[:3]]), "20 numbers per row, but the robot has 7 positions and 7 velocities"),
    (write("x4.npy", rows[:3], descr="'<f2'"), "must be doubles"),
    (write("xb.npy", records, descr="[('t', '<f8'), ('a', '>f8')]", shape="(3,)"), "with one byte order"),
    (write("xf.npy", rows[:3], order="True"), "stored by columns"),
    (write("x1.npy", rows[:3], shape="(63,)"), "must have two dimensions"),
    (write("x3.npy", rows[:3], shape="(3, 7, 3)"), "not a NumPy header"),
    (write("xh.npy", rows[:3], shape="(3, 99999999999999999999)"), "not a NumPy header"),
    (write("xl.npy", rows[:3], shape="(4, 21)"), "ends before its last row"),
    (write("xw.npy", [], shape="(3, 0)"), "it has no columns"),
    (write("xz.npy", [], shape="(9999999999, 0)"), "it has no columns"),
    (write("xe.npy", [], descr="[]", shape="(9999999999,)"), "must all be doubles"),
    (write("xc.npy", rows[:3], cut=5), "ends before its last row"),
    (write("xv.npy", rows[:3], version=9), "NumPy format version is unknown"),
    (write("xn.npy", records, ["t", "q:joint_9", "a", "b", "c"]), "no joint 'joint_9'"),
    (write("xo.npy", records, ["d", "e", "a", "b", "c"]), "no column names one of this robot's q:JOINT"),
    (write("xt.npy", records, ["t", "time", "q:joint_1", "b", "c"]), "'t' and 'time' could both be the times"),
    (write("x2.npy", records, ["t", "joint_1", "q:joint_1", "b", "c"]), "'joint_1' and 'q:joint_1' are the same"),
    (garbage, "not a NumPy file"),
    (folder / "absent.npy", "No such file"),
]
for path, text in faults:
    out.unlink(missing_ok=True)
    done = run("id", arm, path, "-o", out)
    check(f"refused: {text}", done.returncode == 3 and text in done.stderr and not out.exists() and
          not list(folder.glob("out.npy.*")), done.stderr)

# floats are read as doubles; tables with any columns are written as arrays with names, too
floats = [[struct.unpack("f", struct.pack("f", x))[0] for x in r] for r in rows[:300]]
run("id", arm, write("d.npy", floats), "-o", folder / "d_out.npy")
run("id", arm, write("s.npy", floats, descr="'<f4'", kind="f"), "-o", folder / "s_out.npy")
check("floats", read(folder / "d_out.npy") == read(folder / "s_out.npy"))
moving = ["t", "q:joint_1", "q:joint_3"]
recorded = [[0.01 * k, math.sin(0.05 * k), math.cos(0.03 * k)] for k in range(60)]
by_text = folder / "moving.csv"
by_text.write_text("\n".join([",".join(moving)] + [",".join(map(repr, r)) for r in recorded]) + "\n")
texts = []
for path in (by_text, write("moving.npy", recorded, moving)):
    done = run("recording", arm, path, "--filter", "none", "-o", "-")
    texts.append(done.stdout)
check("tandem recording reads arrays with names", len(texts[0]) > 1000 and texts[0] == texts[1], done.stderr)
done = run("recording", arm, write("single.npy", recorded, moving, kind="f"), "--filter", "none", "-o", "-")
check("of floats", done.returncode == 0 and len(done.stdout.splitlines()) == 61, done.stderr)
done = run("recording", arm, write("plain.npy", recorded))
check("and says what it misses in others", done.returncode == 3 and "3 numbers per row, but the robot has 7" in done.stderr, done.stderr)
whole = [[math.sin(0.05 * k + j) for j in range(7)] for k in range(60)]
done = run("recording", arm, write("whole.npy", whole), "--sampled", 100, "--filter", "none", "-o", "-")
check("tandem recording reads plain arrays with --sampled",
      done.returncode == 0 and len(done.stdout.splitlines()) == 61, done.stderr)

# non-ASCII names, with quotes and control characters, in all versions of the format, and back; in JSON
# and on a terminal they are harmless
names = ["élan\r", "''x", "ж\u2028y"]
plain = "<link name='%s'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
links = "".join(plain % f"l{k}" for k in range(4))
joints = "".join(f'<joint name="{name}" type="continuous"><parent link="l{k}"/><child link="l{k + 1}"/>'
                 f'<axis xyz="0 1 0"/></joint>' for k, name in enumerate(names)).replace("\r", "&#13;")
foreign = folder / "foreign.urdf"
foreign.write_bytes(f"<robot name='r\u202ee'>{links}{joints}</robot>".encode())
done = run("simulate", foreign, "--time", 0.02, "-o", folder / "foreign.npy")
data = (folder / "foreign.npy").read_bytes()
got = read_records(folder / "foreign.npy")[0]
check("names beyond ASCII are written as version 3", data[6] == 3 and all(f"q:{n}" in got for n in names), done.stderr)
expected = run("id", foreign, write("plain.npy", [[0.1, 0.2, 0.3] + [0] * 6]), "-o", folder / "plain_out.npy")
expected = read(folder / "plain_out.npy")
for version, coding, chosen in ((1, "latin-1", names[:2]), (2, "latin-1", names[:2]), (3, "utf-8", names)):
    quoted = [repr(f"q:{name}") for name in chosen]
    descr = "[" + ", ".join(f"({name}, '<f8')" for name in quoted) + "]"
    heading = f"{{'descr': {descr}, 'fortran_order': False, 'shape': (1,), }}\n".encode(coding)
    path = folder / "named.npy"
    path.write_bytes(b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(heading)) +
                     heading + struct.pack(f"<{len(chosen)}d", *[0.1, 0.2, 0.3][:len(chosen)]))
    done = run("id", foreign, path, "-o", folder / "named_out.npy")
    good = done.returncode == 0 and len(read(folder / "named_out.npy")) == 1
    check(f"names of version {version}", good and
          (version < 3 or max(abs(a - b) for a, b in zip(read(folder / "named_out.npy")[0], expected[0])) < 1e-12),
          done.stderr)
odd = folder.joinpath("b\udced\udca0\udc80\udcc0\udc80.urdf")  # an unpaired UTF-16 surrogate, and an overlong sequence
odd.write_bytes(foreign.read_bytes())
said = subprocess.run([command, "info", "--json", odd], capture_output=True).stdout
check("JSON is UTF-8 whatever a file is called", json.loads(said.decode())["name"] == "r\u202ee")
for verb in ("info", "tree", "check"):
    said = subprocess.run([command, verb, odd], capture_output=True)
    text = (said.stdout + said.stderr).decode()
    check(f"{verb}: no control character or mark of direction",
          not any(c in text for c in "\r\u202e\u2028") and ("\\x0d" in text or verb == "check"), text)

# cutting or changing the header anywhere gives a message or a result, never a crash
whole = write("f.npy", rows[:2]).read_bytes()
fuzzed = folder / "fuzz.npy"
crashes = 0
for k in range(120):
    damaged = bytearray(whole)
    damaged[draw.randrange(128)] = draw.randrange(256)
    fuzzed.write_bytes(bytes(damaged[:draw.randrange(len(damaged))] if k % 2 else damaged))
    crashes += run("id", arm, fuzzed, "-o", out).returncode not in (0, 3, 4)
check("damaged files do no harm", crashes == 0)
print(f"1..{len(results)}")
sys.exit(not all(results))

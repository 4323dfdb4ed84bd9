#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables as other programs write them: compressed, with clock times, with paths as names, with decimal commas. TAP.

    python3 test/tables.py COMMAND DIRECTORY_OF_ROBOTS ["no zlib"] ["no yaml"]
"""
import gzip
import math
import pathlib
import resource
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from tap import check, finish  # noqa: E402

command, robots = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
scratch = tempfile.TemporaryDirectory()
folder = pathlib.Path(scratch.name)
arm = robots / "arm7.urdf"


def bounded(memory):
    """Returns whether the command starts in that many bytes; a sanitizer reserves terabytes of addresses."""
    return subprocess.run([command, "--version"], capture_output=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory))).returncode == 0


def run(*arguments, data=None, code=0, memory=None):
    limit = (lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory))) if memory else None
    done = subprocess.run([command, *map(str, arguments)], capture_output=True, input=data, preexec_fn=limit)
    out, err = done.stdout.decode(), done.stderr.decode()
    assert done.returncode == code, (arguments, done.returncode, err)
    return out, err


def table(rows, heading="t,q:joint_1,q:joint_2,qd:joint_1"):
    return "\n".join([heading] + [",".join(map(repr, r)) for r in rows]) + "\n"


ROWS = [[0.01 * k, math.sin(0.1 * k), 0.3 * math.cos(0.1 * k), math.cos(0.2 * k)] for k in range(2000)]
PLAIN = table(ROWS)
WANTED = run("id", arm, "-", data=PLAIN.encode())[0]


def packed():
    data = PLAIN.encode()
    for name, text in (("a.csv.gz", gzip.compress(data)), ("b.txt", gzip.compress(data, 1)),
                       ("c.gz", gzip.compress(data[:5000]) + gzip.compress(data[5000:]) + bytes(512))):
        (folder / name).write_bytes(text)
        assert run("id", arm, folder / name)[0] == WANTED
        assert run("id", arm, "-", data=text)[0] == WANTED
    recorded = run("recording", arm, "-", "-o", "-", "--filter", "none", data=data)[0]
    assert recorded == run("recording", arm, folder / "a.csv.gz", "-o", "-", "--filter", "none")[0]
    assert len(run("simulate", arm, "--drive", folder / "a.csv.gz", "--time", "0.1")[0]) > 100


def arrays_by_content():
    run("fk", arm, "-", "-o", folder / "x.npy", data=PLAIN.encode())
    run("trajectory", arm, "-", "-o", folder / "s.npy", data=b"t,q:joint_1\n0,0\n1,1\n")
    data = (folder / "s.npy").read_bytes()
    wanted = run("id", arm, folder / "s.npy")[0]
    (folder / "s.dat").write_bytes(data)
    (folder / "s.npy.gz").write_bytes(gzip.compress(data))
    for path in ("s.dat", "s.npy.gz"):
        assert run("id", arm, folder / path)[0] == wanted, path
    assert run("id", arm, "-", data=data)[0] == wanted
    assert run("id", arm, "-", data=gzip.compress(data))[0] == wanted
    for packed_or_not in (data, gzip.compress(data)):
        assert "--keep copies columns from CSV to CSV" in run("id", arm, "-", "--keep", data=packed_or_not, code=3)[1]


def hostile():
    data = gzip.compress(PLAIN.encode())
    for size in (3, 9, 20, len(data) // 2, len(data) - 3):
        assert "cut off" in run("id", arm, "-", data=data[:size], code=3)[1], size
    damaged = bytearray(data)
    damaged[len(data) // 2] ^= 255
    run("id", arm, "-", data=bytes(damaged), code=3)
    assert "damaged" in run("id", arm, "-", data=data + b"rest", code=3)[1]
    # small files that expand without end must not take memory: rows, blank lines, one line, one field
    for begin, piece, count, words in (
            ("q:joint_1\n", "0.5\n", 1 << 19, None), ("q:joint_1\n", "\n", 64 << 20, None),
            ("q:joint_1\n", "0,", 64 << 20, "the row is too long"), ("q:joint_1\n", "7", 64 << 20, "64 KiB"),
            ("", "#", 64 << 20, "longer"), ("q:joint_1\n", '"7', 64 << 20, "misplaced")) if bounded(400 << 20) else ():
        bomb = gzip.compress(begin.encode()) + gzip.compress(piece.encode() * (count // 8)) * 8
        err = run("mass", arm, "-", "-o", folder / "out.npy", data=bomb, memory=400 << 20, code=3 if words else 0)[1]
        assert words is None or words in err, (piece, err)
    for k in range(0, len(data), 97):
        broken = bytearray(data)
        broken[k] = (broken[k] + 1 + k) % 256
        done = subprocess.run([command, "id", arm, "-"], capture_output=True, input=bytes(broken))
        assert done.returncode in (0, 3), (k, done.returncode)


# the same motion by several clocks
def times_of(text, *options, name="id"):
    out, err = run(name, arm, "-", *options, data=text.encode())
    return [float(line.split(",")[0]) for line in out.splitlines()[1:]], err


def stamped(heading, stamps):
    return f"{heading},q:joint_1\n" + "".join(f"{s},{0.1 * k}\n" for k, s in enumerate(stamps))


def clocks():
    base, steps = 1700000000, [0, 1234567, 2000000000, 61000000001]  # ns
    wanted = [s * 1e-9 for s in steps]
    ns = [f"{base * 10**9 + s}" for s in steps]
    sec = [f"{base + s // 10**9}.{s % 10**9:09d}" for s in steps]
    for heading, stamps in (("t", sec), ("timestamp", ns), ("time_ns", ns), ("time [ns]", ns), ("header.stamp", ns),
                            ("__time", sec), ("/joint_states/header/stamp", sec), ("%time", ns),
                            ("Time (ns)", ns), ("timestamp_s", sec)):
        got, err = times_of(stamped(heading, stamps))
        assert all(abs(a - b) <= 1e-15 * (1 + abs(b)) for a, b in zip(got, wanted)), (heading, got)
        assert "t is counted from the first one" in err
    us = [f"{base * 10**6 + s // 1000}" for s in steps]
    got, err = times_of(stamped("timestamp", us))
    assert "by their size in us" in err and abs(got[2] - 2) < 1e-15, err
    ms = [f"{base * 10**3 + s // 10**6}" for s in steps]
    assert times_of(stamped("t", ms), "--unit", "ms")[0][2] == 2
    assert times_of(stamped("clock", ms), "--map", "clock=t", "--unit", "clock=ms")[0][2] == 2
    assert times_of(stamped("t", ["0", "1", "2", "3"]), "--unit", "ms")[0] == [0, 1e-3, 2e-3, 3e-3]
    # more digits than a double has, and numbers whose difference exceeds 64 bits
    assert times_of(stamped("t", ["1700000000." + "0" * 400 + "5", "1700000001." + "25" + "0" * 400]))[0] == [0, 1.25]
    assert times_of(stamped("t [ns]", ["1700000000000000000." + "9" * 400, "1700000001000000000." + "9" * 400]))[0] == [0, 1]
    got = times_of(stamped("t [ns]", ["9200000000000000000", "-3900000000000000000"]))[0]
    assert got[0] == 0 and abs(got[1] + 1.31e10) < 1e-3, got
    # two matches that are worse than a third are not ambiguous, in any order
    for heading in ("a/time,b/time,t", "a/time,t,b/time", "t,a/time,b/time"):
        values = ",".join({"t": "5"}.get(name, "7") for name in heading.split(","))
        assert times_of(f"{heading},q:joint_1\n{values},0\n")[0] == [5], heading
    assert "could both be the times" in run("id", arm, "-", data=b"a/time,b/time,q:joint_1\n1,1,0\n", code=3)[1]
    # not a clock: unchanged, to the last bit
    small = ["0.1", "0.30000000000000004", "1e3", "99999999.5"]
    got, err = times_of(stamped("t", small))
    assert got == [float(x) for x in small] and "clock" not in err


def dates():
    steps = [0, 0.25, 86400, 86400 * 366]
    for stamps in (["2024-02-28T23:59:59Z", "2024-02-28T23:59:59.25Z", "2024-02-29T23:59:59Z", "2025-02-28T23:59:59Z"],
                   ["2024-02-29 01:59:59+02:00", "2024-02-29T01:59:59,25+0200", "2024-02-29 23:59:59", "2025-02-28 18:59:59-05"],
                   ["2024-03-01T00:00", "2024-03-01T00:00:00.25", "2024-03-02T00:00:00", "2025-03-02T00:00Z"]):
        quoted = [f'"{s}"' for s in stamps]
        for heading in ("t", "timestamp"):
            got, err = times_of(stamped(heading, quoted))
            assert all(abs(a - b) < 1e-12 for a, b in zip(got, steps)), (stamps, got)
            assert "clock times" in err
    text = stamped("time", [f"2024-01-01T00:00:{k:02d}Z" for k in range(20)])
    assert "20 rows, 19 s from 0 s" in run("recording", arm, "-", data=text.encode())[0]
    run("simulate", arm, "--drive", "-", "--time", "0.05", data=text.encode())
    # a day has 24 hours, a month its days, and a minute 61 seconds only at the end of a month in UTC
    bad = ["2024-13-01T00:00:00", "2024-01-01", "2024-01-01T00:00:61", "12:00:00", "yesterday", "2023-02-30T24:59:60Z",
           "2023-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2024-02-30T00:00:00Z", "2024-04-31T00:00:00Z", "2024-00-10T00:00:00Z",
           "2024-01-00T00:00:00Z", "2024-01-01T24:00:01Z", "2024-01-01T24:30Z", "2024-01-01T24:00:00.1Z", "2024-01-01T25:00:00Z",
           "2024-06-30T22:59:60Z", "2024-06-29T23:59:60Z", "2024-06-30T23:58:60Z", "2024-06-30T23:59:60+02:00",
           "2024-07-01T00:59:60+02:00", "2024-07-01T23:59:60Z"]
    for stamp in bad:
        assert "is not a time" in run("id", arm, "-", data=stamped("t", [stamp]).encode(), code=3)[1], stamp
    for stamp in ("2024-02-29T00:00:00Z", "2000-02-29T00:00:00Z", "2024-12-31T24:00:00Z", "2016-12-31T23:59:60Z", "2016-12-31T23:59:60.5Z",
                  "2017-01-01T01:59:60+02:00", "2016-12-31T18:59:60-05:00", "2024-06-30T23:59:60Z"):
        assert times_of(stamped("t", [stamp]))[0] == [0], stamp
    assert times_of(stamped("t", ["2016-12-31T23:59:59Z", "2017-01-01T01:59:60+02:00"]))[0] == [0, 1]
    assert "is not a time" in run("id", arm, "-", data=stamped("t", ["2024-01-01T00:00:00", "5"]).encode(), code=3)[1]
    # a missing time becomes NaN, and its row still has a result
    out = run("id", arm, "-", data=stamped("t", ["", "2024-01-01T00:00:00", "2024-01-01T00:00:03"]).encode())[0]
    assert [line.split(",")[0] for line in out.splitlines()[1:]] == ["nan", "0", "3"]


def paths():
    wanted = run("id", arm, "-", data=PLAIN.encode())[0]
    for form in ("/joint_states/{j}/{m}", "joint_states.{j}.{m}", "/joint_states/{m}/{j}", "{m}.{j}", "{j}/{m}"):
        columns = [form.format(j=j, m=m) for j, m in (("joint_1", "position"), ("joint_2", "position"), ("joint_1", "velocity"))]
        heading = ",".join(["__time", *columns, "/joint_states/joint_1/temperature"])
        out, err = run("id", arm, "-", data=table([r + [20.0] for r in ROWS], heading).encode())
        assert out == wanted and "not used: column '/joint_states/joint_1/temperature'" in err, (form, err)
    # an exact column name takes precedence over a path; of two paths, neither matches
    twice = "t,q:joint_1,/a/joint_1/position\n0,0.5,7\n"
    out, err = run("id", arm, "-", data=twice.encode())
    assert out == run("id", arm, "-", data=b"t,q:joint_1\n0,0.5\n")[0] and "/a/joint_1/position" in err
    both = b"t,/a/joint_1/position,/b/joint_1/pos,/b/joint_2/position\n0,1,2,3\n0.01,1,2,3\n"
    err = run("id", arm, "-", data=both, code=3)[1]
    assert "q:joint_1 could be any of the columns '/a/joint_1/position', '/b/joint_1/pos'" in err, err
    assert run("id", arm, "-", "--map", "/a/joint_1/position=", data=both)[0] == \
        run("id", arm, "-", data=b"t,q:joint_1,q:joint_2\n0,2,3\n0.01,2,3\n")[0]
    # columns that --keep passes on are omitted too, and do not make a table without inputs acceptable
    short = b"/a/joint_1/position,q:joint_2\n1,2\n"
    out = run("fk", arm, "-", "--keep", "--map", "/a/joint_1/position=", data=short)[0].splitlines()
    wanted = run("fk", arm, "-", "--keep", data=b"q:joint_2\n2\n")[0].splitlines()
    assert out == ["/a/joint_1/position," + wanted[0], "1," + wanted[1]], out
    for keep in ([], ["--keep"]):
        assert "no column names one of this robot's q:JOINT" in run("fk", arm, "-", *keep, data=b"foo,a/b\n1,2\n", code=3)[1], keep
    # a long path is matched by its last words
    long = "q/" * 32000
    assert run("id", arm, "-", data=f"{long}joint_1,q:joint_2\n1,2\n".encode())[0] == \
        run("id", arm, "-", data=b"q:joint_1,q:joint_2\n1,2\n")[0]
    run("id", arm, "-", data=",".join(["q:joint_1"] + [f"{long}{k}" for k in range(50)]).encode() + b"\n" + b"0," * 50 + b"0\n")
    # degrees, and names that match no joint
    assert run("id", arm, "-", data=b"/x/joint_1/position [deg]\n90\n")[0] == \
        run("id", arm, "-", "--unit", "deg", data=b"q:joint_1\n90\n")[0]
    err = run("id", arm, "-", data=b"t,position[0],q:joint_2\n0,1,2\n")[1]
    assert "does not name its joint; give --map 'position[0]=JOINT'" in err
    assert run("id", arm, "-", "--map", "position[0]=joint_1", data=b"t,position[0],q:joint_2\n0,1,2\n")[0] == \
        run("id", arm, "-", data=b"t,q:joint_1,q:joint_2\n0,1,2\n")[0]


def echoed(names, rows, lists=3, line="\n", header=True):
    """Joint states as ros2 topic echo prints them: YAML, and --csv. rows: seconds, nanoseconds and numbers of each."""
    yaml, comma = "", ""
    for second, nanosecond, *numbers in rows:
        each = [numbers[len(names) * k:len(names) * (k + 1)] for k in range(lists)] + [[]] * (3 - lists)
        if header:
            yaml += f"header:\n  stamp:\n    sec: {second}\n    nanosec: {nanosecond}\n  frame_id: ''\n"
        for key, values in zip(("name", "position", "velocity", "effort"), (names, *each)):
            yaml += f"{key}:" + ("".join(f"\n- {x}" for x in values) or " []") + "\n"
        yaml += "---\n"
        fields = [[second, nanosecond, "base"], names, *each]
        comma += ",".join(",".join(map(str, f)) for f in fields) + "\n"
    return yaml.replace("\n", line), comma.replace("\n", line)


def joint_states():
    """Messages of ROS give the results of the same table, in YAML and CSV; followers and other joints are left out."""
    gripper, driver = robots / "gripper.urdf", "driver_joint"
    stamps = [(1700000000, 5), (1700000000, 20000005), (1700000001, 0), (1700000002, 999999999)]
    numbers = [[0.1 + 0.01 * k, -0.5, 0.2 * k, 0.5, 3, 2] for k in range(4)]
    rows = [[*s, *x] for s, x in zip(stamps, numbers)]
    plain = "t,q:driver_joint,qd:driver_joint,tau:driver_joint\n" + "".join(
        f"{s}.{n:09d},{x[0]},{x[2]},{x[4]}\n" for (s, n), x in zip(stamps, numbers))
    names = [driver, "rack_joint"]  # a follower
    for name in ("id", "fd", "fk"):
        wanted = run(name, gripper, "-", data=plain.encode())[0]
        for line in ("\n", "\r\n"):
            for text in echoed(names, rows, line=line):
                for mark in ("", "\ufeff", "\n---\n# a comment\n"):
                    if not (mark.strip() and mark[0] == "\n" and text[0] == "1"):
                        out, err = run(name, gripper, "-", data=(mark + text).encode())
                        assert out == wanted, (name, text[:300])
                        assert "not used: column" in err and "'q:rack_joint'" in err and "from the first one" in err, err
    assert wanted.splitlines()[2].startswith("0.02,"), wanted
    # flow style, ROS 1, other orders, no stamp, joints of other robots, numbers that are missing
    flow = "header: {stamp: {secs: 3, nsecs: 7}}\nname: [x, driver_joint]\neffort: []\nvelocity: [.nan, 2]\nposition: [.inf, 0.25]\n"
    out, err = run("id", gripper, "-", data=flow.encode())
    assert out == run("id", gripper, "-", data=b"t,q:driver_joint,qd:driver_joint\n3.000000007,0.25,2\n")[0]
    assert "not used: columns 'q:x', 'qd:x'" in err, err
    short = "name: [driver_joint]\nposition: [0.25]"
    (folder / "state.yaml").write_text(short)
    assert run("id", gripper, "--state", folder / "state.yaml")[0] == run("id", gripper, "-q", "driver_joint=0.25")[0]
    assert run("id", gripper, "-", data=short.encode())[0] == run("id", gripper, "-", data=b"q:driver_joint\n0.25\n")[0]
    out = run("id", gripper, "-", data=short.replace("0.25", ".nan").encode(), code=1)[0]
    assert out.splitlines()[1] == "nan", out
    # an empty list of --csv is an empty field, so effort is not velocity; lists missing at the end are empty
    torque = run("fd", gripper, "-", data=b"t,q:driver_joint,tau:driver_joint\n1.000000000,0.5,2\n")[0]
    assert run("fd", gripper, "-", data=b"1,0,,driver_joint,0.5,,2\n")[0] == torque
    assert run("fk", gripper, "-", data=b"1,0,,driver_joint,0.5\n")[0] == run("fk", gripper, "-", data=b"1,0,,driver_joint,0.5,,\n")[0]
    # options about columns, other commands, packed
    yaml, comma = echoed(names, rows)
    assert run("id", gripper, "-", "--map", "q:rack_joint=", data=yaml.encode())[0] == run("id", gripper, "-", data=comma.encode())[0]
    assert run("id", gripper, "-", "--map", "t=", data=yaml.encode())[0] == run("id", gripper, "-", "--map", "t=", data=plain.encode())[0]
    if "no zlib" not in sys.argv:
        assert run("id", gripper, "-", data=gzip.compress(yaml.encode()))[0] == run("id", gripper, "-", data=plain.encode())[0]
    both = "t,q:driver_joint,q:rack_joint,qd:driver_joint,qd:rack_joint\n" + "".join(
        f"{s}.{n:09d},{','.join(map(str, x[:4]))}\n" for (s, n), x in zip(stamps, numbers))
    assert run("complete", gripper, "-", "--tolerance", "9", data=comma.encode())[0] == \
        run("complete", gripper, "-", "--tolerance", "9", data=both.encode())[0]
    many = echoed([driver], [[10 + k // 100, k % 100 * 10 ** 7, round(math.sin(0.02 * k), 9)] for k in range(500)], lists=1)
    table_of = "t,q:driver_joint\n" + "".join(f"{10 + k // 100}.{k % 100:02d}0000000,{math.sin(0.02 * k):.9f}\n" for k in range(500))
    wanted = run("recording", gripper, "-", "-o", "-", data=table_of.encode())[0]
    assert run("recording", gripper, "-", "-o", "-", data=many[0].encode())[0] == wanted
    assert run("recording", gripper, "-", "-o", "-", data=many[1].encode())[0] == wanted


def bad_joint_states():
    gripper, driver = robots / "gripper.urdf", "driver_joint"
    yaml, comma = echoed([driver], [[1, 0, 0.1], [2, 0, 0.2]], lists=1)
    other = yaml.replace("- driver_joint\nposition:\n- 0.2", "- x\nposition:\n- 0.2")
    for text, words in (
            (yaml.replace("- 0.2", "- 0.2\n- 3"), ":13: the message has 2 numbers in 'position', but 1 name"),
            (yaml.replace("- 0.2", "- fast"), "row 2, column 'q:driver_joint': 'fast' is not a finite number"),
            (other, ":13: message 2 has joint 'x', but the first one has 'driver_joint'"),
            (yaml.replace("- 0.2\nvelocity: []", "- 0.2\nvelocity: [1]"), "message 2 has a list 'velocity', but the first one has none"),
            (yaml.replace("position:\n- 0.2", "position: []"), "the message has no position, velocity or effort"),
            (yaml.replace("name:\n- driver_joint", "name: []"), "the message names no joints"),
            (yaml.replace("effort", "torque"), ":11: 'torque': a JointState has only header, name, position, velocity and effort"),
            (yaml.replace("effort: []", "velocity: []"), ":11: 'velocity': the key occurs twice"),
            (yaml.replace("nanosec: 0", "nanosec: -1"), "'1' and '-1' are not the seconds and nanoseconds"),
            (yaml.replace("    nanosec: 0\n", ""), ":3: 'stamp': expected sec and nanosec"),
            (yaml.replace("- 0.1", "- 0.1\n- '...'"), "ros2 topic echo --full-length"),
            (yaml.replace("- 0.1", "- [0.1]"), "'position': expected numbers"),
            (yaml.replace("\n- 0.1", " 0.1"), "'position': expected a list"),
            (yaml.replace("---\nheader", "---\nname: [driver_joint]\nposition: [1]\n---\nheader"), "some messages have a time stamp"),
            (yaml[:-30], "the last message is cut off"), (yaml.replace("- 0.2", "- 0.2\n\t]"), ":22: not well-formed YAML"),
            ("header:\n---\n", "names no joints"), ("name: \n", "'name': expected a list"), ("---\n---\nname: \n", ":3: 'name'"),
            (comma + "3,0,base,driver_joint,1,2,3,4\n", ":3: message 3 has 8 fields, which does not fit"),
            (comma + "3,0,base\n", ":3: message 3 has 3 fields, which does not fit"),
            (comma + "3,0,base,x,1,,\n", ":3: message 3 has joint 'x'"), (comma + "3.5,0,base,driver_joint,1,,\n", "'3.5' and '0' are not"),
            (comma + "3,0,base,driver_joint,1,2,\n", "message 3 has a list 'velocity'"),
            ("1,0,base,a,b,1,2,3\n", ":1: message 1 has 8 fields, which does not fit a time, a frame, 2 joints"), ("1,0,,driver_joint,...,1,...\n", "--full-length"),
            ("1,0,base,a,b,1,2\n", "no column names one of this robot's q:JOINT"),
            ("name: [driver_joint]\nposition: [" + "1," * (17 << 19) + "1]\n", "larger than 16 MiB")):
        err = run("fk", gripper, "-", data=text.encode(), code=3)[1]
        assert words in err, (text[:400], err)
    (folder / "two.yaml").write_text(yaml)
    assert "a state must have one row" in run("id", gripper, "--state", folder / "two.yaml", code=3)[1]
    # rows before a fault are passed on, and headings that resemble messages are read as before
    assert len(run("fk", gripper, "-", data=other.encode(), code=3)[0].splitlines()) == 2
    assert run("fk", gripper, "-", data=b"q:driver_joint,name:\n0.5,1\n")[0] == run("fk", gripper, "-", data=b"q:driver_joint\n0.5\n")[0]
    assert run("fk", gripper, "-", "--map", "1=driver_joint", data=b"0,1,x\n7,0.5,8\n")[0] == \
        run("fk", gripper, "-", data=b"q:driver_joint\n0.5\n")[0]


def spreadsheets():
    """Decimal commas, quotes, byte order marks, line endings, comments and blanks: the same numbers."""
    short = ROWS[:20]
    wanted = run("id", arm, "-", data=table(short).encode())[0]
    comma = "\r\n".join(["t;q:joint_1;q:joint_2;qd:joint_1"] +
                        [";".join(repr(x).replace(".", ",") for x in r) for r in short]) + "\r\n"
    quoted = "\n".join(['"t","q:joint_1","q:joint_2","qd:joint_1"'] +
                       [",".join(f'"{x!r}"' for x in r) for r in short]) + "\n"
    tabs = "# a comment\n" + table(short).replace(",", "\t").replace("\n", " \n\n")
    for text in (comma, quoted, tabs, comma.replace("\r\n", "\n")[:-1]):
        for mark in (b"", b"\xef\xbb\xbf"):
            assert run("id", arm, "-", data=mark + text.encode())[0] == wanted, text[:200]


def columns(text, prefix):
    lines = text.splitlines()
    which = [i for i, name in enumerate(lines[0].split(",")) if name.startswith(prefix)]
    return [[float(line.split(",")[i]) for i in which] for line in lines[1:]]


def largest(rows):
    return max(abs(x) for row in rows for x in row)


def again():
    """The torques of a motion equal id with --passive on its table."""
    for name, options in (("arm7.urdf", ["--tau", "joint_2=3", "--wrench", "tool=force:1,2,3,moment:0.1,0.2,0.3,point:0,0,0.1"]),
                          ("gripper.urdf", ["--pd", "5,0.1", "-q", "driver_joint=0.3"]),
                          ("four_bar.urdf", ["--tau", "crank_joint=0.2"]), ("arm7.urdf", ["--no-passive"])):
        motion, err = run("simulate", robots / name, "--time", "0.2", *options)
        loads = options[2:] if "--wrench" in options else []
        passive = [] if "--no-passive" in options else ["--passive"]
        found, said = run("id", robots / name, "-", *loads, *passive, data=motion.encode())
        wanted, got = columns(motion, "tau:"), columns(found, "tau:")
        assert len(got) == 21 and len(got[0]) == len(wanted[0]) > 0
        forces = 1 + largest(wanted)
        assert all(abs(a - b) < 1e-9 * forces for r, s in zip(wanted, got) for a, b in zip(r, s)), name
        if name == "arm7.urdf":
            assert f"passive forces of joints are {'on' if passive else 'off'}" in said, said
            assert f"passive forces of joints are {'on' if passive else 'off'}" in err, err
            without = columns(run("id", robots / name, "-", *loads, data=motion.encode())[0], "tau:")
            assert not passive or largest([[a - b for a, b in zip(r, s)] for r, s in zip(wanted, without)]) > 1e-3


def close(found, wanted, tolerance=1e-9):
    scale = 1 + largest(wanted)
    assert len(found) == len(wanted) and len(found[0]) == len(wanted[0]) > 0, (len(found), len(wanted))
    assert all(abs(a - b) < tolerance * scale for r, s in zip(wanted, found) for a, b in zip(r, s)), (found[-1], wanted[-1])


def with_columns(text, names, values):
    lines = text.splitlines()
    return "\n".join([lines[0] + "," + names] + [f"{line},{value}" for line, value in zip(lines[1:], values)]).encode()


def pushed():
    """Columns wrench: of a recording and of forces have the effect of --wrench, and change from row to row."""
    same = with_columns(PLAIN, "wrench:tool.fx [kN],wrench:tool.mz", ["0.01,2"] * len(ROWS))
    option = run("recording", arm, "-", "-o", "-", "--wrench", "tool=force:10,0,0,moment:0,0,2", data=PLAIN.encode())[0]
    close(columns(run("recording", arm, "-", "-o", "-", data=same)[0], "tau:"), columns(option, "tau:"))
    push = [f"{0.5 * r[0]!r},{math.sin(r[0])!r}" for r in ROWS]
    varying = with_columns(PLAIN, "wrench:tool.fz,wrench:link_3.my", push)
    motion = run("recording", arm, "-", "-o", "-", data=varying)[0]
    again = with_columns(motion, "wrench:tool.fz,wrench:link_3.my", push)
    close(columns(run("id", arm, "-", "--passive", data=again)[0], "tau:"), columns(motion, "tau:"))
    report = run("recording", arm, "-", "--json", data=varying)[0]
    assert '"wrenches"' in report
    gap = varying.decode().splitlines()
    gap[40] = gap[40].rsplit(",", 2)[0] + ",,0.4"
    assert "interpolated" in run("recording", arm, "-", data="\n".join(gap).encode())[1]

    # uneven steps, which the Butterworth filter does not support: joints and forces at the same new times
    uneven = [r for k, r in enumerate(ROWS) if k < 900 or k > 1500 or k % 3]
    text = table(uneven)
    option = run("recording", arm, "-", "-o", "-", "--filter", "butterworth", "--wrench", "tool=force:10,0,0,moment:0,0,2", data=text.encode())
    assert "resampled" in option[1]
    same = with_columns(text, "wrench:tool.fx [kN],wrench:tool.mz", ["0.01,2"] * len(uneven))
    close(columns(run("recording", arm, "-", "-o", "-", "--filter", "butterworth", data=same)[0], "tau:"), columns(option[0], "tau:"))
    varying = with_columns(text, "wrench:tool.fz", [repr(3 * r[0] - 1) for r in uneven])
    motion = run("recording", arm, "-", "-o", "-", "--filter", "butterworth", data=varying)[0]
    times = [row[0] for row in columns(motion, "t")]
    assert len(times) == len(ROWS)
    again = with_columns(motion, "wrench:tool.fz", [repr(3 * t - 1) for t in times])
    close(columns(run("id", arm, "-", "--passive", data=again)[0], "tau:"), columns(motion, "tau:"))

    forces = "t,tau:joint_1,wrench:tool.fz,wrench:tool.my\n0,1,5,0\n0.1,2,-5,1\n0.3,0,7,0.5\n"
    for curve in ("step", "linear"):
        motion = run("simulate", arm, "--tau", "-", "--interpolate", curve, "--rate", "50", "--time", "0.3", data=forces.encode())[0]
        times = [row[0] for row in columns(motion, "t")]
        values = [[float(x) for x in line.split(",")] for line in forces.splitlines()[1:]]

        def at(t, k):
            i = max(j for j in range(3) if values[j][0] <= t + 1e-12)
            if curve == "step" or i == 2:
                return values[i][k]
            part = (t - values[i][0]) / (values[i + 1][0] - values[i][0])
            return (1 - part) * values[i][k] + part * values[i + 1][k]
        again = with_columns(motion, "wrench:tool.fz,wrench:tool.my",
                             [f"{at(t, 2)!r},{at(t, 3)!r}" for t in times])
        close(columns(run("fd", arm, "-", "--passive", data=again)[0], "qdd:")[:-1], columns(motion, "qdd:")[:-1], 1e-7)
    alone = "t,wrench:tool.fz\n0,5\n1,5\n"
    found = run("simulate", arm, "--tau", "-", "--time", "0.2", data=alone.encode())[0]
    close(columns(found, "q:"), columns(run("simulate", arm, "--wrench", "tool=0,0,5", "--time", "0.2")[0], "q:"), 1e-7)


def one_state():
    """A state that -o saves is a table of one row, and JSON as printed."""
    state = ["-q", "joint_1=0.3,joint_4=-0.2", "--qd", "joint_2=1"]
    row = b"q:joint_1,q:joint_4,qd:joint_2\n0.3,-0.2,1\n"
    for name, more in (("id", []), ("fd", []), ("energy", []), ("derivatives", [])):
        wanted = run(name, arm, "-", *more, data=row)[0]
        run(name, arm, *state, *more, "-o", folder / "one.csv")
        assert (folder / "one.csv").read_text() == wanted and run(name, arm, *state, *more, "-o", "-")[0] == wanted, name
        run(name, arm, "-", "-o", folder / "table.npy", data=row)
        run(name, arm, *state, "-o", folder / "one.npy")
        assert (folder / "table.npy").read_bytes() == (folder / "one.npy").read_bytes(), name
        run(name, arm, *state, "-o", folder / "one.json")
        assert (folder / "one.json").read_text() == run(name, arm, *state, "--json")[0], name
        run(name, arm, *state, "-o", folder / "one.parquet", code=2)
    for name in ("fk", "mass", "closure"):
        assert run(name, arm, *state[:2], "-o", "-")[0] == run(name, arm, "-", data=b"q:joint_1,q:joint_4\n0.3,-0.2\n")[0]


def missing():
    """A missing number makes its row NaN where rows are independent, and is refused in a motion."""
    for word in ("", "nan", "NaN", "inf", "null", "NA", "-"):
        data = f"t,q:joint_1,q:joint_2\n0,0.1,0\n1,{word},0\n2,0.3,0\n3,0.2,0\n4,0.1,0\n".encode()
        for name in ("id", "fd", "fk", "mass", "energy", "closure"):
            out = run(name, arm, "-", data=data, code=1)[0].splitlines()
            assert "nan" not in out[1] and "nan" in out[2] and "nan" not in out[3], (name, word)
        for arguments in (("trajectory", arm, "-"), ("simulate", arm, "--drive", "-")):
            assert "column 'q:joint_1'" in run(*arguments, data=data, code=3)[1], (arguments, word)
        assert "interpolated" in run("recording", arm, "-", data=data)[1]


def no_zlib():
    assert "packed by gzip" in run("id", arm, "-", data=gzip.compress(b"q:joint_1\n0\n"), code=3)[1]


def no_yaml():
    assert "ros2 topic echo --csv" in run("fk", arm, "-", data=b"name: [joint_1]\nposition: [1]\n", code=3)[1]
    assert run("fk", arm, "-", data=b"1,0,,joint_1,1,,\n")[0] == run("fk", arm, "-", data=b"t,q:joint_1\n1.000000000,1\n")[0]


if "no zlib" in sys.argv:
    check("gzip is refused without zlib", no_zlib)
else:
    check("gzip, whatever the name: text", packed)
    check("arrays by their first bytes, packed or not", arrays_by_content)
    check("cut off, damaged, and growing without end", hostile)
check("times of clocks", clocks)
check("dates", dates)
check("names that are paths", paths)
if "no yaml" in sys.argv:
    check("joint states of ROS are refused without YAML", no_yaml)
else:
    check("joint states of ROS", joint_states)
    check("joint states of ROS that are wrong", bad_joint_states)
check("as spreadsheets write them", spreadsheets)
check("numbers that are missing", missing)
check("torques of a motion, again", again)
check("one state", one_state)
check("wrenches of recordings and of tables of forces", pushed)
finish()

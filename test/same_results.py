#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the output of two builds of the command for all robots, to the byte.

    python3 test/same_results.py BEFORE AFTER [FOLDER...]

BEFORE and AFTER are two tandem programs. Both compute inverse and forward dynamics of one state and of a table of
states, the mass matrix, the closure, and a motion, with all digits, for each robot in the folders (default:
urdf/robots). For changes that only move code. Prints a line for each robot and command that differ and a total. Exits
with 1 if there are any.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent.parent
STATES = 5


def run(program, *arguments, given=None):
    done = subprocess.run([program, *map(str, arguments)], input=given, capture_output=True, text=True, check=False, timeout=600)
    return done.returncode, done.stdout, re.sub(r"(?m)^speed .*$", "", done.stderr)


def table_of(program, robot, qd):
    """Returns a table of states near the reference: the given state, displaced by fractions of a radian."""
    _, printed, _ = run(program, "id", "--json", robot)
    names = re.search(r'"q":\s*\{(.*?)\}', printed, re.DOTALL)
    if not names:
        return None
    pairs = re.findall(r'"([^"]+)":\s*([-+.\de]+)', names[1])
    head = [f"q:{name}" for name, _ in pairs] + [f"qd:{name}" for name, _ in pairs] * qd
    rows = [",".join(head)]
    for k in range(STATES):
        rows.append(",".join([repr(float(value) + 0.01 * k * (1 + i % 3)) for i, (_, value) in enumerate(pairs)] +
                             [repr(0.1 * (k + 1) * (-1) ** i) for i in range(len(pairs))] * qd))
    return "\n".join(rows) + "\n"


def commands(table):
    yield ("id", "--json"), None
    yield ("fd", "--json"), None
    yield ("mass", "--json"), None
    yield ("closure", "--json"), None
    yield ("simulate", "--time", "0.05", "--rate", "100"), None
    if table:
        yield ("id",), table
        yield ("fd",), table


def compare(before, after, robot):
    table = table_of(before, robot, qd=True)
    found, count = [], 0
    for arguments, given in commands(table):
        states = ["-"] if given else []
        count += 1
        if run(before, *arguments, robot, *states, given=given) != run(after, *arguments, robot, *states, given=given):
            found.append(f"{robot}: tandem {' '.join(arguments + tuple(states))}")
    return found, count


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    before, after = (os.path.abspath(p) for p in sys.argv[1:3])
    folders = [pathlib.Path(f) for f in sys.argv[3:]] or [HERE / "urdf" / "robots"]
    robots = sorted(path for folder in folders for path in folder.rglob("*.urdf"))
    different, count = [], 0
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for found, some in pool.map(lambda robot: compare(before, after, robot), robots):
            different += found
            count += some
    print("\n".join(different + [f"{len(robots)} robots, {count} results, {len(different)} differ"]))
    return bool(different) or not count


if __name__ == "__main__":
    sys.exit(main())

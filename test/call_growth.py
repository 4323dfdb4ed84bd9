#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks how the cost of calls for one state grows with the number of joints: linearly without matrices, with the
square with matrices, with the cube where matrices are factored. Counts instructions with valgrind. Robots are chains
about parallel, alternating and oblique axes, beams, robots whose joints all follow one joint (in a row and side by
side), and chains of four-bars. The number of joints grows by four. Functions without matrices use hundreds of joints,
because small robots take other code paths.

    python3 test/call_growth.py PROGRAM

Exit code 77 means skipped: valgrind does not work, or does not know the instructions of the build.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SIZES = {"four_bars": [8, 32, 128]}
USUAL = [30, 120, 480]
# Allowed excess factor when the number of joints grows by four. Costs besides the joints themselves, and checks of
# pivots that only long chains need, stay below it. The next power would add a factor of four.
SLACK = 2.2
KINDS = ["parallel", "alternating", "oblique", "beam", "followers", "star", "four_bars"]
# If some accelerations are given, robots with couplings factor the mass matrix.
FACTORED = {"hybrid_dynamics": ("followers", "star", "four_bars")}
# compute the mass matrix, which is optional; loop_reactions computes the effect of self-stress, O(constraints · links)
SQUARED = ("dynamics_terms", "tree_dynamics_terms", "loop_reactions")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def counts(program, kind, size):
    """Returns {name: (power, instructions)} for all functions."""
    with tempfile.TemporaryDirectory() as scratch:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={scratch}/out", "--toggle-collect=counted",
                   "--dump-after=counted", program, kind, str(size)]
        done = subprocess.run(command, env={**os.environ, "LD_BIND_NOW": "1"}, capture_output=True, text=True)
        if done.returncode in (132, -4):
            skip("the build is for instructions that valgrind does not know")
        assert done.returncode == 0, done.stderr
        found = {}
        for number, line in enumerate(done.stdout.splitlines(), 1):
            name, power, state = line.split()
            text = pathlib.Path(f"{scratch}/out.{number}").read_text(encoding="utf-8")
            if state == "done":
                found[name] = int(power), int(re.search(r"^(?:totals|summary): (\d+)", text, re.M)[1])
        return found


def main():
    program = sys.argv[1]
    try:
        if subprocess.run(["valgrind", "--quiet", "true"], capture_output=True).returncode:
            skip("there is no valgrind that works")
    except FileNotFoundError:
        skip("there is no valgrind")
    print(f"1..{len(KINDS)}")
    bad = 0
    for number, kind in enumerate(KINDS, 1):
        sizes = SIZES.get(kind, USUAL)
        found = [counts(program, kind, size) for size in sizes]
        wrong = []
        for name, (power, _) in found[1].items():
            power = 3 if kind in FACTORED.get(name, ()) else 2 if name in SQUARED else power
            first = 1 if power == 1 else 0
            if any(name not in found[k] for k in (first, first + 1)):
                continue
            few, many = (found[k][name][1] for k in (first, first + 1))
            if many > SLACK * (sizes[first + 1] / sizes[first]) ** power * few:
                wrong.append(f"{name} takes {few} instructions for {sizes[first]} and {many} for {sizes[first + 1]}")
        bad += bool(wrong) or len(found[1]) < 50
        print(f"{'not ok' if wrong or len(found[1]) < 50 else 'ok'} {number} - {kind}: {len(found[1])} functions")
        for line in wrong:
            print(f"# {line}")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())

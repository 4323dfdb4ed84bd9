#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What calls of one state cost grows with the size of robots as it must: with the joints where there are no matrices, with
their square where there are some, and with their cube where these are factored. Instructions by valgrind, of chains about
parallel, alternating and oblique axes, of beams, of joints that all follow one, in a row and beside each other, and of
chains of four-bars: four times as many joints, of hundreds where there are no matrices, since small robots go other ways.

    python3 test/call_growth.py PROGRAM

Exit code 77 means skipped: there is no valgrind that works, or the build is for instructions that it does not know.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SIZES = {"four_bars": [8, 32, 128]}
USUAL = [30, 120, 480]
# What counts beside the joints themselves, and that long chains have pivots examined which short ones need not, makes of
# four times as much less than this; the next power would make four times of it.
SLACK = 2.2
KINDS = ["parallel", "alternating", "oblique", "beam", "followers", "star", "four_bars"]
# Accelerations of which some are given are found by factors of the mass matrix where there are couplings.
FACTORED = {"hybrid_dynamics": ("followers", "star", "four_bars")}
# with the mass matrix, which they may lack; and with what self-stress changes, O(constraints · links)
SQUARED = ("dynamics_terms", "tree_dynamics_terms", "loop_reactions")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def counts(program, kind, size):
    """What each function takes: {name: (power, instructions)}."""
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

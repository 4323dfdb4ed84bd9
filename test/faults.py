# SPDX-License-Identifier: MIT
"""Checks the run-time faults of mutate.py. A program that contains all faults, with one of them selected, must behave
like a program with that fault written into its source. C and Python.

TAP: faults.py COMPILER...
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from mutation import faults, python_places, schemata, statements  # noqa: E402

here = pathlib.Path(__file__).resolve().parent / "mutation"
compiler = sys.argv[1:] or ["cc"]
MOST = 10  # compiled separately

python_sample = '''"""Sample."""
import math


def area(a, b=2 + 1, *, whole=True):
    """Twice."""
    if a > b and not whole:
        return a * b
    total = 0
    for i in range(3, 6):
        if i == 4:
            continue
        total += i - a
    return [total, b,
            math.sin(a) + total]


result = [area(1), area(5, whole=False), area(2, 7)]
'''


def with_fault(text, mutant):
    lines = text.split("\n")
    assert lines[mutant.line - 1] == mutant.before
    lines[mutant.line - 1] = mutant.after
    return "\n".join(lines)


def compiled(directory, name, text, *more):
    source, program = directory / f"{name}.c", directory / name
    source.write_text(text)
    done = subprocess.run([*compiler, "-std=gnu11", "-O0", "-w", "-o", program, source, *more, "-lm"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    return program if done.returncode == 0 else None  # or, with -fsyntax-only, an invalid fault


def said(program, **environment):
    """Returns a program's output in comparable form; a crash or a timeout counts as output."""
    try:
        done = subprocess.run([program], stdin=subprocess.DEVNULL, capture_output=True, timeout=10,
                              env=dict(os.environ, **environment))
        return "crash" if done.returncode < 0 else done.stdout
    except subprocess.TimeoutExpired:
        return "no end"


def c_differs(directory):
    """Returns a description of the difference, or None."""
    text = (here / "sample.c").read_text()
    header = f'#include "{here}/runtime.h"\n'
    places = schemata.Places(text, statements.regions(faults.blanked(text)), statements.pieces)
    placed, alone = {}, {}
    for number, mutant in enumerate(faults.choose({"sample.c": text}, 1)):
        found = places.place(number, mutant)
        program = found and len(alone) < MOST and compiled(directory, f"alone{number}", with_fault(text, mutant))
        if program and compiled(directory, "choice", header + schemata.written(text, found)[0], "-fsyntax-only"):
            placed[number], alone[number] = found, (mutant, program)
    whole, _ = schemata.written(text, [p for found in placed.values() for p in found])
    program = compiled(directory, "whole", header + whole, here / "runtime.c")
    if not program:
        return "what has all faults does not compile"
    plain = compiled(directory, "plain", text)
    if said(program) != said(plain):
        return "without a fault it is another program"
    changed = 0
    for number, (mutant, other) in alone.items():
        expected = said(other)
        changed += expected != said(plain)
        if said(program, TD_MUTATION_FAULT=str(number)) != expected and expected not in ("crash", "no end"):
            return f"line {mutant.line}: {mutant.after.strip()}"
    return None if len(alone) == MOST and changed > MOST / 2 else f"{len(alone)} faults, {changed} change something"


def python_result(text, number=-1):
    def chosen(n):
        return n == number
    scope = {"_chosen": chosen}
    try:
        exec(compile(text.replace(python_places.IMPORT, ""), "sample", "exec"), scope)
    except (TypeError, ValueError, NameError, IndexError, UnboundLocalError) as error:
        return type(error)
    return scope["result"]


def python_differs():
    places, placed, kept = python_places.Places(python_sample), [], {}
    for number, mutant in enumerate(faults.choose({"sample.py": python_sample}, 1)):
        found = places.place(number, mutant)
        if found and python_places.compiles(python_sample, mutant):
            kept[number] = mutant
            placed += found
    whole, _ = python_places.written(python_sample, placed)
    if python_result(whole) != python_result(python_sample):
        return "without a fault it is another program"
    for number, mutant in kept.items():
        if python_result(whole, number) != python_result(with_fault(python_sample, mutant)):
            return f"line {mutant.line}: {mutant.after.strip()}"
    return None if len(kept) > 8 else f"only {len(kept)} faults"


def tap(number, name, wrong):
    print(f"{'not ok' if wrong else 'ok'} {number} - {name}" + (f": {wrong}" if wrong else ""), flush=True)


print("1..2")
with tempfile.TemporaryDirectory() as scratch:
    results = [c_differs(pathlib.Path(scratch)), python_differs()]
tap(1, "faults of C", results[0])
tap(2, "faults of Python", results[1])
sys.exit(any(results))

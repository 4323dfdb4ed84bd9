# SPDX-License-Identifier: MIT
"""Compares the cost of calls from Python with calls from C, as ratios within one run.

    PYTHONPATH=build/python python3 python/bench/calls.py [ROBOT.urdf ...]

Reports the best times of several rounds. The C times are a loop over single calls inside the extension module, and one call
of the batch function with pointers kept from before.
"""
import pathlib
import sys
import threading
import time

import numpy as np

import tandem
from tandem import _functions
from tandem._native import Op, ffi, lib, new_object

ROBOTS = pathlib.Path(__file__).parents[2] / "urdf" / "robots"


def best(*calls, repeat=1, rounds=40):
    """Returns the seconds of each call, the best of alternating rounds."""
    least = [np.inf] * len(calls)
    for _ in range(rounds):
        for k, call in enumerate(calls):
            start = time.perf_counter()
            for _ in range(repeat):
                call()
            least[k] = min(least[k], (time.perf_counter() - start) / repeat)
    return least


def states(robot, n):
    rng = np.random.default_rng(0)
    return robot.random_configuration(n), rng.normal(size=(n, robot.nyd)), rng.normal(size=(n, robot.nyd))


def single(robot):
    y, yd, ydd = (a[0].copy() for a in states(robot, 1))
    n, out = 1000, np.empty(robot.nyd)
    name, one, _, arguments = _functions._inverse_dynamics.__self__.spec
    in_c = Op(name, one, -1, arguments).run  # without the batch function: one call per row
    rows = [np.tile(a, (n, 1)) for a in (y, yd, ydd)]
    many = np.empty((n, robot.nyd))
    c, = best(lambda: in_c(robot._handle(), many, None, *rows, None), rounds=200)
    given, made = best(lambda: robot.inverse_dynamics(y, yd, ydd, out=out), lambda: robot.inverse_dynamics(y, yd, ydd),
                       repeat=n, rounds=200)
    print(f"{robot.name}, inverse dynamics of one state: C {c / n * 1e9:.0f} ns, Python over that "
          f"{(given - c / n) * 1e9:.0f} ns with out=, {(made - c / n) * 1e9:.0f} ns without")


def batch(robot, n=4096):
    y, yd, ydd = states(robot, n)
    out = np.empty((n, robot.nyd))
    workspace = new_object("td_workspace", robot._model.pointer, ffi.NULL)
    pointers = [ffi.from_buffer("double[]", a) for a in (y, yd, ydd)]
    to = ffi.from_buffer("double[]", out)
    c, given, made = best(
        lambda: lib.td_batch_inverse_dynamics(robot._model.pointer, workspace, n, *pointers, ffi.NULL, to, ffi.NULL),
        lambda: robot.inverse_dynamics(y, yd, ydd, out=out), lambda: robot.inverse_dynamics(y, yd, ydd), rounds=150)
    print(f"{robot.name}, batch of {n} × {robot.nyd}: C {c * 1e3:.3f} ms, Python {given / c:.3f} × with out=, "
          f"{made / c:.3f} × without")


def threads(robot, n=100000):
    y, yd, ydd = states(robot, n)

    def work():
        out = np.empty((n, robot.nyd))
        for _ in range(5):
            robot.inverse_dynamics(y, yd, ydd, out=out)

    def two():
        pair = [threading.Thread(target=work) for _ in range(2)]
        for t in pair:
            t.start()
        for t in pair:
            t.join()

    one, both = best(work, two, rounds=10)
    print(f"{robot.name}, two Python threads: {2 * one / both:.2f} × one")


def million(robot):
    y, yd, ydd = states(robot, 1000000)
    out = np.empty((1000000, robot.nyd))
    seconds, = best(lambda: robot.inverse_dynamics(y, yd, ydd, out=out), rounds=3)
    print(f"{robot.name}, a million states: {seconds:.3f} s")


def main():
    given = [tandem.load(path) for path in sys.argv[1:]]
    single(tandem.load(ROBOTS / "arm7.urdf"))
    batch(tandem.load(ROBOTS / "humanoid.urdf"))
    threads(tandem.load(ROBOTS / "arm7.urdf"))
    for robot in given or [tandem.load(ROBOTS / "arm7.urdf")]:
        single(robot)
        million(robot)


main()

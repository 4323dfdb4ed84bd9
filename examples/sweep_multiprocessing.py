# SPDX-License-Identifier: MIT
"""Computes the largest joint forces of a robot over many random states in several processes. The result does not depend on
their number.

    python3 sweep_multiprocessing.py ROBOT.urdf [STATES [PROCESSES]]

The robot is pickled once per process. Each state depends only on its index, by NumPy's Philox generator. The states of a
part are evaluated in one call and reduced in the same process. The result does not depend on the order of parts: among equal
extremes the smaller index is kept, and sums of parts are added exactly, as fractions. The random numbers are the same as in
`tandem sweep`.
"""
import functools
import multiprocessing
import sys
from fractions import Fraction
from typing import Any, Dict, List, NamedTuple, Tuple

import numpy as np

import tandem

PART = 16384  # states per part, the only thing that determines the states of a part
SEED = 1


class Kept(NamedTuple):
    """Statistics of some states. Forces are (nyd,)."""

    states: int
    least: tandem.Array
    least_state: Any
    most: tandem.Array
    most_state: Any
    sums: List[Fraction]
    failed: Dict[int, Tuple[int, int]]  # by status: number of states, and the first one


def points(first: int, count: int, dimensions: int) -> tandem.Array:
    """Returns (count, dimensions) numbers in (0, 1) for states first … first + count - 1."""
    # NumPy increments the counter first, so this starts one lower; its lowest 64 of 256 bits are the state, the next the block
    blocks = [np.random.Philox(key=SEED, counter=((block << 64) + first - 1) % 2**256).random_raw(4 * count).reshape(count, 4)
              for block in range(-(-dimensions // 4))]
    return np.asarray(((np.hstack(blocks)[:, :dimensions] >> np.uint64(12)) + 0.5) / 2.0**52, np.float64)


def part(robot: tandem.Robot, first: int, count: int) -> Kept:
    """Evaluates states first … first + count - 1, with positions, velocities and accelerations within limits.

    Continuous joints cover one full turn.
    """
    speed = np.minimum(robot.velocity_limit, 10)
    upper = np.concatenate([np.where(np.isfinite(robot.upper), robot.upper, np.pi), speed, np.full(robot.nyd, 20.0)])
    lower = np.concatenate([np.where(np.isfinite(robot.lower), robot.lower, -np.pi), -upper[robot.ny:]])
    y, yd, ydd = np.split(lower + (upper - lower) * points(first, count, len(lower)), 3, axis=1)
    statuses = np.zeros(count, dtype=np.intc)
    tau = robot.inverse_dynamics(y, yd, ydd, statuses=statuses)
    failed = {int(status): (int(np.sum(statuses == status)), first + int(np.argmax(statuses == status)))
              for status in np.unique(statuses[statuses != 0])}
    least, most = np.where(statuses == 0, tau.T, np.inf), np.where(statuses == 0, tau.T, -np.inf)
    return Kept(count, least.min(axis=1), first + least.argmin(axis=1), most.max(axis=1), first + most.argmax(axis=1),
                [Fraction(float(x)) for x in tau[statuses == 0].sum(axis=0)], failed)


def join(a: Kept, b: Kept) -> Kept:
    """Merges the statistics of two sets of states."""
    def first(x: tandem.Array, i: Any, y: tandem.Array, k: Any) -> Any:
        return (x < y) | ((x == y) & (i < k))
    low, high = first(a.least, a.least_state, b.least, b.least_state), first(-a.most, a.most_state, -b.most, b.most_state)
    failed = dict(a.failed)
    for status, (count, state) in b.failed.items():
        others, other = failed.get(status, (0, state))
        failed[status] = others + count, min(other, state)
    return Kept(a.states + b.states, np.where(low, a.least, b.least), np.where(low, a.least_state, b.least_state),
                np.where(high, a.most, b.most), np.where(high, a.most_state, b.most_state),
                [x + y for x, y in zip(a.sums, b.sums)], failed)


def parts(states: int) -> Any:
    """Returns (first, count) of each part."""
    if states < 1:
        sys.exit("no states")
    return [(first, min(PART, states - first)) for first in range(0, states, PART)]


def report(robot: tandem.Robot, kept: Kept) -> None:
    """Prints a row for each coordinate."""
    good = kept.states - sum(count for count, _ in kept.failed.values())
    print(f"{'joint':20} {'smallest':>12} {'in state':>10} {'largest':>12} {'in state':>10} {'mean':>14}")
    for k, name in enumerate(robot.names.tau_y if good else ()):
        mean = float(kept.sums[k] / good)
        print(f"{name:20} {kept.least[k]:12.6g} {kept.least_state[k]:10} {kept.most[k]:12.6g} {kept.most_state[k]:10} {mean:14.9g}")
    for status, (count, state) in sorted(kept.failed.items()):
        print(f"{count} failed, state {state} first: {tandem.Status(status).name}")


def check(robot: tandem.Robot) -> tandem.Robot:
    """Returns the robot, after checking that its coordinates have limits."""
    if robot.ny != robot.nyd:
        sys.exit("this example draws positions within limits: give it a robot without floating or ball joints")
    return robot


_robot: tandem.Robot  # one per process


def _take(robot: tandem.Robot) -> None:
    global _robot
    _robot = robot


def _part(one: Tuple[int, int]) -> Kept:
    return part(_robot, *one)


def main(path: str, states: int = 1000000, processes: int = 2) -> None:
    robot = check(tandem.load(path))
    # "spawn": new processes get the robot as a pickle, on every system
    with multiprocessing.get_context("spawn").Pool(processes, _take, (robot,)) as pool:
        report(robot, functools.reduce(join, pool.imap_unordered(_part, parts(states))))


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    try:
        main(sys.argv[1], *map(int, sys.argv[2:]))
    except tandem.Error as error:
        sys.exit(str(error))

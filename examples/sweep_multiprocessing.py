# SPDX-License-Identifier: MIT
"""The largest forces of a robot's joints over very many random states, by processes: the same numbers for any number of them.

    python3 sweep_multiprocessing.py ROBOT.urdf [STATES [PROCESSES]]

The robot is pickled once for each process. A state is made of its index alone, by NumPy's Philox; those of a part are evaluated in one
call and reduced where they are. What is kept does not depend on the order of parts: extremes go by the smaller index where they are
equal, sums of parts are added up without rounding, as fractions. It draws the same random numbers as `tandem sweep`.
"""
import functools
import multiprocessing
import sys
from fractions import Fraction
from typing import Any, Dict, List, NamedTuple, Tuple

import numpy as np

import tandem

PART = 16384  # states; which states a part has depends on this alone
SEED = 1


class Kept(NamedTuple):
    """Of some states: forces are (nyd,)."""

    states: int
    least: tandem.Array
    least_state: Any
    most: tandem.Array
    most_state: Any
    sums: List[Fraction]
    failed: Dict[int, Tuple[int, int]]  # of each status: how many, and the first state


def points(first: int, count: int, dimensions: int) -> tandem.Array:
    """(count, dimensions) numbers within (0, 1), of states first … first + count - 1."""
    # NumPy counts before it makes bits: one less, in 256 bits, of which the lowest 64 are the state, the next the block
    blocks = [np.random.Philox(key=SEED, counter=((block << 64) + first - 1) % 2**256).random_raw(4 * count).reshape(count, 4)
              for block in range(-(-dimensions // 4))]
    return np.asarray(((np.hstack(blocks)[:, :dimensions] >> np.uint64(12)) + 0.5) / 2.0**52, np.float64)


def part(robot: tandem.Robot, first: int, count: int) -> Kept:
    """What is kept of states first … first + count - 1: positions, velocities and accelerations within limits.

    Joints that turn without end do so once.
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
    """What is kept of the states of both."""
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
    """(first, count) of each part."""
    if states < 1:
        sys.exit("no states")
    return [(first, min(PART, states - first)) for first in range(0, states, PART)]


def report(robot: tandem.Robot, kept: Kept) -> None:
    """A row for each coordinate."""
    good = kept.states - sum(count for count, _ in kept.failed.values())
    print(f"{'joint':20} {'smallest':>12} {'in state':>10} {'largest':>12} {'in state':>10} {'mean':>14}")
    for k, name in enumerate(robot.names.tau_y if good else ()):
        mean = float(kept.sums[k] / good)
        print(f"{name:20} {kept.least[k]:12.6g} {kept.least_state[k]:10} {kept.most[k]:12.6g} {kept.most_state[k]:10} {mean:14.9g}")
    for status, (count, state) in sorted(kept.failed.items()):
        print(f"{count} failed, state {state} first: {tandem.Status(status).name}")


def check(robot: tandem.Robot) -> tandem.Robot:
    """The robot, whose coordinates must have limits."""
    if robot.ny != robot.nyd:
        sys.exit("this example draws positions within limits: give it a robot without floating or ball joints")
    return robot


_robot: tandem.Robot  # of a process


def _take(robot: tandem.Robot) -> None:
    global _robot
    _robot = robot


def _part(one: Tuple[int, int]) -> Kept:
    return part(_robot, *one)


def main(path: str, states: int = 1000000, processes: int = 2) -> None:
    robot = check(tandem.load(path))
    # "spawn": processes begin anew and get the robot as a pickle, on every system
    with multiprocessing.get_context("spawn").Pool(processes, _take, (robot,)) as pool:
        report(robot, functools.reduce(join, pool.imap_unordered(_part, parts(states))))


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    try:
        main(sys.argv[1], *map(int, sys.argv[2:]))
    except tandem.Error as error:
        sys.exit(str(error))

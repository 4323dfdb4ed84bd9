# SPDX-License-Identifier: MIT
"""Computes the largest joint forces of a robot over many random states with Dask. The numbers equal those of
sweep_multiprocessing.py.

    python3 sweep_dask.py ROBOT.urdf [STATES [SCHEDULER]]

SCHEDULER is a local scheduler, "processes", "threads" or "synchronous", or the address of a distributed one,
tcp://HOST:8786. Its workers need the tandem package and this folder. The robot is sent to them as a pickle, once for all
parts.
"""
import sys
from typing import Any

import dask
import tandem

from sweep_multiprocessing import check, join, part, parts, report


def sweep(robot: tandem.Robot, states: int) -> Any:
    """Returns the delayed results of all states: a tree of parts."""
    there = dask.delayed(robot)
    kept = [dask.delayed(part)(there, first, count) for first, count in parts(states)]
    while len(kept) > 1:
        kept = [dask.delayed(join)(*kept[i:i + 2]) if i + 1 < len(kept) else kept[i] for i in range(0, len(kept), 2)]
    return kept[0]


def main(path: str, states: int = 1000000, scheduler: str = "processes") -> None:
    robot = check(tandem.load(path))
    if "://" in scheduler:
        from dask.distributed import Client
        with Client(scheduler) as client:
            report(robot, client.compute(sweep(robot, states)).result())
    else:
        report(robot, sweep(robot, states).compute(scheduler=scheduler))


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    try:
        main(sys.argv[1], *map(int, sys.argv[2:3]), *sys.argv[3:])
    except tandem.Error as error:
        sys.exit(str(error))

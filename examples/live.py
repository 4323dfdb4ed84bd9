# SPDX-License-Identifier: MIT
"""A controller in Python with a live view. The controller compensates gravity, and springs pull the arm to a target. Drag
the arm with the mouse or move a slider in the page. When you release it, it returns.

    python3 examples/live.py [ROBOT.urdf] [--seconds 60] [--no-open]
"""
import argparse
import pathlib
import time

import numpy as np

import tandem

STEP = 0.002  # s
RATE = 6.0  # rad/s, natural frequency of the return


def main() -> None:
    arm7 = pathlib.Path(__file__).parents[1] / "urdf" / "robots" / "arm7.urdf"
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robot", nargs="?", default=arm7)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--no-open", action="store_true", help="do not open a browser")
    options = parser.parse_args()

    robot = tandem.load(options.robot)
    target = robot.reference
    H = robot.mass_matrix(target)
    stiffness, damping = RATE**2 * H, 2 * RATE * H

    with robot.viewer(open=not options.no_open) as viewer:
        print(f"the page: {viewer.url}", flush=True)
        y: tandem.Array = target
        yd: tandem.Array = np.zeros(robot.nyd)
        begin = time.monotonic()
        for k in range(int(options.seconds / STEP)):
            if viewer.held:  # the user moves the robot
                y, yd = viewer.y, np.zeros(robot.nyd)
            else:
                tau = robot.gravity_force(y) + stiffness @ robot.difference(y, target) - damping @ yd
                yd = yd + STEP * robot.forward_dynamics(y, yd, tau)
                y = robot.integrate(y, yd, dt=STEP)
                viewer.y = y
            time.sleep(max(0.0, begin + (k + 1) * STEP - time.monotonic()))
    print(f"at the end {np.abs(robot.difference(y, target)).max():.1e} from the target")


if __name__ == "__main__":
    main()

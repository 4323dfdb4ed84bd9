# SPDX-License-Identifier: MIT
"""Integrates an arm that swings freely with SciPy: forward dynamics is the right-hand side of solve_ivp. Energy is
conserved.

    python3 swing.py ROBOT.urdf
"""
import sys

import numpy as np
from scipy.integrate import solve_ivp

import tandem


def main(path: str) -> None:
    robot = tandem.load(path)
    y = robot.state(dict.fromkeys(robot.names.y, 0.3))
    if robot.ny != robot.nyd:
        sys.exit("this example adds velocities to positions: give it a robot with a fixed base")

    def rate(t: float, x: tandem.Array) -> tandem.Array:
        position, velocity = np.split(x, 2)
        return np.concatenate([velocity, robot.forward_dynamics(position, velocity)])

    motion = solve_ivp(rate, (0.0, 1.0), np.concatenate([y, np.zeros(robot.nyd)]), rtol=1e-9, atol=1e-9, max_step=0.01)
    positions, velocities = np.split(motion.y.T, 2, axis=1)
    energy = robot.energy(np.ascontiguousarray(positions), np.ascontiguousarray(velocities)).sum(axis=1)
    print(f"{len(motion.t)} steps, energy {energy[0]:.6g} J, drift {np.ptp(energy):.2g} J")
    for name, position in robot.to_dict(positions[-1], "y").items():
        print(f"{name:20} {position: .6f}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        main(sys.argv[1])
    except tandem.Error as error:
        sys.exit(str(error))

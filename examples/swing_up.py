# SPDX-License-Identifier: MIT
"""Trajectory optimization with derivatives of forward dynamics and SciPy: direct collocation (Hargraves and Paris 1987).

    python3 swing_up.py                  a two-link arm without a motor at the elbow, from hanging down to upright
    python3 swing_up.py ROBOT.urdf GOAL  a robot with a motor at each independent joint, from rest at zero to rest at GOAL

The unknowns are the states x = (y, yd) and forces u at the knots of a motion. Between knots, motions are cubic polynomials
that satisfy the equations of motion, x' = f(x, u), at both ends and at the midpoint (Hermite and Simpson):

    x_m = (x_0 + x_1) / 2 + h (f_0 - f_1) / 8,    x_1 - x_0 = h (f_0 + 4 f_m + f_1) / 6

SLSQP minimizes the sum of squares of u, plus a small multiple of the squares of yd. Forces and derivatives are computed for
all knots in one call. The program solves the problem three times and prints the cost of each: with derivatives of the
library, with finite differences knot by knot, and with SciPy's finite differences, which do not know the structure of knots.
"""
import sys
import time
from typing import Any, Dict, List, Tuple

import numpy as np
from scipy.optimize import minimize

import tandem

NAMES = {"exact": "exact derivatives", "knots": "differences knot by knot", "scipy": "SciPy's differences"}
MODES = list(NAMES)
RATES = 0.1  # weight of squared velocities, relative to squared scaled forces


def two_links() -> tandem.Robot:
    """Builds an arm with joints about y and links of 0.5 m and 1 kg, which hang down along -z at zero."""
    builder = tandem.Builder("two_links").add(tandem.Link("ground"))
    for i, (joint, parent, child) in enumerate([("shoulder", "ground", "upper"), ("elbow", "upper", "lower")]):
        builder.add(
            tandem.Link(child, has_inertial=True, mass=1.0, inertial=tandem.Pose((0.0, 0.0, -0.25)),
                        inertia=(0.25 / 12, 0.0, 0.0, 0.25 / 12, 0.0, 1e-3)),
            tandem.Joint(joint, tandem.JointType.CONTINUOUS, parent, child, axis=(0.0, 1.0, 0.0),
                         origin=tandem.Pose((0.0, 0.0, -0.5 * i))))
    return builder.finish()


class Collocation:
    """Finds the motion from rest at zero to rest at goal. motors: the coordinates with motors."""

    def __init__(self, robot: tandem.Robot, goal: tandem.Array, motors: List[int], duration: float, intervals: int,
                 mode: str) -> None:
        self.robot, self.motors, self.mode = robot, motors, mode
        self.n, self.m, self.h, self.N = robot.nyd, len(motors), duration / intervals, intervals
        self.start, self.goal = np.zeros(2 * self.n), np.concatenate([goal, np.zeros(self.n)])
        self.states = self.calls = 0  # evaluated states of the dynamics, and calls
        self.seconds = 0.0  # spent in these calls
        weight = np.ones(intervals + 1)
        weight[[0, -1]] = 0.5
        self.weight = weight
        t = np.linspace(0.0, 1.0, intervals + 1)[:, None]
        tau = robot.inverse_dynamics(goal * t**3 * (10 - 15 * t + 6 * t**2), goal * 30 * t**2 * (1 - t) ** 2 / duration,
                                     goal * 60 * t * (1 - t) * (1 - 2 * t) / duration**2)[:, motors]
        self.size = np.maximum(abs(tau).max(axis=0), 1e-9)  # scale of u: the largest forces of a smooth motion to the goal
        self.guess = np.hstack([self.start + t * (self.goal - self.start), np.zeros_like(tau)]).ravel()

    def split(self, z: tandem.Array) -> Tuple[tandem.Array, tandem.Array]:
        table = z.reshape(self.N + 1, 2 * self.n + self.m)
        return table[:, :2 * self.n], table[:, 2 * self.n:]

    # ---- x' = f(x, u) of rows of states, and its derivatives

    def forces(self, u: tandem.Array) -> tandem.Array:
        tau = np.zeros((len(u), self.n))
        tau[:, self.motors] = self.size * u
        return tau

    def rate(self, x: tandem.Array, u: tandem.Array) -> tandem.Array:
        begin = time.perf_counter()
        y, yd = np.ascontiguousarray(x[:, :self.n]), np.ascontiguousarray(x[:, self.n:])
        f = np.hstack([yd, self.robot.forward_dynamics(y, yd, self.forces(u))])
        self.count(len(x), begin)
        return f

    def count(self, states: int, begin: float) -> None:
        self.states += states
        self.calls += 1
        self.seconds += time.perf_counter() - begin

    def slopes(self, x: tandem.Array, u: tandem.Array) -> Tuple[tandem.Array, tandem.Array, tandem.Array]:
        """Returns f and its derivatives with respect to x (rows, 2n, 2n) and u (rows, 2n, m)."""
        if self.mode == "knots":
            return self.differences(x, u)
        begin, n = time.perf_counter(), self.n
        y, yd = np.ascontiguousarray(x[:, :n]), np.ascontiguousarray(x[:, n:])
        d = self.robot.forward_dynamics_derivatives(y, yd, self.forces(u))
        A, B = np.zeros((len(x), 2 * n, 2 * n)), np.zeros((len(x), 2 * n, self.m))
        A[:, range(n), range(n, 2 * n)] = 1.0
        A[:, n:, :n], A[:, n:, n:], B[:, n:] = d.dydd_dy, d.dydd_dyd, d.dydd_dtau_y[:, :, self.motors] * self.size
        self.count(len(x), begin)
        return np.hstack([yd, d.ydd]), A, B

    def differences(self, x: tandem.Array, u: tandem.Array) -> Tuple[tandem.Array, tandem.Array, tandem.Array]:
        f, at = self.rate(x, u), np.hstack([x, u])
        slope = np.empty((len(x), 2 * self.n, at.shape[1]))
        for k in range(at.shape[1]):
            step = 1.5e-8 * np.maximum(1.0, abs(at[:, k]))
            there = at.copy()
            there[:, k] += step
            slope[:, :, k] = (self.rate(there[:, :2 * self.n], there[:, 2 * self.n:]) - f) / step[:, None]
        return f, slope[:, :, :2 * self.n], slope[:, :, 2 * self.n:]

    # ---- what SLSQP asks for

    def cost(self, z: tandem.Array) -> float:
        x, u = self.split(z)
        return float(0.5 * self.weight @ ((u**2).sum(axis=1) + RATES * (x[:, self.n:] ** 2).sum(axis=1)))

    def cost_slope(self, z: tandem.Array) -> tandem.Array:
        x, u = self.split(z)
        slope = np.hstack([np.zeros_like(x[:, :self.n]), RATES * x[:, self.n:], u])
        return (self.weight[:, None] * slope).ravel()

    def middle(self, x: tandem.Array, u: tandem.Array, f: tandem.Array) -> Tuple[tandem.Array, tandem.Array]:
        return (x[:-1] + x[1:]) / 2 + self.h / 8 * (f[:-1] - f[1:]), (u[:-1] + u[1:]) / 2

    def defects(self, z: tandem.Array) -> tandem.Array:
        x, u = self.split(z)
        f = self.rate(x, u)
        f_m = self.rate(*self.middle(x, u, f))
        gaps = x[1:] - x[:-1] - self.h / 6 * (f[:-1] + 4 * f_m + f[1:])
        return np.concatenate([gaps.ravel(), x[0] - self.start, x[-1] - self.goal])

    def defects_slope(self, z: tandem.Array) -> tandem.Array:
        """Returns the derivatives of each defect with respect to the variables of its two knots."""
        x, u = self.split(z)
        h, N, s, width = self.h, self.N, 2 * self.n, 2 * self.n + self.m
        f, A, B = self.slopes(x, u)
        _, A_m, B_m = self.slopes(*self.middle(x, u, f))
        one = np.eye(s)
        J = np.zeros(((N + 2) * s, (N + 1) * width))
        for i in range(N):
            rows, left, right = slice(i * s, (i + 1) * s), i * width, (i + 1) * width
            for knot, at, sign in ((i, left, -1.0), (i + 1, right, 1.0)):
                by_x = one / 2 - sign * h / 8 * A[knot]
                J[rows, at:at + s] = sign * one - h / 6 * (A[knot] + 4 * A_m[i] @ by_x)
                J[rows, at + s:at + width] = -h / 6 * (B[knot] + 4 * (B_m[i] / 2 - sign * h / 8 * A_m[i] @ B[knot]))
        J[N * s:(N + 1) * s, :s] = one
        J[(N + 1) * s:, N * width:N * width + s] = one
        return J

    def check(self, z: tandem.Array) -> float:
        """Simulates from each knot under the same forces, and returns the largest distance from the next knot."""
        x, u = self.split(z)
        tau, away = self.forces(u), 0.0
        for i in range(self.N):

            def act(at: tandem.Instant, begin: tandem.Array = tau[i], end: tandem.Array = tau[i + 1]) -> tandem.Array:
                return begin + at.t / self.h * (end - begin)

            motion = self.robot.simulate(x[i, :self.n], x[i, self.n:], time=self.h, rate=1 / self.h, act=act,
                                         forces=tandem.Forces(passive=False))
            away = max(away, float(abs(np.hstack([motion.y[-1], motion.yd[-1]]) - x[i + 1]).max()))
        return away

    def solve(self, start: tandem.Array) -> Any:
        slope: Dict[str, Any] = {} if self.mode == "scipy" else {"jac": self.defects_slope}
        return minimize(self.cost, start, jac=self.cost_slope, method="SLSQP",
                        constraints={"type": "eq", "fun": self.defects, **slope}, options={"maxiter": 300, "ftol": 1e-8})


def main(arguments: List[str]) -> None:
    if arguments:
        robot, goal, duration, intervals = tandem.load(arguments[0]), float(arguments[1]), 1.0, 20
        target, motors = np.full(robot.nyd, goal), list(range(robot.nyd))
    else:
        robot, duration, intervals = two_links(), 2.0, 25
        target, motors = np.array([np.pi, 0.0]), [0]
    if robot.ny != robot.nyd:
        sys.exit("this example adds velocities to positions: give it a robot with a fixed base")
    evaluated = {}
    for mode in MODES:
        problem = Collocation(robot, target, motors, duration, intervals, mode)
        begin = time.perf_counter()
        found = problem.solve(problem.guess)
        seconds = time.perf_counter() - begin
        states, calls, inside = problem.states, problem.calls, problem.seconds
        gap, away = abs(problem.defects(found.x)).max(), problem.check(found.x)
        print(f"{NAMES[mode]}: {found.nit} iterations, {states} states in {calls} calls of the dynamics, {1e3 * inside:.1f} of "
              f"{1e3 * seconds:.1f} ms; gaps {gap:.1e}, the simulation goes from knot to knot within {away:.1e}")
        if not found.success:
            sys.exit(found.message)
        evaluated[mode] = states, seconds
    for mode in MODES[1:]:
        more, longer = (b / a for a, b in zip(evaluated["exact"], evaluated[mode]))
        print(f"{NAMES[mode]} take {more:.1f} times the states and {longer:.1f} times the time of exact derivatives")


if __name__ == "__main__":
    if len(sys.argv) not in (1, 3):
        sys.exit(__doc__)
    try:
        main(sys.argv[1:])
    except tandem.Error as error:
        sys.exit(str(error))

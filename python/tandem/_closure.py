# SPDX-License-Identifier: MIT
"""Reports about loops and actuators at a state."""
from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Optional, Tuple

from ._arrays import Array
from ._errors import Status

if TYPE_CHECKING:
    from ._functions import TreeState
    from ._robot import Robot


@dataclasses.dataclass(frozen=True)
class ClosureReport:
    """td_closure_report. status: OK, ASSEMBLY, CLOSURE_SINGULAR or BRANCH (NOT_FINITE and QUATERNION for invalid
    configurations). Also the loop that is not closed, the remaining largest |φ|, the completed part of the path to y,
    evaluations, and the extreme singular values of the cluster nearest to a singularity."""

    status: Status
    loop: Optional[str]
    residual: float
    reached: float
    iterations: int
    smallest: float
    largest: float


class Closure:
    """The closure q = γ(y), q̇ = G ẏ, q̈ = G ÿ + g at one state, returned by Robot.closure."""

    def __init__(self, robot: "Robot", y: Array, yd: Optional[Array], ydd: Optional[Array], report: ClosureReport) -> None:
        self._robot, self.y, self._yd, self._ydd = robot, y, yd, ydd
        self.report = report

    @property
    def status(self) -> Status:
        """OK, or the reason: ASSEMBLY, BRANCH (loops close, but not on the branch of the start; Robot.with_start selects
        another one) or CLOSURE_SINGULAR."""
        return self.report.status

    @property
    def residual(self) -> float:
        """The largest |φ| of the solution, or the least value that was reached."""
        return self.report.residual

    @property
    def condition(self) -> float:
        """Ratio of the largest to the smallest singular value. Infinite at a singularity, 1 if no loop is solved
        iteratively."""
        if not self.report.largest:
            return 1.0
        return self.report.largest / self.report.smallest if self.report.smallest else float("inf")

    @property
    def ranks(self) -> Tuple[int, ...]:
        """For each cluster of loops, the number of dependent joints."""
        return tuple(cluster.rank for cluster in self._robot.loop_clusters)

    @functools.cached_property
    def _state(self) -> "TreeState":
        return self._robot.tree_state(self.y, self._yd, self._ydd)

    @property
    def q(self) -> Array:
        """(nq,)"""
        return self._state.q

    @property
    def qd(self) -> Array:
        """(nv,)"""
        return self._state.qd

    @property
    def qdd(self) -> Array:
        """(nv,)"""
        return self._state.qdd

    @functools.cached_property
    def G(self) -> Array:
        """(nv, nyd)"""
        return self._robot.closure_jacobian(self.y)

    @functools.cached_property
    def K(self) -> Array:
        """(constraints, nv) at q"""
        return self._robot.constraint_jacobian(self.q)

    @functools.cached_property
    def phi(self) -> Array:
        """(constraints,) at q"""
        return self._robot.constraint_residual(self.q)

    def __repr__(self) -> str:
        return f"<tandem.Closure {self.status.name}, residual {self.residual:.3g}>"


@dataclasses.dataclass(frozen=True)
class ActuationReport:
    """Properties of M_u at a state (td_actuation_report). directions: rows are velocities ẏ that move no motor."""

    status: Status
    drivable: int
    rank: int
    smallest: float
    largest: float
    closure_condition: float
    map_condition: float
    directions: Array

# SPDX-License-Identifier: MIT
"""What is found of loops and actuators at a state."""
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
    """td_closure_report: status OK, ASSEMBLY, CLOSURE_SINGULAR or BRANCH (NOT_FINITE and QUATERNION of what is no
    configuration); the loop that is not closed; the largest |φ| that is left; how much of the path to y was
    followed; evaluations; extreme singular values of the cluster that is nearest to a singular configuration."""

    status: Status
    loop: Optional[str]
    residual: float
    reached: float
    iterations: int
    smallest: float
    largest: float


class Closure:
    """The closure q = γ(y), q̇ = G ẏ, q̈ = G ÿ + g at one state, as Robot.closure returns it."""

    def __init__(self, robot: "Robot", y: Array, yd: Optional[Array], ydd: Optional[Array], report: ClosureReport) -> None:
        self._robot, self.y, self._yd, self._ydd = robot, y, yd, ydd
        self.report = report

    @property
    def status(self) -> Status:
        """OK, or why the loops are not closed: ASSEMBLY, BRANCH (they close, but not on the branch of the start;
        Robot.with_start gives another one) or CLOSURE_SINGULAR."""
        return self.report.status

    @property
    def residual(self) -> float:
        """The largest |φ|: of the solution, or the least that was reached."""
        return self.report.residual

    @property
    def condition(self) -> float:
        """Largest over smallest singular value; infinite where singular, 1 where nothing is iterated."""
        if not self.report.largest:
            return 1.0
        return self.report.largest / self.report.smallest if self.report.smallest else float("inf")

    @property
    def ranks(self) -> Tuple[int, ...]:
        """Of each cluster of loops: the number of joints that it makes dependent."""
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
    """What M_u is like at a state (td_actuation_report). directions: rows are the velocities ẏ that no motor feels."""

    status: Status
    drivable: int
    rank: int
    smallest: float
    largest: float
    closure_condition: float
    map_condition: float
    directions: Array

# SPDX-License-Identifier: MIT
"""Differential inverse kinematics (tandem/ik_rate.h)."""
from __future__ import annotations

import dataclasses
import enum
from typing import TYPE_CHECKING, Any, Iterable, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._arrays import Array, as_double
from ._ik import Goal, _goals, is_one
from ._linear import _array, _check, _held, _pointer, _raise
from ._native import ffi, lib

if TYPE_CHECKING:
    from ._robot import Robot


class RateStatus(enum.IntEnum):
    REACHED = 0  # all required goals are met, or all goals if none is required
    NEAREST = 1  # not met: due to bounds, damping, or the kinematics
    BEYOND = 2   # bounds are inconsistent: the violation is minimal


@dataclasses.dataclass(frozen=True)
class Rate:
    """Velocities computed by differential inverse kinematics."""

    yd: Array                      # (nyd,)
    reached: bool
    status: RateStatus
    left: Array                    # (goals, 2): remaining errors, m/s and rad/s
    active: npt.NDArray[np.int8]   # (nv,): −1 or 1 if q̇ is at its lower or upper bound, else 0
    smallest: float                # singular values of the Jacobian of required goals
    largest: float
    steps: int


class InverseKinematicsRate:
    """Computes ẏ from velocities of goals, call after call; made by Robot.inverse_kinematics_rate. Starts with the active
    bounds of the last call, which is faster and changes results only by rounding. Only one thread at a time can use it."""

    def __init__(self, robot: "Robot", goals: Union[Goal, str, int, Sequence[Union[Goal, str, int]]], step: float,
                 velocities: Optional[npt.ArrayLike], accelerations: Optional[npt.ArrayLike], held: Iterable[str],
                 damping: Optional[float], wish_damping: Optional[float]) -> None:
        function = "inverse_kinematics_rate"
        self._robot = robot
        records, count = _goals(robot, function, goals)
        chosen = ffi.new("td_ik_rate_options *", lib.td_ik_rate_options_default())
        chosen.step = step
        chosen.damping = chosen.damping if damping is None else damping
        chosen.wish_damping = chosen.wish_damping if wish_damping is None else wish_damping
        arrays = [None if x is None else np.ascontiguousarray(np.broadcast_to(as_double(function, name, x), (robot.nv,)))
                  for name, x in (("velocities", velocities), ("accelerations", accelerations))]
        pointers = [_pointer(x) for x in arrays]
        chosen.velocities, chosen.accelerations = pointers
        flags = _pointer(_held(robot, function, held), "unsigned char[]")
        chosen.held = flags
        place = ffi.new("td_ik_rate **")
        _check(function, int(lib.td_ik_rate_new(robot._model.pointer, records, count, chosen, place)))
        self._rate = ffi.gc(place[0], lib.td_ik_rate_free)
        self._numbers = int(lib.td_ik_rate_velocity_count(self._rate))
        self._active = np.zeros(robot.nv, np.int8)
        self._goals, self._several = count, not is_one(goals)

    def __call__(self, y: npt.ArrayLike, velocities: Any, before: Optional[npt.ArrayLike] = None) -> Rate:
        """Computes ẏ at y. velocities: for a list of goals, a list of arrays. before: the previous ẏ, to which acceleration
        bounds refer. (td_ik_rate_solve)"""
        function, robot = "inverse_kinematics_rate", self._robot
        parts = velocities if self._several else [velocities]
        given = np.concatenate([np.atleast_1d(as_double(function, "velocities", part)) for part in parts])
        wanted = _array(function, "velocities", given, (self._numbers,))
        at = _array(function, "y", y, (robot.ny,))
        last = None if before is None else _array(function, "before", before, (robot.nyd,))
        yd, left, result = np.zeros(robot.nyd), np.zeros((self._goals, 2)), ffi.new("td_ik_rate_result *")
        result.size_of = ffi.sizeof("td_ik_rate_result")
        _raise(robot, function, robot._exclusive(lambda workspace: int(lib.td_ik_rate_solve(
            self._rate, workspace, _pointer(at), _pointer(last), _pointer(wanted), _pointer(yd),
            _pointer(left.reshape(-1)), _pointer(self._active, "signed char[]"), result))))
        return Rate(yd, result.status == RateStatus.REACHED, RateStatus(result.status), left, self._active.copy(),
                    result.smallest, result.largest, int(result.steps))

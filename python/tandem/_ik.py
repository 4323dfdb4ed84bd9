# SPDX-License-Identifier: MIT
"""Inverse kinematics in independent coordinates (tandem/ik.h)."""
from __future__ import annotations

import dataclasses
import enum
from typing import TYPE_CHECKING, Any, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._arrays import Array, as_double
from ._linear import _check, _held, _pointer, _raise
from ._native import ffi, lib

if TYPE_CHECKING:
    from ._robot import Robot


class GoalKind(enum.IntEnum):
    """What a goal speaks of, and the numbers of its target, in world axes."""

    POSE = 0            # of a frame: x y z, qx qy qz qw
    POSITION = 1        # of a point: x y z
    ORIENTATION = 2     # of a frame: qx qy qz qw
    AXIS = 3            # points along a direction: x y z
    LINE = 4            # a point is on a line: a point of it, its direction
    PLANE = 5           # a point is in a plane: a point of it, its normal
    DISTANCE = 6        # of two points: m
    CENTER_OF_MASS = 7  # of all links: x y z
    POSTURE = 8         # y itself


class IkStatus(enum.IntEnum):
    REACHED = 0  # all required goals; all goals, where none is required
    NEAREST = 1  # not so: the nearest posture that was found
    OPEN = 2     # no posture with closed loops and within limits was found; y is NaN


@dataclasses.dataclass(frozen=True)
class Goal:
    """A goal of Robot.inverse_kinematics. The frame, with its origin at point and turned (qx qy qz qw) against the
    link, and the axis are fixed to the link. A goal that is not required is wished for: least squares in what the
    required ones leave. other_link None: other_point is one of the world. (td_ik_goal)"""

    kind: GoalKind
    link: Optional[Union[str, int]] = None
    point: Sequence[float] = (0.0, 0.0, 0.0)
    turn: Sequence[float] = (0.0, 0.0, 0.0, 1.0)
    axis: Sequence[float] = (0.0, 0.0, 1.0)
    other_link: Optional[Union[str, int]] = None
    other_point: Sequence[float] = (0.0, 0.0, 0.0)
    required: bool = True
    weight: float = 1.0       # of a metre
    turn_weight: float = 1.0  # of a radian
    tolerance: float = 1e-6  # m
    turn_tolerance: float = 1e-6  # rad


@dataclasses.dataclass(frozen=True)
class Posture:
    """What inverse kinematics found; with rows of targets all have a row for each."""

    y: Array                          # (ny,)
    q: Array                          # (nq,): with_start(q) closes loops as here
    reached: Union[bool, npt.NDArray[np.bool_]]
    status: npt.NDArray[np.int64]     # IkStatus
    left: Array                       # (goals, 2): m and rad
    iterations: npt.NDArray[np.int64]
    evaluations: npt.NDArray[np.int64]


def _goal(robot: "Robot", function: str, goal: Union[Goal, str, int], place: Any) -> None:
    one = goal if isinstance(goal, Goal) else Goal(GoalKind.POSE, goal)
    GoalKind(one.kind)  # ValueError where there is none
    if one.link is None and one.kind not in (GoalKind.CENTER_OF_MASS, GoalKind.POSTURE):
        raise ValueError(f"{function}: a goal of kind {one.kind!r} needs a link")
    lib.td_ik_goal_init(ffi.addressof(place), ffi.sizeof("td_ik_goal"), int(one.kind),
                        0 if one.link is None else robot._link_index(one.link))
    place.required = one.required
    place.point, place.turn, place.axis = tuple(one.point), tuple(one.turn), tuple(one.axis)
    place.other_link = -1 if one.other_link is None else robot._link_index(one.other_link)
    place.other_point = tuple(one.other_point)
    place.weight, place.turn_weight = one.weight, one.turn_weight
    place.tolerance, place.turn_tolerance = one.tolerance, one.turn_tolerance


def _goals(robot: "Robot", function: str, goals: Union[Goal, str, int, Sequence[Union[Goal, str, int]]]) -> Tuple[Any, int]:
    """Goals as C has them, and how many."""
    given = [goals] if isinstance(goals, (Goal, str, int)) else list(goals)
    records = ffi.new("td_ik_goal[]", max(len(given), 1))
    for index, goal in enumerate(given):
        _goal(robot, function, goal, records[index])
    return records, len(given)


def _targets(goals: int, sizes: List[int], targets: Any) -> Tuple[Array, bool]:
    """Targets of all goals side by side, a row each, and whether they came as rows."""
    parts = [as_double("inverse_kinematics", "targets", t) for t in (targets if goals > 1 else [targets])]
    if len(parts) != goals:
        raise ValueError(f"inverse_kinematics: {len(parts)} targets for {goals} goals")
    rows = max((len(p) for p in parts if p.ndim == 2), default=-1)
    for part, size in zip(parts, sizes):
        if part.shape not in ((size,), (rows, size)):
            raise ValueError(f"inverse_kinematics: a target has shape {part.shape}, expected ({size},) or (n, {size})")
    wide = [np.broadcast_to(part, (max(rows, 1) if rows else 0, size)) for part, size in zip(parts, sizes)]
    return np.ascontiguousarray(np.concatenate(wide, axis=1)), rows >= 0


def inverse_kinematics(robot: "Robot", goals: Union[Goal, str, int, Sequence[Union[Goal, str, int]]], targets: Any,
                       seed: Optional[npt.ArrayLike], follow: bool, held: Iterable[str], options: Any) -> Posture:
    """See Robot.inverse_kinematics."""
    function = "inverse_kinematics"
    records, count = _goals(robot, function, goals)
    widths = [7, 3, 4, 3, 6, 6, 1, 3, robot.ny]
    table, as_rows = _targets(count, [widths[records[i].kind] for i in range(count)], targets)
    n, flags = len(table), _held(robot, function, held)
    chosen = ffi.new("td_ik_options *")
    lib.td_ik_options_init(chosen, ffi.sizeof("td_ik_options"))
    for name, value in options.items():
        if value is not None:
            setattr(chosen, name, value)
    held_bytes = _pointer(flags, "unsigned char[]")
    chosen.held = held_bytes
    place = ffi.new("td_ik **")
    _check(function, int(lib.td_ik_new(robot._model.pointer, records, count, chosen, place)))
    ik = ffi.gc(place[0], lib.td_ik_free)

    seeds = None if seed is None else as_double(function, "seed", seed)
    if seeds is not None and seeds.shape not in ((robot.ny,), (n, robot.ny) if as_rows else (robot.ny,)):
        raise ValueError(f"{function}: seed has shape {seeds.shape}, expected ({robot.ny},) or a row for each target")
    start = None if seeds is None else np.array(np.broadcast_to(seeds, (n, robot.ny)), order="C")
    y, q, left = np.zeros((n, robot.ny)), np.zeros((n, robot.nq)), np.zeros((n, count, 2))
    counts = np.zeros((3, n), np.int64)
    result = ffi.new("td_ik_result *")
    result.size_of = ffi.sizeof("td_ik_result")

    def call(workspace: Any) -> int:
        last = None  # the row that was reached last
        for i in range(n):
            begin = y[last] if follow and last is not None else None if start is None else start[i]
            status = int(lib.td_ik_solve(ik, workspace, _pointer(table[i]), _pointer(begin), _pointer(y[i]),
                                         _pointer(left[i].reshape(-1)), result))
            if status:
                return status
            q[i] = np.frombuffer(ffi.buffer(lib.td_ik_q(ik), 8 * robot.nq)) if robot.nq else 0
            counts[:, i] = result.status, result.iterations, result.evaluations
            last = i if result.status == IkStatus.REACHED else last
        return 0

    _raise(robot, function, robot._exclusive(call))
    reached = counts[0] == IkStatus.REACHED
    if as_rows:
        return Posture(y, q, reached, counts[0], left, counts[1], counts[2])
    return Posture(y[0], q[0], bool(reached[0]), counts[0, 0], left[0], counts[1, 0], counts[2, 0])

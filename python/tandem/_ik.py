# SPDX-License-Identifier: MIT
"""Inverse kinematics in independent coordinates (tandem/ik.h)."""
from __future__ import annotations

import concurrent.futures
import dataclasses
import enum
import operator
from typing import TYPE_CHECKING, Any, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._arrays import Array, as_double
from ._linear import _check, _held, _pointer, _raise
from ._native import ffi, lib
from ._spatial import pose_split

if TYPE_CHECKING:
    from ._robot import Robot


class GoalKind(enum.IntEnum):
    """The quantity of a goal, and the numbers of its target, in world axes."""

    POSE = 0            # of a frame: x y z, qx qy qz qw, or a pose (3, 4) or (4, 4)
    POSITION = 1        # of a point: x y z
    ORIENTATION = 2     # of a frame: qx qy qz qw
    AXIS = 3            # points along a direction: x y z
    LINE = 4            # a point is on a line: a point of it, its direction
    PLANE = 5           # a point is in a plane: a point of it, its normal
    DISTANCE = 6        # of two points: m
    CENTER_OF_MASS = 7  # of all links: x y z
    POSTURE = 8         # y


class IkStatus(enum.IntEnum):
    REACHED = 0  # all required goals; all goals if none is required
    NEAREST = 1  # the nearest posture that was found
    OPEN = 2     # no posture with closed loops and within limits was found; y is NaN


@dataclasses.dataclass(frozen=True)
class Goal:
    """A goal of Robot.inverse_kinematics. The axis and the frame are fixed to the link; the frame has its origin at point and
    the orientation (qx qy qz qw) relative to the link. A goal that is not required is optional: least squares in the freedom
    that the required goals leave. other_link None: other_point is a point of the world. (td_ik_goal)"""

    kind: GoalKind
    link: Optional[Union[str, int]] = None
    point: Sequence[float] = (0.0, 0.0, 0.0)
    turn: Sequence[float] = (0.0, 0.0, 0.0, 1.0)
    axis: Sequence[float] = (0.0, 0.0, 1.0)
    other_link: Optional[Union[str, int]] = None
    other_point: Sequence[float] = (0.0, 0.0, 0.0)
    required: bool = True
    weight: float = 1.0       # per meter
    turn_weight: float = 1.0  # per radian
    tolerance: float = 1e-6  # m
    turn_tolerance: float = 1e-6  # rad


@dataclasses.dataclass(frozen=True)
class Posture:
    """The result of inverse kinematics; with rows of targets, each field has a row for each."""

    y: Array                          # (ny,)
    q: Array                          # (nq,): with_start(q) closes loops as here
    reached: Union[bool, npt.NDArray[np.bool_]]
    status: npt.NDArray[np.int64]     # IkStatus
    left: Array                       # (goals, 2): m and rad
    iterations: npt.NDArray[np.int64]
    evaluations: npt.NDArray[np.int64]
    errors: npt.NDArray[np.int64]     # Status: for rows with invalid targets or seeds, where y is NaN


@dataclasses.dataclass(frozen=True)
class Postures:
    """All solutions that were found, nearest to the seed first."""

    y: Array     # (n, ny)
    q: Array     # (n, nq)
    left: Array  # (n, goals, 2): m and rad


@dataclasses.dataclass(frozen=True)
class Path:
    """The result of inverse kinematics along a path, with a row for each target."""

    y: Array                          # (n, ny)
    q: Array                          # (n, nq)
    reached: npt.NDArray[np.bool_]
    status: npt.NDArray[np.int64]     # IkStatus
    left: Array                       # (n, goals, 2): m and rad
    jump: npt.NDArray[np.bool_]
    change: Array                     # (n,): largest change of a coordinate from the previous row, rad or m
    singular: npt.NDArray[np.bool_]   # near a singular posture
    smallest: Array                   # (n,): singular values of the Jacobian of required goals
    largest: Array
    errors: npt.NDArray[np.int64]     # Status
    starts: int                       # solutions of the first row that were followed


def _numbers(function: str, name: str, value: Any, count: int) -> Tuple[float, ...]:
    """Checks and returns a given count of finite numbers of a goal."""
    array = as_double(function, name, value)
    if array.shape != (count,) or not np.isfinite(array).all():
        raise ValueError(f"{function}: {name} of a goal is {value!r}, expected {count} finite numbers")
    return tuple(float(number) for number in array)


def _count(function: str, name: str, value: Any) -> int:
    number = operator.index(value)
    if not 0 <= number < 1 << 64:
        raise ValueError(f"{function}: {name} is {value}, which is out of range")
    return number


def is_one(goals: Any) -> bool:
    """Tells whether this is a single goal, or a link by its name or index, and not a list of these."""
    if isinstance(goals, (Goal, str)):
        return True
    try:
        operator.index(goals)
    except TypeError:
        return False
    return True


def _goal(robot: "Robot", function: str, goal: Union[Goal, str, int], place: Any) -> None:
    one = goal if isinstance(goal, Goal) else Goal(GoalKind.POSE, goal)
    GoalKind(one.kind)  # ValueError if it is invalid
    if one.link is None and one.kind not in (GoalKind.CENTER_OF_MASS, GoalKind.POSTURE):
        raise ValueError(f"{function}: a goal of kind {one.kind!r} needs a link")
    ffi.addressof(place)[0] = lib.td_ik_goal_default(int(one.kind), 0 if one.link is None else robot._link_index(one.link))
    place.required = one.required
    place.point, place.axis = (_numbers(function, name, getattr(one, name), 3) for name in ("point", "axis"))
    place.turn = _numbers(function, "turn", one.turn, 4)
    place.other_link = lib.TD_NONE if one.other_link is None else robot._link_index(one.other_link)
    place.other_point = _numbers(function, "other_point", one.other_point, 3)
    place.weight, place.turn_weight = one.weight, one.turn_weight
    place.tolerance, place.turn_tolerance = one.tolerance, one.turn_tolerance


def _goals(robot: "Robot", function: str, goals: Any) -> Tuple[Any, int]:
    """Returns goals as C structs, and their number."""
    given = [goals] if is_one(goals) else list(goals)
    records = ffi.new("td_ik_goal[]", max(len(given), 1))
    for index, goal in enumerate(given):
        _goal(robot, function, goal, records[index])
    return records, len(given)


def _numbers_of(function: str, target: Any, kind: GoalKind) -> Array:
    """Returns the numbers of a target as listed in GoalKind. Poses may also be (3, 4), as link_pose returns them, or (4, 4)."""
    array = as_double(function, "targets", target)
    if kind != GoalKind.POSE or array.ndim not in (2, 3) or array.shape[-2:] not in ((3, 4), (4, 4)):
        return np.atleast_1d(array)
    R = array[..., :3, :3]
    if not np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3)).max(initial=0.0) < 1e-6 or not (np.linalg.det(R) > 0).all():
        raise ValueError(f"{function}: a target is not a pose: its 3 × 3 part is not a rotation matrix")
    return np.concatenate(pose_split(array[..., :3, :]), axis=-1)


def _targets(function: str, several: bool, kinds: List[GoalKind], sizes: List[int], targets: Any) -> Tuple[Array, bool]:
    """Returns targets of all goals side by side, one row each, and whether they were given as rows. several: a list with
    targets of each goal; otherwise they belong to the only goal. A number may replace an array of one."""
    given = list(targets) if several else [targets]
    if len(given) != len(sizes):
        raise ValueError(f"{function}: {len(given)} targets for {len(sizes)} goals")
    parts = [_numbers_of(function, target, kind) for target, kind in zip(given, kinds)]
    rows = max((len(p) for p in parts if p.ndim == 2), default=-1)
    for part, size, kind in zip(parts, sizes, kinds):
        if part.shape not in ((size,), (rows, size)):
            hint = "" if kind != GoalKind.POSE else ", x y z qx qy qz qw, or (3, 4)" + (
                "; Goal(GoalKind.POSITION, link) is of a position alone" if part.shape[-1:] == (3,) else "")
            raise ValueError(f"{function}: a target has shape {part.shape}, expected ({size},) or (n, {size}){hint}")
    wide = [np.broadcast_to(part, (max(rows, 1) if rows else 0, size)) for part, size in zip(parts, sizes)]
    return np.ascontiguousarray(np.concatenate(wide, axis=1)), rows >= 0


class _Call:
    """Goals, options and targets of a call, as C structs."""

    def __init__(self, robot: "Robot", function: str, goals: Any, targets: Any, held: Iterable[str],
                 options: Any) -> None:
        self.robot, self.function = robot, function
        records, self.count = _goals(robot, function, goals)
        widths = [7, 3, 4, 3, 6, 6, 1, 3, robot.ny]
        several = not is_one(goals)
        kinds = [GoalKind(records[i].kind) for i in range(self.count)]
        self.table, self.as_rows = _targets(function, several, kinds, [widths[kind] for kind in kinds], targets)
        chosen = ffi.new("td_ik_options *", lib.td_ik_options_default())
        for name, value in options.items():
            if value is not None:
                setattr(chosen, name, _count(function, name, value))
        held_bytes = _pointer(_held(robot, function, held), "unsigned char[]")
        chosen.held = held_bytes
        place = ffi.new("td_ik **")
        _check(function, int(lib.td_ik_new(robot._model.pointer, records, self.count, chosen, place)))
        self.ik = ffi.gc(place[0], lib.td_ik_free)

    def clone(self) -> Any:
        place = ffi.new("td_ik **")
        _check(self.function, int(lib.td_ik_clone(self.ik, place)))
        return ffi.gc(place[0], lib.td_ik_free)

    def seeds(self, seed: Optional[npt.ArrayLike], rows: bool) -> Optional[Array]:
        """Returns the seed, one for each row if rows is set."""
        n, ny = len(self.table), self.robot.ny
        if seed is None:
            return None
        array = as_double(self.function, "seed", seed)
        if array.shape not in ((ny,), (n, ny) if rows and self.as_rows else (ny,)):
            raise ValueError(f"{self.function}: seed has shape {array.shape}, expected ({ny},)"
                             + (" or a row for each target" if rows else ""))
        return np.array(np.broadcast_to(array, (n, ny)) if rows else array, order="C")

    def one(self) -> Array:
        if self.as_rows:
            raise ValueError(f"{self.function}: targets have rows, expected one of each goal")
        row: Array = self.table[0]
        return row


def _new_result(kind: str) -> Any:
    result = ffi.new(kind + " *")
    result.size_of = ffi.sizeof(kind)
    return result


def _share(threads: int, n: int, work: Any) -> None:
    """Runs work(rows) on runs of consecutive rows, with this number of threads."""
    if threads <= 1:
        work(np.arange(n))
        return
    pieces = np.array_split(np.arange(n), min(4 * threads, n))
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(work, piece) for piece in pieces]:
            done.result()


def inverse_kinematics(robot: "Robot", goals: Union[Goal, str, int, Sequence[Union[Goal, str, int]]], targets: Any,
                       seed: Optional[npt.ArrayLike], follow: bool, held: Iterable[str], options: Any) -> Posture:
    """See Robot.inverse_kinematics."""
    function = "inverse_kinematics"
    given = _Call(robot, function, goals, targets, held, options)
    table, count, n = given.table, given.count, len(given.table)
    start = given.seeds(seed, True)
    y, q, left = np.zeros((n, robot.ny)), np.full((n, robot.nq), np.nan), np.zeros((n, count, 2))
    counts = np.zeros((4, n), np.int64)

    def work(rows: npt.NDArray[Any]) -> None:
        ik, result = given.clone(), _new_result("td_ik_result")

        def call(workspace: Any) -> int:
            last = None  # the last row that was reached
            for i in map(int, rows):
                begin = y[last] if follow and last is not None else None if start is None else start[i]
                status = int(lib.td_ik_solve(ik, workspace, _pointer(table[i]), _pointer(begin), _pointer(y[i]),
                                             _pointer(left[i].reshape(-1)), result))
                counts[:, i] = result.status, result.iterations, result.evaluations, status
                if robot.nq:
                    q[i] = np.frombuffer(ffi.buffer(lib.td_ik_q(ik), 8 * robot.nq))
                last = i if not status and result.status == IkStatus.REACHED else last
            return 0

        single._exclusive(call)

    threads = 1 if follow else min(robot.threads, n)
    single = robot if threads <= 1 else robot.with_threads(1)  # its workspaces start no threads
    _share(threads, n, work)
    reached = (counts[0] == IkStatus.REACHED) & (counts[3] == 0)
    if given.as_rows:
        return Posture(y, q, reached, counts[0], left, counts[1], counts[2], counts[3])
    _raise(robot, function, int(counts[3, 0]))
    return Posture(y[0], q[0], bool(reached[0]), counts[0, 0], left[0], counts[1, 0], counts[2, 0], counts[3, 0])


def solutions(robot: "Robot", goals: Union[Goal, str, int, Sequence[Union[Goal, str, int]]], targets: Any,
              seed: Optional[npt.ArrayLike], most: int, turns: bool, distance: Optional[float],
              starts: Optional[int], held: Iterable[str], options: Any) -> Postures:
    """See Robot.inverse_kinematics_all."""
    function = "inverse_kinematics_all"
    given = _Call(robot, function, goals, targets, held, options)
    target, start = given.one(), given.seeds(seed, False)
    chosen = ffi.new("td_ik_all_options *", lib.td_ik_all_options_default())
    chosen.turns = turns
    chosen.distance = chosen.distance if distance is None else distance
    chosen.starts = chosen.starts if starts is None else _count(function, "starts", starts)
    most = _count(function, "most", most)
    y, q = np.zeros((most, robot.ny)), np.zeros((most, robot.nq))
    left, found = np.zeros((most, given.count, 2)), ffi.new("size_t *")
    _raise(robot, function, robot._exclusive(lambda workspace: int(lib.td_ik_solve_all(
        given.ik, workspace, _pointer(target), _pointer(start), chosen, most, _pointer(y.reshape(-1)),
        _pointer(q.reshape(-1)), _pointer(left.reshape(-1)), found, ffi.NULL))))
    return Postures(y[:found[0]].copy(), q[:found[0]].copy(), left[:found[0]].copy())


def path(robot: "Robot", goals: Union[Goal, str, int, Sequence[Union[Goal, str, int]]], targets: Any,
         seed: Optional[npt.ArrayLike], jump: Optional[float], singular: Optional[float], starts: Optional[int],
         held: Iterable[str], options: Any) -> Path:
    """See Robot.inverse_kinematics_path."""
    function = "inverse_kinematics_path"
    given = _Call(robot, function, goals, targets, held, options)
    n, start = len(given.table), given.seeds(seed, False)
    chosen = ffi.new("td_ik_path_options *", lib.td_ik_path_options_default())
    for name, value in (("jump", jump), ("singular", singular)):
        if value is not None:
            setattr(chosen, name, value)
    chosen.starts = chosen.starts if starts is None else _count(function, "starts", starts)
    rows, result = ffi.new("td_ik_path_row[]", max(n, 1)), _new_result("td_ik_path_result")
    rows[0].size_of = ffi.sizeof("td_ik_path_row")
    y, q, left = np.zeros((n, robot.ny)), np.zeros((n, robot.nq)), np.zeros((n, given.count, 2))
    status = robot._exclusive(lambda workspace: int(lib.td_ik_solve_path(
        given.ik, workspace, n, _pointer(given.table.reshape(-1)), _pointer(start), chosen, _pointer(y.reshape(-1)),
        _pointer(q.reshape(-1)), _pointer(left.reshape(-1)), rows, result)))
    errors = np.array([rows[i].error for i in range(n)], np.int64)
    if status and not errors.any():
        _raise(robot, function, status)

    def column(name: str, kind: Any) -> Any:
        return np.array([getattr(rows[i], name) for i in range(n)], kind)

    states = column("status", np.int64)
    return Path(y, q, (states == IkStatus.REACHED) & (errors == 0), states, left, column("jump", bool),
                column("change", float), column("singular", bool), column("smallest", float),
                column("largest", float), errors, int(result.starts))

# SPDX-License-Identifier: MIT
"""Recorded motion: filters, derivatives, and the torques of a recording, as in `tandem recording` (docs/recording.md).

Noise, filters, cut-off frequencies, outliers and whole turns are computed by lib/recording, which the command also uses.
"""
from __future__ import annotations

import dataclasses
import re
import warnings
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _plot
from ._arrays import Array, as_double
from ._errors import Status
from ._forces import Forces
from ._model import Names
from ._native import ffi, lib
from ._records import Joint, Limit
from ._trajectory import LimitKind, Trajectory, sample_times
from ._units import FORCE, UNITS

if TYPE_CHECKING:
    from ._robot import Robot

FILTERS = {None: 0, "butterworth": 1, "spline": 2}
GAP_STEPS = 10
PREFIXES = ("q", "qd", "qdd")
Cutoff = Union[None, float, Mapping[str, float]]


def _pointer(array: Array) -> Any:
    return ffi.from_buffer("double[]", array)


def _done(function: str, status: int) -> None:
    if status == Status.MEMORY:
        raise MemoryError(function)
    if status:
        raise ValueError(f"{function}: {Status(status).text}")


def _times(function: str, t: npt.ArrayLike) -> Array:
    times = np.array(as_double(function, "t", t))
    if times.ndim != 1 or len(times) < 4:
        raise ValueError(f"{function}: t has shape {times.shape}, expected (rows,) of four or more")
    if not np.isfinite(times).all() or not (np.diff(times) > 0).all():
        raise ValueError(f"{function}: times do not ascend")
    return times


def _series(function: str, t: npt.ArrayLike, x: npt.ArrayLike, finite: bool = True) -> Tuple[Array, Array]:
    """Checks and returns times and columns; columns have shape (columns, rows), each contiguous."""
    times, values = _times(function, t), as_double(function, "x", x)
    if values.ndim not in (1, 2) or len(values) != len(times):
        raise ValueError(f"{function}: x has shape {values.shape}, expected ({len(times)},) or ({len(times)}, columns)")
    if finite and not np.isfinite(values).all():
        raise ValueError(f"{function}: x has values that are missing or infinite (tandem.repaired fills gaps)")
    return times, np.array(values.reshape(len(times), -1).T, order="C")


def _rows(array: Array) -> List[Array]:
    """Returns the rows of an array as views. (NumPy's types do not say what iterating over an array gives.)"""
    return [array[i] for i in range(len(array))]


def _like(columns: Array, x: npt.ArrayLike) -> Array:
    return np.array(columns.T.reshape(np.shape(x)), order="C")


def _kind(kind: Optional[str], none: bool = True) -> int:
    if not none and kind is None:
        raise ValueError("filter is None, expected 'butterworth' or 'spline'")
    if kind not in FILTERS:
        raise ValueError(f"filter is {kind!r}, expected 'butterworth', 'spline' or None")
    return FILTERS[kind]


def _column_kind(function: str, filter: Optional[str], times: Array) -> int:
    """Returns the filter of a function that requires one; 'butterworth' needs equal steps."""
    kind = _kind(filter, none=False)
    if filter == "butterworth" and not _even(times):
        raise ValueError(f"{function}: steps are not equal, which 'butterworth' needs (filter='spline' does not)")
    return kind


def _even(t: Array) -> bool:
    """Tells whether steps are equal up to rounding of times."""
    steps = np.diff(t)
    return bool(steps.max() - steps.min() < 0.02 * steps.max())


def _even_times(t: Array) -> Array:
    count = len(t) if _even(t) else int(min(np.round((t[-1] - t[0]) / np.sort(np.diff(t))[(len(t) - 1) // 2]), 1e8)) + 1
    return np.array(t[0] + (t[-1] - t[0]) * np.arange(count) / (count - 1))


# ---- one column or several

def noise_level(t: npt.ArrayLike, x: npt.ArrayLike) -> Array:
    """Estimates the standard deviation of white noise in each column of x, (rows,) or (rows, columns), at times t (rows,; s).
    It uses differences of an order at which the motion has no component. NaN for fewer than 16 rows. Returns a number for x
    of shape (rows,)."""
    times, columns = _series("noise_level", t, x)
    found = np.empty(len(columns))
    for column, into in zip(_rows(columns), _rows(found.reshape(-1, 1))):
        _done("noise_level", lib.td_noise_level(len(times), _pointer(times), _pointer(column), _pointer(into)))
    return found.reshape(np.shape(x)[1:])


def choose_cutoff(t: npt.ArrayLike, x: npt.ArrayLike, *, filter: str = "butterworth", weight: Optional[npt.ArrayLike] = None,
                  noise: Optional[npt.ArrayLike] = None) -> Array:
    """Chooses the cut-off frequency (Hz) of each column of x, (rows,) or (rows, columns). It minimizes the mean of Σ weight[a,
    b] e_a e_b, with the error e_a of the a-th derivative. weight (3, 3), or (columns, 3, 3); None: only the acceleration.
    noise: the standard deviations; None: noise_level. Steps must be equal for 'butterworth'."""
    times, columns = _series("choose_cutoff", t, x)
    kind = _column_kind("choose_cutoff", filter, times)
    weights = np.diag([0.0, 0.0, 1.0]) if weight is None else as_double("choose_cutoff", "weight", weight)
    weights = np.broadcast_to(weights, (len(columns), 3, 3))
    levels = np.broadcast_to(noise_level(t, _like(columns, x)) if noise is None else as_double("choose_cutoff", "noise", noise),
                             np.shape(x)[1:]).reshape(-1)
    found = [_common_cutoff(kind, times, [column], [float(levels[i])], [weights[i]]) for i, column in enumerate(_rows(columns))]
    return np.array(found).reshape(np.shape(x)[1:])


def _common_cutoff(kind: int, t: Array, columns: Sequence[Array], noise: Sequence[float], weights: Sequence[Array]) -> float:
    """Returns the common cut-off of columns with equal steps (td_cutoff_choose)."""
    given, found = ffi.new("td_noisy_column[]", len(columns)), ffi.new("double *")
    kept = [np.ascontiguousarray(column) for column in columns]
    for item, column, level, weight in zip(given, kept, noise, weights):
        item.x, item.noise = _pointer(column), float(level)
        ffi.buffer(ffi.addressof(item, "weight"))[:] = np.ascontiguousarray(weight, dtype=float).tobytes()
    _done("choose_cutoff", lib.td_cutoff_choose(kind, len(t), _pointer(t), len(columns), given, found))
    return float(found[0])


def filtered(t: npt.ArrayLike, x: npt.ArrayLike, cutoff: Optional[npt.ArrayLike] = None, *, filter: str = "butterworth") -> Array:
    """Applies a low-pass filter without delay to x, (rows,) or (rows, columns), at times t (rows,; s). filter: 'butterworth',
    of second order, forwards and backwards, which needs equal steps; or 'spline', the smoothing spline. cutoff (Hz): the
    frequency with gain 1/√2, one for all columns or one for each; None: choose_cutoff for the best acceleration."""
    times, columns = _series("filtered", t, x)
    kind = _column_kind("filtered", filter, times)
    if cutoff is None:
        cutoff = choose_cutoff(t, x, filter=filter)
    frequencies = np.broadcast_to(as_double("filtered", "cutoff", cutoff), np.shape(x)[1:]).reshape(-1)
    largest = lib.td_filter_largest_cutoff(len(times), _pointer(times))
    for column, frequency in zip(_rows(columns), frequencies):
        if not 0 < frequency <= largest:
            raise ValueError(f"filtered: cutoff is {frequency:g} Hz, expected more than 0 and at most {largest:g}, 0.45 of the rate")
        _done("filtered", lib.td_filter_apply(kind, len(times), _pointer(times), frequency, _pointer(column)))
    return _like(columns, x)


def outliers(t: npt.ArrayLike, x: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Returns a mask, in the shape of x, (rows,) or (rows, columns), of isolated values that disagree with their neighbors. NaN
    is a missing value, not an outlier."""
    times, columns = _series("outliers", t, x, False)
    found = np.zeros(columns.shape, bool)
    for column, into in zip(_rows(columns), found):
        rows = np.flatnonzero(np.isfinite(column))
        if len(rows) < 4:
            continue
        place, instead, count = np.empty(len(rows), np.uintp), np.empty(len(rows)), ffi.new("size_t *")
        _done("outliers", lib.td_outliers(len(rows), _pointer(times[rows]), _pointer(column[rows]),
                                          ffi.from_buffer("size_t[]", place), _pointer(instead), count))
        into[rows[place[:count[0]]]] = True
    return np.array(found.T.reshape(np.shape(x)))


def repaired(t: npt.ArrayLike, x: npt.ArrayLike, *, outliers: bool = True) -> Array:
    """Returns x, (rows,) or (rows, columns), with gaps (NaN between other values) and, if outliers is true, outliers replaced
    by a cubic spline through the other values. Values before the first and after the last valid one stay NaN."""
    times, columns = _series("repaired", t, x, False)
    wrong = ~np.isfinite(columns)
    if outliers:
        wrong |= _outliers(t, _like(columns, x)).reshape(len(times), -1).T
    for column, bad in zip(_rows(columns), wrong):
        rows = np.flatnonzero(~bad)
        if len(rows) < 4:
            raise ValueError(f"repaired: a column has {len(rows)} values, expected four or more")
        column[bad] = np.nan
        fill = np.flatnonzero(bad[rows[0]:rows[-1]]) + rows[0]
        column[fill] = Trajectory.spline(times[rows], column[rows])(times[fill])[0][:, 0]
    return _like(columns, x)


_outliers = outliers


def _unwrapped(t: Array, x: Array) -> Tuple[Array, npt.NDArray[np.intp], Any]:
    """Returns a column without jumps by whole turns, the rows that have values, and td_turns, which counts the jumps."""
    rows, found = np.flatnonzero(np.isfinite(x)), ffi.new("td_turns *")
    values = x[rows]
    if len(rows) > 1:
        _done("unwrapped", lib.td_unwrap(len(rows), _pointer(t[rows]), _pointer(values), found))
    whole = x.copy()
    whole[rows] = values
    return whole, rows, found


def unwrapped(t: npt.ArrayLike, x: npt.ArrayLike) -> Array:
    """Removes jumps by whole turns from x, (rows,) or (rows, columns) of angles (rad) at times t (s) that were recorded modulo
    a turn. The first value stays, and columns that count turns are unchanged. NaN is missing. Warns if rows are too far
    apart to determine the rotation between them."""
    times, columns = _series("unwrapped", t, x, False)
    for i, column in enumerate(_rows(columns)):
        columns[i], rows, found = _unwrapped(times, column)
        if found.doubtful:
            of = f" of column {i}" if np.ndim(x) > 1 else ""
            warnings.warn(f"unwrapped: rows are too far apart to determine how far the angle{of} turns, first in row "
                          f"{rows[found.first_doubtful]}", stacklevel=2)
    return _like(columns, x)


def derivatives(t: npt.ArrayLike, x: npt.ArrayLike, *, degree: int = 5) -> Tuple[Array, Array, Array]:
    """Returns x, (rows,) or (rows, columns), and its first and second derivative by a spline of degree 5 or 3 through x, in the
    same shape."""
    times, columns = _series("derivatives", t, x)
    least = degree + 1
    if len(times) < least:
        raise ValueError(f"derivatives: {len(times)} rows, but a spline of degree {degree} needs {least}")
    found = Trajectory.spline(times, columns.T, degree=degree)(times)
    return _like(columns, x), found[1].reshape(np.shape(x)), found[2].reshape(np.shape(x))


# ---- a recording of a robot

@dataclasses.dataclass(frozen=True)
class Recording:
    """The result of tandem.recording: arrays with one row for each time. Rows in which loops do not close are NaN."""

    t: Array  # (rows,), s
    y: Array  # (rows, ny), rad, m
    yd: Array  # (rows, nyd), per s
    ydd: Array  # (rows, nyd), per s²
    tau: Array  # (rows, nyd): forces of the motion, along y (N m, N)
    u: Optional[Array]  # (rows, nu): forces of motors (N m, N); None if motors cannot produce all forces
    noise: Dict[str, float]  # by column: standard deviation, in its unit
    cutoff: Dict[str, float]  # by column: Hz; empty without a filter
    outliers: Dict[str, Array]  # by column: times of outliers (s)
    turns: Dict[str, int]  # by column of an angle recorded modulo a turn: number of jumps by whole turns that were removed
    followers: Dict[str, float]  # by column of a follower: largest deviation from the position given by its leaders (rad, m)
    names: Names

    def columns(self) -> Dict[str, Array]:
        """Returns the columns by name, as `tandem recording -o` writes them. pandas.DataFrame(recording.columns()) makes a table of
        them."""
        found = {"t": self.t}
        for prefix, names, rows in (("q", self.names.y, self.y), ("qd", self.names.yd, self.yd), ("qdd", self.names.yd, self.ydd),
                                    ("tau", self.names.tau_y, self.tau), ("u", self.names.u, self.u)):
            if rows is not None:
                found.update({f"{prefix}:{name}": column for name, column in zip(names, _rows(rows.T))})
        return found

    def plot(self, which: Sequence[str] = ("q", "tau")) -> Any:
        """Returns a matplotlib figure of the columns with these prefixes: 'q', 'qd', 'qdd', 'tau'."""
        return _plot.figure(self.columns(), (), which)


@dataclasses.dataclass
class _Channel:
    name: str
    order: int  # 0 position, 1 velocity, 2 acceleration
    index: int  # in y or yd; for a follower in q
    follower: bool
    x: Array
    noise: float = float("nan")
    cutoff: float = float("nan")
    chosen: bool = False


def recording(robot: "Robot", table: Any, *, filter: Optional[str] = None, cutoff: Cutoff = None, repair: bool = False,
              gap: Optional[float] = None, rate: Optional[float] = None, degree: int = 5, rest: Optional[npt.ArrayLike] = None,
              passive: bool = True) -> Recording:
    """Filters and differentiates a recording and computes its torques, as `tandem recording` does. Warns if it skips, fills or
    replaces data.

    table: columns by name (a dict, a DataFrame of pandas, a structured array of numpy): t or time (s), and joints, 'elbow' or
    'q:elbow', 'qd:elbow', 'qdd:elbow' (rad, m), optionally with a unit, 'elbow [deg]'; NaN is missing. Or a pair of t (rows,)
    and y (rows, ny). Columns of followers are compared, not used. Joints without a column are at their position in rest (ny,);
    None: the reference. filter: None, 'butterworth' or 'spline'. cutoff (Hz): one number, or by column; None: the cut-off with
    the least error of torques. repair: skips rows whose times do not ascend, fills gaps longer than gap (s; None: ten steps),
    and replaces outliers. Without repair, the first two are errors, and outliers cause a warning. Angles of joints without
    limits may be modulo a turn; jumps by whole turns are removed. rate (Hz): resamples rows at equal steps; None: as recorded.
    degree: degree of the spline for derivatives, 5 or 3. passive: torques include damping, friction, springs and rotors of
    joints."""
    kind = _kind(filter)
    if cutoff is not None and not kind:
        raise ValueError("recording: cutoff requires a filter (filter='butterworth' or 'spline')")
    t, channels = _read(robot, table)
    t, found, turns = _mend(robot, t, channels, repair, gap)
    for c in channels:
        c.noise = float(noise_level(t, c.x))
    if filter == "butterworth":
        even = _even_times(t)
        if not _even(t):
            for c in channels:
                c.x = Trajectory.spline(t, c.x)(even)[0][:, 0]
        t = even  # the filter assumes equal steps, so the spline must use them, too, if times are rounded
    forces = Forces(passive=passive)
    base = robot.reference if rest is None else as_double("recording", "rest", rest)
    if base.shape != (robot.ny,):
        raise ValueError(f"recording: rest has shape {base.shape}, expected (ny={robot.ny},)")
    if kind:
        _filter(robot, t, channels, str(filter), cutoff, degree, base, forces)
    curve = _Curve(robot, t, channels, degree, base)
    times = t if rate is None else sample_times(float(t[0]), float(t[-1]), rate)
    y, yd, ydd = curve(times)
    led, statuses = robot.with_path() if robot.loops else robot, np.zeros(len(times), np.intc)
    tau = led.inverse_dynamics(y, yd, ydd, forces, statuses=statuses)
    u = None
    if robot.nu and robot.actuation_status == Status.OK:
        u = led.forces_to_actuators(y, tau, statuses=statuses).u
    off = {}
    for c in channels:
        if c.follower:
            q = led.tree_state(curve(t)[0], statuses=np.zeros(len(t), np.intc)).q
            by = q[:, c.index] * _signs(robot, channels, c, q) - c.x
            if _angle(robot, c) and _goes_round(_joint(robot, c)):
                by -= 2 * np.pi * np.round(by / (2 * np.pi))
            off[c.name] = float(np.nanmax(np.abs(by)))
    own = [c for c in channels if not c.follower]
    return Recording(times, y, yd, ydd, tau, u, {c.name: c.noise for c in own}, {c.name: c.cutoff for c in own} if kind else {},
                          found, turns, off, robot.names)


# ---- a plan

CURVES = {"cubic": (3, "clamped"), "quintic": (5, "clamped"), "b-spline": (3, "b-spline")}


def _points(robot: "Robot", points: Any, t: Optional[npt.ArrayLike]) -> Tuple[Array, Optional[Array]]:
    """Returns rows of y, and their times if they have some. Missing columns have their reference values."""
    if not hasattr(points, "keys") and getattr(getattr(points, "dtype", None), "names", None) is None:
        rows = as_double("trajectory", "points", points)
        if rows.ndim != 2 or rows.shape[1] != robot.ny:
            raise ValueError(f"trajectory: points have shape {rows.shape}, expected (points, ny={robot.ny})")
        return rows, None if t is None else np.array(as_double("trajectory", "t", t))
    columns = {name[2:] if name.startswith("q:") else name: values for name, values in _columns(robot, points).items()}
    times = columns.pop("t", None) if t is None else t
    if unknown := set(columns) - set(robot.names.y):
        raise ValueError(f"trajectory: column {sorted(unknown)[0]!r} is not a coordinate of the robot: {', '.join(robot.names.y)}")
    if not columns:
        raise ValueError(f"trajectory: no column is a coordinate of the robot: {', '.join(robot.names.y)}")
    rows = np.tile(robot.reference, (len(next(iter(columns.values()))), 1))
    for name, values in columns.items():
        rows[:, robot.names.y.index(name)] = as_double("trajectory", name, values)
    return rows, None if times is None else np.array(as_double("trajectory", "t", times))


def _chosen_times(robot: "Robot", rows: Array) -> Array:
    """Returns times proportional to the duration of each step at the velocity limits (1 where there is no limit)."""
    limit = np.where(np.isfinite(robot.velocity_limit) & (robot.velocity_limit > 0), robot.velocity_limit, 1)
    ways = np.abs(robot.difference(rows[:-1], rows[1:]))
    for pose in poses_of(robot).values():  # the larger of the angle of the turn and the distance
        near, far = (np.linalg.norm(rows[1:, pose.quaternion] + sign * rows[:-1, pose.quaternion], axis=1) for sign in (-1, 1))
        distance = np.linalg.norm(np.diff(rows[:, pose.y[:-4]], axis=0), axis=1)
        ways[:, pose.yd] = np.fmax(4 * np.arctan2(near, far), distance)[:, np.newaxis]
    steps = (ways / limit).max(axis=1)
    if (same := np.flatnonzero(~(steps > 0))).size:
        raise ValueError(f"trajectory: point {same[0] + 1} equals the point before it; give times (t=)")
    return np.append(0.0, np.cumsum(steps))


def plan(robot: "Robot", points: Any, t: Optional[npt.ArrayLike], curve: str, limits: Optional[Sequence[Limit]], slower: bool,
         passive: bool) -> Trajectory:
    """See Robot.trajectory."""
    if curve not in CURVES:
        raise ValueError(f"trajectory: curve is {curve!r}, expected one of {', '.join(map(repr, CURVES))}")
    rows, times = _points(robot, points, t)
    rows = robot.normalize(rows)
    for i in range(1, len(rows)):
        rows[i] = robot.align_quaternions(rows[i - 1], rows[i])
    if len(rows) < 2:
        raise ValueError("trajectory: a motion needs at least two points")
    degree, kind = CURVES[curve]
    way = Trajectory.spline(_chosen_times(robot, rows) if times is None else times, rows, degree=degree, kind=kind)
    scale = robot.time_scale(way, limits=limits, forces=robot.actuation_status == Status.OK, passive=passive, faster=True)
    if times is None and scale.kind == LimitKind.NONE:
        raise ValueError("trajectory: no limit restricts the motion; give times (t=)")
    if times is not None and scale.factor <= 1 + 1e-9:
        return way
    if times is not None and not slower:
        raise ValueError(f"trajectory: the motion violates the {scale.kind.name.lower()} limit of {scale.joint or 'a motor in a loop'} at "
                         f"{scale.t:.4g} s: it must take {scale.factor:.4g} times as long to satisfy all limits (slower=True)")
    return way.scaled(scale.factor)


# ---- the table

def _columns(robot: "Robot", table: Any) -> Dict[str, Any]:
    if isinstance(table, tuple) and len(table) == 2:
        t, y = table
        rows = as_double("recording", "y", y)
        if rows.ndim != 2 or rows.shape[1] != robot.ny:
            raise ValueError(f"recording: y has shape {rows.shape}, expected (rows, ny={robot.ny})")
        return {"t": t, **{"q:" + name: column for name, column in zip(robot.names.y, rows.T)}}
    names = table.dtype.names if isinstance(table, np.ndarray) else table.keys() if hasattr(table, "keys") else None
    if not names:
        raise TypeError("recording: the table must be a mapping of columns by name, a DataFrame, a structured array, or (t, y)")
    return {str(name): table[name] for name in names}


def _read(robot: "Robot", table: Any) -> Tuple[Array, List[_Channel]]:
    t: Optional[Array] = None
    channels: List[_Channel] = []
    unused = []
    names: Sequence[Sequence[str]] = (robot.names.y, robot.names.yd, robot.names.yd)
    for heading, values in _columns(robot, table).items():
        found = re.fullmatch(r"(.*?)[ _]*(?:\[([^\[]*)\]|\(([^(]*)\))", heading, re.DOTALL)
        base, word = (found[1], found[2] or found[3] or "") if found else (heading, "")
        name = base if word in UNITS else heading
        word = word if word in UNITS else ""
        size, of, turns = UNITS[word] if word else (1.0, None, None)
        if name in ("t", "time"):
            if t is not None:
                raise ValueError(f"recording: {heading!r} is a second time column")
            if of not in (None, -1):
                raise ValueError(f"recording: column {heading!r}: {word} is not a unit of time")
            t = size * np.array(as_double("recording", heading, values))
            continue
        prefix, colon, rest = name.partition(":")
        order, joint = (PREFIXES.index(prefix), rest) if colon and prefix in PREFIXES else (max(of or 0, 0), name)
        if order == FORCE:
            unused.append(heading)
            continue
        if joint in names[order]:
            index, follower = names[order].index(joint), False
        elif order == 0 and joint in robot.names.q:
            index, follower = robot.names.q.index(joint), True
        elif name != base and (base.partition(":")[2] if base.partition(":")[0] in PREFIXES else base) in {*robot.names.q, *robot.names.yd}:
            raise ValueError(f"recording: column {heading!r}: its unit is unknown; known units: {', '.join(UNITS)}")
        elif colon and prefix in PREFIXES:
            raise ValueError(f"recording: column {heading!r}: the robot has no coordinate with this name")
        else:
            unused.append(heading)
            continue
        if any((c.order, c.index, c.follower) == (order, index, follower) for c in channels):
            raise ValueError(f"recording: {heading!r} is a second column of the same quantity")
        if of is not None and (of != order or turns != _turns(robot, joint)):
            raise ValueError(f"recording: column {heading!r}: {word} is not a unit of {PREFIXES[order]}:{joint}")
        channels.append(_Channel(heading, order, index, follower, size * np.array(as_double("recording", heading, values))))
    if t is None:
        raise ValueError("recording: there is no column 't' or 'time'")
    if not any(not c.follower for c in channels):
        raise ValueError(f"recording: no column is a coordinate of the robot: {', '.join(robot.names.y)}")
    for c in channels:
        if t.ndim != 1 or c.x.shape != t.shape:
            raise ValueError(f"recording: column {c.name!r} has shape {c.x.shape}, but times have {t.shape}")
    if unused:
        warnings.warn(f"recording: ignored columns: {', '.join(unused)}", stacklevel=3)
    return t, channels


def _turns(robot: "Robot", coordinate: str) -> bool:
    """Tells whether a coordinate is an angle."""
    joint, _, component = coordinate.rpartition(".") if coordinate not in robot.names.joints else (coordinate, "", "")
    kind = robot.joints[robot.names.joints.index(joint)].type.name.lower()
    if kind in ("revolute", "continuous"):
        return True
    return kind != "prismatic" and component not in ("x", "y", "z", "vx", "vy", "vz")


def _joint(robot: "Robot", c: _Channel) -> Joint:
    """Returns the joint of a position."""
    name = (robot.names.q if c.follower else robot.names.y)[c.index]
    return robot.joints[robot.names.joints.index(name if name in robot.names.joints else name.rpartition(".")[0])]


def _angle(robot: "Robot", c: _Channel) -> bool:
    return c.order == 0 and _joint(robot, c).type.kind.quaternion is None and _turns(robot, (robot.names.q if c.follower else robot.names.y)[c.index])


def _goes_round(joint: Joint) -> bool:
    """Tells whether a whole turn of the joint leaves the configuration unchanged, and no limit distinguishes the turns."""
    kind = joint.type.kind
    return not kind.pitched and not (kind.bounded and (np.isfinite(joint.limit.lower) or np.isfinite(joint.limit.upper)))


def _tell_turns(robot: "Robot", t: Array, c: _Channel, rows: npt.NDArray[np.intp], found: Any) -> int:
    """Warns of the results of td_unwrap, as recording_turns.c of the command does. Returns the number of removed jumps."""
    joint, level = _joint(robot, c), 5
    if not _goes_round(joint):
        if found.sure:
            warnings.warn(f"recording: column {c.name!r} jumps by about a turn at {t[rows[found.first_sure]]:g} s, and joint {joint.name!r} "
                          f"{'is a screw' if joint.type.kind.pitched else 'has limits'}; left as recorded", stacklevel=level)
        return 0
    if found.jumps:
        warnings.warn(f"recording: column {c.name!r}: {found.jumps} jump{'s' * (found.jumps > 1)} by whole turns removed, the first at "
                      f"{t[rows[found.first]]:g} s", stacklevel=level)
    if found.doubtful:
        warnings.warn(f"recording: column {c.name!r}: rows are too far apart to determine how far {joint.name!r} turns, first at "
                      f"{t[rows[found.first_doubtful]]:g} s", stacklevel=level)
    return int(found.jumps)


def _mend_column(robot: "Robot", t: Array, c: _Channel, repair: bool) -> Tuple[npt.NDArray[np.bool_], int]:
    """Returns a mask of outliers, and the number of removed jumps by whole turns. With repair, outliers become missing values.
    Outliers of an angle are found after jumps are removed; replaced outliers do not count as turns."""
    angle, round_ = _angle(robot, c), _angle(robot, c) and _goes_round(_joint(robot, c))
    off = outliers(t, _unwrapped(t, c.x)[0] if round_ else c.x)
    if repair:
        c.x = np.where(off, np.nan, c.x)
    if not angle:
        return off, 0
    whole, rows, found = _unwrapped(t, c.x)
    c.x = whole if round_ else c.x
    return off, _tell_turns(robot, t, c, rows, found)


@dataclasses.dataclass(frozen=True)
class Pose:
    """Where a joint with a quaternion is: its entries of y and of yd, and of its quaternion in y."""

    name: str
    y: List[int]
    yd: List[int]
    quaternion: List[int]


def poses_of(robot: "Robot") -> Dict[str, Pose]:
    """Returns the independent joints with a quaternion by name."""
    found = {}
    for joint in robot.independent_joints:
        first, place, name = robot.joints[joint].type.kind.quaternion, robot.joint_place(joint), robot.names.joints[joint]
        if first is not None and place.y is not None and place.yd is not None:
            y, yd = list(range(place.y, place.y + place.ny)), list(range(place.yd, place.yd + place.nyd))
            found[name] = Pose(name, y, yd, y[first:first + 4])
    return found


def _quaternions(robot: "Robot", channels: List[_Channel]) -> List[Tuple[str, List[Optional[_Channel]]]]:
    """Returns the columns of each quaternion, x, y, z and w, with the name of its joint. A missing column is None."""
    found = []
    for i, (name, joint) in enumerate(zip(robot.names.joints, robot.joints)):
        first, place = joint.type.kind.quaternion, robot.joint_place(i)
        if first is None:
            continue
        for follower, start in ((False, place.y), (True, place.q)):
            parts = [next((c for c in channels if c.order == 0 and c.follower == follower and start is not None and
                           c.index == start + first + k), None) for k in range(4)]
            if any(part is not None for part in parts):
                found.append((name, parts))
    return found


def _signs(robot: "Robot", channels: List[_Channel], c: _Channel, q: Array) -> Union[float, Array]:
    """Returns −1 where the quaternion that the column of a follower is part of has the other sign than in q (rows, nq)."""
    for _, parts in _quaternions(robot, channels):
        if any(part is c for part in parts):
            return np.where(sum(part.x * q[:, part.index] for part in parts if part is not None) < 0, -1.0, 1.0)
    return 1.0


def _check_lengths(robot: "Robot", t: Array, channels: List[_Channel], repair: bool) -> None:
    """Scales quaternions to unit length. Another length is an error, or a missing value with repair."""
    for name, parts in _quaternions(robot, channels):
        there = [part for part in parts if part is not None]
        length = np.sqrt(sum(part.x ** 2 for part in there))
        wrong = np.abs(length - 1) > 0.01
        if wrong.any() and not repair:
            raise ValueError(f"recording: the quaternion of {name!r} has length {length[wrong][0]:g} at {t[wrong][0]:g} s, expected 1 "
                             "(repair=True replaces it)")
        if wrong.any():
            warnings.warn(f"recording: the quaternion of {name!r} has a wrong length at {_some(t[wrong])} s (replaced)", stacklevel=4)
        for part in there:
            part.x = part.x / np.where(wrong, np.nan, length)


def _align(t: Array, name: str, parts: List[Optional[_Channel]], last: bool) -> None:
    """Chooses signs of a quaternion (td_align_signs)."""
    found, columns = ffi.new("td_turns *"), ffi.new("double *[4]")
    for k, part in enumerate(parts):
        if part is not None:
            part.x = np.array(part.x)
            columns[k] = _pointer(part.x)
    lib.td_align_signs(len(t), columns, found)
    if found.doubtful and last:
        warnings.warn(f"recording: rows are too far apart to determine how {name!r} turns, first at {t[found.first_doubtful]:g} s",
                      stacklevel=4)


def _mend_quaternion(t: Array, name: str, parts: List[Optional[_Channel]], repair: bool) -> Dict[str, npt.NDArray[np.bool_]]:
    """Aligns signs, and returns masks of outliers by column. With repair, outliers become missing values of all columns."""
    _align(t, name, parts, not repair)
    off = {part.name: outliers(t, part.x) for part in parts if part is not None}
    if repair:
        gone = np.any(list(off.values()), axis=0)
        for part in parts:
            if part is not None:
                part.x = np.where(gone, np.nan, part.x)
        _align(t, name, parts, True)
    return off


def _mend(robot: "Robot", t: Array, channels: List[_Channel], repair: bool,
          gap: Optional[float]) -> Tuple[Array, Dict[str, Array], Dict[str, int]]:
    """Finds, and with repair removes, defects of a recording, as recording_repair.c of the command does."""
    last, good = -np.inf, np.zeros(len(t), bool)
    for i, time in enumerate(t):
        if np.isfinite(time) and time > last:
            last, good[i] = time, True
    if not good.all() and not repair:
        raise ValueError(f"recording: the times of rows {_some(np.flatnonzero(~good))} do not ascend (repair=True skips them)")
    _check_lengths(robot, t, channels, repair)
    # rows at the ends with missing values
    full = good & np.all([np.isfinite(c.x) for c in channels], axis=0)
    if full.sum() < 4:
        raise ValueError("recording: fewer than four rows have a time and values in all columns")
    rows = np.flatnonzero(good)
    first, end = np.flatnonzero(full)[[0, -1]]
    for left, why in ((np.flatnonzero(~good), "whose times do not ascend"), (rows[rows < first], "before all columns have values"),
                      (rows[rows > end], "after the last row in which all columns have values")):
        if len(left):
            warnings.warn(f"recording: skipped rows {_some(left)}, {why}", stacklevel=3)
    rows = rows[(rows >= first) & (rows <= end)]
    t = t[rows]
    longest = GAP_STEPS * float(np.median(np.diff(t))) if gap is None else gap
    found: Dict[str, Array] = {}
    turns: Dict[str, int] = {}
    for c in channels:
        c.x = c.x[rows]
    masks: Dict[str, npt.NDArray[np.bool_]] = {}
    for name, parts in _quaternions(robot, channels):
        masks.update(_mend_quaternion(t, name, parts, repair))
    for c in channels:
        there = t[np.isfinite(c.x)]
        wide = np.flatnonzero(np.diff(there) > longest)
        if len(wide) and not repair:
            raise ValueError(f"recording: column {c.name!r} has no values from {there[wide[0]]:g} to {there[wide[0] + 1]:g} s (gap= or "
                             "repair=True fill it)")
        if missing := len(t) - len(there):
            warnings.warn(f"recording: column {c.name!r}: {missing} missing value{'s' * (missing > 1)} interpolated", stacklevel=3)
        off, jumps = (masks[c.name], 0) if c.name in masks else _mend_column(robot, t, c, repair)
        if jumps:
            turns[c.name] = jumps
        if off.any():
            found[c.name] = t[off]
            warnings.warn(f"recording: column {c.name!r} has outliers at {_some(t[off])} s "
                          + ("(replaced)" if repair else "(repair=True replaces them)"), stacklevel=3)
        c.x = repaired(t, c.x, outliers=False)
    return t, found, turns


def _some(values: Any) -> str:
    return ", ".join(f"{value:g}" for value in values[:5]) + (" …" if len(values) > 5 else "")


# ---- states

class _Curve:
    """The columns as functions of time. Velocities and accelerations without a column come from a spline."""

    def __init__(self, robot: "Robot", t: Array, channels: List[_Channel], degree: int, rest: Array) -> None:
        if degree not in (3, 5):
            raise ValueError(f"recording: degree is {degree}, expected 3 or 5")
        self.rest, self.robot = rest, robot
        given = {(c.order, c.index): c.x for c in channels if not c.follower}
        velocity, poses = velocities_of(robot), list(poses_of(robot).values())
        owner = {k: pose for pose in poses for k in pose.yd}
        for order, index in given:
            if order > 0 and index not in owner and not any(o == 0 and velocity[i] == index for o, i in given):
                raise ValueError(f"recording: velocity or acceleration without a column 'q:{robot.names.yd[index]}'")
        numbers = np.zeros((3, len(t), robot.ny))
        numbers[0] = rest
        for pose in poses:
            if any((0, k) in given for k in pose.quaternion):
                numbers[0][:, pose.quaternion] = 0
        for (order, index), x in given.items():
            if order == 0:
                numbers[0][:, index] = x
        numbers[0] = robot.normalize(numbers[0])
        self.q = [index for order, index in given if order == 0 and velocity[index] >= 0]
        self.qd = [velocity[index] for index in self.q]
        for index, k in zip(self.q, self.qd):
            numbers[:, :, index] = _complete(t, numbers[0][:, index], given.get((1, k)), given.get((2, k)), degree)
        for pose in poses:
            self._add_pose(t, pose, given, degree, numbers)
        self.trajectory = Trajectory.hermite(t, *(np.ascontiguousarray(part[:, self.q]) for part in numbers))

    def _add_pose(self, t: Array, pose: Pose, given: Dict[Tuple[int, int], Array], degree: int, numbers: Array) -> None:
        """Adds a joint with a quaternion if it has columns: its numbers, and their two derivatives."""
        more = [[k for k in pose.yd if (order, k) in given] for order in (1, 2)]
        if not any((0, k) in given for k in pose.y):
            if more[0] or more[1]:
                raise ValueError(f"recording: {pose.name!r} has columns of {'velocities' if more[0] else 'accelerations'} but not of positions")
            return
        for columns, what in zip(more, ("velocities", "accelerations")):
            if columns and len(columns) < len(pose.yd):
                raise ValueError(f"recording: {pose.name!r} has columns of some {what} but not of all {len(pose.yd)}")
        for k in pose.y:
            numbers[:, :, k] = _complete(t, numbers[0][:, k], None, None, degree)
        if more[0] or more[1]:
            yd, ydd = self.robot.rates_to_velocities(*numbers)
            for k in pose.yd:
                if more[0]:
                    yd[:, k] = given[1, k]
                    ydd[:, k] = derivatives(t, yd[:, k], degree=3)[1]
                if more[1]:
                    ydd[:, k] = given[2, k]
            rates = self.robot.velocities_to_rates(numbers[0], yd, ydd)
            for k in pose.y:
                numbers[1][:, k], numbers[2][:, k] = rates[0][:, k], rates[1][:, k]
        self.q = self.q + pose.y
        self.qd = self.qd + pose.yd

    def __call__(self, t: Array) -> Tuple[Array, Array, Array]:
        numbers = np.zeros((3, len(t), self.robot.ny))
        numbers[0] = self.rest
        for part, values in zip(numbers, self.trajectory(t)):
            part[:, self.q] = values
        yd, ydd = self.robot.rates_to_velocities(*numbers)
        return self.robot.normalize(numbers[0]), yd, ydd


def velocities_of(robot: "Robot") -> List[int]:
    """Returns the index in yd of each entry of y, or -1 for joints with a quaternion."""
    found = [-1] * robot.ny
    for joint in robot.independent_joints:
        place = robot.joint_place(joint)
        if place.q is None or place.qd is None or place.nq != place.nv:
            continue
        for k in range(place.nq):
            if place.dependents >> k & 1:
                continue  # a loop determines it, so it is not in y
            found[robot.names.y.index(robot.names.q[place.q + k])] = robot.names.yd.index(robot.names.qd[place.qd + k])
    return found


def _complete(t: Array, x: Array, v: Optional[Array], a: Optional[Array], degree: int) -> Tuple[Array, Array, Array]:
    if v is None and a is None and degree == 5 and len(t) >= 6:
        return derivatives(t, x)
    if v is None:
        _, first, second = derivatives(t, x, degree=3)
        return x, first, second if a is None else a
    return x, v, derivatives(t, v, degree=3)[1] if a is None else a


# ---- filters

def _filter(robot: "Robot", t: Array, channels: List[_Channel], filter: str, cutoff: Cutoff, degree: int, rest: Array,
            forces: Forces) -> None:
    """Filters all columns. Cut-offs that are not given are first chosen for the best accelerations, then, with the resulting
    motion, for the best torques of the robot."""
    kind, largest = FILTERS[filter], lib.td_filter_largest_cutoff(len(t), _pointer(t))
    given = cutoff if isinstance(cutoff, Mapping) else {}
    if unknown := set(given) - {c.name for c in channels}:
        raise ValueError(f"recording: cutoff has {sorted(unknown)[0]!r}, which is not a column in use")
    for c in channels:
        value = given.get(c.name, None if isinstance(cutoff, Mapping) else cutoff)
        c.chosen = value is None
        c.cutoff = largest if value is None else float(value)
        if not 0 < c.cutoff <= largest:
            raise ValueError(f"recording: the cut-off of {c.name!r} is {c.cutoff:g} Hz, expected more than 0 and at most {largest:g}, 0.45 of the rate")
    recorded = [c.x for c in channels]
    # columns of a quaternion have one cut-off
    shared = [[i for i, c in enumerate(channels) if any(part is c for part in parts)] for _, parts in _quaternions(robot, channels)]
    shared += [[i] for i in range(len(channels)) if not any(i in group for group in shared)]
    for group in shared:
        own = [i for i in group if not channels[i].chosen]
        for i in group:
            if own:
                channels[i].cutoff, channels[i].chosen = channels[own[0]].cutoff, False

    def choose(weights: Sequence[Array]) -> None:
        even = t if _even(t) else _even_times(t)
        for group in shared:
            if channels[group[0]].chosen and sum(np.trace(weights[i]) for i in group) > 0:
                copies = [recorded[i] if _even(t) else Trajectory.spline(t, recorded[i])(even)[0][:, 0] for i in group]
                common = _common_cutoff(kind, _even_times(t), copies, [channels[i].noise for i in group], [weights[i] for i in group])
                for i in group:
                    channels[i].cutoff = common

    def apply() -> None:
        for c, x in zip(channels, recorded):
            c.x = x.copy()
            _done("recording", lib.td_filter_apply(kind, len(t), _pointer(t), c.cutoff, _pointer(c.x)))

    if any(c.chosen for c in channels):
        choose([np.diag(np.eye(3)[2 - c.order]) for c in channels])
        apply()
        choose(_weights(robot, t, channels, filter, degree, rest, forces))
    apply()


def _weights(robot: "Robot", t: Array, channels: List[_Channel], filter: str, degree: int, rest: Array, forces: Forces) -> List[Array]:
    """Returns for each column the weights of the errors of its derivatives in the mean square error of all forces. Forces are
    weighted with the inverse inertia of their coordinates (docs/recording.md). Slopes are central differences over the size of
    the errors."""
    samples = 32
    count = min(len(t), samples)
    at = t[[i * (len(t) - 1) // max(1, count - 1) for i in range(count)]]
    state = _Curve(robot, t, channels, degree, rest)(at)
    statuses = np.zeros(count, np.intc)
    inertia = np.diagonal(robot.mass_matrix(state[0], forces, statuses=statuses), axis1=-2, axis2=-1)
    good = (statuses == 0)[:, None] & (inertia > 0)
    rate = (len(t) - 1) / (t[-1] - t[0])
    where = _places(robot)
    own = {(c.order, where[c.order > 0][c.index]) for c in channels if not c.follower}
    weights: List[Array] = [np.zeros((3, 3)) for _ in channels]
    for c, weight in zip(channels, weights):
        if c.follower:
            continue
        k = where[c.order > 0][c.index]
        alone = c.order == 0 and (1, k) not in own and (2, k) not in own
        left = np.empty(3)
        lib.td_noise_left(FILTERS[filter], rate, c.cutoff, 5 if alone and degree == 5 and len(t) >= 6 else 3, _pointer(left))
        slopes = np.zeros((3, count, robot.nyd))
        for order in range(c.order, 3):
            if any((nearer, k) in own for nearer in range(c.order + 1, order + 1)):
                break  # it comes from another column
            step = np.fmax((1e-6, 1e-6, 1.0)[order], c.noise * np.sqrt(left[order - c.order]))
            both = []
            for sign in (1, -1):
                moved = _with_error(robot, state, c, order, sign * step, [o for o in (1, 2) if (o, k) in own])
                both.append(robot.inverse_dynamics(moved[0], moved[1], moved[2], forces, statuses=statuses))
            slopes[order - c.order] = (both[0] - both[1]) / (2 * step)
        told = good & np.isfinite(slopes).all(axis=0)
        weight += np.einsum("aik,bik->ab", np.where(told, slopes, 0), np.where(told, slopes / np.where(told, inertia, 1), 0))
    return weights


def _places(robot: "Robot") -> Tuple[List[Any], List[Any]]:
    """Returns, for each entry of y and of yd, which coordinate it belongs to: an index of yd, or the name of a joint with a
    quaternion."""
    of_y: List[Any] = list(velocities_of(robot))
    of_yd: List[Any] = list(range(robot.nyd))
    for pose in poses_of(robot).values():
        for k in pose.y:
            of_y[k] = pose.name
        for k in pose.yd:
            of_yd[k] = pose.name
    return of_y, of_yd


def _with_error(robot: "Robot", state: Sequence[Array], c: _Channel, order: int, error: float, others: Sequence[int]) -> List[Array]:
    """Returns states with an error of a derivative of a column. An error of a position of a joint with a quaternion is one of the
    curve of its numbers; orders in others come from other columns and have no error."""
    moved = [np.array(part) for part in state]
    k = _places(robot)[c.order > 0][c.index]
    if c.order > 0 or not isinstance(k, str):
        moved[order][:, c.index if order == 0 else k if c.order == 0 else c.index] += error
        return moved
    numbers = [moved[0], *robot.velocities_to_rates(moved[0], moved[1], moved[2])]
    numbers[order][:, c.index] += error
    found = [robot.normalize(numbers[0]), *robot.rates_to_velocities(*numbers)]
    return [np.array(state[o]) if o in others else found[o] for o in range(3)]

# SPDX-License-Identifier: MIT
"""Trajectories: numbers as functions of time (tandem/trajectory.h)."""
from __future__ import annotations

import dataclasses
import enum
from typing import Any, Callable, Dict, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from ._arrays import Array, as_double
from ._errors import Status
from ._native import ffi, lib
from ._records import Limit, to_c

PROFILES = {"cubic": 0, "minimum-jerk": 1, "septic": 2, "cycloid": 3}
SPLINES = {"not-a-knot": 0, "clamped": 1, "periodic": 2, "b-spline": 3}


class LimitKind(enum.IntEnum):
    """The kind of limit that restricts a motion."""

    NONE = 0
    POSITION = 1
    VELOCITY = 2
    ACCELERATION = 3
    FORCE = 4
    POWER = 5


@dataclasses.dataclass(frozen=True)
class TimeScale:
    """td_time_scale: the factor of time, infinite if none is large enough; the kind of the deciding limit; its joint
    (None: none, or a motor in a loop); and the time (s)."""

    factor: float
    kind: LimitKind
    joint: Optional[str]
    t: float


def _word(kind: str, word: str, words: Any) -> int:
    if word not in words:
        raise ValueError(f"{kind} is {word!r}, expected one of {', '.join(map(repr, words))}")
    return int(words[word])


def _pointer(array: Optional[Array]) -> Any:
    return ffi.NULL if array is None else ffi.from_buffer("double[]", array)


def _rows(function: str, name: str, value: npt.ArrayLike, points: int, n: int) -> Array:
    """Checks and returns rows (points, n), or (points,) for a trajectory of one number."""
    array = as_double(function, name, value)
    if array.ndim == 1 and n == 1:
        array = array[:, np.newaxis]
    if array.shape != (points, n):
        raise ValueError(f"{function}: {name} has shape {array.shape}, expected ({points}, {n})")
    return np.array(array, order="C")


def _vector(function: str, name: str, value: npt.ArrayLike, n: Optional[int] = None) -> Array:
    array = np.atleast_1d(as_double(function, name, value))
    if array.ndim != 1 or (n is not None and len(array) != n):
        raise ValueError(f"{function}: {name} has shape {array.shape}, expected ({'n' if n is None else n},)")
    return np.array(array, order="C")


# for each kind, creates a trajectory in *place from its arrays
_MAKE: Dict[str, Callable[..., int]] = {
    "move": lambda place, a, b, kind, duration: int(lib.td_trajectory_move(
        len(a), _pointer(a), _pointer(b), kind, duration, place)),
    "polynomial": lambda place, a, b, duration: int(lib.td_trajectory_polynomial(
        a.shape[1], 2 * len(a) - 1, _pointer(a), _pointer(b), duration, place)),
    "limited": lambda place, a, b, v, w, j: int(lib.td_trajectory_limited(
        len(a), _pointer(a), _pointer(b), _pointer(v), _pointer(w), _pointer(j), place)),
    "spline": lambda place, times, y, degree, kind, a, b: int(lib.td_trajectory_spline(
        len(times), y.shape[1], _pointer(times), _pointer(y), degree, kind, _pointer(a), _pointer(b), place)),
    "hermite": lambda place, times, y, v, w: int(lib.td_trajectory_hermite(
        len(times), y.shape[1], _pointer(times), _pointer(y), _pointer(v), _pointer(w), place)),
}


class Trajectory:
    """n numbers as functions of time, with two derivatives: moves from one point to another, or curves through points.

    trajectory(t) returns (y, yd, ydd), each (n,), or (..., n) for times of shape (...). Before its begin and after its end it
    is at rest. Values are rows, (points, n); a sequence of numbers is a trajectory of one number. Trajectories are immutable
    and may be used by several threads at once.

    Quaternions are four numbers: a curve through them stands for the rotation with the unit quaternion p/|p|. Their rows must
    be aligned (Robot.align_quaternions). Robot.trajectory_state gives velocities of such a trajectory.
    """

    def __init__(self, function: str, data: Tuple[Any, ...], factor: float = 1.0, quaternions: Sequence[int] = ()) -> None:
        """Internal; use the functions below."""
        self._function, self._data, self._factor, self._quaternions = function, data, factor, tuple(quaternions)
        place = ffi.new("td_trajectory **")
        self._check(_MAKE[function](place, *data))
        self._pointer = ffi.gc(place[0], lib.td_trajectory_free)
        for first in self._quaternions:
            self._check(lib.td_trajectory_turn(self._pointer, first))
        if factor != 1.0:
            self._check(lib.td_trajectory_scale(self._pointer, factor))

    def _check(self, status: int) -> None:
        if status == Status.MEMORY:
            raise MemoryError(self._function)
        if status == Status.NOT_FINITE:
            raise ValueError(f"{self._function}: a number is not finite")
        if status:
            raise ValueError(f"{self._function}: an argument is out of range (help(tandem.Trajectory.{self._function}))")

    @classmethod
    def move(cls, start: npt.ArrayLike, end: npt.ArrayLike, duration: float, profile: str = "minimum-jerk", *,
             quaternions: Sequence[int] = ()) -> "Trajectory":
        """Returns a move from rest at start to rest at end (n,) in a time (s), along a straight line, starting at t = 0.
        profile: 'cubic', 'minimum-jerk' (degree 5), 'septic' (degree 7) or 'cycloid'. quaternions: indices of the first numbers
        of quaternions, which turn about a fixed axis instead (td_trajectory_turn)."""
        a, kind = _vector("move", "start", start), _word("profile", profile, PROFILES)
        b = _vector("move", "end", end, len(a))
        return cls("move", (a, b, kind, duration), quaternions=quaternions)

    @classmethod
    def polynomial(cls, start: npt.ArrayLike, end: npt.ArrayLike, duration: float) -> "Trajectory":
        """Returns the polynomial over a time (s) with given values and derivatives at both ends. start and end have rows of
        values, velocities, and optionally accelerations and jerks, (2 to 4, n). The degree is 3, 5 or 7."""
        a = as_double("polynomial", "start", start)
        a = np.array(a[:, np.newaxis] if a.ndim == 1 else a, order="C")
        if a.ndim != 2 or not 2 <= len(a) <= 4:
            raise ValueError(f"polynomial: start has shape {a.shape}, expected (2 to 4, n)")
        b = _rows("polynomial", "end", end, *a.shape)
        return cls("polynomial", (a, b, duration))

    @classmethod
    def limited(cls, start: npt.ArrayLike, end: npt.ArrayLike, velocity: npt.ArrayLike, acceleration: npt.ArrayLike,
                jerk: Optional[npt.ArrayLike] = None, *, quaternions: Sequence[int] = ()) -> "Trajectory":
        """Returns the fastest straight move from rest to rest within limits (n,) of velocity and acceleration, and optionally
        of jerk. quaternions: as in move; td_trajectory_turn tells what their limits are."""
        a = _vector("limited", "start", start)
        b, v, w = (_vector("limited", name, value, len(a)) for name, value in
                   (("end", end), ("velocity", velocity), ("acceleration", acceleration)))
        j = None if jerk is None else _vector("limited", "jerk", jerk, len(a))
        return cls("limited", (a, b, v, w, j), quaternions=quaternions)

    @classmethod
    def spline(cls, t: npt.ArrayLike, values: npt.ArrayLike, *, degree: int = 3, kind: str = "not-a-knot",
               start: Optional[npt.ArrayLike] = None, end: Optional[npt.ArrayLike] = None) -> "Trajectory":
        """Returns the spline of degree 3 or 5 through values (points, n) at ascending times (points,). kind: 'not-a-knot',
        'clamped', 'periodic' or 'b-spline'. start and end: derivatives at the ends of a clamped spline, rows of velocity
        (and acceleration, for degree 5), ((degree - 1) / 2, n); default zero."""
        times = _vector("spline", "t", t)
        y = np.asarray(values)
        n = y.shape[1] if y.ndim == 2 else 1
        y = _rows("spline", "values", values, len(times), n)
        a, b = (None if value is None else _rows("spline", name, np.reshape(np.asarray(value), (-1, n)), (degree - 1) // 2, n)
                for name, value in (("start", start), ("end", end)))
        word = _word("kind", kind, SPLINES)
        least = {"clamped": 2, "periodic": 3}.get(kind, degree + 1)
        if len(times) < least:
            raise ValueError(f"spline: {len(times)} points, but a {kind!r} spline of degree {degree} needs at least {least}" +
                             ("; kind='clamped' needs at least 2" if kind == "not-a-knot" and len(times) > 1 else ""))
        return cls("spline", (times, y, degree, word, a, b))

    @classmethod
    def hermite(cls, t: npt.ArrayLike, values: npt.ArrayLike, velocities: npt.ArrayLike,
                accelerations: Optional[npt.ArrayLike] = None) -> "Trajectory":
        """Returns the curve through values, velocities and accelerations (points, n) at times (points,): polynomials of degree
        5, or 3 without accelerations."""
        times = _vector("hermite", "t", t)
        y = np.asarray(values)
        n = y.shape[1] if y.ndim == 2 else 1
        y, v = (_rows("hermite", name, value, len(times), n) for name, value in (("values", values), ("velocities", velocities)))
        w = None if accelerations is None else _rows("hermite", "accelerations", accelerations, len(times), n)
        return cls("hermite", (times, y, v, w))

    @property
    def size(self) -> int:
        """Number of values, n."""
        return int(lib.td_trajectory_size(self._pointer))

    @property
    def begin(self) -> float:
        """Begin (s)."""
        return float(lib.td_trajectory_begin(self._pointer))

    @property
    def end(self) -> float:
        """End (s)."""
        return float(lib.td_trajectory_end(self._pointer))

    @property
    def pieces(self) -> Array:
        """Begins of its polynomials, and its end (s)."""
        count = lib.td_trajectory_pieces(self._pointer)
        return np.array([lib.td_trajectory_piece(self._pointer, i) for i in range(count + 1)])

    def __call__(self, t: npt.ArrayLike) -> Tuple[Array, Array, Array]:
        times = as_double("trajectory", "t", t)
        rows = np.empty((3, times.size, self.size))
        for i, time in enumerate(times.flat):
            self._check(lib.td_trajectory_evaluate(self._pointer, time, *(_pointer(rows[d, i]) for d in range(3))))
        y, yd, ydd = rows.reshape((3, *times.shape, self.size))
        return y, yd, ydd

    def scaled(self, factor: float) -> "Trajectory":
        """Returns the same path in factor times the time, with the same begin (td_trajectory_scale)."""
        return Trajectory(self._function, self._data, self._factor * factor, self._quaternions)

    def __reduce__(self) -> Tuple[Any, ...]:
        return Trajectory, (self._function, self._data, self._factor, self._quaternions)

    def __copy__(self) -> "Trajectory":
        return self

    def __deepcopy__(self, memo: Dict[int, Any]) -> "Trajectory":
        return self

    def sampled(self, rate: float) -> Tuple[Array, Array, Array, Array]:
        """Returns t (rows,), y, yd, ydd (rows, n) at rate (Hz) from the begin, and at the end."""
        t = sample_times(self.begin, self.end, rate)
        return t, *self(t)

    def __repr__(self) -> str:
        return f"<tandem.Trajectory of {self.size}, {self.begin:g} to {self.end:g} s>"


def sample_times(begin: float, end: float, rate: float) -> Array:
    """Returns begin + i / rate up to the end, and the end."""
    if not rate > 0 or not np.isfinite(rate):
        raise ValueError(f"rate is {rate}, expected a positive number (Hz)")
    t = begin + np.arange(np.floor((end - begin) * rate + 1e-9) + 1) / rate
    t[-1] = min(t[-1], end)
    return t if end - t[-1] <= 1e-9 / rate else np.append(t, end)


def time_scale_options(limits: Optional[Sequence[Limit]], joints: int, forces: bool, passive: bool, faster: bool,
                       samples: int, kept: list[Any]) -> Any:
    options = ffi.new("td_time_scale_options *", lib.td_time_scale_options_default())
    options.forces, options.passive, options.faster, options.samples = forces, passive, faster, samples
    if limits is not None:
        if len(limits) != joints:
            raise ValueError(f"time_scale: {len(limits)} limits, expected one for each of {joints} joints")
        array = ffi.new("td_limit[]", joints)
        for item, limit in zip(array, limits):
            to_c(limit, item, kept)
        options.limits = array
        kept.append(array)
    return options

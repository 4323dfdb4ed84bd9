# SPDX-License-Identifier: MIT
"""Linear models of a robot near a state (tandem/linearize.h)."""
from __future__ import annotations

import dataclasses
import warnings
from typing import TYPE_CHECKING, Any, Iterable, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._arrays import Array, as_double
from ._errors import Error, Status, dynamics_error
from ._forces import Forces
from ._native import ffi, lib

if TYPE_CHECKING:
    from ._robot import Robot

INPUTS = {"forces": 0, "motors": 1}


def _pointer(array: Optional[npt.NDArray[Any]], kind: str = "double[]") -> Any:
    return ffi.NULL if array is None else ffi.from_buffer(kind, array)


def _array(function: str, name: str, value: npt.ArrayLike, shape: Tuple[int, ...]) -> Array:
    array = as_double(function, name, value)
    if array.shape != shape:
        raise ValueError(f"{function}: {name} has shape {array.shape}, expected {shape}")
    return np.ascontiguousarray(array)


def _check(function: str, status: int) -> None:
    """Checks the status of functions without a robot."""
    if status == Status.MEMORY:
        raise MemoryError(function)
    if status in (Status.ARGUMENT, Status.NOT_FINITE):
        raise ValueError(f"{function}: an argument is not finite or out of range")
    if status:
        raise Error(f"{function}: {Status(status).text}")


def regulator(A: npt.ArrayLike, B: npt.ArrayLike, Q: npt.ArrayLike, R: npt.ArrayLike, *,
              discrete: bool = False) -> Tuple[Array, Array]:
    """Computes K (m, n) and S (n, n) of the linear quadratic regulator u = −K x for ẋ = A x + B u, or in discrete time. It
    minimizes the integral (or sum) of x' Q x + u' R u, with the minimum x' S x. Error: no gain stabilizes the system.
    (td_linear_regulator)"""
    return _regulator(A, B, Q, R, discrete, np.zeros((0, 0)), ())


def _regulator(A: npt.ArrayLike, B: npt.ArrayLike, Q: npt.ArrayLike, R: npt.ArrayLike, discrete: bool, idle: Array,
               idle_yd: Tuple[int, ...]) -> Tuple[Array, Array]:
    """Does the same without the states of idle directions (td_linear_regulator_beside)."""
    a = as_double("regulator", "A", A)
    n, m = len(a), as_double("regulator", "B", B).shape[-1]
    a, b = _array("regulator", "A", A, (n, n)), _array("regulator", "B", B, (n, m))
    q, r = _array("regulator", "Q", Q, (n, n)), _array("regulator", "R", R, (m, m))
    K, S = np.zeros((m, n)), np.zeros((n, n))
    numbers = [_pointer(array) for array in (a, b, q, r)]
    entries, directions = ffi.new("size_t[]", list(idle_yd)), _pointer(idle)
    problem = ffi.new("td_linear_problem *", (n, m, *numbers, discrete))
    left_out = ffi.new("td_linear_directions *", (len(idle_yd), entries, directions))
    _check("regulator", int(lib.td_linear_regulator_beside(left_out, problem, _pointer(K), _pointer(S))))
    return K, S


@dataclasses.dataclass(frozen=True)
class Reach:
    """The states that inputs reach: a lower and an upper bound of their number, and margins of the modes in the order of
    eigenvalues(). A mode with a margin up to the tolerance (1e-10) is not or hardly reached; up to 100 tolerances it is
    uncertain."""

    reached: int
    most: int
    margin: Array


@dataclasses.dataclass(frozen=True)
class Linear:
    """The linear model ẋ = A x + B δu about y, yd and u: x = (δy, δẏ), with δy along the tangent. ydd is the acceleration of
    the state itself, 0 in equilibrium."""

    A: Array  # (2 nyd, 2 nyd)
    B: Array  # (2 nyd, m)
    y: Array  # (ny,)
    yd: Array  # (nyd,)
    u: Array  # (m,)
    ydd: Array  # (nyd,)
    idle: Array = dataclasses.field(default_factory=lambda: np.zeros((0, 0)))  # (k, nyd) directions that no input moves
    idle_yd: Tuple[int, ...] = ()  # (k,) entries of ẏ that represent these directions

    def eigenvalues(self) -> npt.NDArray[np.complex128]:
        """Returns the eigenvalues of A, by magnitude."""
        real, imaginary = np.zeros(len(self.A)), np.zeros(len(self.A))
        _check("eigenvalues", int(lib.td_linear_eigenvalues(len(self.A), _pointer(self.A), _pointer(real),
                                                            _pointer(imaginary))))
        values = np.empty(len(self.A), np.complex128)
        values.real, values.imag = real, imaginary  # a sum would lose the sign of zeros
        return values

    def modes(self) -> Tuple[Array, Array]:
        """Returns natural frequencies (rad/s) and damping ratios, one for each eigenvalue. The ratio is NaN for the eigenvalue
        0."""
        values = self.eigenvalues()
        size = np.abs(values)
        return size, np.divide(-values.real, size, out=np.full(len(size), np.nan), where=size > 0)

    def discrete(self, dt: float) -> Tuple[Array, Array]:
        """Returns A and B in discrete time with steps of dt (s). Inputs are constant over each step."""
        Ad, Bd = np.zeros_like(self.A), np.zeros_like(self.B)
        n, m = self.B.shape
        _check("discrete", int(lib.td_linear_discrete(n, m, _pointer(self.A), _pointer(self.B), dt, _pointer(Ad),
                                                      _pointer(Bd))))
        return Ad, Bd

    def reach(self, tolerance: float = 0.0) -> Reach:
        """Determines which modes the inputs reach. (td_linear_controllable)"""
        n, m = self.B.shape
        counts, margin = ffi.new("size_t[2]"), np.zeros(n)
        _check("reach", int(lib.td_linear_controllable(n, m, _pointer(self.A), _pointer(self.B), tolerance, counts,
                                                       counts + 1, _pointer(margin))))
        return Reach(int(counts[0]), int(counts[1]), margin)

    def reached(self, tolerance: float = 0.0) -> int:
        """Number of states that inputs reach; the system is controllable if it is the number of all states. Modes that rounding
        makes uncertain (see reach()) are not counted, with a warning."""
        reach = self.reach(tolerance)
        if reach.most > reach.reached:
            warnings.warn(f"reached: between {reach.reached} and {reach.most} of {len(self.A)} states are reached",
                          RuntimeWarning, stacklevel=2)
        return reach.reached

    def regulator(self, Q: npt.ArrayLike, R: npt.ArrayLike, dt: Optional[float] = None) -> Tuple[Array, Array]:
        """Returns K and S of tandem.regulator; dt: for discrete time with this step. The input is u − K x, with the difference
        x (td_difference) from y and yd. K and S leave out rods that turn about their own lines (idle), which no input moves."""
        A, B = (self.A, self.B) if dt is None else self.discrete(dt)
        return _regulator(A, B, Q, R, dt is not None, np.ascontiguousarray(self.idle), self.idle_yd)


@dataclasses.dataclass(frozen=True)
class Compliance:
    """The compliance of a point of a link, in world axes: (rotation, displacement) = compliance @ (moment, force). stiffness is
    NaN if there is no inverse. K is ∂τ/∂y (nyd, nyd)."""

    K: Array
    compliance: Array  # (6, 6)
    stiffness: Array  # (6, 6)


def _forces(acting: Optional[Forces]) -> Any:
    return ffi.NULL if acting is None else acting.pointer


def _held(robot: "Robot", function: str, held: Iterable[str]) -> npt.NDArray[np.uint8]:
    """Returns a flag for each velocity: whether it belongs to one of the joints, or to a flexible link of that name."""
    flags, joints = np.zeros(robot.nyd, np.uint8), robot.joints
    for name in held:
        found = False
        for index, joint in enumerate(joints):
            place = robot.joint_place(index)
            if name in (joint.name, joint.flexible) and place.nyd > 0 and place.yd is not None:
                flags[place.yd:place.yd + place.nyd] = 1
                found = True
        if not found:
            raise ValueError(f"{function}: no independent joint or flexible link is named {name!r}")
    return flags


def _new(robot: "Robot", function: str, inputs: str) -> Any:
    if inputs not in INPUTS:
        raise ValueError(f"{function}: inputs is {inputs!r}, expected 'motors' or 'forces'")
    place = ffi.new("td_linearization **")
    _check(function, int(lib.td_linearization_new(robot._model.pointer, INPUTS[inputs], place)))
    return ffi.gc(place[0], lib.td_linearization_free)


def _raise(robot: "Robot", function: str, status: int) -> None:
    if status == Status.ARGUMENT:
        raise ValueError(f"{function}: an argument is missing or out of range")
    if status == Status.MEMORY:
        raise MemoryError(function)
    if status:
        raise dynamics_error(function, robot._handle(), Status(status), None)


def _idle(robot: "Robot", y: Array, inputs: str) -> Tuple[Array, Tuple[int, ...]]:
    """Returns the idle directions that inputs do not move, and their entries of ẏ. (td_linear_idle)"""
    most = len(robot.idle)
    direction, entry = np.zeros((most, robot.nyd)), ffi.new("size_t[]", most + 1)
    found = ffi.new("td_linear_directions *", (0, entry, _pointer(direction)))
    if most:
        _raise(robot, "linearize", robot._exclusive(lambda workspace: int(
            lib.td_linear_idle(robot._model.pointer, workspace, _pointer(y), inputs == "motors", found))))
    return direction[:found.count].copy(), tuple(entry[k] for k in range(found.count))


def linearize(robot: "Robot", y: npt.ArrayLike, yd: Optional[npt.ArrayLike], u: Optional[npt.ArrayLike], inputs: str,
              forces: Optional[Forces]) -> Linear:
    """See Robot.linearize."""
    robot, acting = robot._with_forces("linearize", forces)
    l = _new(robot, "linearize", inputs)
    m, n = int(lib.td_linearization_inputs(l)), robot.nyd
    at = _array("linearize", "y", y, (robot.ny,))
    rate = np.zeros(n) if yd is None else _array("linearize", "yd", yd, (n,))
    given = None if u is None else _array("linearize", "u", u, (m,))

    def call(workspace: Any) -> int:
        if given is None:
            return int(lib.td_linearize_held(l, workspace, _pointer(at), _pointer(rate), _forces(acting)))
        return int(lib.td_linearize(l, workspace, _pointer(at), _pointer(rate), _pointer(given), _forces(acting)))

    _raise(robot, "linearize", robot._exclusive(call))
    idle, idle_yd = _idle(robot, at, inputs)

    def taken(name: str, *shape: int) -> Array:
        count = int(np.prod(shape))
        data = getattr(lib, "td_linearization_" + name)(l)
        return np.frombuffer(ffi.buffer(data, 8 * count), dtype=np.float64).reshape(shape).copy()

    return Linear(taken("A", 2 * n, 2 * n), taken("B", 2 * n, m), at.copy(), rate.copy(), taken("u", m), taken("ydd", n),
                  idle, idle_yd)


def equilibrium(robot: "Robot", y: npt.ArrayLike, u: Optional[npt.ArrayLike], inputs: str, forces: Optional[Forces],
                held: Iterable[str]) -> Array:
    """See Robot.equilibrium."""
    robot, acting = robot._with_forces("equilibrium", forces)
    l = _new(robot, "equilibrium", inputs)
    at = _array("equilibrium", "y", y, (robot.ny,)).copy()
    given = None if u is None else _array("equilibrium", "u", u, (int(lib.td_linearization_inputs(l)),))
    flags = _held(robot, "equilibrium", held)
    _raise(robot, "equilibrium", robot._exclusive(lambda workspace: int(
        lib.td_equilibrium(l, workspace, _pointer(at), _pointer(given), _forces(acting), _pointer(flags, "unsigned char[]")))))
    return at


def compliance(robot: "Robot", link: Union[str, int], y: npt.ArrayLike, point: Optional[npt.ArrayLike],
               forces: Optional[Forces], held: Iterable[str]) -> Compliance:
    """See Robot.link_compliance."""
    function, n = "link_compliance", robot.nyd
    robot, acting = robot._with_forces(function, forces)
    index = robot._link_index(link)
    at = _array(function, "y", y, (robot.ny,))
    place = None if point is None else _array(function, "point", point, (3,))
    flags = _held(robot, function, held)
    K, C, S = np.zeros((n, n)), np.zeros((6, 6)), np.zeros((6, 6))
    _raise(robot, function, robot._exclusive(lambda workspace: int(
        lib.td_link_compliance(robot._model.pointer, workspace, index, _pointer(place), _pointer(at), _forces(acting),
                               _pointer(flags, "unsigned char[]"), _pointer(K), _pointer(C), _pointer(S)))))
    return Compliance(K, C, S)

# SPDX-License-Identifier: MIT
"""Common parts of a robot and its tree: a model, the changes to it, and a workspace for each calling thread. The workspace
computes in independent coordinates or in the coordinates of the tree."""
from __future__ import annotations

import math
import dataclasses
import operator
import re
import threading
from typing import Any, Callable, Dict, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._arrays import (FRAMES, IN, NONE, NUMBER, OUT, POINTER, Array, FrameLike, as_double, checked, dimension)
from ._errors import DynamicsError, Status, raise_status
from ._forces import Forces
from ._functions import DYNAMICS_TERMS, UNDEFINED_TERMS, Operations
from ._model import Model, Names, index_of
from ._native import Handle, Op, ffi, filled, lib
from ._sizes import Sizes
from ._units import quantity

TERMS: Dict[str, Tuple[Union[str, int], ...]] = {
    "H": ("nyd", "nyd"), "C": ("nyd",), "gravity": ("nyd",), "poses": ("links", 3, 4), "velocities": ("links", 6),
    "accelerations": ("links", 6), "com": (3, 3), "centroidal_momentum_matrix": (6, "nyd"), "energy": (2,)}
_TERMS_OPS: Dict[Tuple[str, ...], Tuple[Any, Tuple[str, ...]]] = {}


def _terms_op(want: Sequence[str]) -> Tuple[Any, Tuple[str, ...]]:
    """Returns the call of python/call.c that computes these terms, and their order in it."""
    if not want:
        raise TypeError("want is a sequence of names, such as ('H', 'C')")
    if unknown := [w for w in want if w not in TERMS]:
        raise ValueError(f"want has {unknown[0]!r}, expected some of {', '.join(TERMS)}")
    arguments = [(IN, "y", (dimension("ny"),)), (IN, "yd", (dimension("nyd"),)), (POINTER, "forces", ()), (NUMBER, "frame", ())]
    arguments += [(OUT if name in want else NONE, name, tuple(map(dimension, dims))) for name, dims in TERMS.items()]
    return Op(*DYNAMICS_TERMS, tuple(arguments), UNDEFINED_TERMS), tuple(name for name in TERMS if name in want)


class Terms(NamedTuple):
    """The result of Robot.dynamics_terms; fields that were not requested are None."""

    H: Optional[Array] = None  # (..., n, n): kg m², kg
    C: Optional[Array] = None  # (..., n): gravity, wrenches and passive forces included (N m, N)
    gravity: Optional[Array] = None  # (..., n): N m, N
    poses: Optional[Array] = None  # (..., links, 3, 4): rotation and position (m)
    velocities: Optional[Array] = None  # (..., links, 6): rad/s, m/s
    accelerations: Optional[Array] = None  # (..., links, 6): at ydd = 0 (rad/s², m/s²)
    com: Optional[Array] = None  # (..., 3, 3): position, velocity, acceleration (m, m/s, m/s²)
    centroidal_momentum_matrix: Optional[Array] = None  # (..., 6, n)
    energy: Optional[Array] = None  # (..., 2): kinetic and potential (J)


@dataclasses.dataclass(frozen=True)
class Payload:
    """A body fixed to a link: mass (kg), center of mass in the link's frame (m), inertia about the center of mass (kg m²: ixx,
    ixy, ixz, iyy, iyz, izz)."""

    link: int
    mass: float
    com: Tuple[float, ...] = (0.0, 0.0, 0.0)
    inertia: Tuple[float, ...] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@dataclasses.dataclass(frozen=True)
class PayloadRows:
    """Payloads for each of n states of a batch, as for td_set_payload_rows: memory of links (size_t) and of n × links × 10
    doubles. Workspaces read this memory as long as the changes exist."""

    n: int
    links: bytes
    numbers: bytes

    def by_link(self) -> Dict[int, Array]:
        """Returns (n, 10) for each index of a link."""
        links = np.frombuffer(self.links, dtype=np.uintp)
        numbers = np.frombuffer(self.numbers).reshape(self.n, len(links), 10)
        return {int(link): numbers[:, i] for i, link in enumerate(links)}

    @staticmethod
    def of(rows: Mapping[int, Array]) -> Optional["PayloadRows"]:
        if not rows:
            return None
        numbers = np.stack(list(rows.values()), axis=1)
        return PayloadRows(len(numbers), np.array(list(rows), dtype=np.uintp).tobytes(), numbers.tobytes())


FOLLOWING = {"call": lib.TD_FOLLOWING_BY_CALL, "last": lib.TD_FOLLOWING_LAST, "start": lib.TD_FOLLOWING_START}


@dataclasses.dataclass(frozen=True)
class Changes:
    """Differences from the model, in every workspace of a robot."""

    gravity: Optional[Tuple[float, ...]] = None
    payloads: Tuple[Payload, ...] = ()
    payload_rows: Optional["PayloadRows"] = None
    start: Optional[Tuple[float, ...]] = None
    chart: Optional[Tuple[float, ...]] = None
    following: str = "call"
    threads: int = 1


class Owner(NamedTuple):
    """The owner of a handle."""

    model: Model
    changes: Changes
    coordinates: int

    @property
    def names(self) -> Names:
        return self.model.names

    def on(self, model: Model) -> "Coordinates":
        """Returns the same owner for another model, which has additional links."""
        from ._robot import Robot

        return Tree(model, self.changes) if self.coordinates else Robot(model, (), self.changes)


class Coordinates(Operations):
    """A model with changes, in one kind of coordinates. Robot and Tree inherit its methods."""

    _coordinates: int
    _name_lists: Tuple[str, str]  # of Names: positions, velocities

    def __init__(self, model: Model, changes: Changes) -> None:
        self._model = model
        self._changes = changes
        self._local = threading.local()
        self._key: Optional[int] = None

    # ---- workspaces

    @property
    def _owner(self) -> Owner:
        return Owner(self._model, self._changes, self._coordinates)

    @property
    def _sizes(self) -> Sizes:
        return self._model.sizes_in[self._coordinates]

    def _workspace_options(self) -> Any:
        options = ffi.new("td_workspace_options *", lib.td_workspace_options_default())
        options.threads, options.following = self._changes.threads, FOLLOWING[self._changes.following]
        options.coordinates = self._coordinates
        return options

    def _new_handle(self) -> Any:
        model, changes = self._model, self._changes
        found = ffi.new("td_workspace **")
        if lib.td_workspace_new(model.pointer, self._workspace_options(), found):
            raise MemoryError("no memory for a workspace")
        workspace = found[0]
        handle = Handle(self._owner, model.address, int(ffi.cast("uintptr_t", workspace)), self._sizes)
        handle.rows = changes.payload_rows.n if changes.payload_rows else 0
        handle.whole = int(changes.following == "last" or handle.rows > 0)
        self._apply(handle, workspace)
        self._local.handle = handle
        return handle

    def _apply(self, handle: Any, workspace: Any) -> None:
        """Applies the changes to a new workspace."""
        if self._changes.gravity is not None:
            self._require(lib.td_set_gravity(workspace, self._changes.gravity), "gravity")
        for p in self._changes.payloads:
            self._require(lib.td_set_payload(workspace, p.link, p.mass, p.com, p.inertia), "payload")
        rows = self._changes.payload_rows
        if rows is not None:
            links, numbers = ffi.from_buffer("size_t[]", rows.links), ffi.from_buffer("double[]", rows.numbers)
            self._require(lib.td_set_payload_rows(workspace, rows.n, len(links), links, numbers), "payload")

    def _require(self, status: int, what: str) -> None:
        if status == Status.MEMORY:
            raise MemoryError(what)
        if status:
            raise ValueError(f"{what} is out of range or not finite")

    def _handle(self) -> Any:
        try:
            return self._local.handle
        except AttributeError:
            return self._new_handle()

    def _workspace(self) -> Any:
        self._refuse_rows()
        return ffi.cast("td_workspace *", self._handle().workspace)

    def _exclusive(self, call: Callable[[Any], int]) -> int:
        """Runs call(workspace) and excludes recursive use by a user-supplied closure, as python/call.c does."""
        self._refuse_rows()
        handle = self._handle()
        if handle.busy:
            raise RuntimeError("the robot is in use: a user-supplied closure or a signal handler called it during another call")
        handle.busy = 1
        try:
            return call(ffi.cast("td_workspace *", handle.workspace))
        finally:
            handle.busy = 0

    def _refuse_rows(self) -> None:
        rows = self._changes.payload_rows
        if rows is not None:
            raise ValueError(f"the robot has payloads for {rows.n} states, which only batches of dynamics and kinematics support")

    def _link_index(self, link: Union[str, int]) -> int:
        return self._index("link", link, self._sizes.links)

    def _loop_index(self, loop: Union[str, int]) -> int:
        return self._index("loop", loop, self._sizes.loops)

    def _joint_index(self, joint: Union[str, int]) -> int:
        return self._index("joint", joint, self._sizes.joints)

    def _index(self, kind: str, value: Union[str, int], count: int) -> int:
        if isinstance(value, str):
            return index_of(kind, value, getattr(self.names, kind + "s"))
        try:
            index = operator.index(value)
        except TypeError:
            raise TypeError(f"{kind} is {value!r}, expected a name or an index") from None
        if not 0 <= index < count:
            raise IndexError(f"{kind} {value}: the robot has {count}")
        return index

    # ---- identity

    def _identity(self) -> Tuple[Any, ...]:
        try:
            return (self._coordinates, portable(self._model.written()), self._changes)
        except TypeError:
            return (self._coordinates, id(self._model), self._changes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        if self._model is other._model:
            return self._changes == other._changes
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        if self._key is None:
            self._key = hash(self._identity())
        return self._key

    def __copy__(self) -> "Coordinates":
        return self

    def __deepcopy__(self, memo: Dict[int, Any]) -> "Coordinates":
        return self

    # ---- sizes and names

    @property
    def names(self) -> Names:
        """Names of all entries of y, yd, tau_y, q, qd, tau, u, and of links, joints and loops."""
        return self._model.names

    @property
    def nq(self) -> int:
        """Number of positions of the spanning tree."""
        return self._sizes.nq

    @property
    def nv(self) -> int:
        """Number of velocities of the spanning tree."""
        return self._sizes.nv

    # ---- configurations

    def neutral(self) -> Array:
        """Zero positions with identity quaternions: y (ny), or q (nq) of robot.tree."""
        y = np.empty(self._sizes.ny)
        lib.td_neutral(self._model.pointer, self._coordinates, ffi.from_buffer("double[]", y))
        return y

    @property
    def reference(self) -> Array:
        """The reference configuration: y (ny), or q (nq) of robot.tree. Loops are closed as assembled at load. All other joints
        are at the start given by the file or the options, or else at zero or the nearest position within limits.
        (td_reference)"""
        y = np.empty(self._sizes.ny)
        ffi.memmove(ffi.from_buffer(y), lib.td_reference(self._model.pointer, self._coordinates), y.nbytes)
        return y

    def random_configuration(self, shape: Union[int, Tuple[int, ...]] = (), *, seed: int = 1) -> Array:
        """Returns random y (*shape, ny) within the limits, or q (*shape, nq) of robot.tree. The same seed gives the same result
        on every machine."""
        lead = (shape,) if isinstance(shape, int) else tuple(shape)
        width = self._sizes.ny
        y = np.empty((*lead, width))
        state = ffi.new("uint64_t *", seed)
        memory = ffi.from_buffer("double[]", y)
        for i in range(y.size // width if width else 0):
            lib.td_random_configuration(self._model.pointer, self._coordinates, state, memory + i * width)
        return y

    def state(self, values: Optional[Mapping[str, Union[float, str]]] = None, **named: Union[float, str]) -> Array:
        """Returns y (ny) with the given positions; all others are from the reference: robot.state(elbow=0.3),
        robot.state(elbow="90deg"), or robot.state({"base.qw": 1}). Numbers are in rad and m. A text may have a unit of the
        command, such as deg, m or mm. For robot.tree it returns q (nq), including positions of followers."""
        y = self.reference
        self._fill(y, self._name_lists[0], {**(values or {}), **named}, (0,))
        return y

    def velocity(self, values: Optional[Mapping[str, Union[float, str]]] = None, **named: Union[float, str]) -> Array:
        """Returns yd (nyd) by names, as in state, with all others zero: robot.velocity(elbow="10deg/s"). It also accepts
        accelerations ("10deg/s2"). For robot.tree it returns qd (nv)."""
        yd = np.zeros(self._sizes.nyd)
        self._fill(yd, self._name_lists[1], {**(values or {}), **named}, (1, 2))
        return yd

    def _fill(self, target: Array, kind: str, values: Mapping[str, Union[float, str]], orders: Sequence[int]) -> None:
        names: Sequence[str] = getattr(self.names, kind)
        for name, value in values.items():
            if name not in names and name in (*self.names.q, *self.names.qd):
                leader = self._leader(name)
                whom = f"follows {leader!r}" if leader else "follows other joints"
                raise ValueError(f"{name!r} {whom} and has no coordinate of its own (robot.tree.state has one)")
            index = index_of("coordinate", name, names)
            target[index] = quantity(value, name, self._model.domain_of(name, orders[0] > 0), orders) if isinstance(value, str) else value

    def _leader(self, name: str) -> Optional[str]:
        if name not in self.names.joints:
            return None
        place = filled("td_joint_place", lib.td_joint_place_read, self._model.pointer, self.names.joints.index(name))
        return self.names.joints[place.leader] if place.leader is not None else None

    # ---- factors of the mass matrix

    def packed_pattern(self) -> Tuple[npt.NDArray[np.uintp], npt.NDArray[np.uintp]]:
        """Returns the pattern of mass_matrix_factors: row i begins at rows[i] (n + 1 numbers), and columns has the column of
        each number. scipy.sparse.csr_array((factors, columns, rows)) is the lower triangle (td_packed_pattern)."""
        sizes = self._handle().sizes
        rows, columns = np.zeros(sizes.nyd + 1, np.uintp), np.zeros(sizes.entries, np.uintp)
        lib.td_packed_pattern(self._model.pointer, self._workspace(), ffi.cast("size_t *", rows.ctypes.data),
                              ffi.cast("size_t *", columns.ctypes.data))
        return rows, columns

    def factors_solve(self, factors: npt.ArrayLike, B: npt.ArrayLike) -> Array:
        """Computes X = H⁻¹ B with the factors of mass_matrix_factors. For each row of factors, B is n × columns, or n numbers
        (td_factors_solve)."""
        handle = self._handle()
        entries = checked("factors_solve", "factors", factors, (dimension("entries"),), handle.sizes, True)
        sides = as_double("factors_solve", "B", B)
        lead, n = entries.shape[:-1], handle.sizes.nyd
        if sides.shape[:len(lead) + 1] != (*lead, n) or sides.ndim > len(lead) + 2:
            raise ValueError(f"factors_solve: B has shape {sides.shape}, expected {(*lead, n, 'columns')} or {(*lead, n)}")
        X = np.empty(sides.shape)
        given, at, into = (ffi.cast("double *", a.ctypes.data) for a in (entries, sides, X))
        states = math.prod(lead)
        columns = 1 if sides.ndim == len(lead) + 1 else sides.shape[-1]

        def solve(workspace: Any) -> int:
            worst = 0
            for i in range(states):
                status = int(lib.td_factors_solve(self._model.pointer, workspace, given + i * entries.shape[-1], columns,
                                                  at + i * n * columns, into + i * n * columns))
                worst = worst or status
            return worst

        status = self._exclusive(solve)
        if status:
            raise_status(("factors_solve",), handle, status, X)
        return X

    # ---- several at once

    def dynamics_terms(self, y: npt.ArrayLike, yd: Optional[npt.ArrayLike] = None, forces: Optional[Forces] = None, *,
                       want: Sequence[str] = ("H", "C"), frame: FrameLike = "aligned", out: Optional[Terms] = None,
                       statuses: Optional[npt.NDArray[np.intc]] = None) -> Terms:
        """Computes the quantities that a controller needs in every cycle, in one call that shares the kinematics. want names
        fields of Terms, which documents shapes and units. out: a Terms with arrays for the results, such as an earlier
        result. (td_dynamics_terms)"""
        if isinstance(want, str):
            raise TypeError("want is a sequence of names, such as ('H', 'C')")
        key = tuple(want)
        try:
            op, names = _TERMS_OPS[key]
        except KeyError:
            op, names = _TERMS_OPS[key] = _terms_op(want)
        into: Any = None
        if out is not None:
            into = tuple(getattr(out, name) for name in names) if len(names) > 1 else getattr(out, names[0])
        try:
            done = op.run(self._handle(), into, statuses, y, yd, forces, FRAMES[frame])
        except DynamicsError as error:
            error.result = self._terms(names, error.result)
            raise
        return self._terms(names, done)

    @staticmethod
    def _terms(names: Tuple[str, ...], arrays: Any) -> Terms:
        return Terms(**dict(zip(names, arrays if len(names) > 1 else (arrays,))))


class Tree(Coordinates):
    """A robot in the coordinates of its spanning tree, robot.tree. Every joint moves independently; loops and followers are
    ignored. The methods are the same as for the robot, with q, qd, qdd (nq, nv, nv) in place of y, yd, ydd, and forces tau
    (nv) in place of tau_y. Arguments keep their names. It has the gravity, payloads and threads of the robot."""

    _coordinates = 1
    _name_lists = ("q", "qd")

    def __reduce__(self) -> Tuple[Any, ...]:
        return _restore_tree, (portable(self._model.written()), self._changes)

    def __repr__(self) -> str:
        return f"<tandem.Tree: {self.nv} velocities, {self._sizes.links} links>"


def _restore_tree(content: bytes, changes: Changes) -> Tree:
    """Rebuilds the tree of a pickle."""
    from ._load import read_model

    return Tree(read_model(content, name="pickle")._model, changes)


def portable(content: bytes) -> bytes:
    """Returns the text of a model without the folders of its files."""
    return re.sub(rb'([ ._]source\.file=")(?:[^"\\]|\\.)*/', rb"\1", content)

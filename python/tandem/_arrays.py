# SPDX-License-Identifier: MIT
"""Arrays with another layout than the library needs: they are converted once, broadcast, or refused with the names of their
axes. C-contiguous arrays of float64 never come here; python/call.c uses them directly."""
from __future__ import annotations

import enum
import threading
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._errors import DynamicsError, raise_status
from ._native import call, ffi, lib
from ._sizes import Sizes

Array = npt.NDArray[np.float64]
Statuses = npt.NDArray[np.intc]

IN, OUT, SHARED, BYTES, POINTER, NUMBER, NONE = 0, 1, 2, 3, 4, 6, 8
SIZES = Sizes._fields
COUNTED = tuple(-1 - SIZES.index(word) for word in ("links", "joints"))  # robots with links at points have more of these


def dimension(word: Union[str, int]) -> int:
    """Encodes a dimension as in python/call.c: the name of a size of the robot, or a number."""
    return word if isinstance(word, int) else -1 - SIZES.index(word)


class Frame(enum.IntEnum):
    """The frame in which a spatial vector is expressed."""

    WORLD = 0  #: world axes, reference point at the world's origin
    BODY = 1  #: link axes, reference point at the link's origin
    ALIGNED = 2  #: world axes, reference point at the link's origin


class Scope(enum.IntEnum):
    """The links included in mass, momentum and energy."""

    ALL = 0  #: all links
    MOVING = 1  #: links that move relative to the world
    SPRINGS = 2  #: for energy: all links and all springs


FrameLike = Union[Frame, str]
ScopeLike = Union[Scope, str]


class _Words(Dict[Any, int]):
    """Maps enumerators, and their names in lower case, to numbers."""

    def __init__(self, kind: "type[enum.IntEnum]") -> None:
        super().__init__({member: int(member) for member in kind})
        self.update({member.name.lower(): int(member) for member in kind})

    def __missing__(self, key: Any) -> int:
        words = ", ".join(repr(word) for word in self if isinstance(word, str))
        raise ValueError(f"{key!r} is not one of {words}")


FRAMES = _Words(Frame)
SCOPES = _Words(Scope)


class Thread:
    """The base of robots: the workspace of the calling thread."""

    _local: threading.local

    def _new_handle(self) -> Any:
        raise NotImplementedError

    def _link_index(self, link: Union[str, int]) -> int:
        raise NotImplementedError

    def _loop_index(self, loop: Union[str, int]) -> int:
        raise NotImplementedError

    @property
    def reference(self) -> Array:
        raise NotImplementedError


def expected(dims: Sequence[int], sizes: Sizes, lead: Optional[Tuple[int, ...]] = None) -> str:
    """Returns a shape for a message: "(..., nyd=7)"."""
    parts = ["..."] if lead is None else [str(d) for d in lead]
    parts += [str(d) if d >= 0 else f"{sizes.word(-1 - d)}={sizes[-1 - d]}" for d in dims]
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def core_shape(dims: Sequence[int], sizes: Sizes) -> Tuple[int, ...]:
    return tuple(d if d >= 0 else sizes[-1 - d] for d in dims)


def as_double(function: str, name: str, value: Any) -> Array:
    array = np.asarray(value)
    if array.dtype.kind not in "fiub":
        hint = " (Robot.state makes y of names)" if isinstance(value, dict) else ""
        raise TypeError(f"{function}: {name} is {'a dict' if hint else f'an array of {array.dtype}'}, expected numbers{hint}")
    return np.require(array, np.float64, ["C", "A"]).reshape(array.shape)


def checked(function: str, name: str, value: Any, dims: Sequence[int], sizes: Sizes, rows: bool) -> Array:
    """Returns value as doubles and checks that its last axes have the shape of one state. Leading axes are only allowed if rows
    is set."""
    array = as_double(function, name, value)
    core = core_shape(dims, sizes)
    leads = array.ndim - len(core)
    if leads < 0 or array.shape[leads:] != core or (leads and not rows):
        raise ValueError(f"{function}: {name} has shape {array.shape}, expected "
                         f"{expected(dims, sizes, None if rows else ())}")
    return array


COLUMNS = {"ny": ("y",), "nyd": ("yd", "tau_y"), "nq": ("q",), "nv": ("qd", "tau"), "nu": ("u",)}


def check_columns(function: str, name: str, value: Any, dims: Sequence[int], sizes: Sizes, names: Any) -> None:
    """Checks that a table with column names, such as a DataFrame, has the names of the robot in its order. They may have
    prefixes such as q: and qd:."""
    labels = list(getattr(value, "columns", ()))
    fields = COLUMNS.get(sizes.word(-1 - dims[-1])) if dims and dims[-1] < 0 else None
    if not fields or not labels or not all(isinstance(label, str) for label in labels):
        return
    plain = tuple(label.partition(":")[2] if label.partition(":")[0] in ("q", "qd", "qdd", "tau", "u") else label
                  for label in labels)
    expected_names = [getattr(names, field) for field in fields]
    if plain in expected_names:
        return
    wanted = expected_names[0]
    missing = [entry for entry in wanted if entry not in plain]
    say = f"has no column {missing[0]!r}" if missing else "has other columns or another order"
    raise ValueError(f"{function}: {name} {say}; the robot's are, in this order: {', '.join(wanted)}")


def common_lead(function: str, named: Sequence[Tuple[str, Array, int]]) -> Tuple[int, ...]:
    """Returns the leading axes that all arrays broadcast to; named: name, array, number of dimensions of one state."""
    leads = [array.shape[:array.ndim - core] for _, array, core in named]
    try:
        return tuple(np.broadcast_shapes(*leads))
    except ValueError:
        each = ", ".join(f"{name} {lead}" for (name, _, _), lead in zip(named, leads))
        raise ValueError(f"{function}: leading axes do not broadcast: {each}") from None


def check_out(function: str, name: str, array: Any, dims: Sequence[int], sizes: Sizes,
              lead: Tuple[int, ...], inputs: Sequence[Any]) -> None:
    if not isinstance(array, np.ndarray) or array.dtype != np.float64 or not array.dtype.isnative:
        raise TypeError(f"{function}: out ({name}) must be an array of float64")
    if array.shape != lead + core_shape(dims, sizes):
        raise ValueError(f"{function}: out ({name}) has shape {array.shape}, expected {expected(dims, sizes, lead)}")
    if not (array.flags.c_contiguous and array.flags.writeable and array.flags.aligned):
        raise ValueError(f"{function}: out ({name}) must be C-contiguous and writable")
    if any(np.may_share_memory(array, other) for other in inputs if isinstance(other, np.ndarray)):
        raise ValueError(f"{function}: out ({name}) overlaps another argument")


def check_outputs(spec: Any, out: Any, sizes: Sizes, lead: Tuple[int, ...], inputs: Sequence[Any]) -> None:
    function = spec[0]
    outputs = [(name, dims) for kind, name, dims in spec[3] if kind == OUT]
    if len(outputs) == 1:
        check_out(function, *((outputs[0][0], out, outputs[0][1])), sizes, lead, inputs)
        return
    if not isinstance(out, tuple) or len(out) != len(outputs):
        raise TypeError(f"{function}: out must be a tuple of {len(outputs)} arrays: " + ", ".join(n for n, _ in outputs))
    for i, ((name, dims), array) in enumerate(zip(outputs, out)):
        check_out(function, name, array, dims, sizes, lead, [*inputs, *out[:i]])


def check_statuses(function: str, statuses: Any, lead: Tuple[int, ...]) -> None:
    if statuses is None:
        return
    if not lead:
        raise ValueError(f"{function}: statuses is only for batches; a single state that fails raises DynamicsError")
    if not isinstance(statuses, np.ndarray) or statuses.dtype != np.intc or statuses.shape != lead:
        raise ValueError(f"{function}: statuses must be an array of numpy.intc with the leading shape {lead}")
    if not (statuses.flags.c_contiguous and statuses.flags.writeable):
        raise ValueError(f"{function}: statuses must be C-contiguous and writable")


def prepare(spec: Any, handle: Any, arguments: Sequence[Any]) -> Tuple[List[Any], List[Tuple[str, int, int]]]:
    """Returns the inputs converted for the library, except their leading axes; and the name, index and number of dimensions of
    one state for each input that can have leading axes."""
    function, sizes = spec[0], handle.sizes
    inputs = [entry for entry in spec[3] if entry[0] not in (OUT, NONE)]
    if len(inputs) != len(arguments):
        raise TypeError(f"{function} takes {len(inputs)} inputs")
    ready = list(arguments)
    rows = []
    for i, (kind, name, dims) in enumerate(inputs):
        if kind in (IN, SHARED) and ready[i] is not None:
            if hasattr(ready[i], "columns"):
                check_columns(function, name, ready[i], dims, sizes, handle.owner.names)
            ready[i] = checked(function, name, ready[i], dims, sizes, kind == IN)
            if kind == IN:
                rows.append((name, i, len(dims)))
        elif kind == BYTES and ready[i] is not None and ready[i].shape != core_shape(dims, sizes):
            raise ValueError(f"{function}: {name} has shape {ready[i].shape}, expected {expected(dims, sizes, ())}")
        elif kind == POINTER and isinstance(ready[i], Struct) and ready[i].per_state is not None:
            rows.append((name, i, 2))
    return ready, rows


def in_rows(value: Any) -> Array:
    """Returns the array of an input that has leading axes; for forces, their wrenches."""
    array: Optional[Array] = value.per_state if isinstance(value, Struct) else value
    assert array is not None
    return array


def spread_input(value: Any, lead: Tuple[int, ...], core: int) -> Any:
    return value.spread(lead) if isinstance(value, Struct) else spread(value, lead, core)


def place_forces(handle: Any, arguments: Sequence[Any]) -> Tuple[Any, List[Any]]:
    """Converts wrenches by name to arrays, if necessary on a robot with an additional link for each point. Returns the handle
    to use, and the inputs."""
    ready = list(arguments)
    for i, argument in enumerate(ready):
        if isinstance(argument, Struct) and argument._address is None:
            robot, ready[i] = argument.on(handle.owner)
            if robot is not None:
                handle = robot._handle()
    return handle, ready


def cut(spec: Any, results: Any, sizes: Sizes) -> Any:
    """Reduces results of a robot with additional links to the links and joints in sizes."""
    several = isinstance(results, tuple)
    outputs = [dims for kind, _, dims in spec[3] if kind == OUT]
    found = []
    for dims, result in zip(outputs, results if several else (results,)):
        if any(d in dims for d in COUNTED):
            result = result[(..., *(slice(sizes[-1 - d]) if d in COUNTED else slice(None) for d in dims))].copy()
        found.append(result)
    return tuple(found) if several else found[0]


def run_elsewhere(spec: Any, sizes: Sizes, out: Any, inputs: Sequence[Any], run: Callable[[], Any]) -> Any:
    """Runs a call on a robot with additional links, and stores the results in out, if given."""
    try:
        results = cut(spec, run(), sizes)
    except DynamicsError as error:
        error.result = cut(spec, error.result, sizes)
        raise
    if out is None:
        return results
    dims = next(dims for kind, _, dims in spec[3] if kind == OUT)
    first = results[0] if isinstance(results, tuple) else results
    check_outputs(spec, out, sizes, first.shape[:first.ndim - len(dims)], inputs)
    for target, result in zip(out, results) if isinstance(out, tuple) else ((out, results),):
        target[...] = result
    return out


def spread(array: Array, lead: Tuple[int, ...], core: int) -> Array:
    return np.ascontiguousarray(np.broadcast_to(array, lead + array.shape[array.ndim - core:]))


def convert(op: Any, handle: Any, out: Any, statuses: Any, *arguments: Any) -> Any:
    """Repeats a call with converted arrays; called by python/call.c."""
    spec, sizes = op.spec, handle.sizes
    site, placed = place_forces(handle, arguments)
    if site is not handle:
        return run_elsewhere(spec, sizes, out, arguments, lambda: convert(op, site, None, statuses, *placed))
    ready, rows = prepare(spec, handle, placed)
    lead = common_lead(spec[0], [(name, in_rows(ready[i]), core) for name, i, core in rows])
    for _, i, core in rows:
        ready[i] = spread_input(ready[i], lead, core)
    if out is not None:
        check_outputs(spec, out, sizes, lead, arguments)
    check_statuses(spec[0], statuses, lead)
    return op.run_converted(handle, out, statuses, *ready)


def run_in_place(op: Any, handle: Any, out: Any, statuses: Any, arguments: Tuple[Any, ...], starts: Tuple[Any, ...]) -> Any:
    """Runs functions whose outputs have values on entry: starts, with None for outputs without them (or zero)."""
    spec, sizes = op.spec, handle.sizes
    function = spec[0]
    site, placed = place_forces(handle, arguments)
    if site is not handle:
        return run_elsewhere(spec, sizes, out, arguments, lambda: run_in_place(op, site, None, statuses, tuple(placed), starts))
    ready, rows = prepare(spec, handle, placed)
    outputs = [(name, dims) for kind, name, dims in spec[3] if kind == OUT]
    begin = [None if start is None else checked(function, name, start, dims, sizes, True)
             for (name, dims), start in zip(outputs, starts)]
    named = [(name, in_rows(ready[i]), core) for name, i, core in rows]
    named += [(name, start, len(dims)) for (name, dims), start in zip(outputs, begin) if start is not None]
    lead = common_lead(function, named)
    for _, i, core in rows:
        ready[i] = spread_input(ready[i], lead, core)
    if out is None:
        results = [np.zeros(lead + core_shape(dims, sizes)) for _, dims in outputs]
    else:
        check_outputs(spec, out, sizes, lead, [*arguments])
        results = list(out) if isinstance(out, tuple) else [out]
    for result, start in zip(results, begin):
        result[...] = 0.0 if start is None else start
    check_statuses(function, statuses, lead)
    done = op.run_converted(handle, tuple(results) if len(results) > 1 else results[0], statuses, *ready)
    return done


def flags(value: Optional[npt.ArrayLike]) -> Any:
    """Returns truth values as bytes."""
    return None if value is None else np.ascontiguousarray(np.asarray(value), dtype=np.bool_)


class Struct:
    """A struct of the library for python/call.c, and the memory that it points to."""

    links: Optional[int] = None  # number of links with wrenches
    _address: Optional[int]  # None: it depends on the robot

    def __init__(self, pointer: Any, *kept: Any) -> None:
        self.pointer = pointer
        self._kept = kept
        self._address = int(ffi.cast("uintptr_t", pointer))

    @property
    def per_state(self) -> Optional[Array]:
        """Wrenches (..., links, 6), if each state has different ones."""
        return None

    def spread(self, lead: Tuple[int, ...]) -> "Struct":
        """Returns it with the parts that differ between states broadcast to these leading axes."""
        return self

    def on(self, owner: Any) -> Tuple[Any, "Struct"]:
        """Returns the robot to use in place of owner, or None, and the struct for it."""
        return None, self


def baumgarte(alpha: float, beta: float) -> Optional[Struct]:
    if alpha == 0 and beta == 0:
        return None
    options = ffi.new("td_constraint_options *", lib.td_constraint_options_default())
    options.alpha, options.beta = alpha, beta
    return Struct(options)


call.set_up(np.empty, convert, raise_status)

# SPDX-License-Identifier: MIT
"""Forces that act in addition to the joint forces."""
from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._arrays import FRAMES, Array, Frame, FrameLike, Struct, spread
from ._model import Model, index_of
from ._native import ffi, lib

if TYPE_CHECKING:
    from ._coordinates import Coordinates, Owner

MOST_KEPT = 8  # cached robots with links at points, for each Forces

Vector = Tuple[float, float, float]


def _vector(name: str, value: Any) -> Union[Vector, Array]:
    """Returns three numbers, or for a force or a moment an array with leading axes, one for each state."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"Wrench: {name} is {value!r}, expected three numbers") from None
    if name != "point" and array.ndim > 1 and array.shape[-1] == 3:
        array = array.copy()
        array.flags.writeable = False
        return array
    if array.shape != (3,):
        raise ValueError(f"Wrench: {name} has shape {array.shape}, expected {'(3,)' if name == 'point' else '(..., 3)'}")
    return float(array[0]), float(array[1]), float(array[2])


@dataclasses.dataclass(frozen=True)
class Wrench:
    """A force (N) and a moment (N m) on a link: (3,) or, with one for each state of a batch, (..., 3). They act at a point of
    the link, in its frame (m; None: its origin). frame: "aligned", world axes; "body", the link's axes; "world", world axes
    and about the world's origin, without a point. None: the frame of the Forces that contains it."""

    force: npt.ArrayLike = (0.0, 0.0, 0.0)
    moment: npt.ArrayLike = (0.0, 0.0, 0.0)
    point: Optional[npt.ArrayLike] = None
    frame: Optional[FrameLike] = None

    def __post_init__(self) -> None:
        for name in ("force", "moment", "point"):
            value = getattr(self, name)
            if value is not None or name != "point":
                object.__setattr__(self, name, _vector(name, value))
        if self.frame is not None:
            object.__setattr__(self, "frame", Frame(FRAMES[self.frame]))


    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Wrench):
            return NotImplemented
        return all(np.array_equal(a, b) if isinstance(a, np.ndarray) or isinstance(b, np.ndarray) else a == b
                   for a, b in ((getattr(self, f.name), getattr(other, f.name)) for f in dataclasses.fields(self)))


def _wrench(link: Union[str, int], value: Any) -> Wrench:
    """Converts a value of a mapping, whose parts have names."""
    if isinstance(value, Wrench):
        return value
    if not isinstance(value, Mapping):
        raise TypeError(f"the wrench of {link!r} is {value!r}, whose parts have no names: write tandem.Wrench(force=(fx, fy, fz), "
                        "moment=(mx, my, mz)), or {'force': (fx, fy, fz), 'moment': (mx, my, mz)}")
    parts = [field.name for field in dataclasses.fields(Wrench)]
    if unknown := [name for name in value if name not in parts]:
        raise TypeError(f"the wrench of {link!r} has {unknown[0]!r}, expected some of {', '.join(parts)}")
    return Wrench(**value)


class Forces(Struct):
    """Wrenches on links, and passive forces of joints: the argument forces of the dynamics.

    wrenches: by the names of links, {"tool": tandem.Wrench(force=(0, 0, -20))}, or an array (links, 6), moment and force (N m,
    N) on each link. With leading axes, (..., links, 6) or in a Wrench, each state of a batch has different wrenches; they
    broadcast with the states. frame: the frame of the wrenches, by default "aligned", world axes at the link's origin. passive:
    includes damping, friction, springs and rotors of the model. Coulomb friction is smoothed to friction · q̇ / √(q̇² +
    friction_velocity²).
    """

    def __init__(self, wrenches: Union[None, npt.ArrayLike, Mapping[str, Union[Wrench, Mapping[str, Any]]]] = None, *,
                 frame: FrameLike = "aligned", passive: bool = False, friction_velocity: float = 1e-3) -> None:
        pointer = ffi.new("td_forces *", lib.td_forces_default())
        self.links = None
        self.wrenches: Optional[Array] = None
        self.named: Optional[Dict[Union[str, int], Wrench]] = None
        if isinstance(wrenches, Mapping) and not wrenches:
            wrenches = None  # avoids adding zeros to every force
        if isinstance(wrenches, Mapping):
            self.named = {link: _wrench(link, value) for link, value in wrenches.items()}
            frames = {FRAMES[frame if wrench.frame is None else wrench.frame] for wrench in self.named.values()}
            if len(frames) > 1:
                raise ValueError("all wrenches of one Forces must be in the same frame")
            frame = Frame(frames.pop() if frames else FRAMES[frame])
            self._check_points(frame)
        elif wrenches is not None:
            array = np.array(wrenches, dtype=np.float64, order="C")
            array.flags.writeable = False
            if array.ndim < 2 or array.shape[-1] != 6:
                raise ValueError(f"wrenches have shape {array.shape}, expected (..., links, 6)")
            self.links = array.shape[-2]
            pointer.wrenches = ffi.cast("double *", array.ctypes.data)
            self.wrenches = array
        pointer.wrench_frame = FRAMES[frame]
        pointer.passive = passive
        pointer.friction_velocity = friction_velocity
        self._made = (self.wrenches if self.named is None else self.named, int(pointer.wrench_frame), bool(passive),
                      float(friction_velocity))
        self._found: Dict[Any, Tuple[Optional["Coordinates"], "Forces"]] = {}
        super().__init__(pointer, self.wrenches)
        if self.named is not None or self.per_state is not None:
            self._address = None  # python/call.c calls convert, which needs the links of the robot and the states

    def _check_points(self, frame: Frame) -> None:
        for link, wrench in (self.named or {}).items():
            if wrench.point is not None and frame == Frame.WORLD:
                raise ValueError(f"the wrench of {link!r} has a point, but frame 'world' is about the world's origin")

    # ---- of the states of a batch

    @property
    def per_state(self) -> Optional[Array]:
        """The wrenches (..., links, 6) if each state has different ones; for wrenches by name see Forces.on."""
        return self.wrenches if self.wrenches is not None and self.wrenches.ndim > 2 else None

    def spread(self, lead: Tuple[int, ...]) -> Struct:
        wrenches = self.per_state
        assert wrenches is not None
        array = spread(wrenches, lead, 2)
        pointer = ffi.new("td_forces *", self.pointer[0])
        pointer.wrenches = ffi.cast("double *", array.ctypes.data)
        pointer.wrenches_per_state = True
        found = Struct(pointer, array)
        found.links = self.links
        return found

    # ---- on a robot

    def on(self, owner: "Owner") -> Tuple[Optional["Coordinates"], "Forces"]:
        """Returns these forces with wrenches as an array for the links of a robot, and the robot to use with them, or None if
        it is the same one. A force in world axes at a point of a link has a moment about the link's origin that changes as
        the link rotates. Therefore the point becomes a separate link without a body, after all others."""
        if self.named is None:
            return None, self
        if owner not in self._found:
            if len(self._found) >= MOST_KEPT:
                self._found.clear()
            self._found[owner] = self._find(owner)
        return self._found[owner]

    def _find(self, owner: "Owner") -> Tuple[Optional["Coordinates"], "Forces"]:
        _, frame, passive, friction_velocity = self._made
        names = owner.model.names.links
        rows: List[Tuple[int, Wrench]] = []
        points: List[Tuple[str, Array]] = []
        for link, wrench in (self.named or {}).items():
            row = index_of("link", link, names) if isinstance(link, str) else int(link)
            if not 0 <= row < len(names):
                raise IndexError(f"link {link}: the robot has {len(names)}")
            if frame == Frame.ALIGNED and wrench.point is not None and np.any(wrench.point):
                points.append((names[row], np.asarray(wrench.point, dtype=np.float64)))
                row = len(names) + len(points) - 1
            rows.append((row, wrench))
        parts = [np.asarray(part) for _, wrench in rows for part in (wrench.force, wrench.moment)]
        array = np.zeros(np.broadcast_shapes(*(part.shape[:-1] for part in parts)) + (len(names) + len(points), 6))
        for row, wrench in rows:
            array[..., row, :3] += np.asarray(wrench.moment)
            array[..., row, 3:] += np.asarray(wrench.force)
            if frame == Frame.BODY and wrench.point is not None:
                array[..., row, :3] += np.cross(np.asarray(wrench.point), np.asarray(wrench.force))
        forces = Forces(array, frame=Frame(frame), passive=passive, friction_velocity=friction_velocity)
        return owner.on(with_points(owner.model, points)) if points else None, forces

    def __reduce__(self) -> Tuple[Any, ...]:
        return _remade, self._made

    def __copy__(self) -> "Forces":
        return self

    def __deepcopy__(self, memo: Dict[int, Any]) -> "Forces":
        return self

    def __repr__(self) -> str:
        of = f"wrenches={self.named!r}" if self.named is not None else f"links={self.links}"
        return f"Forces(passive={bool(self.pointer.passive)}, {of})"


def _remade(wrenches: Any, frame: int, passive: bool, friction_velocity: float) -> Forces:
    """Rebuilds the Forces of a pickle."""
    return Forces(wrenches, frame=Frame(frame), passive=passive, friction_velocity=friction_velocity)


def _quoted(name: str) -> bytes:
    """Returns a name as written in model files."""
    return b'"' + b"".join(b"\\x%02x" % c if c < 0x20 or c == 0x7f else b"\\" + bytes([c]) if c in b'"\\' else bytes([c])
                           for c in name.encode("utf-8", "surrogateescape")) + b'"'


def with_points(model: Model, points: List[Tuple[str, Array]]) -> Model:
    """Returns the model with a massless link at each point of a link, after all other links."""
    from ._load import read_model

    lines = []
    for number, (link, at) in enumerate(points, 1):
        name = _quoted(f"$point:{number}")
        origin = ",".join(repr(float(x)) for x in at).encode()
        lines += [b"link name=" + name, b"joint name=" + name + b" type=fixed parent=" + _quoted(link) + b" child=" + name +
                  b" origin.position=" + origin]
    text = model.written()
    if not text.endswith(b"end\n"):
        raise AssertionError("the text of a model has an unexpected end")
    found = read_model(text[:-4] + b"\n".join(lines) + b"\nend\n", name="model")._model
    assert found.sizes.links == model.sizes.links + len(points)
    return found

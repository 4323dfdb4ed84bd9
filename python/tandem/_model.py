# SPDX-License-Identifier: MIT
"""The model behind robots: the library's object, its sizes and names."""
from __future__ import annotations

import dataclasses
import difflib
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, TypeVar

from ._errors import Error, Status
from ._native import ffi, filled, lib, text
from ._sizes import Sizes, TreeSizes

T = TypeVar("T")

POSITION, VELOCITY, FORCE = 0, 1, 2
INDEPENDENT, TREE = 0, 1  # td_coordinates


@dataclasses.dataclass(frozen=True)
class Names:
    """Names of all entries, in order: positions y and q, velocities and accelerations yd and qd (joint and component, as in
    "base.wx"), forces tau_y and tau, motors u, links, joints (fixed ones included), loops."""

    y: Tuple[str, ...]
    yd: Tuple[str, ...]
    tau_y: Tuple[str, ...]
    q: Tuple[str, ...]
    qd: Tuple[str, ...]
    tau: Tuple[str, ...]
    u: Tuple[str, ...]
    links: Tuple[str, ...]
    joints: Tuple[str, ...]
    loops: Tuple[str, ...]


class Model:
    """An immutable model, shared by the robots and threads that use it."""

    def __init__(self, pointer: Any, kept: Any = None) -> None:
        self.pointer = ffi.gc(pointer, lib.td_model_free)
        self.kept = kept  # user-supplied closures, which the library calls
        self.in_folder = True  # file names include folders; False for a pickle, which stores none
        p = pointer
        self.sizes = Sizes(lib.td_ny(p), lib.td_nyd(p), lib.td_nq(p), lib.td_nv(p), lib.td_nu(p), lib.td_link_count(p),
                           lib.td_joint_count(p), lib.td_constraint_count(p), lib.td_loop_count(p),
                           lib.td_packed_entries(p, INDEPENDENT), lib.td_movable_count(p))
        in_tree = TreeSizes(*self.sizes._replace(ny=self.sizes.nq, nyd=self.sizes.nv, entries=lib.td_packed_entries(p, TREE)))
        self.sizes_in = (self.sizes, in_tree)  # by td_coordinates
        self._names: Optional[Names] = None
        self._text: Optional[bytes] = None
        self._kept: Dict[str, Any] = {}

    def once(self, key: str, make: Callable[[], T]) -> T:
        """Returns the result of make, which is only called the first time."""
        if key not in self._kept:
            self._kept[key] = make()
        kept: T = self._kept[key]
        return kept

    @property
    def address(self) -> int:
        return int(ffi.cast("uintptr_t", self.pointer))

    @property
    def names(self) -> Names:
        if self._names is None:
            self._names = self._find_names()
        return self._names

    def _find_names(self) -> Names:
        p = self.pointer
        ny, nyd, nq, nv, nu, links, joints, _, loops = self.sizes[:9]
        lists: Dict[str, List[str]] = {"y": [""] * ny, "yd": [""] * nyd, "tau_y": [""] * nyd,
                                       "q": [""] * nq, "qd": [""] * nv, "tau": [""] * nv}
        at = ffi.new("size_t *")
        for j in range(joints):
            name = text(lib.td_joint_at(p, j).name)
            place = filled("td_joint_place", lib.td_joint_place_read, p, j)
            for k in range(place.nq):
                full = name + text(lib.td_component_text(p, j, POSITION, k))
                lists["q"][place.q + k] = full
                if lib.td_coordinate_of(p, INDEPENDENT, full.encode("utf-8", "surrogateescape"), at, ffi.NULL) == 0:
                    lists["y"][at[0]] = full
            for k in range(place.nv):
                full = name + text(lib.td_component_text(p, j, VELOCITY, k))
                force = name + text(lib.td_component_text(p, j, FORCE, k))
                lists["qd"][place.qd + k], lists["tau"][place.qd + k] = full, force
                if lib.td_coordinate_of(p, INDEPENDENT, full.encode("utf-8", "surrogateescape"), ffi.NULL, at) == 0:
                    lists["yd"][at[0]], lists["tau_y"][at[0]] = full, force
        actuators = [filled("td_actuator", lib.td_actuator_read, p, i) for i in range(nu)]
        u = [text(a.name) + (text(lib.td_component_text(p, a.joint, FORCE, a.component)) if a.joint != lib.TD_NONE else "")
             for a in actuators]
        return Names(u=tuple(u), links=tuple(text(lib.td_link_at(p, i).name) for i in range(links)),
                     joints=tuple(text(lib.td_joint_at(p, i).name) for i in range(joints)),
                     loops=tuple(text(lib.td_loop_at(p, i).name) for i in range(loops)),
                     **{key: tuple(value) for key, value in lists.items()})

    def domain_of(self, name: str, of_velocity: bool) -> str:
        """Returns the unit of a coordinate of that name: "rad" or "m", "" for a quaternion component."""
        return self.once("domains", self._find_domains)[of_velocity][name]

    def _find_domains(self) -> Tuple[Dict[str, str], Dict[str, str]]:
        found: Tuple[Dict[str, str], Dict[str, str]] = ({}, {})
        p = self.pointer
        for j in range(self.sizes.joints):
            place = filled("td_joint_place", lib.td_joint_place_read, p, j)
            for names, domains, first, count, kind in ((self.names.q, found[0], place.q, place.nq, POSITION),
                                                       (self.names.qd, found[1], place.qd, place.nv, VELOCITY)):
                for k in range(count):
                    domains[names[first + k]] = ("", "rad", "m")[lib.td_component_unit(p, j, kind, k)]
        return found

    def written(self) -> bytes:
        """Returns the text of td_model_write."""
        if self._text is None:
            size = ffi.new("size_t *")
            status = lib.td_model_write(self.pointer, ffi.NULL, 0, size)
            if status == Status.FUNCTION:
                raise TypeError("a robot with a user-supplied closure cannot be written or pickled, because the closure is code")
            if status:
                raise Error(Status(status).text)
            buffer = ffi.new("char[]", size[0])
            if lib.td_model_write(self.pointer, buffer, size[0], size):
                raise MemoryError
            self._text = bytes(ffi.buffer(buffer, size[0]))
        return self._text


def index_of(kind: str, name: str, names: Sequence[str]) -> int:
    """Returns the index of a name, or raises an error with the most similar name."""
    try:
        return names.index(name)
    except ValueError:
        near = difflib.get_close_matches(name, [n for n in names if n], 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"no {kind} {name!r}{hint}") from None



# SPDX-License-Identifier: MIT
"""What acts beside the joints' own forces."""
from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import numpy as np
import numpy.typing as npt

from ._arrays import FRAMES, Array, Frame, FrameLike, Struct
from ._native import ffi, lib


class Forces(Struct):
    """Wrenches on links, and passive forces of joints: the argument forces of the dynamics.

    wrenches (links, 6): moment and force (N m, N) on each link, expressed in frame; Robot.forces makes
    them by name. passive: damping, friction, springs and rotors of the model count; friction · q̇ / √(q̇² +
    friction_velocity²) is the smoothed Coulomb friction. The same for all states of a batch.
    """

    def __init__(self, wrenches: Optional[npt.ArrayLike] = None, *, frame: FrameLike = "body", passive: bool = False,
                 friction_velocity: float = 1e-3) -> None:
        pointer = ffi.new("td_forces *")
        lib.td_forces_init(pointer, ffi.sizeof("td_forces"))
        self.links = None
        array = None
        if wrenches is not None:
            array = np.array(wrenches, dtype=np.float64, order="C")
            array.flags.writeable = False
            if array.ndim != 2 or array.shape[1] != 6:
                raise ValueError(f"wrenches have shape {array.shape}, expected (links, 6)")
            self.links = array.shape[0]
            pointer.wrenches = ffi.cast("double *", array.ctypes.data)
        pointer.wrench_frame = FRAMES[frame]
        pointer.passive = passive
        pointer.friction_velocity = friction_velocity
        self.wrenches = array
        self._made = (array, int(pointer.wrench_frame), bool(passive), float(friction_velocity))
        super().__init__(pointer, array)

    def __reduce__(self) -> Tuple[Any, ...]:
        return _remade, self._made

    def __copy__(self) -> "Forces":
        return self

    def __deepcopy__(self, memo: Dict[int, Any]) -> "Forces":
        return self

    def __repr__(self) -> str:
        return f"Forces(passive={bool(self.pointer.passive)}, links={self.links})"


def _remade(wrenches: Optional[Array], frame: int, passive: bool, friction_velocity: float) -> Forces:
    """Of a pickle."""
    return Forces(wrenches, frame=Frame(frame), passive=passive, friction_velocity=friction_velocity)

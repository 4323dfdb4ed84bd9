# SPDX-License-Identifier: MIT
"""The state of all joints from measured ones (tandem/completion.h)."""
from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Mapping, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._arrays import Array, as_double
from ._errors import DynamicsError, Error, Status
from ._linear import _check, _pointer
from ._native import ffi, lib

if TYPE_CHECKING:
    from ._robot import Robot

Measured = Union[npt.ArrayLike, Mapping[str, float]]


@dataclasses.dataclass(frozen=True)
class Completed:
    """The state of all joints, in the order of robot.names.q and .qd. If rows were given, arrays have a leading axis for them."""

    q: Array         # (nq,), rad or m
    qd: Array        # (nv,), rad/s or m/s
    residual: Array  # (): largest difference between measurements and q
    status: npt.NDArray[np.intc]  # (): tandem.Status


class Completion:
    """Computes the state of all joints from some of them, in call after call; from Robot.completion. It follows branches of
    loops from the last state that was found. Only one thread at a time may use it."""

    def __init__(self, robot: "Robot", names: Sequence[str], tolerance: float) -> None:
        self._robot, self.names = robot, tuple(names)
        texts = [ffi.new("char[]", name.encode()) for name in self.names]
        place = ffi.new("td_completion **")
        status = int(lib.td_completion_new(robot._model.pointer, ffi.new("char *[]", texts), len(texts), tolerance,
                                           place))
        if status == Status.NAME:
            wrong = [name for name in self.names if name not in robot.names.q] or list(self.names)
            raise ValueError(f"completion: {', '.join(map(repr, wrong))} is not a coordinate of the tree, or is named twice")
        if status == Status.ARGUMENT:
            raise ValueError("completion: tolerance is not positive, or a quaternion or floating position is measured only in part")
        _check("completion", status)
        self._completion = ffi.gc(place[0], lib.td_completion_free)
        joints, i = [], 0
        while (joint := int(lib.td_completion_missing(self._completion, i))) != lib.TD_NONE:
            joints.append(robot.names.joints[joint])
            i += 1
        if joints:
            raise Error(f"completion: {Status.UNDETERMINED.text}: {', '.join(joints)} must be measured as well")

    def start(self, q: Optional[npt.ArrayLike] = None) -> None:
        """Makes the next call start at q (nq,), with closed loops; None: robot.tree.reference. (td_completion_start)"""
        at = None if q is None else np.ascontiguousarray(as_double("completion", "q", q))
        if at is not None and at.shape != (self._robot.nq,):
            raise ValueError(f"completion: q has shape {at.shape}, expected (nq={self._robot.nq},)")
        status = Status(int(lib.td_completion_start(self._completion, _pointer(at))))
        if status:
            raise DynamicsError("completion.start", status, None, None, None, None)

    def __call__(self, positions: Measured, velocities: Optional[Measured] = None) -> Completed:
        """Completes measured positions and velocities (None: zero): (n,) in the order of names, a mapping of names, or rows
        (rows, n), processed in order. A single state that is not found raises DynamicsError. In rows it is NaN, and status
        has the reason. (td_complete)"""
        position = self._array("positions", positions)
        velocity = None if velocities is None else self._array("velocities", velocities)
        if velocity is not None and velocity.shape != position.shape:
            raise ValueError(f"completion: velocities have shape {velocity.shape}, positions {position.shape}")
        shape, robot = position.shape[:-1], self._robot
        q, qd = np.zeros((*shape, robot.nq)), np.zeros((*shape, robot.nv))
        residual, status = np.zeros(shape), np.zeros(shape, np.intc)
        left = ffi.new("double *")
        for i in np.ndindex(shape):
            status[i] = lib.td_complete(self._completion, _pointer(position[i]),
                                        ffi.NULL if velocity is None else _pointer(velocity[i]), _pointer(q[i]),
                                        _pointer(qd[i]), left)
            residual[i] = left[0]
        result = Completed(q, qd, residual, status)
        if not shape and status:
            raise DynamicsError("completion", Status(int(status)), None, None, float(residual), result)
        return result

    def _array(self, name: str, value: Measured) -> Array:
        if isinstance(value, Mapping):
            wrong = set(self.names) ^ set(value)
            if wrong:
                raise ValueError(f"completion: {name} and names differ by {', '.join(sorted(map(repr, wrong)))}")
            value = [value[key] for key in self.names]
        array = np.ascontiguousarray(as_double("completion", name, value))
        if array.ndim not in (1, 2) or array.shape[-1] != len(self.names):
            raise ValueError(f"completion: {name} have shape {array.shape}, expected ([rows,] {len(self.names)})")
        return array

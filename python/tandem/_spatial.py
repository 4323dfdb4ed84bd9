# SPDX-License-Identifier: MIT
"""Rotations and poses."""
from __future__ import annotations

from typing import Tuple

import numpy as np
import numpy.typing as npt

from ._arrays import Array, as_double
from ._native import ffi, lib


def _fixed(function: str, name: str, value: npt.ArrayLike, shape: Tuple[int, ...]) -> Array:
    array = as_double(function, name, value)
    if array.shape != shape:
        raise ValueError(f"{function}: {name} has shape {array.shape}, expected {shape}")
    return array


def rotation_from_rpy(roll: float, pitch: float, yaw: float) -> Array:
    """(3, 3) Rz(yaw) Ry(pitch) Rx(roll), as URDF has it (rad)."""
    rotation = np.empty((3, 3))
    lib.td_rotation_from_rpy(roll, pitch, yaw, ffi.from_buffer("double[]", rotation))
    return rotation


def rotation_from_quaternion(xyzw: npt.ArrayLike) -> Array:
    """(3, 3) of a quaternion x, y, z, w of any length but zero."""
    array, rotation = _fixed("rotation_from_quaternion", "xyzw", xyzw, (4,)), np.empty((3, 3))
    if not lib.td_rotation_from_quaternion(ffi.from_buffer("double[]", array), ffi.from_buffer("double[]", rotation)):
        raise ValueError("rotation_from_quaternion: a quaternion without a direction")
    return rotation


def quaternion_from_rotation(rotation: npt.ArrayLike) -> Array:
    """(4,) x, y, z, w with w ≥ 0 of a rotation matrix."""
    array, xyzw = _fixed("quaternion_from_rotation", "rotation", rotation, (3, 3)), np.empty(4)
    lib.td_quaternion_from_rotation(ffi.from_buffer("double[]", array), ffi.from_buffer("double[]", xyzw))
    return xyzw


def pose_split(pose: npt.ArrayLike) -> Tuple[Array, Array]:
    """Position (3,) and quaternion (4,) x, y, z, w of a pose (3, 4), as Robot.link_poses has them."""
    array, position, xyzw = _fixed("pose_split", "pose", pose, (3, 4)), np.empty(3), np.empty(4)
    lib.td_pose_split(ffi.from_buffer("double[]", array), ffi.from_buffer("double[]", position),
                      ffi.from_buffer("double[]", xyzw))
    return position, xyzw

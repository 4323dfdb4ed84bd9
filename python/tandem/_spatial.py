# SPDX-License-Identifier: MIT
"""Rotations and poses. A pose is (3, 4): a rotation matrix and, in the last column, a position (m), as in Robot.link_poses;
x_parent = R x + p."""
from __future__ import annotations

from typing import Any, Callable, Tuple

import numpy as np
import numpy.typing as npt

from ._arrays import Array, as_double
from ._native import ffi, lib


def _rows(function: str, name: str, value: npt.ArrayLike, shape: Tuple[int, ...]) -> Array:
    """Returns value as doubles, (..., *shape)."""
    array = as_double(function, name, value)
    if array.shape[array.ndim - len(shape):] != shape or array.ndim < len(shape):
        raise ValueError(f"{function}: {name} has shape {array.shape}, expected (..., {', '.join(map(str, shape))})")
    return array


def _each(array: Array, core: int, shape: Tuple[int, ...], call: Callable[[int, int], bool]) -> Tuple[Array, bool]:
    """Calls call(from, to), with addresses of doubles, for each value in an array with leading axes; returns
    (..., *shape)."""
    lead, size = array.shape[:array.ndim - core], int(np.prod(array.shape[array.ndim - core:]))
    rows = np.ascontiguousarray(array)
    result = np.empty(lead + shape)
    step = 8 * int(np.prod(shape))
    good = [call(rows.ctypes.data + 8 * size * i, result.ctypes.data + step * i) for i in range(rows.size // size)]
    return result, all(good)


def _doubles(address: int) -> Any:
    return ffi.cast("double *", address)


def rotation_from_rpy(roll: float, pitch: float, yaw: float) -> Array:
    """Returns (3, 3) Rz(yaw) Ry(pitch) Rx(roll), as in URDF (rad)."""
    rotation = np.empty((3, 3))
    lib.td_rotation_from_rpy(roll, pitch, yaw, ffi.from_buffer("double[]", rotation))
    return rotation


def rotation_from_quaternion(xyzw: npt.ArrayLike) -> Array:
    """Returns (..., 3, 3) for quaternions (..., 4) x, y, z, w of any nonzero length."""
    array = _rows("rotation_from_quaternion", "xyzw", xyzw, (4,))
    rotation, good = _each(array, 1, (3, 3), lambda a, b: bool(lib.td_rotation_from_quaternion(_doubles(a), _doubles(b))))
    if not good:
        raise ValueError("rotation_from_quaternion: a quaternion has length 0")
    return rotation


def quaternion_from_rotation(rotation: npt.ArrayLike) -> Array:
    """Returns (..., 4) x, y, z, w with w ≥ 0 for rotation matrices (..., 3, 3)."""
    array = _rows("quaternion_from_rotation", "rotation", rotation, (3, 3))
    return _each(array, 2, (4,), lambda a, b: lib.td_quaternion_from_rotation(_doubles(a), _doubles(b)) is None)[0]


def pose_split(pose: npt.ArrayLike) -> Tuple[Array, Array]:
    """Returns positions (..., 3) and quaternions (..., 4) x, y, z, w of poses (..., 3, 4)."""
    array = _rows("pose_split", "pose", pose, (3, 4))
    return array[..., 3].copy(), quaternion_from_rotation(array[..., :3])


def pose_join(position: npt.ArrayLike, xyzw: npt.ArrayLike = (0.0, 0.0, 0.0, 1.0)) -> Array:
    """Returns poses (..., 3, 4) for positions (..., 3) and quaternions (..., 4) of any nonzero length."""
    p, R = _rows("pose_join", "position", position, (3,)), rotation_from_quaternion(xyzw)
    return _joined(R, p)


def _joined(R: Array, p: Array) -> Array:
    lead = np.broadcast_shapes(R.shape[:-2], p.shape[:-1])
    pose = np.empty((*lead, 3, 4))
    pose[..., :3], pose[..., 3] = R, p
    return pose


def pose_matrix(pose: npt.ArrayLike) -> Array:
    """Returns (..., 4, 4) homogeneous matrices of poses (..., 3, 4)."""
    array = _rows("pose_matrix", "pose", pose, (3, 4))
    matrix = np.zeros((*array.shape[:-2], 4, 4))
    matrix[..., :3, :], matrix[..., 3, 3] = array, 1.0
    return matrix


def pose_compose(first: npt.ArrayLike, *others: npt.ArrayLike) -> Array:
    """Returns first ∘ second ∘ …: the pose of the last frame in the first parent, with each pose given in the frame before it.
    Leading axes broadcast."""
    pose = _rows("pose_compose", "first", first, (3, 4)).copy()
    for other in others:
        b = _rows("pose_compose", "other", other, (3, 4))
        pose = _joined(pose[..., :3] @ b[..., :3], (pose[..., :3] @ b[..., 3:])[..., 0] + pose[..., 3])
    return pose


def pose_inverse(pose: npt.ArrayLike) -> Array:
    """Returns (..., 3, 4): the pose of the parent in the frame."""
    array = _rows("pose_inverse", "pose", pose, (3, 4))
    turned = np.swapaxes(array[..., :3], -1, -2)
    return _joined(turned, -(turned @ array[..., 3:])[..., 0])


def _cross(w: Array) -> Array:
    """Returns (..., 3, 3) [w]×."""
    x, y, z = w[..., 0], w[..., 1], w[..., 2]
    zero = np.zeros_like(x)
    matrix: Array = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=-1).reshape((*w.shape[:-1], 3, 3))
    return matrix


def _coefficients(angle: Array) -> Tuple[Array, Array, Array, Array]:
    """Returns sin a / a, (1 - cos a) / a², (a - sin a) / a³ and (1 - (a/2) cot(a/2)) / a², by series for small a."""
    small = angle < 0.1
    a = np.where(small, 1.0, angle)
    s, x = angle * angle, np.sin(0.5 * a) / a
    sine = np.where(small, 1 - s / 6 * (1 - s / 20 * (1 - s / 42 * (1 - s / 72))), np.sin(a) / a)
    one = np.where(small, 0.5 - s / 24 * (1 - s / 30 * (1 - s / 56 * (1 - s / 90))), 2 * x * x)
    two = np.where(small, 1 / 6 - s / 120 * (1 - s / 42 * (1 - s / 72 * (1 - s / 110))), (a - np.sin(a)) / a**3)
    back = np.where(small, 1 / 12 + s / 720 * (1 + s / 42 * (1 + s / 40 * (1 + s * 10 / 396))),
                    (1 - 0.5 * a * np.cos(0.5 * a) / np.sin(0.5 * a)) / (a * a))
    return sine, one, two, back


def pose_exp(twist: npt.ArrayLike) -> Array:
    """Returns (..., 3, 4): the displacement of a frame that moves for one unit of time with the twist (..., 6), ω and v, in its
    own axes (rad, m). pose_compose(pose, pose_exp(twist)) applies it to a pose."""
    array = _rows("pose_exp", "twist", twist, (6,))
    if not np.isfinite(array).all():
        raise ValueError("pose_exp: twist is not finite")
    w, v = array[..., :3], array[..., 3:]
    sine, one, two, _ = (c[..., None, None] for c in _coefficients(np.linalg.norm(w, axis=-1)))
    W = _cross(w)
    W2 = W @ W
    R: Array = np.asarray(np.eye(3) + sine * W + one * W2, np.float64)
    V = np.eye(3) + one * W + two * W2
    return _joined(R, (V @ v[..., None])[..., 0])


def pose_log(pose: npt.ArrayLike) -> Array:
    """Returns (..., 6): the twist ω, v with the smallest rotation (at most π) for which pose_exp(twist) = pose (rad, m).
    ValueError if a pose has no rotation matrix."""
    array = _rows("pose_log", "pose", pose, (3, 4))
    R = array[..., :3]
    off = np.swapaxes(R, -1, -2) @ R - np.eye(3)  # single precision has up to 1e-6
    if not (np.isfinite(array).all() and (np.abs(off) < 1e-5).all() and (np.linalg.det(R) > 0).all()):
        raise ValueError("pose_log: pose is not finite, or its first three columns are not a rotation matrix")
    q = quaternion_from_rotation(array[..., :3])
    sine = np.linalg.norm(q[..., :3], axis=-1)
    angle: Array = np.asarray(2 * np.arctan2(sine, q[..., 3]), np.float64)
    w = q[..., :3] * np.where(sine > 0, angle / np.where(sine > 0, sine, 1.0), 2.0)[..., None]
    back = _coefficients(angle)[3][..., None, None]
    W = _cross(w)
    V = np.eye(3) - 0.5 * W + back * (W @ W)
    return np.concatenate([w, (V @ array[..., 3:])[..., 0]], axis=-1)

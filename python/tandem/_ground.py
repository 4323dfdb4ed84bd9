# SPDX-License-Identifier: MIT
"""Ground reactions: where a wrench passes through a plane, and how it splits among contacts. Robot.residual_wrench with
frame='world' gives the wrench. Vectors are in world axes."""
from __future__ import annotations

from typing import NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from ._arrays import Array
from ._native import ffi, lib
from ._spatial import _rows


class Pressure(NamedTuple):
    """What center_of_pressure returns."""

    center: Array  # (..., 3): m
    moment: Array  # (...): free moment about the normal, N m


def _vector(function: str, name: str, value: npt.ArrayLike) -> Array:
    """Returns three numbers."""
    array = _rows(function, name, value, (3,))
    if array.ndim > 1:
        raise ValueError(f"{function}: {name} has shape {array.shape}, expected (3,)")
    return np.ascontiguousarray(array)


def _doubles(array: Array) -> object:
    return ffi.cast("double *", array.ctypes.data)


def center_of_pressure(wrench: npt.ArrayLike, point: npt.ArrayLike, normal: npt.ArrayLike, least: float = 0.0) -> Pressure:
    """Returns the center of pressure and the free moment of wrenches (..., 6) about the world's origin, which the ground exerts
    on a plane through point (3,). NaN where the force along the normal is not above least (N)."""
    name = "center_of_pressure"
    w = np.ascontiguousarray(_rows(name, "wrench", wrench, (6,)))
    p, n = _vector(name, "point", point), _vector(name, "normal", normal)
    center, moment = np.empty((*w.shape[:-1], 3)), np.empty(w.shape[:-1])
    for i in np.ndindex(*w.shape[:-1]):
        free = ffi.new("double *")
        lib.td_center_of_pressure(_doubles(w[i]), _doubles(p), _doubles(n), least, _doubles(center[i]), free)
        moment[i] = free[0]
    return Pressure(center, moment[()])


def zero_moment_point(wrench: npt.ArrayLike, point: npt.ArrayLike, normal: npt.ArrayLike,
                      up: npt.ArrayLike = (0.0, 0.0, 1.0), least: float = 0.0) -> Array:
    """Returns (..., 3): the point of the plane at which the moment of the inertial and gravity forces has no horizontal component
    (m). wrench (..., 6) balances these forces: Robot.residual_wrench without other wrenches, frame='world'. NaN where the force along
    up or along the normal is not above least (N)."""
    name = "zero_moment_point"
    w = np.ascontiguousarray(_rows(name, "wrench", wrench, (6,)))
    p, n, vertical = _vector(name, "point", point), _vector(name, "normal", normal), _vector(name, "up", up)
    zmp = np.empty((*w.shape[:-1], 3))
    for i in np.ndindex(*w.shape[:-1]):
        lib.td_zero_moment_point(_doubles(w[i]), _doubles(p), _doubles(n), _doubles(vertical), least, _doubles(zmp[i]))
    return zmp


def split_wrench(wrench: npt.ArrayLike, points: npt.ArrayLike, weights: npt.ArrayLike, near: Optional[npt.ArrayLike] = None,
                 length: float = np.inf) -> Array:
    """Returns (contacts, 6): wrenches of contacts about their points (contacts, 3) that sum to wrench (6,) about the world's origin and
    differ least from near (contacts, 6), such as measurements of force plates. They minimize
    Σ (|force − near|² + |moment − near|²/length²)/weight, with weights (contacts,). Without near and length, each contact carries its
    weight of the force. ValueError if no weight is positive, a weight or the length is negative, or the result is not finite."""
    name = "split_wrench"
    w, p = _rows(name, "wrench", wrench, (6,)), np.ascontiguousarray(_rows(name, "points", points, (3,)))
    share = np.ascontiguousarray(_rows(name, "weights", weights, p.shape[:1]))
    measured = None if near is None else np.ascontiguousarray(_rows(name, "near", near, (*p.shape[:1], 6)))
    if w.ndim != 1 or p.ndim != 2 or share.ndim != 1:
        raise ValueError(f"{name}: wrench, points and weights must be of one instant: (6,), (contacts, 3), (contacts,)")
    split = np.empty((len(p), 6))
    w = np.ascontiguousarray(w)
    if not lib.td_split_wrench(_doubles(w), len(p), _doubles(p), _doubles(share), ffi.NULL if measured is None else _doubles(measured),
                               length, _doubles(split)):
        raise ValueError(f"{name}: no weight is positive, a weight or the length is negative, or the result is not finite")
    return split

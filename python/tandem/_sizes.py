# SPDX-License-Identifier: MIT
"""Sizes of arrays, in independent coordinates and in the coordinates of the tree."""
from __future__ import annotations

from typing import NamedTuple


class Sizes(NamedTuple):
    """Sizes, in the order of python/generate.py."""

    ny: int
    nyd: int
    nq: int
    nv: int
    nu: int
    links: int
    joints: int
    constraints: int
    loops: int
    entries: int
    movable: int

    def word(self, index: int) -> str:
        """Returns the name of a size for messages."""
        return self._fields[index]


class TreeSizes(Sizes):
    """Sizes of the tree: nq, nv and its entries of packed matrices replace ny, nyd and entries."""

    def word(self, index: int) -> str:
        return ("nq", "nv")[index] if index < 2 else self._fields[index]

# SPDX-License-Identifier: MIT
"""The sizes in shapes, for independent coordinates and for tree coordinates."""
from __future__ import annotations

from typing import NamedTuple


class Sizes(NamedTuple):
    """Sizes in the order of python/generate.py."""

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
    """Sizes for tree coordinates: nq, nv and the entries of packed tree matrices replace ny, nyd and entries."""

    def word(self, index: int) -> str:
        return ("nq", "nv")[index] if index < 2 else self._fields[index]

# SPDX-License-Identifier: MIT
"""The sizes that shapes are made of, in independent coordinates and in those of the tree."""
from __future__ import annotations

from typing import NamedTuple


class Sizes(NamedTuple):
    """In the order of python/generate.py."""

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
        """The name of a size, for messages."""
        return self._fields[index]


class TreeSizes(Sizes):
    """Of the tree: nq, nv and its entries of packed matrices stand for ny, nyd and entries."""

    def word(self, index: int) -> str:
        return ("nq", "nv")[index] if index < 2 else self._fields[index]

# SPDX-License-Identifier: MIT
"""Selects the fault of a program, in Python. runtime.c documents the environment variables."""
import mmap
import os

_fault = int(os.environ.get("TD_MUTATION_FAULT", "-1"))
try:
    with open(os.environ["TD_MUTATION_REACHED"], "r+b") as _file:
        _reached = mmap.mmap(_file.fileno(), 0)
except (KeyError, OSError):
    _reached = bytearray(1 << 20)


def chosen(number):
    """Returns whether this fault is selected, and records that its location was reached."""
    _reached[number] = 1
    return number == _fault

# SPDX-License-Identifier: MIT
"""The fault that a program has, in Python: runtime.c says what is read from the environment."""
import mmap
import os

_fault = int(os.environ.get("TD_MUTATION_FAULT", "-1"))
try:
    with open(os.environ["TD_MUTATION_REACHED"], "r+b") as _file:
        _reached = mmap.mmap(_file.fileno(), 0)
except (KeyError, OSError):
    _reached = bytearray(1 << 20)


def chosen(number):
    """Whether this is the fault that is chosen; notes that its place was come to."""
    _reached[number] = 1
    return number == _fault

# SPDX-License-Identifier: MIT
"""A line of a source that may be changed, and what became of it."""
import collections

Mutant = collections.namedtuple("Mutant", "file line operator before after occurrence")
Line = collections.namedtuple("Line", "number text code statement allowed deletable reports truth")

STRING = "\x7f"  # stands for what is in a string; no pattern matches it

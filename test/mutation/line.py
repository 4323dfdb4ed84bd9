# SPDX-License-Identifier: MIT
"""A line of a source that may be changed, and its mutant."""
import collections

Mutant = collections.namedtuple("Mutant", "file line operator before after occurrence")
Line = collections.namedtuple("Line", "number text code statement allowed deletable reports truth")

STRING = "\x7f"  # replaces characters of strings; no pattern matches it

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every operation of lib/dynamics/operations.py is named in a test that compares its numbers with something else. TAP.

    python3 test/checked.py ROOT

Tests that go over all operations alike (arguments, memory, batches) and the table of command, C and Python do not count: they compare
an operation with itself.
"""
import pathlib
import re
import sys

sys.dont_write_bytecode = True
from tap import check, finish  # noqa: E402

root = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(root / "lib" / "dynamics"))
from operations import OPERATIONS  # noqa: E402

ALIKE = {"functions.c", "other_functions.c", "object_functions.c", "test_abi.c", "test_arguments.c", "test_memory.c", "triples.c"}
text = "\n".join(p.read_text(encoding="utf-8") for p in (root / "test").rglob("*.c") if p.name not in ALIKE)
words = set(re.findall(r"\w+", text))


def checked(name):
    forms = {name, f"td_{name}", f"td_tree_{name}", f"td_{name}_batch", f"td_tree_{name}_batch"}
    assert forms & words, f"no test names {name}: compare its numbers with an identity or a difference, as test/identities.c does"


for operation in OPERATIONS:
    check(f"{operation.name} has its numbers checked", checked, operation.name)
finish()

# SPDX-License-Identifier: MIT
"""Compares the enumerations of Python with the headers: same names and numbers, and none missing."""
import enum
import os
import pathlib
import re

import pytest

import tandem

HEADERS = pathlib.Path(os.environ.get("TANDEM_SOURCE_ROOT", pathlib.Path(__file__).parents[2])) / "include/tandem"

# C enumerations not named td_ plus the words of the Python name
OTHERS = {"GoalKind": "td_ik_kind", "RateStatus": "td_ik_rate_status"}


def enumerations():
    return {name: kind for name, kind in vars(tandem).items() if isinstance(kind, type) and issubclass(kind, enum.IntEnum)}


def enumerators(name):
    """Returns [(name, number)] of a C enumeration from the text of the headers: its items, or the rows of their X-macro
    table."""
    for header in sorted(HEADERS.glob("*.h")):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(encoding="utf-8"), flags=re.S)
        found = re.search(r"typedef enum \w+ \{([^}]*)\} " + name + ";", text)
        if not found:
            continue
        table = re.search(r"(\w+_TABLE)\(", found[1])
        rows = re.search(table[1] + r"\(X\)((?:.*\\\n)*.*)", text)[1] if table else ""
        items = re.findall(r"X\((\w+),", rows) if table else [part.strip() for part in found[1].split(",") if part.strip()]
        numbers, number = [], 0
        for item in items:
            word, _, value = (part.strip() for part in item.partition("="))
            number = int(value, 0) if value else number
            numbers.append((word, number))
            number += 1
        return numbers
    raise AssertionError(f"there is no {name}")


@pytest.mark.parametrize("name", sorted(enumerations()))
def test_names_and_numbers(name):
    if not HEADERS.is_dir():
        pytest.skip("there are no headers")
    of_c = OTHERS.get(name, "td" + re.sub(r"([A-Z])", r"_\1", name).lower())
    own = enumerations()[name].__members__
    theirs = {number: word.split("_") for word, number in enumerators(of_c)}
    assert sorted(map(int, own.values())) == sorted(theirs)
    for word, member in own.items():
        assert set(word.split("_")) <= set(theirs[int(member)]), word

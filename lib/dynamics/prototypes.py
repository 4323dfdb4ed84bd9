# SPDX-License-Identifier: MIT
"""The prototypes of the public headers."""
import dataclasses
import re


@dataclasses.dataclass
class Parameter:
    text: str  # as it is declared: "const double point[3]"
    type: str  # without the name, arrays as pointers: "const double *", "size_t"
    name: str


@dataclasses.dataclass
class Prototype:
    result: str
    name: str
    parameters: list[Parameter]
    header: str  # "dynamics"


def parameter(text):
    text = " ".join(text.split())
    array = re.match(r"(.*\b)(\w+)\[\d*\]$", text)
    if array:
        return Parameter(text, array[1].strip() + " *", array[2])
    plain = re.match(r"(.*[\s*])(\w+)$", text)
    return Parameter(text, plain[1].strip(), plain[2])


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)


def prototypes(directory):
    """By name, in the order of each header."""
    found = {}
    for header in sorted(directory.glob("*.h")):
        text = without_comments(header.read_text(encoding="utf-8"))
        for result, name, inside in re.findall(r"\bTD_API\s+([\w\s*]+?[\s*])(td_\w+)\s*\(([^;{}()]*)\)\s*;", text):
            parts = [] if inside.strip() == "void" else [parameter(p) for p in inside.split(",")]
            found[name] = Prototype(" ".join(result.split()), name, parts, header.stem)
    return found

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Looks at the includes of the sources, and says in TAP whether the house is in order.

    python3 test/rooms.py [ROOT]

A room of lib/ includes itself and the rooms before it alone; the simulation, a library of its own,
includes public headers; the importer includes lib/, the command
its own files and public headers; shared files of the command do not include its commands. No two
modules (a module is a source with its header) include each other, directly or by way of others.
Every public function is defined in lib/ or urdf/ where its name and a parenthesis are searched for.
"""
import collections
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
rooms = ["base", "model", "kernel", "run", "functions", "load"]
libraries_above = {"simulation"}  # each uses public functions, and shares sized.h with lib/


def sources(directory):
    return sorted(p for p in (root / directory).rglob("*.[ch]"))


def text_of(path):
    """The source without comments."""
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", path.read_text(encoding="utf-8"), flags=re.DOTALL)


def includes(path, searched):
    """The project's own files, relative to the root, that a source includes; not public headers."""
    for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text_of(path), flags=re.MULTILINE):
        for directory in [path.parent] + [root / s for s in searched]:
            found = (directory / name).resolve()
            if found.is_file():
                if "include" not in found.relative_to(root.resolve()).parts:
                    yield found.relative_to(root.resolve())
                break


def wrong_rooms():
    for path in sources("lib"):
        own = path.relative_to(root / "lib").parts[0]
        for other in includes(path, ["lib"]):
            if own in libraries_above:
                if other.parts[1] != own and other.name != "sized.h":
                    yield f"{path.relative_to(root)} includes {other}"
                continue
            if other.parts[0] != "lib" or other.parts[1] not in rooms or rooms.index(other.parts[1]) > rooms.index(own):
                yield f"{path.relative_to(root)} includes {other}"


def wrong_neighbours():
    for path in sources("urdf"):
        for other in includes(path, ["lib"]):
            if other.parts[0] not in ("lib", "urdf"):
                yield f"{path.relative_to(root)} includes {other}"
    for path in sources("tools"):
        shared = path.parent.name != "commands"
        for other in includes(path, ["tools"]):
            # the names that are nearest to a wrong one are found by the same file
            if other.parts[0] == "lib" and other.name != "nearest.h":
                yield f"{path.relative_to(root)} includes {other}"
            if shared and "commands" in other.parts:
                yield f"{path.relative_to(root)} includes {other}"


def module(path):
    return str(path.with_suffix(""))


def circles(directory, searched):
    """The shortest way from each module back to itself, each circle once."""
    graph = collections.defaultdict(set)
    for path in sources(directory):
        one = module(path.relative_to(root))
        graph[one] |= {module(o) for o in includes(path, searched)} - {one}
    seen = set()
    for start in sorted(graph):
        ways = [[start]]
        visited = {start}
        while ways:
            way = ways.pop(0)
            for after in sorted(graph[way[-1]]):
                if after == start and frozenset(way) not in seen:
                    seen.add(frozenset(way))
                    yield " → ".join(way + [start])
                    ways = []
                    break
                if after not in visited:
                    visited.add(after)
                    ways.append(way + [after])


def undefined():
    bodies = "\n".join(text_of(p) for d in ("lib", "urdf") for p in sources(d) if p.suffix == ".c")
    for header in sorted((root / "include" / "tandem").glob("*.h")):
        declared = re.findall(r"TD_API\b[^;()]*?\b(td_\w+)\s*\(", text_of(header))
        for name in declared:
            if not re.search(rf"\b{name}\(", bodies):
                yield f"{header.name} declares {name}, which no source defines"


checks = [
    ("rooms of lib/ include those before them alone", wrong_rooms()),
    ("the importer and the command include what they may", wrong_neighbours()),
    ("no module of lib/ includes itself by way of others", circles("lib", ["lib"])),
    ("no module of urdf/ includes itself by way of others", circles("urdf", ["lib"])),
    ("no module of tools/ includes itself by way of others", circles("tools", ["tools"])),
    ("public functions are found by their names", undefined()),
]
print(f"1..{len(checks)}")
failed = False
for number, (title, faults) in enumerate(checks, 1):
    faults = list(faults)
    failed = failed or bool(faults)
    print(f"{'not ok' if faults else 'ok'} {number} - {title}")
    for fault in faults:
        print(f"# {fault}")
sys.exit(failed)

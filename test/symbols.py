#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks in the symbols of objects which sources call each other; prints TAP.

    python3 test/symbols.py BUILD_ROOT

An edge leads from an object to each object that defines one of its undefined symbols. Sources may call each other in a
cycle only within one subject: in one folder, and at most three. The generated entry points of operations count as part
of the parent folder. Folders of lib/ call only themselves and the folders below. Closing loops at load must not depend
on repairing them.
"""
import collections
import pathlib
import re
import subprocess
import sys

MOST = 3  # sources of one subject
ROOMS = ["base", "model", "kernel", "dynamics", "linear", "ik", "sweep", "load", "export"]


def arrows(objects):
    """Returns, for each source, the sources that it calls, with the symbols."""
    defined, wanted = {}, collections.defaultdict(set)
    if not objects:
        return {}
    said = subprocess.run(["nm", "-A", "-g", *map(str, objects)], capture_output=True, text=True, check=True).stdout
    for line in said.splitlines():
        name, rest = line.split(":", 1)
        kind, symbol = rest.split()[-2:]
        if kind in "Uw":
            wanted[source_of(name)].add(symbol)
        else:
            defined[symbol] = source_of(name)
    graph = {source: collections.defaultdict(set) for source in map(source_of, map(str, objects))}
    for source, symbols in wanted.items():
        for symbol in symbols & defined.keys():
            if defined[symbol] != source:
                graph[source][defined[symbol]].add(symbol)
    return graph


def source_of(name):
    """Returns the source of an object: lib_load_tree_tree.c.o belongs to lib/load/tree/tree.c if that file exists."""
    return known[pathlib.Path(name).name]


def circles(graph):
    """Returns the strongly connected components of more than one source (Tarjan 1972)."""
    number, low, stack, found = {}, {}, [], []

    def visit(one):
        number[one] = low[one] = len(number)
        stack.append(one)
        for other in graph[one]:
            if other not in number:
                visit(other)
            if other in stack:
                low[one] = min(low[one], low[other])
        if low[one] == number[one]:
            part = stack[stack.index(one):]
            del stack[stack.index(one):]
            if len(part) > 1:
                found.append(sorted(part))

    for one in graph:
        if one not in number:
            visit(one)
    return found


def folder(source):
    parent = pathlib.Path(source).parent
    return parent.parent if parent.name == "entries" else parent


def wrong_circles(graph):
    for part in circles(graph):
        if len(part) > MOST or len({folder(source) for source in part}) > 1:
            yield " ↔ ".join(part)


def wrong_rooms(graph):
    room = lambda source: pathlib.Path(source).parts[1]
    for source, others in graph.items():
        for other, symbols in others.items():
            if not (source.startswith("lib/") and other.startswith("lib/")) or room(source) == room(other):
                continue
            if ROOMS.index(room(other)) > ROOMS.index(room(source)):
                yield f"{source} calls {other}: {', '.join(sorted(symbols))}"


def wrong_repair(graph):
    for source, others in graph.items():
        for other in others:
            if source.startswith("lib/load/closure/") and other.startswith("lib/load/repair/"):
                yield f"{source} calls {other}: {', '.join(sorted(others[other]))}"


def report(number, what, faults):
    faults = list(faults)
    print(f"{'not ' if faults else ''}ok {number} - {what}")
    for fault in faults:
        print("#", fault)
    return bool(faults)


def objects_of(build, target, folders):
    """Returns the objects of a target whose sources are in these folders."""
    for place in sorted(build.glob(target)):
        found = [o for o in sorted(place.glob("*.o")) if o.name in known and known[o.name].startswith(folders)]
        if found:
            return found
    return []


build = pathlib.Path(sys.argv[1])
root = pathlib.Path(__file__).parent.parent
known = {}
for top in ("lib", "urdf", "tools"):
    for path in sorted((root / top).rglob("*.c")):
        own = path.relative_to(root)
        for name in {"_".join(own.parts), "_".join(own.parts[1:])}:  # meson's object names, relative to their target's folder
            known[name + ".o"] = str(own)


def main():
    library = arrows(objects_of(build, "libtandem.so*.p", ("lib/", "urdf/")) or
                     objects_of(build, "libtandem.a.p", ("lib/", "urdf/")) or
                     objects_of(build, "libtandem_inside.a.p", ("lib/", "urdf/")))
    command = arrows(objects_of(build, "tools/tandem.p", ("tools/",)))
    print("1..5")
    bad = report(1, "there are objects", [] if library else ["none"])
    bad |= report(2, "circles of the library stay in one folder", wrong_circles(library))
    bad |= report(3, "rooms of the library call those below", wrong_rooms(library))
    bad |= report(4, "circles of the command stay in one folder", wrong_circles(command))
    bad |= report(5, "loops close without repair", wrong_repair(library))
    return bad


if __name__ == "__main__":
    sys.exit(main())

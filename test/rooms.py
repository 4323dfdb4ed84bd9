#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the includes of the sources; prints TAP.

    python3 test/rooms.py [ROOT]

A folder of lib/ includes only itself and the folders before it. The simulation (a separate library), linear models,
inverse kinematics and sweeps include public headers and the shared parts of base/. The importer includes lib/; the
command includes its files and public headers; shared files of the command do not include its commands. No two modules
(a module is a source with its header) include each other, directly or through others.

Every public function must be found in lib/ or urdf/ by searching for its name and a parenthesis. So must each operation
that a generated source calls, in a source that is not generated. The table of docs/architecture.md must list which
parts include which. One file knows the types of joints, and only kernels know how their bodies move. Sources of lib/
and urdf/ that are not generated have at most 400 lines, and their functions 60 lines and 7 parameters. Lists below name
the exceptions and may only become shorter.
"""
import collections
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
rooms = ["base", "model", "kernel", "dynamics", "load", "export"]
libraries_above = {"simulation", "linear", "ik", "recording", "sweep", "calibration"}  # each uses public functions and the shared parts of base/
shared = {"cholesky.h", "coordinates.h", "damped.h", "dense.h", "eigenvalues.h", "exponential.h", "jacobi.h", "limit.h", "linalg.h", "lu.h", "pose_motion.h", "private.h", "sized.h", "stack.h"}


def sources(directory):
    return sorted(p for p in (root / directory).rglob("*.[ch]"))


def text_of(path):
    """Returns the source without comments."""
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", path.read_text(encoding="utf-8"), flags=re.DOTALL)


def includes(path, searched):
    """Returns the project's files, relative to the root, that a source includes, without public headers."""
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
                if other.parts[1] != own and other.name not in shared:
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
            # Shared parts of lib/: the search for similar names, splines, the tolerance of limits, the comparison of
            # inertias with shapes, and calls in other coordinates. Recorded motion and calibration exist for programs. The fields of
            # records are an internal table. Sweeps also use threads, singular values, digests, model text and YAML.
            if other.parts[:2] not in (("lib", "recording"), ("lib", "calibration")) and other.parts[0] == "lib" and other.name not in (
                    "fields.h", "limit.h", "nearest.h", "spline.h", "shape_inertia.h", "coordinates.h") and (
                    path.parent.name != "sweep" or other.name not in ("threads.h", "jacobi.h", "sink.h", "model_write.h")):
                yield f"{path.relative_to(root)} includes {other}"
            if shared and "commands" in other.parts:
                yield f"{path.relative_to(root)} includes {other}"


def module(path):
    return str(path.with_suffix(""))


def circles(directory, searched):
    """Returns the shortest cycle through each module, each cycle once."""
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
    written, generated = [], []
    for path in (p for d in ("lib", "urdf") for p in sources(d) if p.suffix == ".c"):
        (generated if path.parent.name == "entries" else written).append(text_of(path))
    bodies = "\n".join(written + generated)
    defined = set(re.findall(r"^(?:void|td_status) (td_\w+)\(", "\n".join(written), flags=re.MULTILINE))
    for name in sorted(set(re.findall(r"\btd_(?:op|run)_\w+", "\n".join(generated)))):
        if name not in defined:
            yield f"no source defines {name}, which lib/dynamics/entries/ calls"
    named = set(re.findall(r"\b(td_\w+)\(", bodies))
    for header in sorted((root / "include" / "tandem").glob("*.h")):
        declared = re.findall(r"TD_API\b[^;()]*?\b(td_\w+)\s*\(", text_of(header))
        for name in declared:
            if name not in named:
                yield f"{header.name} declares {name}, which no source defines"


def part_of(path):
    """Returns the part of the drawing in docs/architecture.md that a file, relative to the root, belongs to."""
    return path.parts[1] if path.parts[0] == "lib" else path.parts[0]


def drawn():
    """Returns the table of docs/architecture.md."""
    text = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = text.split("| part | includes |")[1].split("\n\n")[0]
    rows = re.findall(r"^\| (\w+) \| ([\w, ]+) \|$", table, flags=re.MULTILINE)
    return {part: set(others.split(", ")) for part, others in rows}


def wrong_arrows():
    found = collections.defaultdict(set)
    for directory in ("lib", "urdf", "tools", "python", "view", "examples", "bench"):
        for path in sources(directory):
            part = part_of(path.relative_to(root))
            if re.search(r'#\s*include\s+["<]tandem/', text_of(path)):
                found[part].add("include")
            for other in includes(path, ["lib", "tools", "view/wasm", "python"]):
                if part_of(other) != part:
                    found[part].add(part_of(other))
    told = drawn()
    for part in sorted(found.keys() | told.keys()):
        for other in sorted(found[part] - told.get(part, set())):
            yield f"{part} includes {other}, which the table does not say"
        for other in sorted(told.get(part, set()) - found[part]):
            yield f"{part} does not include {other}, as the table says"


# Files that may name a type of joint, besides the table of types: those that create joints of one type.
makers = {
    "lib/export/applied.c": {"CONTINUOUS"},
    "lib/load/actuation/shafts.c": {"CONTINUOUS", "PRISMATIC"},
    "lib/load/flexible/flexible.c": {"CONTINUOUS"},
    "lib/load/lock.c": {"FIXED"},
    "lib/model/fields.c": {"FIXED"},
    "lib/load/tree/implied_links.c": {"FIXED"},
    "lib/load/tree/order.c": {"FLOATING"},
    "urdf/reader_joint.c": {"CONTINUOUS"},
}
# Files that may know how bodies move, besides the kernels.
movers = {"lib/model/joint_kind.c", "lib/model/tree.h"}


def told_types():
    body = re.search(r"typedef enum td_joint_type \{(.*?)\}", text_of(root / "include/tandem/records.h"), flags=re.DOTALL)
    types = set(re.findall(r"\bTD_JOINT_(\w+)", body.group(1)))
    for directory in ("lib", "urdf", "tools", "view/wasm", "python"):
        for path in sources(directory):
            name = str(path.relative_to(root))
            text = text_of(path)
            if name == "lib/model/joint_kind.c" or "reference" in path.parts:
                continue
            for one in sorted(set(re.findall(r"\bTD_JOINT_(\w+)", text)) & types - makers.get(name, set())):
                yield f"{name} asks for TD_JOINT_{one}: the table of types is to say it (lib/model/joint_kind.c)"
            if re.search(r"\bTD_MOTION_[A-Z]+\b", text) and name not in movers and not name.startswith("lib/kernel/"):
                yield f"{name} asks for TD_MOTION_: the table of motions is to say it (lib/model/joint_kind.c)"


def wrong_enumerators():
    """Enumerators must begin with the name of their type, without a suffix of the type such as "_type"."""
    kind = None
    for line in text_of(root / "package/abi/declarations.txt").splitlines():
        found = re.fullmatch(r" +-?\d+ (\w+)", line)
        if not found:
            kind = line.removeprefix("enum ") if line.startswith("enum ") else None
        elif kind == "td_status":
            if not re.fullmatch(r"TD_OK|TD_ERROR_[A-Z]\w*", found[1]):
                yield f"{found[1]} of {kind} is not TD_OK or TD_ERROR_..."
        elif kind:
            begin = re.sub(r"_(TYPE|KIND|FORMAT)$", "", kind.upper()) + "_"
            if not found[1].startswith(begin):
                yield f"{found[1]} of {kind} does not begin with {begin}"


MOST_LINES, MOST_OF_FUNCTION, MOST_PARAMETERS = 400, 60, 7
generated = ("lib/dynamics/entries/", "lib/dynamics/operations.h")
# Larger files, and functions with more parameters. Functions of public headers are not checked here.
large_files = set("""
""".split())
many_parameters = set("""
td_linear_controllable td_linear_regulator
""".split())


def blank(text):
    """Returns the text without comments, strings and characters, with the same lines."""
    return re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'",
                  lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL)


def parameter_count(text):
    depth, count = 0, 1
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        count += letter == "," and depth == 0
    return count


def functions_of(text):
    """Returns name, parameters and lines of each function definition."""
    head = r"^[A-Za-z_][\w \t*\n]*?[ *](\w+)\(((?:[^(){};]|\([^()]*\))*)\)\s*\{"
    for found in re.finditer(head, text, flags=re.MULTILINE):
        end = text.index("\n}", found.end() - 1) + 1
        yield found[1], parameter_count(found[2]), text.count("\n", found.start(), end) + 1


def own_sources():
    for path in (p for d in ("lib", "urdf") for p in sources(d)):
        name = str(path.relative_to(root))
        if not name.startswith(generated):
            yield name, path.read_text(encoding="utf-8")


def long_files():
    seen = {name for name, text in own_sources() if text.count("\n") > MOST_LINES}
    for name in sorted(seen - large_files):
        yield f"{name} has more than {MOST_LINES} lines: divide it by subject"
    for name in sorted(large_files - seen):
        yield f"{name} has no more than {MOST_LINES} lines: take it out of the list"


def long_functions():
    for name, text in own_sources():
        for function, _, lines in functions_of(blank(text)):
            if lines > MOST_OF_FUNCTION:
                yield f"{function} of {name} has {lines} lines, more than {MOST_OF_FUNCTION}: make steps of it"


def wide_functions():
    public = set()
    for header in (root / "include" / "tandem").glob("*.h"):
        public |= set(re.findall(r"\btd_\w+(?=\()", text_of(header)))
    public |= {name.replace("td_", "td_run_", 1) for name in public}  # with the parameters of td_NAME
    seen = set()
    for name, text in own_sources():
        for function, count, _ in functions_of(blank(text)):
            if count > MOST_PARAMETERS and function not in public:
                seen.add(function)
                if function not in many_parameters:
                    yield f"{function} of {name} has {count} parameters, more than {MOST_PARAMETERS}: make a struct of them"
    for function in sorted(many_parameters - seen):
        yield f"{function} has no more than {MOST_PARAMETERS} parameters: take it out of the list"


checks = [
    ("rooms of lib/ include those before them alone", wrong_rooms()),
    ("the importer and the command include what they may", wrong_neighbours()),
    ("no module of lib/ includes itself by way of others", circles("lib", ["lib"])),
    ("no module of urdf/ includes itself by way of others", circles("urdf", ["lib"])),
    ("no module of tools/ includes itself by way of others", circles("tools", ["tools"])),
    ("public functions and operations are found by their names", undefined()),
    ("the arrows of docs/architecture.md are those of the sources", wrong_arrows()),
    ("enumerators begin with the name of their type", wrong_enumerators()),
    ("types of joints are known to the table of types alone", told_types()),
    ("files are short", long_files()),
    ("functions are short", long_functions()),
    ("functions have few parameters", wide_functions()),
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

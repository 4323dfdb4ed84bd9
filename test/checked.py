#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every output of every operation of lib/dynamics/operations.py must be compared in a test of numbers. TAP.

    python3 test/checked.py ROOT

A test compares an output if a C function passes a variable for it, and that variable or a value computed from it
reaches a comparison of numbers. Comparisons are COMPARISON, or a function or macro of the tests that contains one.
Every name in a statement with a variable counts as computed from it. Where a test looks the operation up by name in the
table of all operations, the same holds for all of its outputs. This finds operations that are called but never
compared, and outputs that nobody uses. It does not find comparisons that are too weak (test/mutate.py does).

Tests that treat all operations alike (arguments, memory, batches) do not count, nor does the table of command, C and
Python: they compare an operation with itself.
"""
import pathlib
import re
import sys

sys.dont_write_bytecode = True
from tap import check, finish  # noqa: E402

root = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(root / "lib" / "dynamics"))
from operations import OPERATIONS  # noqa: E402
from prototypes import prototypes, without_comments  # noqa: E402

ALIKE = {"functions.c", "other_functions.c", "object_functions.c", "test_abi.c", "test_arguments.c", "test_memory.c", "triples.c"}
COMPARISON = r"\b(?:td_assert_close|td_(?:relative|largest)_difference|ck_assert_(?:double|mem)_\w+|fabs|memcmp{more})\s*\("
FUNCTION = r"^(?=\w)[^;{}#]*?\b(\w+)\([^;{}]*\)\n(\{$.*?^\}$)"
MACRO = r"^#define (\w+)\(((?:.*\\\n)*.*)"
WORD = re.compile(r"[A-Za-z_]\w*(?!\w|\s*\()")


def is_output(parameter):
    return parameter.type == "double *"


def given(text, at):
    """Returns the arguments of a call whose closing parenthesis is at `at`."""
    parts, depth, begin = [], 1, at
    for i in range(at, len(text)):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text[i], 0)
        if depth == 0 or (depth == 1 and text[i] == ","):
            parts.append(text[begin:i])
            begin = i + 1
        if depth == 0:
            break
    return parts


def variable(argument):
    """Returns the name of the variable that receives an output; for a member, the name without its struct: by for
    &s->by[i]."""
    words = WORD.findall(re.sub(r"\[.*|\s\+\s.*", "", argument, flags=re.S))
    return words[-1] if words and words[-1] != "NULL" else None


def reaches(names, statements, operation):
    """Returns whether variables with these names, or values computed from them, are compared. Calls of the operation
    itself do not count as computing from them."""
    names, before = set(names), None
    while before != names:
        before = set(names)
        for text, words, compares in statements:
            if words & names and not re.search(rf"\b(?:td_(?:batch_)?|CALL\(\w+, ){operation}\b", text):
                if compares:
                    return True
                names |= words
    return False


PROTOTYPES = prototypes(root / "include" / "tandem")
OUTPUTS = {o.name: {p.name for p in PROTOTYPES[f"td_{o.name}"].parameters if is_output(p)} for o in OPERATIONS}
TEXTS = [without_comments(p.read_text(encoding="utf-8")) for p in sorted((root / "test").rglob("*.[ch]")) if p.name not in ALIKE]
parts = [part for text in TEXTS for form in (FUNCTION, MACRO) for part in re.findall(form, text, flags=re.M | re.S if form == FUNCTION else re.M)]
more = {name for name, body in parts if re.search(COMPARISON.format(more=""), body)}
comparison = re.compile(COMPARISON.format(more="".join(f"|{name}" for name in sorted(more))))
compared = {o.name: set() for o in OPERATIONS}
shared = set()  # numbers that headers declare


def doubles(text):
    """Returns the names of variables, parameters and members declared as double."""
    found = set()
    text = re.sub(r"=\s*\{(?:[^{}]|\{[^{}]*\})*\}|\[[^\]]*\]", "", text)
    for declared in re.findall(r"\bdouble\b((?:[^;{}()]|\((?:[^()]|\([^()]*\))*\))*)", text):
        for part in re.sub(r"=[^,]*", "", re.sub(r"\((?:[^()]|\([^()]*\))*\)", "", declared)).split(","):
            name = re.fullmatch(r"(?:const\b|[\s*])*(\w+)\s*", part)
            if not name:
                break  # the next parameter, of another type
            found.add(name[1])
    return found


def statements_of(body, numbers):
    """Returns statements, each declared variable separately, with the numbers in them."""
    parts = [part for s in re.split(r"[;{}]", body) for part in (s.split(",") if re.match(r"\s*(?:static |const )*double\b", s) else [s])]
    return [(s, set(WORD.findall(s)) & numbers, bool(comparison.search(s))) for s in parts]


for p in (root / "test").rglob("*.h"):
    shared |= doubles(without_comments(p.read_text(encoding="utf-8")))


def look(body, others, numbers):
    """Finds the outputs of calls in a function body that are compared there or, as members of structs, in other
    functions of the file."""
    statements = statements_of(body, numbers)
    for call in re.finditer(r"\b(?:td_(\w+)\(|CALL\(\w+, (\w+), )", body):
        name = call[1] or call[2]
        operation = name.removeprefix("batch_")
        if operation in compared and f"td_{name}" in PROTOTYPES:
            parameters = [p for p in PROTOTYPES[f"td_{name}"].parameters if call[1] or p.name not in ("model", "workspace")]
            for parameter, argument in zip(parameters, given(body, call.end())):
                held = is_output(parameter) and variable(argument)
                where = others if re.search(r"->|\.", argument) else [statements]
                if held and any(reaches({held}, there, operation) for there in where):
                    compared[operation].add(parameter.name)
    for statement in re.split(r"[;{}]", body):  # looked up by name
        for operation in set(re.findall(r'"(\w+)"', statement)) & set(compared):
            words = set(WORD.findall(statement)) & numbers
            if "strcmp" not in statement and (comparison.search(statement) or not words or reaches(words, statements, operation)):
                compared[operation] |= OUTPUTS[operation]


for text in TEXTS:
    bodies = [body for _, body in re.findall(FUNCTION, text, flags=re.S | re.M)]
    declared = shared | doubles(text)
    others = [statements_of(body, declared) for body in bodies]
    for body in bodies:
        look(body, others, declared)


def is_compared(operation):
    missing = sorted(OUTPUTS[operation] - compared[operation])
    assert not missing, f"no test compares {', '.join(missing)} of td_{operation}: use an identity or a difference, as test/support/identities.c does"


for o in OPERATIONS:
    check(f"{o.name} has its numbers checked", is_compared, o.name)
finish()

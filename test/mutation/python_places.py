# SPDX-License-Identifier: MIT
"""Faults of Python: which lines may be changed, and where a choice can be inserted.

    statement    if _chosen(17): fault, else: statement, on lines of their own
    condition    ((fault) if _chosen(17) else (condition)): of if and while, iterables of for, default values
"""
import ast
import collections
import io
import re
import tokenize

from . import schemata, statements
from .line import STRING, Line

SIMPLE = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Raise, ast.Delete, ast.Assert, ast.Pass,
          ast.Continue, ast.Break)
IMPORT = "from tandem._mutation import chosen as _chosen\n"


def blanked(text):
    """Returns the text without comments, and with STRING for each character in a string."""
    lines = text.split("\n")
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING):
            filler = " " if token.type == tokenize.COMMENT else STRING
            (first, begin), (last, end) = token.start, token.end
            for number in range(first, last + 1):
                a, b = begin if number == first else 0, end if number == last else len(lines[number - 1])
                lines[number - 1] = lines[number - 1][:a] + filler * (b - a) + lines[number - 1][b:]
    return "\n".join(lines)


def offsets(text):
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    return starts


def regions(text):
    """Returns the regions of a text: simple statements in functions, and expressions in heads."""
    starts, lines, found = offsets(text), text.split("\n"), []

    def place(line, column):  # ast counts bytes
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    def add(node, kind):
        found.append(statements.Region(place(node.lineno, node.col_offset), place(node.end_lineno, node.end_col_offset),
                                       kind, None, (), False))

    def visit(node, inside):
        for child in ast.iter_child_nodes(node):
            function = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef))
            if isinstance(child, SIMPLE):
                docstring = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
                alone = not lines[child.lineno - 1].encode()[:child.col_offset].strip() and \
                    not lines[child.end_lineno - 1].encode()[child.end_col_offset:].split(b"#")[0].strip()
                if inside and not docstring and alone:
                    add(child, "statement")
                elif isinstance(child, (ast.Assign, ast.AnnAssign)) and child.value:
                    add(child.value, "value")
                continue
            if isinstance(child, (ast.If, ast.While)):
                add(child.test, "value")
            elif isinstance(child, ast.For):
                add(child.iter, "value")
            elif function:
                for default in child.args.defaults + [d for d in child.args.kw_defaults if d]:
                    add(default, "value")
            visit(child, inside or function)
    visit(ast.parse(text), False)
    return found


def lines_of(text):
    """Returns the lines of a file, like faults.lines_of for C."""
    allowed, whole = set(), set()
    starts = offsets(text)
    for region in regions(text):
        first, last = (text.count("\n", 0, at) + 1 for at in (region.start, region.end))
        allowed.update(range(first, last + 1))
        if region.kind == "statement" and first == last:
            whole.add(first)
    code = blanked(text).split("\n")
    assert len(starts) == len(code) + 1
    return [Line(i + 1, shown, line, line, i + 1 in allowed, i + 1 in whole, False, False)
            for i, (shown, line) in enumerate(zip(text.split("\n"), code))]


def deletion(code, shown, line):
    if line.deletable and not re.match(r"\s*(?:pass|raise|return None)\b", code):
        yield len(code) - len(code.lstrip()), len(code.rstrip()), "pass"


def condition(code, shown, line):
    for match in re.finditer(r"^\s*(?:if|elif|while) (.+):\s*$| if (.+) else ", code):
        group = 1 if match.group(1) else 2
        yield match.start(group), match.end(group), "not (" + shown[match.start(group):match.end(group)] + ")"


class Places(schemata.Places):
    def __init__(self, text):
        super().__init__(text, regions(text), statements.pieces)


def written(text, placed):
    """Returns the text with all faults, and {}: Python has no compiler errors to attribute to lines."""
    by_region = collections.defaultdict(list)
    for p in placed:
        by_region[p.region].append(p)
    pieces, at = [], 0
    for region, faults in sorted(by_region.items()):
        if region.start < at:
            continue
        original = text[region.start:region.end]
        if region.kind == "statement":
            indent = " " * (region.start - text.rfind("\n", 0, region.start) - 1)
            chosen = "".join(f"if _chosen({f.number}):\n{indent} {f.text}\n{indent}el" for f in faults)
            new = f"{chosen}se:\n{indent} {original}"
        else:
            new = "(" + "".join(f"({f.text}) if _chosen({f.number}) else " for f in faults) + f"({original}))"
        pieces += [text[at:region.start], new]
        at = region.end
    whole = "".join(pieces) + text[at:]
    body = ast.parse(text).body
    first = next((n for n in body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)) and
                  not (isinstance(n, ast.ImportFrom) and n.module == "__future__")), None)
    line = first.lineno if first else len(body) + 1
    lines = whole.split("\n")  # nothing before the first statement was changed
    return "\n".join(lines[:line - 1]) + "\n" * (line > 1) + IMPORT + "\n".join(lines[line - 1:]), {}


def compiles(text, mutant):
    """Returns whether the file with the fault is valid Python."""
    lines = text.split("\n")
    lines[mutant.line - 1] = mutant.after
    try:
        ast.parse("\n".join(lines))
        return True
    except SyntaxError:
        return False

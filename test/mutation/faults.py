# SPDX-License-Identifier: MIT
"""One-line faults: changes of a line of C or Python.

Nothing is parsed. Comments, strings and asserts are blanked. Patterns match text formatted by
clang-format, which puts blanks around binary operators but not around unary ones. A changed line
need not compile; mutate.py then selects another one.
"""
import collections
import hashlib
import re

from . import python_places
from .line import STRING, Line, Mutant

name = r"[A-Za-z_]\w*"
operand = rf"(?:\d[\w.]*(?:[eEpP][+-]?\d+)?|{name}(?:\[[^\[\]]*\]|\([^()]*\)|->{name}|\.{name})*)"

exchanged = [
    ("sin", "cos"), ("sine", "cosine"), ("fmin", "fmax"), ("floor", "ceil"), ("lower", "upper"),
    ("predecessor", "successor"), ("parent", "child"), ("rows", "columns"), ("row", "column"),
    ("TD_DYNAMIC", "TD_COSMETIC"), ("ERROR", "WARNING"), ("WARNING", "NOTE"), ("true", "false"),
    ("first", "second"), ("angular", "linear"), ("add_to", "subtract_from"), ("continue", "break"),
    ("dependents", "independents"), ("position", "velocity"),
]

# Numbers of trials and their seeds: other numbers are equally correct.
effort = re.compile(r"\s*(?:enum \{ (?:TRIES|SAMPLES) =|unsigned seed =|"
                    r"#define (?:SHORTEST_STEP|TD_POLISH)\b)")


# ---- code --------------------------------------------------------------------------------------

def blanked(text):
    """Returns the text without comments, and with STRING for each character in a string."""
    def blank(match):
        part = match.group(0)
        if part[0] in "\"'":
            return part[0] + STRING * (len(part) - 2) + part[-1]
        return re.sub(r"[^\n]", " ", part)
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text,
                  flags=re.S)


def without_asserts(code):
    """Returns the code with the arguments of asserts blanked."""
    for match in reversed(list(re.finditer(r"\b(?:_Static_assert|static_assert|assert)\s*\(", code))):
        end, depth = match.end(), 1
        while end < len(code) and depth:
            depth += {"(": 1, ")": -1}.get(code[end], 0)
            end += 1
        code = code[:match.start()] + re.sub(r"[^\n]", " ", code[match.start():end]) + code[end:]
    return code


def lines_of(text):
    """Returns the lines of a file, whether they may be changed, and their kinds of statements."""
    code = without_asserts(blanked(text))
    lines, depth, types, head, macro, truth = [], 0, [], "", False, False
    statements = {}
    for match in re.finditer(r"[^;{}]*[;{}]?", code):
        for number in range(code.count("\n", 0, match.start()), code.count("\n", 0, match.end()) + 1):
            statements.setdefault(number, "")
            statements[number] += match.group(0)
    before = ";"
    for number, (shown, line) in enumerate(zip(text.split("\n"), code.split("\n"))):
        bare = line.strip()
        directive = bare.startswith("#") and not macro
        if directive or macro:
            # bodies of macros are code; in their first lines only numbers may change
            allowed = macro or bool(re.match(rf"#define {name} ", bare))
            macro = bare.endswith("\\") and (macro or bare.startswith("#define"))
        else:
            allowed = bool(bare) and not any(types) and (depth > 0 or "=" in line)
            if depth == 0 and re.match(rf"\w[\w *]*\b{name}\(", line):
                truth = bool(re.match(rf"(?:static |inline )*bool {name}\(", line))
            for character in line:
                if character == "{":
                    depth += 1
                    types.append(bool(re.match(r"\s*(typedef )?(struct|union)\b[^=()]*$", head)))
                    head = ""
                elif character == "}":
                    depth = max(0, depth - 1)
                    types = types[:-1]
                    head = ""
                elif character == ";":
                    head = ""
                else:
                    head += character
            head += " "
        statement = statements.get(number, line)
        deletable = bare.endswith(";") and bare.count("(") == bare.count(")") \
            and before[-1] in ";{}:)" + "e" and re.search(r"([;{}:)]|\belse)$", before)
        lines.append(Line(number + 1, shown, line, statement, allowed, bool(deletable),
                          bool(re.search(r"(?i)report\w*\(", statement)), truth))
        if bare and not directive:
            before = bare
    return lines


declaration = re.compile(rf"\s*(?:for \()?(?!return\b|goto\b|case\b|else\b|typedef\b)"
                         rf"(?:(?:const|static|struct|unsigned|volatile|extern) )*{name} "
                         rf"(?:const )?\**(?:const )?{name}(?:\[[^\]]*\])*(?: =|;|,|\))")


def declarators(code):
    """Returns the columns of brackets that contain the length of an array."""
    places = set()
    if not declaration.match(code):
        return places
    depth, value = 0, False
    for at, character in enumerate(code):
        if character in "([{":
            if character == "[" and not value and depth == 0:
                places.update(range(at, code.find("]", at) + 1))
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == "=":
            value = True
        elif character == "," and depth == 0:
            value = False
    return places


# ---- operators ---------------------------------------------------------------------------------

def replacements(pattern, *others):
    """Returns an operator that replaces the match of a pattern, or its first group if it has one."""
    def change(code, shown, line):
        for match in re.finditer(pattern, code):
            group = 1 if match.re.groups else 0
            for other in others:
                text = other(match) if callable(other) else other
                if text is not None and text != match.group(group):
                    yield match.start(group), match.end(group), text
    return change


def sign(code, shown, line):
    for match in re.finditer(r"(?:[=(,?:] |[(\[{]|return )(-)(?=[\w(])", code):
        yield match.start(1), match.end(1), ""
    if declaration.match(code) and not re.match(r"\s*(const )?(double|real|int|td_wide) \w", code):
        return
    for match in re.finditer(r"(?:^\s*return|[^=!<>+\-*/|&]=) ([^={}]+);$", code):
        if not re.search(r"^&|[!<>]|&&|\|\||\b(true|false|NULL|NAN|TD_[A-Z_]+)\b", match.group(1)):
            yield match.start(1), match.end(1), "-(" + shown[match.start(1):match.end(1)] + ")"


def number(code, shown, line):
    lengths = declarators(code)
    for match in re.finditer(r"(?<![\w.])(0x[\da-fA-F.]+p[+-]?\d+|0x[\da-fA-F]+|"
                             r"\d+\.?\d*(?:e[+-]?\d+)?|\.\d+)(?![\w.])", code):
        text = match.group(0)
        if match.start() in lengths:
            continue
        if re.fullmatch(r"\d+", text):
            others = [str(int(text) + 1)] + ([str(int(text) - 1)] if int(text) else [])
        elif re.fullmatch(r"0x[\da-fA-F]+", text):
            others = [hex(int(text, 16) ^ 1)]
        elif "e" in text or "p" in text:
            power = re.search(r"[ep]([+-]?\d+)$", text)
            others = [text[:power.start(1)] + str(int(power.group(1)) + by) for by in (3, -3)]
        else:
            others = [text + "1" if text.endswith(".") else repr(2 * float(text)),
                      repr(0.75 * float(text))]
        for other in others:
            yield match.start(), match.end(), other


def index(code, shown, line):
    lengths = declarators(code)
    for match in re.finditer(r"(?<=\w)\[([^\[\]]+)\]", code):
        if match.start() not in lengths and not match.group(1).isdigit():
            yield match.end(1), match.end(1), " + 1"
            yield match.end(1), match.end(1), " - 1"


def condition(code, shown, line):
    for match in re.finditer(r"\b(?:if|while) \(", code):
        end = closing(code, match.end() - 1)
        if end:
            yield match.end(), end, "!(" + shown[match.end():end] + ")"
    for match in re.finditer(r" \?(?= |$)", code):
        yield match.start(), match.start(), " && 0"
        yield match.start(), match.start(), " || 1"


def deletion(code, shown, line):
    bare = code.strip()
    if line.deletable and not declaration.match(code) and bare != ";" \
            and not re.match(r"return\b|case\b|default\b|for\b|goto\b", bare):
        yield code.index(bare), len(code.rstrip()), ";"


def closing(code, begin):
    """Returns where the parenthesis or brace that opens at begin is closed; None if on another line."""
    depth = 0
    for at in range(begin, len(code)):
        depth += (code[at] in "([{") - (code[at] in ")]}")
        if depth == 0:
            return at
    return None


def arguments(code, shown, line):
    """Swaps neighbors in a list of arguments or in braces."""
    for match in re.finditer(r"(?<=\w)\(|\{", code):
        end = closing(code, match.start())
        if not end or re.search(r"\b(if|for|while|switch|sizeof)\s*$", code[:match.start()]):
            continue
        parts, depth, begin = [], 0, match.end()
        for at in range(match.end(), end + 1):
            if at == end or (code[at] == "," and depth == 0):
                parts.append((begin, at))
                begin = at + 1
            depth += (code[at] in "([{") - (code[at] in ")]}")
        for (a, b), (c, d) in zip(parts, parts[1:]):
            one, two = shown[a:b].strip(), shown[c:d].strip()
            if one and two and one != two:
                yield (a + len(shown[a:b]) - len(shown[a:b].lstrip()), d,
                       two + shown[b:c] + " " + one)


def letters(code, shown, line):
    """Replaces an index by another one on the line: i for j."""
    found = [m for m in re.finditer(r"(?<![\w.>])[ijkmnre](?!\w|\()", code)]
    names = sorted({m.group(0) for m in found})
    for match in found:
        for other in names:
            if other != match.group(0):
                yield match.start(), match.end(), other


def report_text(code, shown, line):
    if line.reports:
        for match in re.finditer(rf'"{STRING}+"', code):
            if shown[match.start():match.end()] != '""':
                yield match.start() + 1, match.end() - 1, "?"


def pairs(code, shown, line):
    for one, two in exchanged:
        for this, other in ((one, two), (two, one)):
            if (this, other) not in (("WARNING", "ERROR"), ("NOTE", "WARNING")):  # demoted only
                for match in re.finditer(rf"\b{this}\b", code):
                    yield match.start(), match.end(), other


def constants(words):
    """Replaces named constants by others of the file that begin with the same two words."""
    def change(code, shown, line):
        for match in re.finditer(r"\b[A-Z]\w*_[A-Z\d_]+\b(?!\()", code):
            start = "_".join(match.group(0).split("_")[:2]) + "_"
            for other in words:
                if other.startswith(start) and other != match.group(0):
                    yield match.start(), match.end(), other
    return change


common = {
    "+ and - exchanged": replacements(r"(?<=[\w)\]]) ([+-])(?= |$)|(?<= )([+-])(?== )",
                                      lambda m: "-" if m.group(0).strip() == "+" else "+"),
    "sign": sign,
    "factor dropped": replacements(rf"(?<=[\w)\]])( \* (?!sizeof\b){operand})(?![\w(\[.])", ""),
    "* or / replaced": replacements(r"(?<=[\w)\]]) ([*/])(?= )",
                                      lambda m: "+" if m.group(1) == "*" else "*"),
    "comparison": replacements(r" (<=|>=|==|!=|<|>)(?= |$)", lambda m: {
        "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}[m.group(1)],
        lambda m: {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(m.group(1))),
    "logic": replacements(r" (&&|\|\||<<|>>|[&|])(?= |$)", lambda m: {
        "&&": "||", "||": "&&", "<<": ">>", ">>": "<<", "&": "|", "|": "&"}[m.group(1)]),
    "not dropped": replacements(r"(!)(?=[\w(])", ""),
    "assignment": replacements(r" ([+\-*/|&]=)(?= )", "="),
    "number": number,
    "index": index,
    "condition": condition,
    "statement deleted": deletion,
    "arguments swapped": arguments,
    "variable": letters,
    "field": replacements(r"(?<=[\w\])])\.([xyz])\b", lambda m: "yzx"["xyz".index(m.group(1))]),
    "text": report_text,
    "exchanged": pairs,
}
directive_operators = ("number", "sign")

of_python = {operator: common[operator] for operator in (
    "+ and - exchanged", "factor dropped", "* or / replaced", "comparison", "assignment", "number", "index",
    "arguments swapped", "variable", "field", "exchanged")}
of_python.update({
    "logic": replacements(r" (and|or)(?= )", lambda m: "or" if m.group(1) == "and" else "and"),
    "not dropped": replacements(r"\b(not )(?=[\w(])", ""),
    "truth": replacements(r"\b(True|False)\b", lambda m: "False" if m.group(1) == "True" else "True"),
    "sign": replacements(r"(?:[=(,] |[(\[]|return )(-)(?=[\w(])", ""),
    "condition": python_places.condition,
    "statement deleted": python_places.deletion,
})


# ---- equivalent faults -------------------------------------------------------------------------

# functions of two arguments whose order does not matter
symmetric = re.compile(r"(?:spatial|vec3|mat3)_(?:dot|add)$|^(?:sum|hypot|fmin|fmax|calloc|allocate)$")
allocation = re.compile(r"allocate|[cm]alloc|_NEW$")


def call_of(before, after):
    """Returns the name of the call that contains the first difference, and the column of the difference."""
    at = next((k for k, (a, b) in enumerate(zip(before, after)) if a != b), min(len(before), len(after)))
    depth = 0
    for k in range(at - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(before[k], 0)
        if depth < 0:
            return re.search(r"\w*$", before[:k]).group(0), at
    return "", at


def changes_nothing(line, operator, after):
    """Returns whether a fault is known not to change the behavior of the program. These are the sign of a boolean or of zero,
    swapped arguments of symmetric functions, larger allocations, and < for <= in a minimum or maximum."""
    before, (call, at) = line.code, call_of(line.text, after)
    if operator == "sign":
        return bool(re.search(r"-\((?:0|0\.0)\)", after)) or line.truth and before.strip().startswith("return")
    if operator == "arguments swapped":
        return bool(symmetric.search(call)) or call == "strcmp" and bool(re.search(r"\) [=!]= 0", before))
    if operator == "number":
        old, new = (re.match(r"[\d.]*", text[at:]).group(0) for text in (line.text, after))
        return bool(allocation.search(call)) and old.isdigit() and new.isdigit() and int(new) > int(old)
    if operator == "comparison":
        greatest = re.search(r"(\S+) ([<>])=? (\S+) \? (\S+) : (\S+?)[;,)]*$", before)
        return bool(greatest) and {greatest.group(1).lstrip("("), greatest.group(3)} == {greatest.group(4), greatest.group(5)} \
            and f" {greatest.group(2)}" in after
    return operator == "statement deleted" and bool(re.fullmatch(r"(?:\(void\)\w+(?:, )?)+;", before.strip()))


# ---- choice ------------------------------------------------------------------------------------

def draw(*key):
    """Returns a number that depends on the key only."""
    return int.from_bytes(hashlib.sha256(repr(key).encode()).digest()[:8], "big")


def of_file(file, text):
    """Returns (lines, operators) of a file."""
    if file.endswith(".py"):
        return python_places.lines_of(text), of_python
    words = sorted(set(re.findall(r"\b[A-Z]\w*_[A-Z\d_]+\b(?!\()", blanked(text))))
    return lines_of(text), dict(common, constant=constants(words))


def changes(line, operators):
    """Returns {operator: [changed text, ...]} of a line."""
    directive = line.code.startswith("#")
    begin = re.match(rf"#define {name}|", line.code).end()  # macros keep their names
    found = {}
    for operator, change in operators.items():
        if directive and operator not in directive_operators:
            continue
        changed = [line.text[:a] + new + line.text[b:]
                   for a, b, new in change(line.code, line.text, line) if a >= begin]
        changed = sorted({c for c in changed if c != line.text})
        if changed:
            found[operator] = changed
    return found


def choose(files, seed):
    """Yields lines of the files {name: text} in random order, each with one mutant.

    The mutant of a line and its position in the order depend on the seed, the name of the file and the text of
    the line. Changes elsewhere in the file do not affect them.
    """
    order = []
    for file, text in files.items():
        seen = collections.Counter()
        lines, operators = of_file(file, text)
        for line in lines:
            if line.allowed and not effort.match(line.code):
                bare = line.text.strip()
                seen[bare] += 1
                key = (seed, file, bare, seen[bare])
                order.append((draw("line", *key), key, line, operators))
    for _, key, line, operators in sorted(order, key=lambda o: o[:2]):
        found = changes(line, operators)
        if found:
            operator = sorted(found)[draw("operator", *key) % len(found)]
            changed = found[operator]
            after = changed[draw("site", *key) % len(changed)]
            if changes_nothing(line, operator, after):
                continue
            yield Mutant(key[1], line.number, operator, line.text, after, key[3])

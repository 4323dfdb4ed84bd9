# SPDX-License-Identifier: MIT
"""Finds where a choice can be inserted in C: the statements, conditions and initializers of a file.

Nothing is preprocessed. The text must be formatted by clang-format, with comments and strings blanked
(faults.blanked). Text that it cannot classify, such as rows of an X macro, is in no region. If it
misreads a file, the result does not compile, and copy.py drops the faults that cause the errors.
"""
import collections
import re

# start, end: offsets in the text; kind: form of the choice (schemata.py); name: of a constant or table;
# parts: regions of the elements of a list in braces; macro: newlines need backslashes
Region = collections.namedtuple("Region", "start end kind name parts macro")

word = r"[A-Za-z_]\w*"
declaration = re.compile(rf"(?!return\b|goto\b|else\b|break\b|continue\b|sizeof\b)"
                         rf"(?:(?:const|static|struct|enum|union|unsigned|signed|long|volatile|extern|"
                         rf"register|_Thread_local|_Alignas\([^()]*\)) )*{word}(?: const)? "
                         rf"(?:\**(?:const |restrict )?{word}|\(\*{word})"
                         rf"(?:\[[^\]]*\])*(?: =|;|,|\)\()")
plain = re.compile(rf"(?:static )?const (?:double|float|int|unsigned|size_t|u?int\d+_t) ({word}) =")


def closing(code, start, end):
    """Returns the offset of the bracket that closes the one at start, or None if there is none before end."""
    depth = 0
    for match in re.compile(r"[()\[\]{}]").finditer(code, start, end):
        depth += 1 if match.group(0) in "([{" else -1
        if depth == 0:
            return match.start()
    return None


def pieces(code, start, end, separator):
    """Yields (start, end) between separators outside of brackets."""
    depth, begin = 0, start
    for match in re.compile(rf"[()\[\]{{}}{separator}]").finditer(code, start, end):
        character = match.group(0)
        depth += (character in "([{") - (character in ")]}")
        if character == separator and depth == 0:
            yield begin, match.start()
            begin = match.end()
    yield begin, end


def trimmed(code, start, end):
    while start < end and code[start].isspace():
        start += 1
    while end > start and code[end - 1].isspace():
        end -= 1
    return start, end


class Reader:
    def __init__(self, code, macro=False):
        self.code, self.macro, self.regions = code, macro, []

    def add(self, start, end, kind, name=None, parts=()):
        start, end = trimmed(self.code, start, end)
        if end > start:
            self.regions.append(Region(start, end, kind, name, tuple(parts), self.macro))
            return self.regions[-1]
        return None

    def skip(self, at, end):
        while at < end and self.code[at].isspace():
            at += 1
        return at

    # ---- files -----------------------------------------------------------------------------------

    def file(self, start, end):
        """Reads definitions of functions, tables and constants."""
        at = begin = start
        while at < end:
            if self.code[at] == "{":
                close = closing(self.code, at, end)
                if close is None:
                    return
                if self.code[begin:at].rstrip().endswith(")") and "=" not in self.code[begin:at]:
                    self.block(at + 1, close)
                    at = begin = close + 1
                    continue
                at = close
            elif self.code[at] == ";":
                self.definition(*trimmed(self.code, begin, at + 1))
                begin = at + 1
            at += 1

    def definition(self, start, end, kind="table"):
        """Reads a static definition: an enum, a constant or a table."""
        text = self.code[start:end]
        enum = re.match(rf"(?:typedef )?enum(?: {word})? \{{", text)
        constant = plain.match(text)
        if enum:
            close = closing(self.code, start + enum.end() - 1, end)
            for a, b in pieces(self.code, start + enum.end(), close, ","):
                named = re.match(rf"\s*({word}) = ", self.code[a:b])
                if named:
                    self.add(a + named.end(), b, "constant", (named.group(1), end))
        elif constant and "{" not in text and "," not in text and "(" not in text:
            self.add(start + constant.end(), end - 1, "constant", (constant.group(1), end))
        elif re.match(r"(?:const|static|extern)\b", text) and "=" in text:
            equals = next((b + 1 for b in range(start, end)
                           if self.code[b:b + 3] == " = " and self.level(start, b) == 0), None)
            named = equals and re.search(rf"({word})\)?(?:\[[^\]]*\])*\s*$", self.code[start:equals - 1])
            if named:
                self.add(start, end, kind, named.group(1))

    def level(self, start, at):
        part = self.code[start:at]
        return sum(part.count(c) for c in "([{") - sum(part.count(c) for c in ")]}")

    # ---- statements ------------------------------------------------------------------------------

    def block(self, at, end):
        at = self.skip(at, end)
        while at < end:
            at = self.skip(self.statement(at, end), end)

    def statement(self, at, end):
        """Reads a statement and returns the offset after it."""
        code, at = self.code, self.skip(at, end)
        if at >= end:
            return end
        if code[at] == "{":
            close = closing(code, at, end) or end
            self.block(at + 1, close)
            return close + 1
        if code[at] == ";":
            return at + 1
        label = re.compile(rf"(?:case\b[^:?]*|default|{word})\s*:").match(code, at, end)
        if label:
            return self.statement(label.end(), end)
        head = re.compile(rf"({word}) ?(?=\()").match(code, at, end)
        close = head and closing(code, head.end(), end)
        if head and close and (head.group(1) in ("if", "for", "while", "switch") or
                               re.compile(rf"\s*(?:\{{|{word})").match(code, close + 1, end)):
            return self.headed(head.group(1), head.end() + 1, close, end)
        if re.compile(r"do\b").match(code, at, end):
            return self.statement(self.statement(at + 2, end), end)
        if re.compile(r"else\b").match(code, at, end):
            return self.statement(at + 4, end)
        stop = next(pieces(code, at, end, ";"))[1]
        self.simple(at, min(stop + 1, end))
        return stop + 1

    def headed(self, keyword, start, close, end):
        if keyword == "for":
            clauses = list(pieces(self.code, start, close, ";"))
            if len(clauses) == 3:
                first, test, step = clauses
                if declaration.match(self.code, self.skip(*first)):
                    self.declared(*first)
                else:
                    self.add(*first, "effect")
                self.add(*test, "test")
                self.add(*step, "effect")
        elif keyword in ("if", "while"):
            self.add(start, close, "test")
        else:  # switch, or a macro that begins a statement
            for piece in pieces(self.code, start, close, ","):
                self.add(*piece, "value")
        return self.statement(close + 1, end)

    def simple(self, start, end):
        code = self.code
        if declaration.match(code, start):
            if re.match(r"static\b", code[start:]):
                self.definition(start, end, "local table")
            else:
                self.declared(start, end - 1)
        elif re.match(r"(?:typedef|struct|union|enum)\b", code[start:]):
            self.definition(start, end)
        elif re.search(r"\)\{", code[start:end]) and not re.match(r"return\b", code[start:]):
            self.add(start, end - 1, "effect")  # a compound literal lives as long as its block
        else:
            self.add(start, end, "statement")

    def declared(self, start, end):
        for a, b in pieces(self.code, start, end, ","):
            equals = re.compile(r"[^=]*?[^=!<>]=(?!=)").match(self.code, a, b)
            if equals:
                self.initial(*trimmed(self.code, equals.end(), b))

    def initial(self, start, end):
        """Reads an initializer: a value, or values in braces. Returns its regions."""
        code = self.code
        if start >= end:
            return []
        if code[start] == "{" and code[end - 1] == "}":
            parts = self.elements(start + 1, end - 1)
            self.add(start + 1, end - 1, "list", None, parts)
            return []
        region = self.add(start, end, "value")
        return [region] if region else []

    def elements(self, start, end):
        parts = []
        for a, b in pieces(self.code, start, end, ","):
            name = re.compile(rf"\s*(?:\.{word}(?:\.{word})*|\[[^\]]*\]) = ").match(self.code, a, b)
            parts += self.initial(*trimmed(self.code, name.end() if name else a, b))
        return parts


def without_directives(code):
    """Returns the code without preprocessor lines, and [(start, end), ...] of the bodies of macros."""
    bodies = []

    def blank(match):
        define = re.match(rf"[ \t]*#[ \t]*define {word}(\([^()]*\))?[ \t\\\n]*", match.group(0))
        if define and define.end() < len(match.group(0)):
            bodies.append((match.start() + define.end(), match.end()))
        return re.sub(r"[^\n]", " ", match.group(0))
    return re.sub(r"(?m)^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, code), bodies


def regions(code):
    """Returns the regions of a text whose comments and strings are blanked."""
    bare, bodies = without_directives(code)
    reader = Reader(bare)
    reader.file(0, len(bare))
    found = reader.regions
    for start, end in bodies:
        body = Reader(code[:end].replace("\\\n", " \n"), macro=True)
        start, end = trimmed(body.code, start, end)
        text = body.code[start:end]
        if not re.search(r"[;{]", text):
            if not re.search(r"\)\s+X?\(|##|^#", text):
                body.add(start, end, "value")
        elif re.match(r"(?:TD_INLINE|static)\b[^=;]*\)\s*\{", text):
            body.file(start, end)
        else:
            body.block(start, end)
        found += body.regions
    return found

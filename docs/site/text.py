# SPDX-License-Identifier: MIT
"""Converts comments and docstrings to reStructuredText: paragraphs, and indented lines verbatim."""
import re

SPECIAL = re.compile(r"([\\*`|_])")


def escaped(text):
    return SPECIAL.sub(r"\\\1", text)


def linked(text, roles):
    """Returns text with links for the names in roles."""
    def link(match):
        name = match[0].removesuffix("()")
        role = roles.get(name)
        return rf"\ {role}`{name}`\ " if role else escaped(match[0])

    return re.sub(r"[A-Za-z_]\w*(?:\(\))?|[\\*`|_]", link, text)


def paragraphs(text, roles, indent=""):
    """Returns lines of reStructuredText."""
    lines, out, at = text.splitlines(), [], 0
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        first = at
        if lines[at].startswith("  "):
            while at < len(lines) and (lines[at].startswith("  ") or not lines[at].strip()):
                at += 1
            block = lines[first:at]
            while not block[-1].strip():
                block.pop()
            out += [f"{indent}.. code-block:: none", ""] + [f"{indent}   {line}".rstrip() for line in block] + [""]
            continue
        at += 1
        while at < len(lines) and lines[at].strip() and not lines[at].startswith("  ") and not re.match(r"(Shapes|Units):|(Of robot\.tree|Without y) ", lines[at]):
            at += 1
        if sum(bool(re.search(r"\S {2,}\S", line)) for line in lines[first:at]) > 1:  # columns
            out += [f"{indent}.. code-block:: none", ""] + [f"{indent}   {line}".rstrip() for line in lines[first:at]] + [""]
            continue
        text_line = " ".join(line.strip() for line in lines[first:at])
        if re.match(r"(\d+|[A-Za-z])[.)] |[-+•] ", text_line):
            text_line = text_line[0] + "\\" + text_line[1:] if text_line[0].isalnum() else "\\" + text_line
            # its beginning is already escaped: adds links to the rest
            out += [indent + text_line[:2] + linked(text_line[2:], roles), ""]
            continue
        out += [indent + linked(text_line, roles).strip(), ""]
    return out

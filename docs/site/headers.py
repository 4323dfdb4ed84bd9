# SPDX-License-Identifier: MIT
"""Parses the public headers of C: each comment with the declarations that it documents, up to the next comment.

build.py generates the reference of C from it, and documented.py checks that everything has a comment.
"""
import dataclasses
import pathlib
import re

TOKEN = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"|^[ \t]*#(?:\\\n|[^\n])*|[{};]|\n|.", re.S | re.M)
BEHIND = re.compile(r"[ \t]*(/\*.*?\*/)", re.S)
EXTERN = re.compile(r'extern\s+"C"\s*$')


@dataclasses.dataclass
class Member:
    """A field of a struct or an enumerator, with the comment above or behind it."""

    name: str
    text: str
    comment: str


@dataclasses.dataclass
class Declaration:
    kind: str  # function, inline, macro, struct, enum, type
    name: str
    text: str
    members: list


@dataclasses.dataclass
class Group:
    comment: str
    declarations: list


@dataclasses.dataclass
class Section:
    title: str
    groups: list


@dataclasses.dataclass
class Header:
    name: str
    purpose: str
    sections: list

    def declarations(self):
        for section in self.sections:
            for group in section.groups:
                for declaration in group.declarations:
                    yield group, declaration


def plain(comment):
    """Returns the text of a comment without delimiters. Keeps indentation relative to the first line."""
    lines = comment[2:-2].splitlines() if comment.startswith("/*") else [comment[2:]]
    starred = len(lines) > 1 and all(re.match(r"\s*\*|\s*$", line) for line in lines[1:])
    lines = [re.sub(r"^\s*\* ?", "", line) if starred and number else line for number, line in enumerate(lines)]
    rest = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    cut = min(rest) if rest else 0
    lines = [lines[0].strip()] + [line[cut:].rstrip() for line in lines[1:]]
    return "\n".join(lines).strip("\n").rstrip()


def pieces(text):
    """Yields (comment or declaration, text) at the top level of a header."""
    depth, start, at = 0, None, 0
    while at < len(text):
        token = TOKEN.match(text, at)
        at = token.end()
        word = token[0]
        if depth == 0 and start is None:
            if word.startswith("/*"):
                yield "comment", word
                continue
            if word.lstrip().startswith("#"):
                yield "macro", word.strip()
                continue
            if word.isspace() or word.startswith("//"):
                continue
            start = token.start()
        if word == "{":
            depth += 1
            if EXTERN.search(text[start:token.start()]):
                depth, start = 0, None
        elif word == "}":
            if depth == 0:  # closes extern "C"
                start = None
                continue
            depth -= 1
            if depth == 0 and re.match(r"static inline", text[start:]):
                yield "declaration", text[start:at]
                start = None
        elif word == ";" and depth == 0:
            behind = BEHIND.match(text, at)
            yield "declaration", text[start:at] + (behind[0] if behind else "")
            at = behind.end() if behind else at
            start = None


def members_of(body, separator):
    """Returns the members between the braces of a struct (;) or an enum (,)."""
    found, above, text, at = [], "", "", 0
    pattern = re.compile(r"/\*.*?\*/|//[^\n]*|" + re.escape(separator) + r"|\s+|[^\s,;/]+|.", re.S)
    while at < len(body):
        token = pattern.match(body, at)
        at = token.end()
        word = token[0]
        if word.startswith(("/*", "//")):
            if not text.strip():
                above = plain(word)
            else:
                text += " "
        elif word == separator:
            behind = BEHIND.match(body, at)
            if not behind:
                behind = re.compile(r"[ \t]*(//[^\n]*)").match(body, at)
            at = behind.end() if behind else at
            found.append((text, plain(behind[1]) if behind else above))
            text, above = "", "" if behind else above
        else:
            text += word
    if text.strip():
        found.append((text, above))
    members = []
    for declared, comment in found:
        declared = " ".join(declared.split())
        if not declared or declared.startswith("#"):
            continue
        names = re.findall(r"\(\*(\w+)\)", declared)
        if not names:  # "double lower, upper[3]", "TD_FRAME_WORLD = 1"; a macro makes the enumerators of td_status
            named = [re.match(r".*?(\w+)\s*(?:\[[^\]]*\]\s*)*$", part.split("=")[0].strip()) for part in declared.split(",")]
            names = [name[1] for name in named if name]
        members += [Member(name, declared, comment) for name in names]
    return members


def declaration_of(kind, text):
    if kind == "macro":
        match = re.match(r"#\s*define\s+(\w+)(\([^)]*\))?", text)
        if not match or re.fullmatch(r"TANDEM_\w+_H", match[1]):
            return None
        return Declaration("macro", match[1], match[1] + (match[2] or ""), [])
    behind = re.search(r";\s*(/\*.*\*/)$", text, re.S)
    comment = plain(behind[1]) if behind else ""
    clean = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    clean = " ".join(clean.split())
    if body := re.match(r"typedef (struct|enum|union) \w*\s*\{(.*)\}\s*(\w+);", text, re.S):
        separator = "," if body[1] == "enum" else ";"
        inside = re.sub(r"^[ \t]*#.*$", "", body[2], flags=re.M)
        found = Declaration(body[1], body[3], f"{body[1]} {body[3]}", members_of(inside, separator))
    elif clean.startswith("static inline"):
        head = clean[len("static inline"):clean.index("{")].strip()
        found = Declaration("inline", re.search(r"(\w+)\s*\(", head)[1], head, [])
    elif match := re.match(r"typedef .*\(\*(\w+)\)\s*\(", clean):
        found = Declaration("type", match[1], clean[len("typedef "):-1], [])
    elif match := re.match(r"typedef (.*?)(\w+);", clean):
        found = Declaration("type", match[2], clean[len("typedef "):-1], [])
    elif match := re.match(r"TD_API (.*?\b(td_\w+)\s*\(.*\));", clean):
        found = Declaration("function", match[2], match[1], [])
    else:
        return None
    found.own = comment
    return found


def read(path):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    header = Header(pathlib.Path(path).name, "", [Section("", [])])
    comments = 0
    for kind, word in pieces(text):
        if kind == "comment":
            comments += 1
            title = re.match(r"/\*\s*-{4,}\s*(.*?)\s*-{4,}\s*\*/", word, re.S)
            if comments == 1:
                continue  # skips the license
            if comments == 2 and not header.purpose:
                header.purpose = plain(word)
            elif title:
                header.sections.append(Section(title[1], []))
            else:
                header.sections[-1].groups.append(Group(plain(word), []))
            continue
        found = declaration_of(kind, word)
        if not found:
            continue
        groups = header.sections[-1].groups
        if not groups:
            groups.append(Group("", []))
        if kind == "declaration" and found.own:
            # a comment behind a declaration belongs to it only
            groups.append(Group(found.own, [found]))
            groups.append(Group(groups[-2].comment, [])) if groups[-2].declarations else None
            continue
        groups[-1].declarations.append(found)
    for section in header.sections:
        section.groups = [group for group in section.groups if group.declarations]
    header.sections = [section for section in header.sections if section.groups]
    return header


def read_all(directory):
    return [read(path) for path in sorted(pathlib.Path(directory).glob("*.h"))]

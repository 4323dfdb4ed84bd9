# SPDX-License-Identifier: MIT
"""Everything public is documented, and the targets of links in pages exist; prints TAP.

    python3 test/documented.py SOURCE

Every function, struct, enum, type and macro of the public headers needs a comment, as docs/site/headers.py reads them.
Every public name of the Python package, including methods and properties, needs a docstring (skipped if the package is
absent). Links between pages must lead to existing files and headings. C functions named in pages must be declared, and
tests named in docs/guides/theory.md must exist. docs/conventions.md and docs/export.md name every joint type. Indices are size_t: a list names the few functions, arguments and
fields that are an int.
"""
import importlib.util
import inspect
import pathlib
import re
import sys

SOURCE = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(SOURCE / "docs" / "site"))
import headers  # noqa: E402  pylint: disable=wrong-import-position

PAGES = [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", SOURCE / "CHANGELOG.md", *sorted((SOURCE / "docs").rglob("*.md"))]
count, failed = 0, False


def check(title, faults, skipped=""):
    global count, failed
    count += 1
    failed = failed or bool(faults)
    print(f"{'not ok' if faults else 'ok'} {count} - {title}{' # SKIP ' + skipped if skipped else ''}")
    for fault in faults:
        print(f"# {fault}")


def declared():
    return {declaration.name: (header, group, declaration) for header in headers.read_all(SOURCE / "include" / "tandem")
            for group, declaration in header.declarations()}


def uncommented(names):
    for name, (header, group, declaration) in names.items():
        if re.sub("_(init|default)$", "", name) in names and re.search("_(init|default)$", name):
            continue  # one comment describes all of these (docs/abi.md)
        members = [member for member in declaration.members
                   if member.name != "size_of" and not member.name.endswith("_count") and not member.text.startswith("td_source ")]
        if not group.comment and not (members and all(member.comment for member in members)):
            yield f"{header.name}: {declaration.kind} {name} has no comment"
        for member in members:
            if not member.comment and not re.search(rf"\b{member.name}\b", group.comment):
                yield f"{header.name}: nothing is said of {name}.{member.name}"


# functions of the public headers may return an int only if listed here with the reason: indices are size_t
# (docs/conventions.md)
RETURNS_INT = {}
# fields and arguments that may be an int: counts of a type's coordinates, positions in a text, and three-valued fields
IS_INT = {"td_joint_kind.nq", "td_joint_kind.nv", "td_joint.independent", "td_flexible.segments", "td_curve.degree",
          "td_source.line", "td_source.column"}


def integers(names):
    """Yields functions, arguments and fields that are an int without being listed, and list entries that are
    unused."""
    unused = set(IS_INT) | set(RETURNS_INT)
    for name, (header, _, declaration) in names.items():
        text = re.sub(r"/\*.*?\*/", "", declaration.text, flags=re.S)
        if declaration.kind == "function" and re.search(r"\bint\b", text):
            if name not in RETURNS_INT:
                yield f"{header.name}: {name} returns or takes an int; indices are size_t, with TD_NONE for none"
            unused.discard(name)
        for member in declaration.members if declaration.kind == "struct" else ():
            path = f"{name}.{member.name}"
            if re.match(r"(const )?int\b(?! \()", member.text):
                if path not in IS_INT:
                    yield f"{header.name}: {path} is an int; indices are size_t, with TD_NONE for none"
                unused.discard(path)
    for name in sorted(unused):
        yield f"test/documented.py: {name} is no int"


def missed(names):
    """Yields functions that the parser of headers did not find."""
    for path in sorted((SOURCE / "include" / "tandem").glob("*.h")):
        text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
        for name in re.findall(r"TD_API[^;]*?\b(td_\w+)\s*\(", text):
            if name not in names:
                yield f"{path.name}: {name} was not found"


def undocumented():
    import tandem

    def fault(path, thing):
        text = inspect.getdoc(thing) or ""
        # docstrings that dataclass and Enum generate say nothing
        if not text.strip() or text.startswith((path.split(".")[-1] + "(", "An enumeration")):
            yield f"tandem.{path} has no docstring"

    public = [name for name in dir(tandem) if not name.startswith("_") and not inspect.ismodule(getattr(tandem, name))]
    for name in public:
        thing = getattr(tandem, name)
        if not (inspect.isclass(thing) or inspect.isroutine(thing)):
            continue
        yield from fault(name, thing)
        if inspect.isclass(thing):
            for member, inside in vars(thing).items():
                inside = getattr(inside, "__func__", inside)
                if not member.startswith("_") and (inspect.isroutine(inside) or isinstance(inside, property)):
                    yield from fault(f"{name}.{member}", inside)


def anchors(path):
    """Returns the anchors of headings, as code forges and MyST generate them."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    found = set()
    for title in re.findall(r"^#+ +(.*)$", text, re.M):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "")
        found.add(re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-"))
    return found


def dead_links():
    for page in PAGES:
        text = re.sub(r"^```.*?^```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"https?:|mailto:", target):
                continue
            file, _, anchor = target.partition("#")
            to = (page.parent / file).resolve() if file else page
            where = page.relative_to(SOURCE)
            if not to.exists():
                yield f"{where}: {target} leads nowhere"
            elif anchor and to.suffix == ".md" and anchor not in anchors(to):
                yield f"{where}: there is no heading {target}"


def unknown(names):
    known = set(names) | {member.name for _, _, declaration in names.values() for member in declaration.members}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for name in sorted(set(re.findall(r"`(td_\w+)(?:\(\))?`", text))):
            if name not in known and not name.endswith("_") and "guides" in page.relative_to(SOURCE).parts:
                yield f"{page.relative_to(SOURCE)}: there is no {name}"


def unnamed_types():
    """Yields joint types that a page with a table of them omits."""
    types = re.findall(r"\.kind = \{\"(\w+)\"", (SOURCE / "lib/model/joint_kind.c").read_text(encoding="utf-8"))
    for page in ("docs/conventions.md", "docs/export.md"):
        text = (SOURCE / page).read_text(encoding="utf-8")
        for name in types or ["no type"]:
            if not re.search(rf"\b{name}\b", text):
                yield f"{page}: joint type {name} is missing"


def unknown_tests():
    suites = (SOURCE / "test" / "meson.build").read_text(encoding="utf-8")
    page = (SOURCE / "docs" / "guides" / "theory.md").read_text(encoding="utf-8")
    for row in re.findall(r"^\|.*\|$", page, re.M)[2:]:
        for name in re.findall(r"`(\w+)`", row.split("|")[-2]):
            if not re.search(rf"'(\w+/)?{name}'", suites):  # with the folder of its source
                yield f"docs/guides/theory.md: there is no test {name}"


def main():
    names = declared()
    check("every function of the headers is found", list(missed(names)))
    check("all that the headers declare has a comment", list(uncommented(names)))
    if importlib.util.find_spec("tandem"):
        check("all that is public in Python has a docstring", list(undocumented()))
    else:
        check("all that is public in Python has a docstring", [], "there is no Python package")
    check("indices of the headers are no int", list(integers(names)))
    check("links between pages lead somewhere", list(dead_links()))
    check("functions that guides name exist", list(unknown(names)))
    check("tests that the theory names exist", list(unknown_tests()))
    check("pages name every joint type", list(unnamed_types()))
    print(f"1..{count}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

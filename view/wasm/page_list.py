#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Generates src/page.ts from wasm/page.h: the shared arrays in order, and the functions.

    python3 view/wasm/page_list.py           writes the file
    python3 view/wasm/page_list.py --check   checks that the file is up to date, and prints TAP
"""
import pathlib
import re
import sys

here = pathlib.Path(__file__).resolve().parent
target = here.parent / "src" / "page.ts"


def camel(name):
    return re.sub(r"_(\w)", lambda m: m[1].upper(), name)


def arrays(text):
    table = text[text.index("#define PAGE_ARRAYS(X)"):text.index("enum {")]
    return re.findall(r"\bX\((\w+),", table)


def functions(text):
    """Yields the lines of the interface, where pointers and statuses are numbers."""
    for result, name, inside in re.findall(r"^(\w[\w ]*?[ *]+)(tv_\w+)\(([^()]*)\);", text, flags=re.M):
        names = [camel(re.search(r"(\w+)$", p.strip())[1]) for p in inside.split(",") if p.strip() != "void"]
        parameters = ", ".join(f"{n}: number" for n in names)
        yield f"    {name}({parameters}): {'void' if result.strip() == 'void' else 'number'};"


def page():
    text = (here / "page.h").read_text(encoding="utf-8")
    names = "".join(f'    "{camel(name)}",\n' for name in arrays(text))
    return ("// SPDX-License-Identifier: MIT\n"
            "// What wasm/page.h declares. Made of it by wasm/page_list.py; change that.\n\n"
            f"/** The shared arrays, by their number. */\nexport const ARRAYS = [\n{names}] as const;\n\n"
            "/** The functions; pointers and statuses are numbers. */\nexport interface PageFunctions {\n"
            + "\n".join(functions(text)) + "\n}\n")


if "--check" in sys.argv:
    good = target.is_file() and target.read_text(encoding="utf-8") == page()
    print(f"1..1\n{'' if good else 'not '}ok 1 - view/src/page.ts is what view/wasm/page_list.py makes of page.h")
    sys.exit(not good)
target.write_text(page(), encoding="utf-8")

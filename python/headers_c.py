# SPDX-License-Identifier: MIT
"""Reads the public headers: declarations for cffi, and the comment of each function.

Nothing of the interface is written twice. The headers go through the preprocessor, with empty replacements for the headers of
the C library, whose types cffi knows. Inline functions are removed.
"""
import pathlib
import re
import subprocess


INCLUDES = "".join(f'#include "tandem/{name}.h"\n' for name in ("tandem", "simulation", "trajectory"))
# numbers for sweeps and filters of recorded motion, which no library exports; the extension has them
INCLUDES += "".join(f'#include "../lib/{name}.h"\n' for name in
                    ("linear/linear", "sweep/sample", "recording/filters", "recording/cutoff", "recording/outliers", "recording/turns"))
INCLUDES += '#include "../tools/view_page.h"\n'


def preprocess(compiler, directory, includes, headers=INCLUDES):
    """Returns the declarations of headers, as text without directives."""
    command = [*compiler, "-E", "-P", "-nostdinc", "-x", "c", "-DTD_API=", "-D__attribute__(x)="]
    command += ["-I" + str(directory / "headers"), "-I" + str(directory), "-I" + str(directory / "../lib")] + ["-I" + str(i) for i in includes] + ["-"]
    done = subprocess.run(command, input='#undef __GNUC__\n' + headers, text=True, check=True, stdout=subprocess.PIPE)
    return without_inline(done.stdout)


def without_inline(text):
    """Returns text without inline functions; initializers (td_..._default) become declarations."""
    while (start := text.find("static inline")) >= 0:
        at = brace = text.index("{", start)
        depth = 0
        while True:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
            if not depth:
                break
        head = text[start:brace].removeprefix("static inline")
        text = text[:start] + (f"{head.strip()};" if "_default(" in head else "") + text[at:]
    return re.sub(r"TD_API\s+", "", text)


def comments(directory):
    """Returns the comment of each function: the comment above it, or above the preceding functions."""
    found = {}
    for header in sorted(pathlib.Path(directory).glob("*.h")):
        text = header.read_text(encoding="utf-8")
        text = text[text.index("*/", text.index("*/") + 2) + 2:]  # the license, the purpose of the file
        last = ""
        for comment, name in re.findall(r"/\*(.*?)\*/|TD_API\s[^;()]*?\b(td_\w+)\s*\(", text, re.S):
            if name:
                found.setdefault(name, last)
            elif not comment.lstrip().startswith("----"):
                lines = [re.sub(r"^\s*\*? ?", "", line).rstrip() for line in comment.strip().splitlines()]
                last = "\n".join(lines).strip()
    return found

# SPDX-License-Identifier: MIT
"""Counts turns of phrase that docs/style.md advises against: in comments and string literals of C, in strings of Python, in
texts of the page of `tandem view`, and in pages. Prints TAP. Each part of the project has a limit, which may only decrease:
write fewer, then lower the limit.

    python3 test/language.py SOURCE [--list PART]
"""
import io
import pathlib
import re
import subprocess
import sys
import tokenize

TURNS = re.compile(r"\b(of which|that of|those of|what is|what there is|but for|(?:is|are) (?:told|said)|is none|where that is|so many|"
                   r"as it stands|for whom|who rests)\b", re.IGNORECASE)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
C_TOKEN = re.compile(r"/\*.*?\*/|//[^\n]*|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
QUOTED = re.compile(r'"[^"\n]{1,20}"')

# most turns in each part, in C comments or in pages
PARTS = {
    r"README.md": 0,
    r"include/": 0,
    r"docs/guides/": 0,
    r"docs/(?!guides)": 0,
    r"lib/base/": 0,
    r"lib/calibration/": 0,
    r"lib/dynamics/": 0,
    r"lib/export/": 0,
    r"lib/ik/": 0,
    r"lib/kernel/": 0,
    r"lib/linear/": 0,
    r"lib/load/": 0,
    r"lib/model/": 0,
    r"lib/recording/": 0,
    r"lib/simulation/": 0,
    r"lib/sweep/": 0,
    r"tools/": 0,
    r"urdf/": 0,
    r"test/": 0,
    r"bench/": 0,
    r"view/": 0,
    r"examples/": 0,
    r"python/": 0,
    r"CONTRIBUTING.md": 0,
}

# most turns in string literals: messages of the library and the importer, docstrings and exceptions, texts of the page
TEXTS = {
    r"(include|lib|urdf)/.*[.][ch]$": 0,
    r"python/.*[.](py|c|h)$": 0,
    r"view/src/.*[.](ts|html|css)$": 0,
}


def text_of(path):
    """Returns the comments of a source, or a page without its fenced blocks and quoted phrases, as one line."""
    text = path.read_text(encoding="utf-8")
    found = QUOTED.sub(" ", FENCED.sub(" ", text)) if path.suffix == ".md" else " ".join(COMMENT.findall(text))
    return re.sub(r"[\s*]+", " ", found)


def strings_of(path):
    """Returns the string literals of a source as one line: adjacent literals of C joined, all strings of Python, and a file of
    the page as a whole."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        found = [t.string for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type == tokenize.STRING]
    elif path.suffix in (".c", ".h"):
        text = re.sub(r'"\s*"', "", text)
        found = [t for t in C_TOKEN.findall(text) if t[0] == '"']
    else:
        found = [text]
    return re.sub(r"\s+", " ", " | ".join(found))


def main(source, listed=None):
    tracked = subprocess.run(["git", "-C", source, "ls-files"], capture_output=True, text=True, check=False).stdout.split()
    tracked = tracked or [str(p.relative_to(source)) for p in pathlib.Path(source).rglob("*") if p.is_file()]
    rules = [(part, most, text_of, (".c", ".h", ".md")) for part, most in PARTS.items()]
    rules += [(part, most, strings_of, "") for part, most in TEXTS.items()]
    print(f"1..{len(rules)}")
    for number, (part, most, read, suffixes) in enumerate(rules, 1):
        paths = [p for p in tracked if re.match(part, p) and p.endswith(suffixes)]
        found = [(p, m) for p in paths for m in TURNS.finditer(read(pathlib.Path(source, p)))
                 if m[0] != "is None"]
        good = bool(paths) and len(found) <= most
        what = "turns in strings of" if read is strings_of else "turns in"
        print(f"{'ok' if good else 'not ok'} {number} - {part}: {len(found)} of {most} {what} {len(paths)} files")
        if not good or part == listed:
            for path, m in found:
                print(f"#   {path}: …{m.string[max(0, m.start() - 40):m.end() + 30]}…")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[3] if len(sys.argv) > 3 else None)

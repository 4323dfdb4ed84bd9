# SPDX-License-Identifier: MIT
"""Counts turns of phrase that docs/style.md advises against, in C comments and in pages; prints TAP. Each part of the
project has a limit, which may only decrease: write fewer, then lower the limit.

    python3 test/language.py SOURCE [--list PART]
"""
import pathlib
import re
import subprocess
import sys

TURNS = re.compile(r"\b(of which|that of|those of|what is|what there is|but for|(?:is|are) (?:told|said)|is none|where that is|so many|"
                   r"as it stands|for whom|who rests)\b", re.IGNORECASE)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)

# most turns in each part, in C comments or in pages
PARTS = {
    r"README.md": 0,
    r"include/": 2,
    r"docs/guides/": 0,
    r"docs/(?!guides)": 22,
    r"lib/base/": 0,
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


def text_of(path):
    """Returns the comments of a source, or a page without its fenced blocks, as one line."""
    text = path.read_text(encoding="utf-8")
    found = FENCED.sub(" ", text) if path.suffix == ".md" else " ".join(COMMENT.findall(text))
    return re.sub(r"[\s*]+", " ", found)


def main(source, listed=None):
    tracked = subprocess.run(["git", "-C", source, "ls-files"], capture_output=True, text=True, check=False).stdout.split()
    tracked = tracked or [str(p.relative_to(source)) for p in pathlib.Path(source).rglob("*") if p.is_file()]
    print(f"1..{len(PARTS)}")
    for number, (part, most) in enumerate(PARTS.items(), 1):
        paths = [p for p in tracked if re.match(part, p) and p.endswith((".c", ".h", ".md"))]
        found = [(p, m) for p in paths for m in TURNS.finditer(text_of(pathlib.Path(source, p)))]
        good = bool(paths) and len(found) <= most
        print(f"{'ok' if good else 'not ok'} {number} - {part}: {len(found)} of {most} turns in {len(paths)} files")
        if not good or part == listed:
            for path, m in found:
                print(f"#   {path}: …{m.string[max(0, m.start() - 40):m.end() + 30]}…")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[3] if len(sys.argv) > 3 else None)

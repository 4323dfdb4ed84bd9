# SPDX-License-Identifier: MIT
"""The version is in meson.build. The headings of CHANGELOG.md and package/debian/changelog repeat it with a date, and no other
file for releases does; addresses are in docs/contact.md alone (docs/releasing.md). TAP.

    python3 test/releasing.py SOURCE_ROOT          compares
    python3 test/releasing.py SOURCE_ROOT TAG      fails if the tag is not v and the version; prints the section of CHANGELOG.md
"""
import datetime
import email.utils
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
PLAIN = ("CITATION.cff", "SECURITY.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "package/debian/control", ".github/ISSUE_TEMPLATE/wrong.md",
         ".github/ISSUE_TEMPLATE/missing.md", ".github/ISSUE_TEMPLATE/config.yml", ".github/workflows/ci.yml", ".github/workflows/release.yml")


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def find(pattern, name):
    match = re.search(pattern, text(name), re.M)
    if not match:
        sys.exit(f"{name} has no line {pattern}")
    return match.groups()


def main():
    (version,) = find(r"^  version: '([^']+)',$", "meson.build")
    # a heading "Unreleased" may come first
    changes, changed = find(r"^## \[(\d[^]]*)\] - (\S+)$", "CHANGELOG.md")
    packaged, date = find(r"^tandem \(([^)]+)\)(?:.|\n)*?\n -- [^\n]*  (\w{3}, .+)$", "package/debian/changelog")
    if len(sys.argv) > 2:
        if sys.argv[2] != f"v{version}":
            sys.exit(f"the tag {sys.argv[2]} is not v{version}, the version of meson.build")
        print(re.search(rf"^## \[{re.escape(version)}\].*\n((?:(?!## \[).*\n)*)", text("CHANGELOG.md"), re.M)[1].strip())
        return 0
    address = re.compile(r"[\w.]+@[\w-]+\.\w+|https?://(?!github\.com/CITATION|schema)[\w.]+/tandem|\b" + re.escape(version) + r"\b")
    repeated = [f"{name}: {found[0]}" for name in PLAIN if (found := address.search(text(name)))]
    parts = {
        "CHANGELOG.md has the version": [] if changes == version else [f"{changes} is not {version}"],
        "package/debian/changelog has the version": [] if packaged == version else [f"{packaged} is not {version}"],
        "both have the same date": [] if datetime.date.fromisoformat(changed) == email.utils.parsedate_to_datetime(date).date()
        else [f"{changed} is not {date}"],
        "no other file repeats version or addresses": repeated,
    }
    print(f"1..{len(parts)}")
    for number, (what, faults) in enumerate(parts.items(), 1):
        print(f"{'not ' if faults else ''}ok {number} - {what}")
        for fault in faults:
            print("#", fault)
    return any(parts.values())


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: MIT
"""The table of commands and options in docs/commands.md must match the manual pages, and the site must have a page for
each command; prints TAP.

    python3 test/commands.py COMMAND docs/commands.md

With TD_UPDATE_GOLDEN=1 the table is rewritten.
"""
import importlib
import os
import re
import subprocess
import sys

BEGIN, END = "<!-- table: test/commands.py -->\n", "<!-- /table -->\n"
# stand for all options of loading that every command with a robot has
LOADING = {"lock", "start", "submechanisms", "closing-frames", "strict", "open-loops", "ignore-limits", "partial", "xacro",
           "xacro-timeout"}


def page(command, *name):
    return subprocess.run([command, "help", *name], capture_output=True, text=True, check=True,
                          env={**os.environ, "COLUMNS": "1000"}).stdout


def options_of(command, name):
    """Returns the options on the manual page of a command, each by its long name if it has one."""
    text = subprocess.run([command, "help", "--man", name], capture_output=True, text=True, check=True).stdout
    found = [re.findall(r"--([a-z][a-z-]*)|^-([a-z])", line.replace("\\-", "-").replace("\\fB", ""))[-1]
             for line in re.findall(r"^\\fB(\\-.*)$", text, re.M)]
    return [name for name in dict.fromkeys(long or letter for long, letter in found) if name not in {"help", "verbose", "quiet", *LOADING}]


def table(command):
    names = [match[1] for match in re.finditer(r"^  ([a-z]+) +\S", page(command).split("Commands:")[1], re.M)
             if match[1] != "help"]
    pages = {name: page(command, name) for name in names}
    options = {name: options_of(command, name) for name in names}
    counts = {}
    for list_of in options.values():
        for option in list_of:
            counts[option] = counts.get(option, 0) + 1
    first = ["q", "qd", "qdd", "tau", "state", "tree", "output", "plot", "keep", "json", "gravity", "actuated",
             "fd-plan", "payload", "wrench", "passive", "no-passive"]
    ours = {option for option, count in counts.items() if count > 2}
    shared = [option for option in first if option in ours]
    shared += sorted(ours - set(shared) - {"base"})
    shared += ["base"]
    short = {"q": "-q", "output": "-o", "base": "--base …"}
    head = ["command", "reads"] + [f"`{short.get(option, '--' + option)}`" for option in shared] + ["its own"]
    rows = [head, ["---", "---"] + [":-:"] * len(shared) + ["---"]]
    for name in names:
        usages = re.findall(r"^(?:Usage:|   or:) tandem \w+ \[OPTION\.\.\.\] ?(.*)$", pages[name], re.M)
        own = [f"`--{option}`" for option in options[name] if option not in shared]
        rows.append([f"`{name}`", " or ".join(f"`{usage}`" for usage in usages if usage)] +
                    ["•" if option in options[name] else "" for option in shared] + [", ".join(own)])
    return "".join("| " + " | ".join(row).replace("  ", " ").rstrip() + " |\n" for row in rows)


def main():
    command, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    before, rest = text.split(BEGIN)
    kept, after = rest.split(END)
    new = "\n" + table(command) + "\n"
    if os.environ.get("TD_UPDATE_GOLDEN") and new != kept:
        with open(path, "w", encoding="utf-8") as file:
            file.write(before + BEGIN + new + END + after)
        kept = new
    print("1..2")
    print(f"{'ok' if new == kept else 'not ok'} 1 - the table of commands and options is that of the manual pages")
    if new != kept:
        print("# TD_UPDATE_GOLDEN=1 writes it anew")
    sys.dont_write_bytecode = True
    sys.path.insert(0, os.path.join(os.path.dirname(path), "site"))
    manual = importlib.import_module("manual")
    pages = dict(manual.pages(command))
    good = len(pages) > 30 and all(re.search(r"\\f[BIR]|\\\(|^\.[A-Z]", page, re.M) is None for page in pages.values())
    good = good and "**`--gravity=X,Y,Z`**" in pages["id"] and "## Examples" in pages["id"]
    print(f"{'ok' if good else 'not ok'} 2 - the site has a page for each command")
    return new != kept or not good


sys.exit(main())

# SPDX-License-Identifier: MIT
"""An option has one meaning in all commands that have it; prints TAP.

    python3 test/options.py COMMAND

The meaning is the option's text in --help, with the word for its argument. It ends at a default in parentheses or at a
semicolon, after which a command may add text.
"""
import collections
import os
import re
import subprocess
import sys

import tap

# options whose text or argument differs between commands, with the reason
DIFFER = {
    "axis": "of ik it is a direction in the link, of calibrate a joint",
    "output": "what goes into the file is each command's own",
    "plot": "of sweep the picture is of histograms",
    "json": "fit prints it in place of XML",
    "link": "what is said of the link is each command's own",
    "reactions": "in the table of recording only some have columns, which are named",
    "tolerance": "of complete it is an error of positions, of diff a relative one",
    "tau": "of simulate it is a table as well",
}


def page(command, *name):
    return subprocess.run([command, "help", *name], capture_output=True, text=True, check=True,
                          env={**os.environ, "COLUMNS": "1000"}).stdout


def options_of(text):
    """Returns (letter, name, argument, meaning) of each option of a page."""
    for line in text.splitlines():
        found = re.match(r"  (?:-(.), |    )--([a-z][a-z-]*)(\[?=(\S+)\]?)?\s{2,}(.*)$", line)
        if found:
            yield found[1], found[2], found[3], re.split(r" \(default|;", found[5])[0].strip()


def one_meaning(name, meanings):
    assert (len(meanings) > 1) == (name in DIFFER), meanings


def main():
    command = sys.argv[1]
    names = re.findall(r"^  ([a-z]+) +\S", page(command).split("Commands:")[1], re.M)
    said = collections.defaultdict(lambda: collections.defaultdict(list))
    letters = collections.defaultdict(set)
    for name in names:
        for letter, option, argument, meaning in options_of(page(command, name)):
            said[option][argument, meaning].append(name)
            letters[letter or f"--{option}"].add(option)
    assert len(said) > 60, len(said)
    for option in sorted(option for option, meanings in said.items() if sum(map(len, meanings.values())) > 1):
        tap.check(f"--{option}", one_meaning, option, dict(said[option]))
    for letter, options in sorted(letters.items()):
        if len(letter) == 1:
            tap.check(f"-{letter}", lambda of: one_meaning("", dict.fromkeys(of)), options)
    tap.finish()


main()

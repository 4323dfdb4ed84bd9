#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks every source of a configured build directory for warnings, without creating objects. This takes a minute,
while a build finds them later.

    python3 .ci/syntax.py BUILD_DIRECTORY

The compiler is the one of that directory and warnings are as it has them. Sources that the build itself makes are left to it.
Exits 1 if one is not clean.
"""
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys


def commands(build):
    """Yields one command per source, macros and instruction set; objects of shared and static libraries have the same."""
    seen = set()
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        words = shlex.split(entry["command"])
        source = pathlib.Path(entry["directory"], entry["file"])
        told = frozenset(w for w in words if w.startswith(("-D", "-m")))
        if source.is_file() and (source, told) not in seen:
            seen.add((source, told))
            yield source, entry["directory"], without_output(words) + ["-fsyntax-only"]


def without_output(words):
    """Returns the command without ccache, the object file and the list of headers."""
    kept, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word in ("-o", "-MF", "-MQ"):
            skip = True
        elif word not in ("-c", "-MD") and os.path.basename(word) != "ccache":
            kept.append(word)
    return kept


def complaints(job):
    source, directory, words = job
    run = subprocess.run(words, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return run.stdout if run.returncode or run.stdout else ""


def main():
    jobs = list(commands(pathlib.Path(sys.argv[1])))
    if not jobs:
        print("no source to look at")
        return 1
    faults = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for said in pool.map(complaints, jobs):
            print(said, end="")
            faults += bool(said)
    print(f"{len(jobs)} sources looked at, {faults} not clean")
    return faults != 0


if __name__ == "__main__":
    sys.exit(main())

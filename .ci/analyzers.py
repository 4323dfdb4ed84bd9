#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs an analyzer on each installed source with the options of a build directory, on all processors:

    python3 .ci/analyzers.py fanalyzer BUILD_DIRECTORY      gcc -fanalyzer, without what FANALYZER below explains
    python3 .ci/analyzers.py clang-tidy BUILD_DIRECTORY     with .clang-tidy
    python3 .ci/analyzers.py cppcheck BUILD_DIRECTORY       with .ci/cppcheck.txt

FILE... after these are the only ones, from the root of the sources ("lib/base/sink.c"). Nothing but findings is printed; the exit code says whether there are any. The build directory need not be built.
"""
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys

sys.dont_write_bytecode = True
from syntax import without_output  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("lib", "urdf", "tools")

# Disabled warnings of -fanalyzer in gcc 12. Enabled are leaks, double free, use after free, files, signal handlers, and
# unchecked results of allocations.
FANALYZER = {
    "use-of-uninitialized-value": "it loses arrays that loops and memcpy fill; valgrind and clang-tidy look at the same",
    "null-dereference": "memory of a td_stack is NULL where its size is found alone (lib/base/stack.h), and then not used; "
                        "clang-tidy looks at the same",
}


def commands(build):
    """Returns each source once, with its compile command. Omits kernels, which neither branch on numbers nor allocate."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        path = (pathlib.Path(entry["directory"]) / entry["file"]).resolve()
        if path.is_relative_to(ROOT) and path.suffix == ".c":
            own = path.relative_to(ROOT)
            if own.parts[0] in FOLDERS and own.parts[:2] != ("lib", "kernel"):
                found.setdefault(own, (entry["directory"], shlex.split(entry["command"])))
    return found


def fanalyzer(build, own, directory, words):
    return [*without_output(words), "-c", "-o", "/dev/null", "-O1", "-fanalyzer", "-fdiagnostics-plain-output",
            *(f"-Wno-analyzer-{name}" for name in FANALYZER)], directory


def clang_tidy(build, own, directory, words):
    return ["clang-tidy", "--quiet", "-p", str(build), str(ROOT / own)], ROOT


def cppcheck(build, own, directory, words):
    flags, places = [], iter(without_output(words))
    for word in places:
        if word.startswith("-D"):
            flags.append(word)
        elif word.startswith("-I") and len(word) > 2:
            flags.append("-I" + str((pathlib.Path(directory) / word[2:]).resolve()))
    return ["cppcheck", "--quiet", "--std=c11", "--enable=warning,portability,performance",
            f"--suppressions-list={ROOT / '.ci/cppcheck.txt'}", "--inline-suppr", *flags, str(own)], ROOT


TOOLS = {"fanalyzer": fanalyzer, "clang-tidy": clang_tidy, "cppcheck": cppcheck}


def run(command):
    words, directory = command
    done = subprocess.run(words, cwd=directory, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    said = [line for line in (done.stdout + done.stderr).splitlines() if not line.endswith(" generated.")]
    return done.returncode != 0 or bool(said), "\n".join(said)


def main():
    tool, build = TOOLS[sys.argv[1]], pathlib.Path(sys.argv[2]).resolve()
    only = sys.argv[3:]
    found = commands(build)
    jobs = [tool(build, own, *found[own]) for own in sorted(found) if not only or str(own) in only]
    if not jobs:
        sys.exit("there are no sources")
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for finds, said in pool.map(run, jobs):
            bad += finds
            if said:
                print(said, flush=True)
    print(f"{len(jobs)} sources, {bad} with findings")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())

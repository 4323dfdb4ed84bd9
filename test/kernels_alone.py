#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every file of lib/kernel must compile by itself without a warning, for lanes and for one double. Without flags, as in
an editor, `real` is double. TAP.

    kernels_alone.py SOURCE_ROOT BUILD_ROOT COMPILER...
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

REALS = ([], ["-DTD_REAL_LANES=2"])
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror", "-Wno-psabi", "-Wno-pragma-once-outside-header",
            # some kernels do not use everything that they define
            "-Wno-unused-function", "-Wno-unused-const-variable"]


def complaints(path, compiler, includes):
    """Returns what the compiler reports for a file, for each kind of number."""
    said = []
    for real in REALS:
        run = subprocess.run(
            [*compiler, "-std=gnu11", "-D_GNU_SOURCE", "-fsyntax-only", "-x", "c", *WARNINGS,
             *includes, *real, str(path)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if run.returncode:
            said.append(" ".join(real) + "\n" + run.stdout)
    return "".join(said)


def main():
    root, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    compiler = sys.argv[3:]
    includes = ["-I", root / "lib", "-I", root / "include", "-I", build / "include"]
    includes = [str(word) for word in includes]
    kernel = root / "lib" / "kernel"
    files = sorted(path for path in kernel.rglob("*") if path.suffix in (".c", ".h"))
    # these are the objects themselves, and the build defines their names
    files = [path for path in files if path.name not in ("kernels.c", "isa.c")]
    print(f"1..{len(files)}")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda path: complaints(path, compiler, includes), files)
        for number, (path, said) in enumerate(zip(files, results), 1):
            print(f"{'not ' if said else ''}ok {number} - {path.relative_to(kernel)}")
            for line in said.splitlines():
                print("#", line)
            failed += bool(said)
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())

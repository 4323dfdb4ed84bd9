# SPDX-License-Identifier: MIT
"""--quiet omits notes and warnings, and changes neither standard output nor the exit code; prints TAP.

    python3 test/quiet.py COMMAND ROBOTS CASES

ROBOTS is the folder of the bundled robots, CASES the folder of the robots in test/tool.
"""
import pathlib
import re
import subprocess
import sys

import tap

command, robots, cases = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
ARM, MANY, MASSLESS = robots / "arm7.urdf", cases / "many_warnings.urdf", cases / "massless.urdf"
RECORDED = "t,joint_1,joint_2,odd\n" + "".join(f"{k / 100},{k * k / 1e5},{k / 300},1\n" for k in range(60))

# arguments of commands that print to standard error and succeed; standard input
NOTES = [
    (["check", MANY], None), (["info", "-v", MANY], None), (["id", MANY], None), (["fk", MANY], None),
    (["id", ARM, "-q", "joint_2=9"], None), (["id", ARM, "--payload", "tool=1", "--wrench", "tool=0,0,1"], None),
    (["id", ARM, "-"], "joint_1,odd\n0,1\n"), (["fk", ARM, "-"], "joint_1\n9\n"), (["simulate", ARM, "--time", "0.05"], None),
    (["trajectory", ARM, "-"], "q:joint_2\n0\n0.5\n"), (["recording", ARM, "-"], RECORDED),
]
# commands that fail, or whose answer is no
ERRORS = [
    (["id", ARM, "-q", "joint_77=1"], None), (["id", "missing.urdf"], None), (["fd", MASSLESS], None), (["check", "missing.urdf"], None),
    (["ik", ARM, "--link", "tool", "--position", "9 0 0"], None), (["fd", MASSLESS, "-"], "t\n0\n"), (["id", ARM, "--no-such-option"], None),
]


def run(words, data, *more):
    given = {"input": data} if data else {"stdin": subprocess.DEVNULL}
    return subprocess.run([command, *map(str, words), *more], capture_output=True, text=True, check=False, **given)


def same_result(loud, quiet):
    assert (loud.returncode, loud.stdout) == (quiet.returncode, quiet.stdout), (loud.returncode, quiet.returncode)


def notes(words, data):
    loud, quiet = run(words, data), run(words, data, "--quiet")
    assert loud.returncode == 0 and loud.stderr, loud
    same_result(loud, quiet)
    assert not quiet.stderr, quiet.stderr
    before = run([words[0], "--quiet", *words[1:]], data)
    assert not before.stderr and before.stdout == loud.stdout, before.stderr


def errors(words, data):
    loud, quiet = run(words, data), run(words, data, "--quiet")
    assert loud.returncode > 0, loud
    same_result(loud, quiet)
    assert bool(quiet.stderr) == bool(loud.stderr) and set(quiet.stderr.splitlines()) <= set(loud.stderr.splitlines()), quiet.stderr


def known():
    """Every command documents --verbose and --quiet."""
    page = run(["help"], None).stdout.split("Commands:")[1]
    for name in re.findall(r"^  ([a-z]+) +\S", page, re.M):
        text = run(["help", name] if name != "help" else ["help", "--help"], None).stdout
        assert "-v, --verbose" in text and "--quiet" in text, name


def verbose():
    """--verbose, before or behind the command, shows warnings and notes that are counted without it."""
    short, whole = run(["id", MANY], None), run(["id", MANY, "--verbose"], None)
    assert (short.returncode, short.stdout) == (whole.returncode, whole.stdout), whole
    assert "note[" in whole.stderr and "note[" not in short.stderr and whole.stderr.count("warning[") > short.stderr.count("warning["), whole
    assert whole.stderr == run(["-v", "id", MANY], None).stderr
    assert not run(["id", MANY, "--verbose", "--quiet"], None).stderr


tap.check("all pages have both", known)
tap.check("--verbose", verbose)
for words, data in NOTES:
    tap.check(f"notes: {' '.join(str(w) for w in words if not isinstance(w, pathlib.Path))}", notes, words, data)
for words, data in ERRORS:
    tap.check(f"errors: {' '.join(str(w) for w in words if not isinstance(w, pathlib.Path))}", errors, words, data)
tap.finish()

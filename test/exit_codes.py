# SPDX-License-Identifier: MIT
"""The same mistake has the same exit code in every command; prints TAP.

    python3 test/exit_codes.py COMMAND ROBOTS CASES

ROBOTS is the folder of the bundled robots, CASES that of the robots of test/tool.
"""
import pathlib
import subprocess
import sys
import tempfile

import tap

GOOD, NEGATIVE, USAGE, FILE, COMPUTE = range(5)
command, robots, cases = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])

# what a command needs beside its FILE
WORDS = {"ik": ["--link", "tool", "--position", "0 0 0.4"], "jacobian": ["--link", "tool"], "explain": ["joint_2"],
         "trajectory": ["points.csv"], "motion": ["points.csv"], "sweep": ["spec.yml"], "export": ["--to", "urdf"],
         "simulate": ["--time", "0.01"], "couple": ["--joint", "joint_2", "--leader", "joint_1"], "plot": ["-o", "x.svg"],
         "bench": ["--measure", "0.001"], "selftest": ["--states", "1"], "diff": [str(robots / "arm7.urdf")],
         "statics": ["--hold", "joint_1"], "view": ["-o", "x.html"]}
OF_TABLES = ["couple", "plot"]  # FILE is a table
NO_FILE = ["help", "robots"]


def run(name, *words):
    return subprocess.run([command, name, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)


def expect(code, name, *words):
    done = run(name, *words)
    assert done.returncode == code, (done.returncode, code, done.args[1:], done.stderr[-500:])
    assert code <= NEGATIVE or done.stderr, done.args


def main():
    page = run("help").stdout.split("Commands:")[1]
    names = [line.split()[0] for line in page.splitlines() if line.startswith("  ") and line[2].isalpha()]
    with tempfile.TemporaryDirectory() as folder:
        missing, broken = pathlib.Path(folder) / "missing.urdf", pathlib.Path(folder) / "broken.urdf"
        broken.write_text((robots / "arm7.urdf").read_text(encoding="utf-8").replace("</robot>", ""), encoding="utf-8")
        empty = pathlib.Path(folder) / "empty.csv"
        empty.write_text("", encoding="utf-8")
        for name in names:
            words = WORDS.get(name, [])
            tap.check(f"{name}: an option that is none", expect, USAGE, name, robots / "arm7.urdf", "--no-such-option")
            if name not in NO_FILE:
                tap.check(f"{name}: no file is named", expect, USAGE, name)
                tap.check(f"{name}: a file that is missing", expect, FILE, name, missing, *words)
                tap.check(f"{name}: a file that is broken", expect, FILE, name, empty if name in OF_TABLES else broken, *words)
            if name not in NO_FILE + OF_TABLES + ["diff"]:
                tap.check(f"{name}: an argument of an option is none", expect, USAGE, name, robots / "arm7.urdf", "--base", "loose", *words)
                tap.check(f"{name}: a joint that is none", expect, USAGE, name, robots / "arm7.urdf", "--lock", "joint_77=0", *words)
    # states and tables
    arm, massless, swing = robots / "arm7.urdf", cases / "massless.urdf", cases / "swing.urdf"
    for name in ["id", "fd", "fk", "mass", "energy", "jacobian", "derivatives"]:
        words = WORDS.get(name, [])
        tap.check(f"{name}: a table that is missing", expect, FILE, name, arm, "missing.csv", *words)
        tap.check(f"{name}: a table without a heading", expect, FILE, name, arm, "/dev/null", *words)
        tap.check(f"{name}: a joint of -q that is none", expect, USAGE, name, arm, "-q", "joint_77=1", *words)
        tap.check(f"{name}: a state that is missing", expect, FILE, name, arm, "--state", "missing.json", *words)
        tap.check(f"{name}: a folder of -o that is missing", expect, FILE, name, arm, "-o", "/nowhere/x.json", "--json", *words)
    for name in ["fk", "ik", "jacobian", "statics"]:
        words = {"ik": ["--position", "0 0 0"]}.get(name, [])
        tap.check(f"{name}: a link that is none", expect, USAGE, name, arm, "--link", "tol", *words)
    for words in [["fd", massless], ["derivatives", massless, "--of", "fd"], ["simulate", massless, "--no-passive"],
                  ["linearize", massless], ["id", swing, "--reactions", "-q", "a=90deg"],
                  ["closure", cases / "plate.urdf", "-q", "slide.x=1"], ["fk", cases / "plate.urdf", "-q", "slide.x=1"],
                  ["energy", cases / "plate.urdf", "-q", "slide.x=1"], ["mass", cases / "plate.urdf", "-q", "slide.x=1"]]:
        tap.check(f"{words[0]}: a state without a result", expect, COMPUTE, *words)
    tap.check("diff: robots that differ", expect, NEGATIVE, "diff", arm, robots / "gripper.urdf")
    tap.check("ik: out of reach", expect, NEGATIVE, "ik", arm, "--link", "tool", "--position", "9 0 0")
    tap.check("check: a good file", expect, GOOD, "check", arm)
    tap.finish()


main()

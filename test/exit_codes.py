# SPDX-License-Identifier: MIT
"""The same mistake has the same exit code in every command; prints TAP.

    python3 test/exit_codes.py COMMAND ROBOTS CASES

ROBOTS is the folder of the bundled robots, CASES the folder of the robots in test/tool.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

import tap

GOOD, NEGATIVE, USAGE, FILE, COMPUTE = range(5)
command, robots, cases = (pathlib.Path(word).resolve() for word in sys.argv[1:4])

# arguments that a command needs in addition to FILE
WORDS = {"ik": ["--link", "tool", "--position", "0 0 0.4"], "jacobian": ["--link", "tool"], "contributions": ["joint_2"],
         "trajectory": ["points.csv"], "recording": ["points.csv"], "sweep": ["spec.yml"], "export": ["--to", "urdf"],
         "simulate": ["--time", "0.01"], "fit": ["--joint", "joint_2", "--leader", "joint_1"], "plot": ["-o", "x.svg"],
         "bench": ["--measure", "0.001"], "verify": ["--states", "1"], "diff": [str(robots / "arm7.urdf")],
         "equilibrium": ["--hold", "joint_1"], "complete": ["points.csv"], "calibrate": ["markers.csv", "marked.csv"], "view": ["-o", "x.html"]}
OF_TABLES = ["fit", "plot"]  # FILE is a table
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
        os.chdir(folder)
        pathlib.Path("states.csv").write_text("t,q:joint_2\n0,0\n", encoding="utf-8")
        pathlib.Path("drive.csv").write_text("t,q:joint_2\n0,0\n0.1,0\n0.2,0.1\n0.3,0.2\n", encoding="utf-8")
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
        for name in ["fk", "ik", "jacobian", "equilibrium"]:
            words = {"ik": ["--position", "0 0 0"]}.get(name, [])
            tap.check(f"{name}: a link that is none", expect, USAGE, name, arm, "--link", "tol", *words)
        for words in [["fd", massless], ["derivatives", massless, "--of", "fd"], ["simulate", massless, "--no-passive"],
                      ["linearize", massless], ["id", swing, "--reactions", "-q", "a=90deg"],
                      ["closure", cases / "plate.urdf", "-q", "slide.x=1"], ["fk", cases / "plate.urdf", "-q", "slide.x=1"],
                      ["energy", cases / "plate.urdf", "-q", "slide.x=1"], ["mass", cases / "plate.urdf", "-q", "slide.x=1"]]:
            tap.check(f"{words[0]}: a state without a result", expect, COMPUTE, *words)
        # arguments of --map and --unit, with and without a table
        table = [arm, "states.csv"]
        for words in [["--unit", "foo"], ["--map", "joint_1"], ["--map", "none=joint_1"], ["--unit", "q:joint_2=foo"]]:
            tap.check(f"id: {' '.join(words)}, with a table", expect, USAGE, "id", *table, *words)
            tap.check(f"id: {' '.join(words)}, without", expect, USAGE, "id", arm, *words)
        for words in [["--map", "q:joint_2=joint_77"], ["--unit", "q:joint_2=mm"], ["--unit", "t=mm"]]:
            tap.check(f"id: {' '.join(words)}", expect, USAGE, "id", *table, *words)
            tap.check(f"id: {' '.join(words)} -o", expect, USAGE, "id", *table, *words, "-o", "x.csv")
            assert not pathlib.Path("x.csv").exists()
        tap.check("simulate: a motion of --drive that cannot rest", expect, COMPUTE, "simulate", arm, "--drive", "drive.csv", "--time", "1")
        tap.check("diff: robots that differ", expect, NEGATIVE, "diff", arm, robots / "gripper.urdf")
        tap.check("ik: out of reach", expect, NEGATIVE, "ik", arm, "--link", "tool", "--position", "9 0 0")
        tap.check("check: a good file", expect, GOOD, "check", arm)
    tap.finish()


main()

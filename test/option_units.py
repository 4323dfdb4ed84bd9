# SPDX-License-Identifier: MIT
"""Options of quantities take units, and refuse those of another quantity; prints TAP.

    python3 test/option_units.py COMMAND ROBOTS CASES

ROBOTS is the folder of the bundled robots, CASES that of the robots of test/tool.
"""
import pathlib
import subprocess
import sys

import tap

command, robots, cases = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
ARM, RODS = str(robots / "arm7.urdf"), str(cases / "rods.urdf")
RECORDED = "t,joint_1,joint_2\n" + "".join(f"{k / 100},{k * k / 1e5},{k / 300}\n" for k in range(60))
ROWS = "joint_1,joint_2\n" + "".join(f"{k * k / 1e5},{k / 300}\n" for k in range(60))
POINTS = "q:joint_2\n0\n0.5\n"
CURVE = "a,b\n0,0\n1,1\n2,0\n3,1\n4,0\n5,0.5\n6,1\n"

# words before the option, the option, two values that are the same, values of other quantities, standard input
SAME = [
    (["simulate", ARM], "--time", "0.25", "250ms", ["5mm", "1rad", "1Hz", "-1s", "0s"], None),
    (["simulate", ARM, "--time", "0.1"], "--step", "0.001", "1000us", ["1mm"], None),
    (["simulate", ARM, "--time", "0.1"], "--rate", "20", "0.02kHz", ["20s", "0Hz", "20mHz"], None),
    (["trajectory", ARM, "-"], "--rate", "10", "10Hz", ["10m"], POINTS),
    (["motion", ARM, "-", "-o", "-"], "--rate", "50", "50 Hz", ["1s"], RECORDED),
    (["motion", ARM, "-", "-o", "-"], "--sampled", "100", "0.1kHz", ["10ms"], ROWS),
    (["motion", ARM, "-", "-o", "-"], "--gap", "0.25", "250ms", ["200mm"], RECORDED),
    (["motion", ARM, "-", "-o", "-", "--filter", "butterworth"], "--cutoff", "5", "5Hz", ["5s"], RECORDED),
    (["motion", ARM, "-", "-o", "-"], "--cable", "tool:0,0,0.5,1,0,0.25,20", "tool:0,0,500mm,100cm,0,0.25m,0.02kN",
     ["tool:0,0,0.1,1,0,0.5,20m", "tool:0,0,0.1N,1,0,0.5,20"], RECORDED),
    (["linearize", ARM], "--dt", "0.01", "10ms", ["10mm"], None),
    (["fk", ARM, "--link", "tool"], "--point", "0,0.5,0.25", "0,50cm,250mm", ["0,0,20ms", "0,0,20deg", "0,0"], None),
    (["jacobian", ARM, "--link", "tool"], "--point", "0,0.5,0.25", "0,50cm,250mm", ["0,0,20N"], None),
    (["linearize", RODS, "--passive", "--gravity", "0,0,0", "--stiffness", "tip"], "--point", "0.5,0,0", "500mm,0,0", ["1kN,0,0"], None),
    (["statics", RODS, "--gravity", "0,0,0", "--link", "tip"], "--point", "0.5,0,0", "500mm,0,0", ["1s,0,0"], None),
    (["id", ARM], "--gravity", "0,0,-9.5", "0,0,-9500mm/s2", ["0,0,-9.5m/s", "0,0,-9.5N"], None),
    (["couple", "-", "--joint", "b", "--leader", "a", "--spline", "3"], "--period", "3.141592653589793", "180deg", ["2s", "2N"], CURVE),
    (["id", ARM], "-q", "joint_2=0.5", "joint_2=500mrad", ["joint_2=1s", "joint_2=1m"], None),
]


def run(words, data):
    given = {"input": data} if data else {"stdin": subprocess.DEVNULL}
    return subprocess.run([command, *words], capture_output=True, text=True, check=False, **given)


def same(words, option, plain, united, data):
    one, other = (run([*words, option, value], data) for value in (plain, united))
    assert one.returncode in (0, 1) and one.stdout, (one.returncode, one.stderr)
    assert one.stdout == other.stdout, (one.stdout[:200], other.stdout[:200], other.stderr[:300])


def refused(words, option, value, data):
    done = run([*words, option, value], data)
    assert done.returncode == 2 and done.stderr and not done.stdout, (done.returncode, done.stderr, done.stdout[:100])


for words, option, plain, united, wrong, data in SAME:
    name = f"{words[0]} {option}"
    tap.check(f"{name} {united} is {plain}", same, words, option, plain, united, data)
    for value in wrong:
        tap.check(f"{name} {value}", refused, words, option, value, data)
tap.check("bench --measure 0ms", lambda: run(["bench", ARM, "--measure", "0ms", "--batch", "2"], None).check_returncode())
tap.check("bench --measure 1mm", refused, ["bench", ARM], "--measure", "1mm", None)
tap.finish()

# SPDX-License-Identifier: MIT
"""Options for quantities accept units, and refuse units of another quantity; prints TAP.

    python3 test/option_units.py COMMAND ROBOTS CASES

ROBOTS is the folder of the bundled robots, CASES the folder of the robots in test/tool.
"""
import pathlib
import subprocess
import sys
import tempfile

import tap

command, robots, cases = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
ARM, GRIPPER = (str(robots / (name + ".urdf")) for name in ("arm7", "gripper"))
RODS, SLIDE = (str(cases / (name + ".urdf")) for name in ("rods", "masses"))
RECORDED = "t,joint_1,joint_2\n" + "".join(f"{k / 100},{k * k / 1e5},{k / 300}\n" for k in range(60))
ROWS = "joint_1,joint_2\n" + "".join(f"{k * k / 1e5},{k / 300}\n" for k in range(60))
POINTS = "q:joint_2\n0\n0.5\n"
CART, CART_POINTS = str(cases / "cart_pole.urdf"), "q:rail,q:pin\n0,0\n1,1\n"
SLIDES = "q:left_slide\n0\n0.5\n"
MEASURED = "q:left_tip_joint\n0.1\n"
MARKED = "q:joint_2,a.x,a.y,a.z,b.x,b.y,b.z\n0.1,0.3,0,0.3,0.39,0,0.3\n0.2,0.3,0.01,0.3,0.39,0.01,0.3\n"
with tempfile.NamedTemporaryFile("w", suffix=".csv", delete=False) as markers:
    markers.write("point,link,x,y,z\na,tool,0,0,0\nb,link_5,0.1,0,0\n")
MARKERS = markers.name
CURVE = "a,b\n0,0\n1,1\n2,0\n3,1\n4,0\n5,0.5\n6,1\n"

# words before the option, the option, two equal values, values of other quantities, standard input
SAME = [
    (["simulate", ARM], "--time", "0.25", "250ms", ["5mm", "1rad", "1Hz", "-1s", "0s"], None),
    (["simulate", ARM, "--time", "0.1"], "--step", "0.001", "1000us", ["1mm"], None),
    (["simulate", ARM, "--time", "0.1"], "--rate", "20", "0.02kHz", ["20s", "0Hz", "20mHz"], None),
    (["trajectory", ARM, "-"], "--rate", "10", "10Hz", ["10m"], POINTS),
    (["recording", ARM, "-", "-o", "-"], "--rate", "50", "50 Hz", ["1s"], RECORDED),
    (["recording", ARM, "-", "-o", "-"], "--sampled", "100", "0.1kHz", ["10ms"], ROWS),
    (["recording", ARM, "-", "-o", "-"], "--gap", "0.25", "250ms", ["200mm"], RECORDED),
    (["recording", ARM, "-", "-o", "-", "--filter", "butterworth"], "--cutoff", "5", "5Hz", ["5s"], RECORDED),
    (["recording", ARM, "-", "-o", "-"], "--cable", "tool:0,0,0.5,1,0,0.25,20", "tool:0,0,500mm,100cm,0,0.25m,0.02kN",
     ["tool:0,0,0.1,1,0,0.5,20m", "tool:0,0,0.1N,1,0,0.5,20"], RECORDED),
    (["linearize", ARM], "--dt", "0.01", "10ms", ["10mm"], None),
    (["fk", ARM, "--link", "tool"], "--point", "0,0.5,0.25", "0,50cm,250mm", ["0,0,20ms", "0,0,20deg", "0,0"], None),
    (["jacobian", ARM, "--link", "tool"], "--point", "0,0.5,0.25", "0,50cm,250mm", ["0,0,20N"], None),
    (["equilibrium", RODS, "--gravity", "0,0,0", "--stiffness", "tip"], "--point", "0.5,0,0", "500mm,0,0", ["1s,0,0", "1kN,0,0"], None),
    (["id", ARM], "--gravity", "0,0,-9.5", "0,0,-9500mm/s2", ["0,0,-9.5m/s", "0,0,-9.5N"], None),
    (["fit", "-", "--joint", "b", "--leader", "a", "--spline", "3"], "--period", "3.141592653589793", "180deg", ["2s", "2N"], CURVE),
    (["trajectory", ARM, "-", "--curve", "trapezoid"], "--acceleration", "1.5707963267948966", "90deg/s2", ["1m/s2", "1rad/s", "1rad/s3", "0", "-1"], POINTS),
    (["trajectory", SLIDE, "-"], "--acceleration", "0.25", "250 mm/s^2", ["1rad/s2"], SLIDES),
    (["trajectory", ARM, "-", "--curve", "jerk-limited", "--acceleration", "2"], "--jerk", "1.5707963267948966", "90deg/s^3", ["1m/s3", "1rad/s2"], POINTS),
    (["calibrate", ARM, MARKERS, "-"], "--noise", "0.001", "1mm", ["1rad", "1s", "0"], MARKED),
    (["ik", ARM, "--points", MARKERS, "-"], "--noise", "0.001", "0.1cm", ["1deg", "-1mm"], MARKED),
    (["calibrate", ARM, MARKERS, "-", "--noise", "1mm"], "--prior", "0.01", "10mm", ["1s", "0", "1mm/s"], MARKED),
    (["calibrate", ARM, MARKERS, "-", "--noise", "1mm"], "--joint-noise", "0.0017453292519943296", "0.1deg", ["1s", "0"], MARKED),
    (["complete", GRIPPER, "-"], "--tolerance", "0.5", "500mrad", ["5mm", "1deg/s", "1s", "0"], MEASURED),
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


def each_kind():
    """Limits of a robot with both types of joints, which move alike: the lower limit applies."""
    texts = [run(["trajectory", CART, "-", *options], CART_POINTS).stdout for options in (
        ["--acceleration", "2"], ["--acceleration", "2", "--acceleration", "1m/s2"],
        ["--acceleration", "1m/s2", "--acceleration", "2rad/s2"], ["--acceleration", "2", "--acceleration", "1rad/s2"],
        ["--acceleration", "1"])]
    assert texts[0] and texts[1] and texts[0] != texts[1] and len(set(texts[1:])) == 1, texts


tap.check("trajectory --acceleration of joints that turn, and of those that slide", each_kind)
tap.check("bench --measure 0ms", lambda: run(["bench", ARM, "--measure", "0ms", "--batch", "2"], None).check_returncode())
tap.check("bench --measure 1mm", refused, ["bench", ARM], "--measure", "1mm", None)
pathlib.Path(MARKERS).unlink()
tap.finish()

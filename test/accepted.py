# SPDX-License-Identifier: MIT
"""An option of a command changes what the command does; every other option is refused, with the commands that have it.

    python3 test/accepted.py COMMAND ROBOTS

The options of a command are read from its manual page. Prints TAP.
"""
import collections
import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import tap

command, robots = (pathlib.Path(word).resolve() for word in sys.argv[1:3])

ROBOT = """<robot name="robot">
  <link name="base"/>{links}
  <joint name="a" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="0.2" upper="2" velocity="5" effort="50"/><dynamics damping="0.1" friction="0.05"/></joint>
  <joint name="b" type="revolute"><parent link="upper"/><child link="hand"/><axis xyz="0 1 0"/>
    <origin xyz="0.4 0 0"/><limit lower="-2" upper="2" velocity="5" effort="50"/></joint>
  <joint name="c" type="revolute"><parent link="hand"/><child link="tip"/><axis xyz="0 1 0"/>
    <origin xyz="0.2 0 0"/><mimic joint="b" multiplier="0.5"/><limit lower="-1" upper="1" velocity="5" effort="50"/></joint>
</robot>
"""
LINK = """
  <link name="{name}"><inertial><mass value="{mass}"/><origin xyz="0.2 0 0"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
FILES = {
    "robot.urdf": ROBOT.format(links="".join(LINK.format(name=name, mass=mass) for name, mass in [("upper", 2), ("hand", 1), ("tip", 0.5)])),
    "other.urdf": ROBOT.format(links="".join(LINK.format(name=name, mass=mass) for name, mass in [("upper", 3), ("hand", 1), ("tip", 0.5)])),
    "states.csv": "t,q:b,label\n0,0.1,x\n0.1,0.2,y\n0.2,0.3,z\n",
    "moves.csv": "t,q:a\n" + "".join(f"{0.01 * i:.2f},{0.5 + 2e-5 * i * i:.6f}\n" for i in range(40)),
    "measured.csv": "t,q:a,q:b,label\n0,0.5,2.5,x\n0.1,0.6,0.1,y\n",
    "markers.csv": "point,link,x,y,z\nm,hand,0,0,0\nn,tip,0.1,0,0\n",
    "marked.csv": "m.x,m.y,m.z,n.x,n.y,n.z\n0.35,0,-0.2,0.45,0,-0.35\n0.3,0,-0.25,0.4,0.01,-0.4\n",
    "points.csv": "q:a\n0.3\n0.5\n0.3\n",
    "state.json": '{"q": {"a": 0.7}}',
    "sweep.yaml": "states: 5\nvary: {q: limits}\nevaluate: [id, motors]\nkeep: [{moments: [tau, motors]}]\n",
}
# arguments of every command but 'help' and 'robots'
WORDS = {"ik": ["--link", "tip", "--position", "0.3 0 -0.4"], "jacobian": ["--link", "tip"], "contributions": ["c"], "trajectory": ["points.csv"],
         "recording": ["moves.csv"], "sweep": ["sweep.yaml"], "export": ["--to", "mjcf"], "simulate": ["--time", "0.05"],
         "bench": ["--measure", "0.001"], "verify": ["--states", "1"], "complete": ["measured.csv"], "calibrate": ["markers.csv", "marked.csv", "--noise", "1mm"], "diff": ["other.urdf"], "view": ["--no-open", "-o", "page.html"]}
OF_TABLES = {"fk", "id", "fd", "mass", "energy", "jacobian", "derivatives", "closure", "equilibrium", "linearize"}
# options that many commands have: arguments, and the robot that they change something of
SHARED = {
    "--base": (["floating"], "robot.urdf"), "--gravity": (["1,0,-5"], "robot.urdf"), "--lock": (["b=0.3"], "robot.urdf"),
    "--start": (["a=0.7"], "robot.urdf"), "--actuated": (["a,c"], "robot.urdf"), "--strict": ([], "warned.urdf"),
    "--open-loops": ([], "loop.urdf"), "--ignore-limits": ([], "robot.urdf"), "--partial": ([], "part.urdf"),
    "--submechanisms": (["missing.yml"], "robot.urdf"), "--closing-frames": (["no_type"], "robot.urdf"),
    "--xacro": (["/missing"], "robot.xacro"), "--xacro-timeout": (["1ms"], "robot.xacro"), "--payload": (["tip=1@0,0,0.1"], "robot.urdf"),
    "--wrench": (["tip=1,2,3"], "robot.urdf"), "--json": ([], "robot.urdf"), "--verbose": ([], "warned.urdf"), "--quiet": ([], "warned.urdf"),
    "-q": (["b=-1.5"], "robot.urdf"), "--qd": (["a=0.5"], "robot.urdf"), "--state": (["state.json"], "robot.urdf"), "--tree": ([], "robot.urdf"),
    "--output": (["out.csv"], "robot.urdf"), "--keep": ([], "robot.urdf"), "--map": (["q:b="], "robot.urdf"), "--unit": (["deg"], "robot.urdf"),
}
# arguments of the invocation with and without the option, behind those of the command
BESIDE = {"--tree": ["-q", "c=0.1"], "--unit": ["-q", "b=-60"], "--qd": ["-q", "b=-1"], "--xacro-timeout": ["--xacro", "yes"]}
# a joint that does not exist shows that the command passes the option on to the loader, which needs it for loops and motors
MISSING = {("check", "--actuated"): ["missing"], ("calibrate", "--unit"): ["mm"],
           **{(name, "--start"): ["missing=1"] for name in ("check", "tree", "complete", "calibrate", "diff", "verify", "sweep")}}
SPECIAL = {"bench", "help", "robots", "fit", "plot"}  # its times differ each time; without a robot
# options whose effect takes time, which one command shows
ONLY = {"--xacro-timeout": {"check"}}
SAMPLED = 4  # of the pairs of a command and an option that it refuses, one in so many is tried
OPPOSITE = {"--passive": "--no-passive", "--no-passive": "--passive"}
UNSEEN = {
    ("sweep", "--fd-plan"): "the same numbers by another algorithm",
    ("check", "--ignore-limits"): "limits decide where loops are assembled", ("tree", "--ignore-limits"): "likewise",
    ("diff", "--ignore-limits"): "likewise",
    ("calibrate", "--ignore-limits"): "limits apply only where its search begins",
    ("verify", "--actuated"): "the identity holds for these motors, too",
    ("tree", "--actuated"): "only --dot shows motors",
    ("info", "--quiet"): "it counts warnings on standard output", ("diff", "--quiet"): "it prints no warnings",
}
# A four-bar linkage with the names of the robot above.
FILES["loop.urdf"] = (robots / "four_bar.urdf").read_text(encoding="utf-8")
for theirs, ours in [("crank_joint", "a"), ("coupler_joint", "b"), ("rocker_joint", "c"), ("crank", "upper"), ("coupler", "hand"), ("rocker", "tip")]:
    FILES["loop.urdf"] = FILES["loop.urdf"].replace(f'"{theirs}"', f'"{ours}"')
# Loads a robot with mimic joints only partly: the joint's parent link is not in the file.
FILES["part.urdf"] = FILES["robot.urdf"].replace('<link name="base"/>', "")
FILES["robot.xacro"] = FILES["robot.urdf"].replace("</robot>", "<xacro:missing/></robot>")
FILES["warned.urdf"] = FILES["robot.urdf"].replace('effort="50"', "", 1).replace('<link name="base"/>', '<link name="base"><sensor/></link>')


def options_of(name):
    """Returns the options on the manual page of a command, each by its long name if it has one."""
    page = subprocess.run([command, "help", "--man", name], capture_output=True, text=True, check=True).stdout
    names = set()
    for line in re.findall(r"^\\fB(\\-.*)$", page, re.M):
        word = line.replace("\\-", "-").replace("\\fB", "")
        long = re.search(r"--[a-z][a-z-]*", word)
        names.add(long[0] if long else word[:2])
    return names - {"--help", "--usage", "--version"}


@functools.lru_cache(maxsize=None)
def result(name, robot, *words):
    """Runs a command in a folder of its own and returns all that it printed and wrote."""
    with tempfile.TemporaryDirectory() as folder:
        for file, text in FILES.items():
            (pathlib.Path(folder) / file).write_text(text, encoding="utf-8")
        extra = [] if name in ("help", "robots") else [robot, *WORDS.get(name, [])]
        done = subprocess.run([command, name, *extra, *words], capture_output=True, cwd=folder, stdin=subprocess.DEVNULL, check=False)
        files = {path.name: path.read_bytes() for path in sorted(pathlib.Path(folder).iterdir()) if path.name not in FILES}
        return done.returncode, done.stdout, done.stderr, files


def changes(name, option):
    words, robot = SHARED[option]
    words = MISSING.get((name, option), words)
    beside = BESIDE.get(option, []) if name in OF_TABLES | {"ik", "contributions"} | ONLY.get(option, set()) else []
    beside = beside + (["states.csv"] if name in OF_TABLES and option in ("--keep", "--map") else [])
    without, with_it = result(name, robot, *beside), result(name, robot, *beside, option, *words)
    assert without != with_it, (words, without)


def refused(name, option, owners):
    done = subprocess.run([command, name, option], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 2 and not done.stdout, done
    named = re.findall(r"'tandem ([a-z]+)'", done.stderr)
    moved = f"'{option}' is not an option here; use '" in done.stderr
    assert moved or (f"'{option}' belongs to" in done.stderr and named == owners[:3]), (done.stderr, owners)


def main():
    page = subprocess.run([command, "help"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^  ([a-z]+) +\S", page.split("Commands:")[1], re.M)
    owners = collections.defaultdict(list)
    options = {name: options_of(name) for name in names}
    for name in names:
        for option in options[name]:
            owners[option].append(name)
    assert len(owners) > 80, sorted(owners)
    for option in sorted(owners):
        for name in names:
            if option in OPPOSITE and name in owners[OPPOSITE[option]]:
                continue  # accepted where it is the default
            if name not in owners[option]:
                if sum(map(ord, name + option)) % SAMPLED:
                    continue  # the same code refuses all
                tap.check(f"{name}: {option} is refused", refused, name, option, owners[option])
            elif option in SHARED and name not in SPECIAL and name in ONLY.get(option, {name}) and (name, option) not in UNSEEN:
                tap.check(f"{name}: {option} changes something", changes, name, option)
    tap.finish()


main()

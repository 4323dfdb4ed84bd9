# SPDX-License-Identifier: MIT
"""JSON keys have the same meaning and shape in all commands; prints TAP.

    python3 test/json_names.py COMMAND ROBOTS

ROBOTS is the folder of the bundled robots. Every command that has --json runs on some of them. Values of coordinates
must be an object of coordinate names and numbers everywhere. Any other key must have one shape.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import tap

command, robots = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()

# the coordinates of gripper.urdf with a floating base, written by hand
DRIVER = ["driver_joint"]
OF_QUANTITY = {"q": [f"base.{c}" for c in ("x", "y", "z", "qx", "qy", "qz", "qw")] + DRIVER,
               "qd": [f"base.{c}" for c in ("wx", "wy", "wz", "vx", "vy", "vz")] + DRIVER,
               "tau": [f"base.{c}" for c in ("mx", "my", "mz", "fx", "fy", "fz")] + DRIVER, "u": DRIVER}
OF_QUANTITY.update(qdd=OF_QUANTITY["qd"], y=OF_QUANTITY["q"], start=OF_QUANTITY["q"])
QUANTITIES = list(OF_QUANTITY)
OF_NAMES = QUANTITIES + ["constraint", "links", "joints", "reactions", "loop_reactions", "values"]  # keys of objects whose members are names

# keys with more than one shape, and the reason
SHAPES = {
    "before": "of diff: whatever differs", "after": "as before",
    "column": "of diagnostics a number, of sweep a name", "columns": "of sweep names, of motion what was found of each",
    "constraint": "of simulate by joint, of a joint that contributions lists its own",
    "gravity": "of info a vector, of a link that contributions lists its share",
    "force": "of a wrench a vector, of a motor the largest with its time",
    "inertia": "of info a record for each link, of a payload a matrix",
    "joints": "of info a count, of tree and contributions records, of recording shares by name", "links": "as joints; of fk poses by name",
    "mimic": "of info a list, of a joint its own", "passive": "whether it counts; of motion its share",
    "position": "of a locked joint a number, of a link a vector", "states": "of sweep, whose files merging reads, also a count", "sweep": "of closure the coordinate that is swept",
    "values": "of sweep --at by name, else numbers in the order of names", "wrenches": "what acts; of motion its share",
}

# arguments of the command; ROBOT stands for the robot's file
CASES = {
    "check": [["ROBOT"]],
    "info": [["ROBOT"], ["four_bar.urdf"], ["flexible_arm.urdf"], ["arm7.urdf", "--lock", "joint_1=0"]],
    "tree": [["ROBOT"], ["four_bar.urdf"]],
    "closure": [["ROBOT", "-q", "driver_joint=0.1", "--qd", "driver_joint=1"], ["four_bar.urdf"], ["ROBOT", "states.csv"],
                ["four_bar.urdf", "--sweep", "crank_joint", "--steps", "3"]],
    "complete": [["ROBOT", "states.csv"]],
    "fk": [["ROBOT"], ["ROBOT", "states.csv", "--link", "rack"]],
    "ik": [["arm7.urdf", "--link", "tool", "--position", "0.3 0 0.3"], ["arm7.urdf", "--link", "tool", "targets.csv"]],
    "calibrate": [["arm7.urdf", "markers.csv", "marked.csv", "--noise", "1mm"]],
    "id": [["ROBOT"], ["ROBOT", "states.csv"], ["ROBOT", "--reactions", "--payload", "rack=1", "--wrench", "rack=0,0,1"]],
    "fd": [["ROBOT"], ["ROBOT", "states.csv"]],
    "simulate": [["ROBOT", "--time", "0.02", "--residual", "--constraints"]],
    "trajectory": [["ROBOT", "points.csv", "--rate", "5"]],
    "recording": [["ROBOT", "recorded.csv"]],
    "sweep": [["ROBOT", "spec.yml"], ["ROBOT", "spec.yml", "--at", "3"]],
    "fit": [["recorded.csv", "--joint", "driver_joint", "--leader", "t", "--degree", "2"]],
    "mass": [["ROBOT"], ["ROBOT", "states.csv"]],
    "derivatives": [["ROBOT"], ["ROBOT", "--of", "fd"], ["ROBOT", "states.csv"]],
    "linearize": [["ROBOT"], ["ROBOT", "--dt", "0.01", "--lqr", "1,1,1"], ["ROBOT", "--inputs", "forces"]],
    "equilibrium": [["ROBOT", "--hold", "driver_joint", "--stiffness", "rack"]],
    "energy": [["ROBOT"], ["ROBOT", "states.csv"]],
    "jacobian": [["ROBOT", "--link", "rack"], ["ROBOT", "states.csv", "--link", "rack"]],
    "contributions": [["ROBOT", "driver_joint"], ["ROBOT", "rack_joint"]],
    "export": [["ROBOT", "--to", "urdf"], ["ROBOT", "--digest"]],
    "view": [["ROBOT", "-o", "x.html"], ["meshes.urdf"]],
    "diff": [["ROBOT", "arm7.urdf"]],
    "verify": [["ROBOT", "--states", "2"]],
    "bench": [["ROBOT", "--measure", "0", "--batch", "2", "--calls", "3"]],
}

TABLES = {
    "states.csv": "t,q:driver_joint,qd:driver_joint,qdd:driver_joint\n0,0.1,0,0\n0.1,0.2,1,0\n",
    "points.csv": "q:driver_joint\n0\n0.5\n",
    "targets.csv": "t,x,y,z\n0,0.3,0,0.3\n0.1,0.3,0.01,0.3\n",
    "markers.csv": "point,link,x,y,z\na,tool,0,0,0\nb,tool,0.1,0,0\n",
    "marked.csv": "t,a.x,a.y,a.z,b.x,b.y,b.z\n0,0.3,0,0.3,0.4,0,0.3\n0.1,0.3,0.01,0.3,0.4,0.01,0.3\n",
    "recorded.csv": "t,driver_joint\n" + "".join(f"{k / 100},{k * k / 1e5}\n" for k in range(60)),
    "meshes.urdf": '<robot name="meshes"><link name="a"><visual><geometry><mesh filename="there.stl"/></geometry></visual></link>'
                   '<link name="b"><visual><geometry><mesh filename="absent.stl"/></geometry></visual></link>'
                   '<joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>',
    "there.stl": "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid s\n",
    "spec.yml": "states: 100\nvary: {q: limits}\nevaluate: [id]\n"
                "keep: [{moments: tau}, {histogram: 'tau:driver_joint', bins: [-5, 5, 5]}]\n",
}


def run(name, *words):
    given = [str(robots / "gripper.urdf") if word == "ROBOT" else str(robots / word) if (robots / word).is_file() else word for word in words]
    done = subprocess.run([command, name, *given, "--json"], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode in (0, 1), (done.returncode, done.stderr)
    found = json.loads(done.stdout)
    assert found["schema_version"] == 2
    found.pop("records", None)  # of info: its keys are the fields of records, as in model files
    return found


def run_view():
    return subprocess.run([command, "view", robots / "gripper.urdf", "-o", "page.html", "--json"], capture_output=True, check=False)


def check_view():
    """The output describes the page that was written, under its default name."""
    found = run("view", "meshes.urdf")
    assert found["output"] == "meshes.html" and pathlib.Path("meshes.html").stat().st_size > 10000
    assert found["meshes"] == 1 and [lost["file"] for lost in found["left_out"]] == ["absent.stl"], found
    assert found["diagnostics"] and found["name"] == "meshes"
    done = subprocess.run([command, "view", "meshes.urdf", "-o", "-", "--json"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "standard output" in done.stderr and not done.stdout, done


def shape(value):
    """Returns the shape of a value in a word, or None if it cannot be determined."""
    if value is None or value in ([], {}):
        return None
    if isinstance(value, list):
        inside = {shape(entry) for entry in value} - {None}
        return f"list of {'/'.join(sorted(inside))}" if inside else None
    if isinstance(value, dict):
        inside = {shape(entry) for entry in value.values()} - {None}
        return "numbers by name" if inside == {"number"} else "object"
    return {bool: "flag", str: "text"}.get(type(value), "number")


def members(value, of=""):
    """Yields all (key, value) of an object and its members, except keys that are names of joints and links."""
    for entry in value if isinstance(value, list) else []:
        yield from members(entry)
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from members(entry, key)
            if of not in OF_NAMES:
                yield key, entry


def check_quantities(found):
    """Values of coordinates must be objects of names and numbers, with the kind of coordinates stated."""
    there = [(key, value) for key, value in members(found) if key in QUANTITIES]
    for key, value in there:
        assert isinstance(value, dict) or value is None, (key, value)
        assert all(isinstance(entry, (int, float, type(None))) for entry in (value or {}).values()), (key, value)
    named = {key for key, _ in there} & {"q", "qd", "qdd", "y"}
    assert not named or found["coordinates"] in ("independent", "tree"), named


def check_case(seen, name, words):
    found = run(name, *words)
    check_quantities(found)
    for key, value in members(found):
        if shape(value) is not None:
            seen[key][shape(value)].add(name)


def check_floating(name, words):
    """The names of a floating base must be the same in all commands."""
    found = run(name, *[word for word in words if word != "--tree"], "--base", "floating")
    there = [(key, value) for key, value in members(found) if key in OF_QUANTITY and value is not None]
    assert there
    for key, value in there:
        assert list(value) == OF_QUANTITY[key], (key, list(value))


def check_shapes(seen):
    several = {key: {kind: sorted(names) for kind, names in kinds.items()} for key, kinds in seen.items() if len(kinds) > 1}
    assert set(several) == set(SHAPES), {key: several.get(key) for key in set(several) ^ set(SHAPES)}


def check_listed():
    page = subprocess.run([command, "help"], capture_output=True, text=True, check=True).stdout.split("Commands:")[1]
    names = [line.split()[0] for line in page.splitlines() if line.startswith("  ") and line[2].isalpha()]
    helps = {name: subprocess.run([command, name, "--help"], capture_output=True, text=True, check=True).stdout for name in names}
    have = {name for name in names if "--json" in helps[name]}
    assert have == set(CASES), have ^ set(CASES)


def main():
    seen = collections.defaultdict(lambda: collections.defaultdict(set))
    tap.check("every command that has --json is here", check_listed)
    for name, cases in CASES.items():
        if name == "view" and run_view().returncode == 4:
            tap.skip(name, "this build has no page")
            continue
        for words in cases:
            tap.check(f"{name} {' '.join(words)}", check_case, seen, name, words)
    for name, words in (("id", ["ROBOT"]), ("fd", ["ROBOT"]), ("derivatives", ["ROBOT"]), ("linearize", ["ROBOT", "--inputs", "forces"]),
                        ("derivatives", ["ROBOT", "--of", "fd"]), ("equilibrium", ["ROBOT", "--hold", "base,driver_joint"]),
                        ("simulate", ["ROBOT", "--time", "0.01"]), ("ik", ["ROBOT", "--link", "rack", "--position", "0 0 1"])):
        tap.check(f"{name} {' '.join(words)} --base floating", check_floating, name, words)
    if run_view().returncode == 4:
        tap.skip("view --json", "this build has no page")
    else:
        tap.check("view --json", check_view)
    tap.check("a key has one shape in all commands", check_shapes, seen)
    tap.finish()


with tempfile.TemporaryDirectory() as folder:
    for title, text in TABLES.items():
        pathlib.Path(folder, title).write_text(text, encoding="utf-8")
    command = os.path.abspath(command)
    os.chdir(folder)
    main()

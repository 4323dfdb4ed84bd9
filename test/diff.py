#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""'tandem export' and 'tandem diff': exports must not differ from their source. Changes made to files by hand must be
found, each with its name, and nothing else. TAP.

    python3 test/diff.py COMMAND DIRECTORY_OF_ROBOTS
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from tap import check, finish  # noqa: E402

command, robots = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
scratch = tempfile.TemporaryDirectory()
folder = pathlib.Path(scratch.name)


def run(*arguments, code=0, text=None):
    done = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True, cwd=robots, input=text)
    assert done.returncode == code, (arguments, done.returncode, done.stdout[:500], done.stderr[:500])
    return done


def differences(a, b, *options, code=1):
    return json.loads(run("diff", a, b, "--json", *options, code=code).stdout)


def digest(path, *options):
    return run("export", path, "--digest", *options).stdout.strip()


def exported(name):
    """An export does not differ from its source, and exporting it again gives the same bytes."""
    first, second = folder / "first.urdf", folder / "second.urdf"
    run("export", name, "--to", "urdf", "-o", first)
    run("export", first, "--to", "urdf", "-o", second)
    assert first.read_bytes() == second.read_bytes()
    said = run("diff", name, first, "--tolerance", "1e-12").stdout
    assert said.startswith("nothing differs\n"), said
    assert digest(name) == digest(first)
    assert run("export", name, "--to", "urdf").stdout == first.read_text()


def locked():
    """Locked joints are exported as fixed joints; without options the rest has the same torques."""
    path = folder / "locked.urdf"
    run("export", "gripper.urdf", "--to", "urdf", "--lock", "driver_joint=0.05", "--payload", "rack=0.3@0,0,0.1", "-o", path)
    text = path.read_text()
    assert text.count('type="fixed"') > (robots / "gripper.urdf").read_text().count('type="fixed"')
    options = ["--lock", "joint_2=0.4", "--lock", "joint_4=-0.3", "--payload", "tool=2@0,0,0.1,0.01,0.02,0.03,0,0,0"]
    run("export", "arm7.urdf", "--to", "urdf", *options, "-o", path)
    state = "joint_1=0.1,joint_3=0.2,joint_5=-0.7,joint_6=1"
    tau = [json.loads(run("id", *p, "-q", state, "--json").stdout)["tau"] for p in (["arm7.urdf", *options], [path])]
    for name, value in tau[0].items():
        assert abs(value - tau[1][name]) <= 1e-12 * max(1, abs(value)), name
    assert digest("arm7.urdf", *options) == digest(path)


# robot, pattern, replacement, element and field of the difference; the n-th occurrence of the pattern
PLANTED = [
    ("arm7.urdf", r'<mass value="[^"]*"', '<mass value="1.234567"', 3, r"link '", "mass", True),
    ("arm7.urdf", r'iyz="[^"]*"', 'iyz="0.0001"', 2, r"link '", "inertia", True),
    ("arm7.urdf", r'<inertial>\s*<origin xyz="[^"]*"', '<inertial><origin xyz="0.1 0.2 0.3"', 2, r"link '", "center of mass", True),
    ("arm7.urdf", r'<axis xyz="[^"]*"', '<axis xyz="0 0.6 0.8"', 3, r"joint '", "axis", True),
    ("arm7.urdf", r'xyz="0 -0\.02 0\.24"', 'xyz="0 -0.02 0.25"', 0, "joint 'joint_3'", "position of its origin", True),
    ("arm7.urdf", r'rpy="1\.5707963267948966 0 0"', 'rpy="1.57 0 0"', 0, r"joint '", "rotation of its origin", True),
    ("arm7.urdf", r'damping="[^"]*"', 'damping="7"', 2, r"joint '", "damping", True),
    ("arm7.urdf", r'friction="[^"]*"', 'friction="7"', 2, r"joint '", "friction", True),
    ("arm7.urdf", r'lower="[^"]*"', 'lower="-0.123"', 1, r"joint '", "lower limit", False),
    ("arm7.urdf", r'effort="[^"]*"', 'effort="1234"', 1, r"joint '", "effort limit", False),
    ("arm7.urdf", r'velocity="[^"]*"', 'velocity="1234"', 1, r"joint '", "velocity limit", False),
    ("gripper.urdf", r'multiplier="[^"]*"', 'multiplier="0.777"', 1, r"joint '", "multiplier", True),
    ("gripper.urdf", r' offset="[^"]*"', ' offset="0.0777"', 0, r"joint '", "offset", True),
    ("cam_finger.urdf", r'0\.12 -0\.05', '0.13 -0.05', 0, "joint 'bend'", "value", True),
    ("stewart.urdf", r'xyz="0\.10288403666264266 0\.10288403666264265 0"', 'xyz="0.1028 0.10288403666264265 0"', 0, r"loop 'end_2'",
     "position in the successor", True),
    ("gripper.urdf", r'<actuator name="[^"]*"', '<actuator name="other"', 0, "transmission of joint 'driver_joint'", "actuator", False),
    ("gripper.urdf", r'<type>transmission_interface/', '<type>other_interface/', 0, "transmission of joint 'driver_joint'", "type", False),
    ("four_bar.urdf", r'<robot name="[^"]*"', '<robot name="other"', 0, "robot", "name", False),
]


def fields(said):
    return [(d["of"], d["what"]) for d in said["differences"]]


def planted(robot, pattern, replacement, n, what, field, dynamic):
    text = (robots / robot).read_text()
    places = list(re.finditer(pattern, text))
    assert len(places) > n, f"only {len(places)} places"
    changed = folder / "changed.urdf"
    place = places[n]
    changed.write_text(text[:place.start()] + place.expand(replacement) + text[place.end():])
    said = differences(robot, changed)
    found = [d for d in said["differences"] if d["what"] == field]
    assert len(found) == 1 and len(said["differences"]) == 1, fields(said)
    assert re.match(what, found[0]["of"]) and found[0]["dynamic"] == dynamic, found
    assert said["same"] is False
    assert said["torques"]["differs"] == (dynamic and field != "lower limit"), said["torques"]
    assert (said["files"][0]["digest"] != said["files"][1]["digest"]) == (dynamic or field == "lower limit" or robot == "four_bar.urdf")
    text = run("diff", robot, changed, code=1).stdout
    heading = "differences that affect dynamics:" if dynamic else "differences that do not affect dynamics:"
    assert heading in text and found[0]["of"] in text.split(heading)[1].split("\n")[1], text


def renamed():
    """Renaming a link and a joint is recognized as such; renaming removed and added elements is not."""
    text = (robots / "arm7.urdf").read_text()
    other = folder / "renamed.urdf"
    other.write_text(text.replace('"tool"', '"hand"').replace('"joint_3"', '"third"'))
    said = differences("arm7.urdf", other)
    assert sorted(fields(said)) == [("joint 'joint_3'", "name"), ("link 'tool'", "name")], fields(said)
    assert said["torques"]["compared"] and not said["torques"]["differs"]
    other.write_text(text.replace('"tool"', '"hand"').replace('effort="', 'effort="9'))
    assert ("link 'tool'", "name") in fields(differences("arm7.urdf", other))
    more = '<link name="extra"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    more += '<joint name="more" type="continuous"><parent link="tool"/><child link="extra"/><axis xyz="0 0 1"/></joint></robot>'
    other.write_text(text.replace("</robot>", more))
    said = differences("arm7.urdf", other)
    assert fields(said) == [("link 'extra'", "added"), ("joint 'more'", "added")], fields(said)
    assert not said["torques"]["compared"]
    said = differences(other, "arm7.urdf")
    assert fields(said) == [("link 'extra'", "removed"), ("joint 'more'", "removed")], fields(said)


def spring(x, stiffness):
    return f"""<drake:linear_spring_damper><drake:linear_spring_damper_body_A name="base"/>
<drake:linear_spring_damper_p_AP value="{x} 0 0"/><drake:linear_spring_damper_body_B name="tool"/>
<drake:linear_spring_damper_p_BQ value="0 0 0"/><drake:linear_spring_damper_free_length value="0.4"/>
<drake:linear_spring_damper_stiffness value="{stiffness}"/><drake:linear_spring_damper_damping value="3"/></drake:linear_spring_damper>"""


def without_names():
    """Springs are identified by their number, on either side."""
    text = (robots / "arm7.urdf").read_text().replace("<robot ", '<robot xmlns:drake="http://drake.mit.edu" ', 1)
    one, two = folder / "one.urdf", folder / "two.urdf"
    one.write_text(text.replace("</robot>", spring(1, 10) + "</robot>"))
    two.write_text(text.replace("</robot>", spring(1, 11) + spring(2, 10) + "</robot>"))
    assert fields(differences(one, two)) == [("spring 1", "stiffness"), ("spring '2'", "added")], fields(differences(one, two))
    assert fields(differences(two, one)) == [("spring 1", "stiffness"), ("spring '2'", "removed")]


def vectors():
    """Vectors that differ in their last digits are printed with these digits."""
    text = (robots / "arm7.urdf").read_text()
    other = folder / "near.urdf"
    found = 'xyz="0 -0.02 0.24"'
    assert found in text
    other.write_text(text.replace(found, 'xyz="0 -0.02 0.2400000000003"'))
    said = run("diff", "arm7.urdf", other, "--tolerance", "0", code=1).stdout
    assert "0 -0.02 0.24 " in said and "0 -0.02 0.2400000000003" in said, said


def tolerances():
    text = (robots / "arm7.urdf").read_text()
    other = folder / "near.urdf"
    mass = re.findall(r'<mass value="([^"]*)"', text)[2]
    other.write_text(text.replace(f'<mass value="{mass}"', f'<mass value="{float(mass) * (1 + 1e-7)!r}"', 1))
    run("diff", "arm7.urdf", other, code=1)
    run("diff", "arm7.urdf", other, "--tolerance", "1e-6")
    run("diff", "arm7.urdf", "arm7.urdf", "--tolerance", "0")


def faults():
    assert "--to urdf or --to mjcf" in run("export", "arm7.urdf", code=2).stderr
    assert "not 'sdf'" in run("export", "arm7.urdf", "--to", "sdf", code=2).stderr
    assert "--fit applies to" in run("export", "arm7.urdf", "--to", "urdf", "--fit", code=2).stderr
    assert "TD-X001" in run("export", "yoke.urdf", "--to", "mjcf", code=4).stderr
    said = json.loads(run("export", "yoke.urdf", "--to", "mjcf", "-o", folder / "x.xml", "--json", code=4).stdout or "{}")
    assert not said and not (folder / "x.xml").exists()
    own = folder / "own.urdf"
    own.write_text((robots / "arm7.urdf").read_text())
    run("export", own, "--to", "urdf", "-o", own, code=2)
    assert own.read_text() == (robots / "arm7.urdf").read_text()
    assert "two FILEs" in run("diff", "arm7.urdf", code=2).stderr
    assert "more than two FILEs" in run("diff", "arm7.urdf", "arm7.urdf", "arm7.urdf", code=2).stderr
    run("diff", "arm7.urdf", "absent.urdf", code=3)
    run("diff", "absent.urdf", "arm7.urdf", code=3)
    broken = folder / "broken.urdf"
    broken.write_text('<robot name="r"><link name="a"/><link name="b"/></robot>')
    run("diff", broken, "arm7.urdf", code=3)
    assert "nonnegative number" in run("diff", "arm7.urdf", "arm7.urdf", "--tolerance", "x", code=2).stderr
    for output in ([], ["-o", "-"]):
        said = json.loads(run("export", "arm7.urdf", "--to", "mjcf", "--json", *output).stdout)
        assert said["text"].startswith("<mujoco") and said["digest"] == digest("arm7.urdf") and said["output"] is None
    assert run("diff", "-", "arm7.urdf", text=(robots / "arm7.urdf").read_text()).returncode == 0


for name in sorted(p.name for p in robots.glob("*.urdf")):
    check(f"{name}: its export differs in nothing", exported, name)
check("what is locked and carried is part of the file", locked)
for row in PLANTED:
    check(f"{row[0]}: another {row[5]} is found", planted, *row)
check("other names of the same", renamed)
check("what has no name", without_names)
check("vectors that are near each other", vectors)
check("tolerances", tolerances)
check("what is wrong is said", faults)
finish()

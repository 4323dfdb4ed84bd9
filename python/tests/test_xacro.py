# SPDX-License-Identifier: MIT
"""Loading xacro files, with a program in place of xacro (test/urdf/xacro.sh)."""
import pathlib

import pytest

import tandem

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "test" / "urdf" / "xacro.sh"
ARM = """<robot name="$(arg name)" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="name" default="arm"/>
<link name="hand"><inertial><mass value="$(arg mass)"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link></robot>"""


@pytest.fixture(name="arm")
def file_of_arm(tmp_path):
    path = tmp_path / "an arm.urdf.xacro"
    path.write_text(ARM)
    return path


def test_the_program_gets_the_arguments(arm, tmp_path, monkeypatch):
    robot = tandem.load(arm, xacro=PROGRAM, xacro_arguments={"name": "it's $HOME", "mass": 2.5})
    assert (robot.name, robot.total_mass) == ("it's $HOME", 2.5)
    assert [d.code for d in robot.diagnostics if d.code.startswith("URDF-X")] == ["URDF-X046"]
    assert robot.links[0].source.file == str(arm) and robot.links[0].source.line == 3
    (tmp_path / "xacro").symlink_to(PROGRAM)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert tandem.load(str(arm), xacro_arguments={"name": "r", "mass": 1}, locked={}).name == "r"


def test_failures_have_diagnostics(arm, monkeypatch):
    def codes(*arguments, **options):
        with pytest.raises(tandem.ModelError) as error:
            tandem.load(*arguments, **options)
        return [d.code for d in error.value.diagnostics]

    assert codes(arm, xacro=PROGRAM, xacro_arguments={"do": "fail"}) == ["URDF-X043"]
    assert codes(arm, xacro=PROGRAM, xacro_arguments={"do": "hang"}, xacro_timeout=0.1) == ["URDF-X043"]
    assert codes(arm, xacro=None) == codes(ARM) == codes(ARM.encode(), name=str(arm)) == ["URDF-X040"]
    assert codes("tandem:gripper", xacro_arguments={"a": 1}) == ["URDF-X044"]
    monkeypatch.setenv("PATH", "/nowhere")
    assert codes(arm) == ["URDF-X042"]

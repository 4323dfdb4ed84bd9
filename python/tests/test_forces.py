# SPDX-License-Identifier: MIT
"""Wrenches by name: all notations give the same numbers; states and values with units; bundled robots."""
import copy
import os
import pathlib
import pickle
import subprocess
import sys

import numpy as np
import pytest

import tandem
from conftest import ROBOTS, load

DOWN = -2.776785682056955  # change of the torque of joint_2 by 20 N down at the tool of arm7, joint_2 = 0.5


@pytest.fixture
def bent(arm):
    return arm.state(joint_2=0.5)


def change(robot, y, forces):
    return robot.inverse_dynamics(y, forces=forces) - robot.inverse_dynamics(y)


@pytest.mark.parametrize("wrench", [
    tandem.Wrench(force=(0, 0, -20)), tandem.Wrench((0, 0, -20), frame="aligned"), {"force": (0, 0, -20)},
    {"force": [0, 0, -20], "moment": (0, 0, 0), "point": None, "frame": None}, tandem.Wrench((0, 0, -20), point=(0, 0, 0))])
def test_a_force_down_is_the_same_whichever_way(arm, bent, wrench):
    for forces in (arm.forces({"tool": wrench}), tandem.Forces(wrenches={"tool": wrench}), tandem.Forces({"tool": wrench}, passive=True)):
        plain = arm.inverse_dynamics(bent, forces=tandem.Forces(passive=bool(forces.pointer.passive)))
        assert (arm.inverse_dynamics(bent, forces=forces) - plain)[1] == pytest.approx(DOWN, abs=1e-12)
        rows = arm.inverse_dynamics([bent, bent], forces=forces)
        assert (rows - plain)[:, 1] == pytest.approx(DOWN, abs=1e-12)


def test_frames_and_arrays(arm, bent):
    pose, index = arm.link_pose("tool", bent), arm.names.links.index("tool")
    force = np.array([0, 0, -20.0])
    rows = np.zeros((len(arm.names.links), 6))
    rows[index, 3:] = force
    same = [tandem.Forces(rows), tandem.Forces(rows, frame="aligned"),
            arm.forces({"tool": {"force": pose[:, :3].T @ force}}, frame="body"),
            arm.forces({"tool": {"force": pose[:, :3].T @ force, "frame": "body"}}),
            arm.forces({"tool": tandem.Wrench(force, np.cross(pose[:, 3], force), frame=tandem.Frame.WORLD)}),
            tandem.Forces({index: tandem.Wrench(force)})]
    for forces in same:
        np.testing.assert_allclose(change(arm, bent, forces)[1], DOWN, atol=1e-12)
    two = arm.forces({"tool": tandem.Wrench(force), "link_3": tandem.Wrench(force)})
    one = arm.forces({"link_3": tandem.Wrench(force)})
    np.testing.assert_allclose(change(arm, bent, two), change(arm, bent, one) + change(arm, bent, same[0]), atol=1e-12)


def test_points_turn_with_their_link(arm):
    y = arm.random_configuration(4, seed=2)
    force, moment, point = np.array([1.0, 2.0, -20.0]), np.array([0.5, 0, 0]), np.array([0.0, 0.02, 0.1])
    forces = arm.forces({"tool": tandem.Wrench(force, moment, point), "link_3": tandem.Wrench(2 * force)})
    yd, ydd = np.ones(7), np.full(7, -0.5)
    tau = arm.inverse_dynamics(y, yd, ydd, forces)
    for row, found in zip(y, tau):
        R = arm.link_pose("tool", row)[:, :3]
        there = arm.forces({"tool": tandem.Wrench(force, moment + np.cross(R @ point, force)), "link_3": tandem.Wrench(2 * force)})
        np.testing.assert_allclose(found, arm.inverse_dynamics(row, yd, ydd, there), atol=1e-12)
        np.testing.assert_allclose(arm.inverse_dynamics(row, yd, ydd, forces), found, atol=1e-12)
        np.testing.assert_allclose(arm.joint_reactions(row, forces=forces), arm.joint_reactions(row, forces=there), atol=1e-12)
    in_body = arm.forces({"tool": tandem.Wrench(force, moment, point, "body")})
    at_origin = arm.forces({"tool": tandem.Wrench(force, moment + np.cross(point, force), None, "body")})
    np.testing.assert_allclose(arm.inverse_dynamics(y, forces=in_body), arm.inverse_dynamics(y, forces=at_origin), atol=1e-12)
    # derivatives include the rotation of the lever arm
    d, step = arm.inverse_dynamics_derivatives(y[0], yd, ydd, forces), 1e-6
    along = [(arm.inverse_dynamics(y[0] + s * step * yd, yd, ydd, forces)) for s in (-1, 1)]
    np.testing.assert_allclose(d.dtau_y_dy @ yd, (along[1] - along[0]) / (2 * step), rtol=1e-6, atol=1e-6)


def test_results_at_points_are_of_the_links_of_the_robot(arm, bent):
    forces = arm.forces({"tool": tandem.Wrench((0, 0, -20), point=(0, 0, 0.1))})
    links, joints = len(arm.names.links), len(arm.names.joints)
    assert arm.joint_reactions(bent, forces=forces).shape == (joints, 6)
    out = np.zeros((2, joints, 6))
    assert arm.joint_reactions([bent, bent], forces=forces, out=out) is out and np.abs(out).max() > 1
    with pytest.raises(ValueError, match=rf"out .* expected \(2, joints={joints}, 6\)"):
        arm.joint_reactions([bent, bent], forces=forces, out=np.zeros((2, joints + 1, 6)))
    terms = arm.dynamics_terms(bent, None, forces, want=("C", "poses"))
    assert terms.poses.shape == (links, 3, 4)
    np.testing.assert_allclose(terms.C, arm.bias_force(bent, forces=forces), atol=1e-12)
    statuses = np.full(2, -1, np.intc)
    tau = arm.tree.inverse_dynamics([bent, np.full(7, np.nan)], forces=forces, statuses=statuses)
    np.testing.assert_allclose(tau[0], arm.inverse_dynamics(bent, forces=forces), atol=1e-12)
    assert list(statuses) == [0, tandem.Status.NOT_FINITE]
    with pytest.raises(tandem.DynamicsError) as caught:
        arm.joint_reactions(np.full(7, np.nan), forces=forces)
    assert caught.value.result.shape == (joints, 6)
    given = np.ones(7, bool)
    np.testing.assert_allclose(arm.hybrid_dynamics(bent, given=given, forces=forces, ydd=np.zeros(7), tau_y=np.zeros(7)).tau_y,
                               arm.inverse_dynamics(bent, forces=forces), atol=1e-12)


def test_points_on_changed_robots(arm, bent):
    forces = tandem.Forces({"tool": tandem.Wrench((0, 0, -20), point=(0, 0, 0.1))})
    expected = change(arm, bent, forces)
    for robot in (arm, arm.with_payload("flange", 2.0), arm.with_gravity((0, 0, 0)), arm.with_threads(2), arm.with_path(),
                  pickle.loads(pickle.dumps(arm))):
        np.testing.assert_allclose(change(robot, bent, forces), expected, atol=1e-12)
        np.testing.assert_allclose(robot.tree.gravity_force(bent) + expected, robot.tree.inverse_dynamics(bent, forces=forces), atol=1e-12)
    for other in (pickle.loads(pickle.dumps(forces)), copy.deepcopy(forces)):
        np.testing.assert_array_equal(change(arm, bent, other), expected)


def test_loops_with_wrenches_at_points():
    bars = load("four_bar")
    y = bars.reference + 0.2
    forces = bars.forces({"coupler": {"force": (1, 0, 2), "point": (0.1, 0, 0)}})
    J = bars.link_jacobian("coupler", y, (0.1, 0, 0))
    np.testing.assert_allclose(change(bars, y, forces), -J[3:].T @ [1, 0, 2], atol=1e-10)


def test_a_floating_robot_with_wrenches_at_points():
    robot = load("humanoid", floating=True)
    y = robot.integrate(robot.reference, np.random.default_rng(4).uniform(-0.2, 0.2, robot.nyd))
    link, point, force = robot.names.links[-1], np.array([0.1, -0.2, 0.05]), np.array([3.0, -1.0, 2.0])
    J = robot.link_jacobian(link, y, point)
    np.testing.assert_allclose(change(robot, y, robot.forces({link: {"force": force, "point": point}})), -J[3:].T @ force, atol=1e-10)


def test_a_link_of_any_name_has_points():
    text = ("<robot name='r'><link name='a'/><link name='b \"1\" \\ ü'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' "
            "ixz='0' iyz='0'/></inertial></link><joint name='j' type='continuous'><parent link='a'/><child link='b \"1\" \\ ü'/>"
            "<axis xyz='0 0 1'/></joint></robot>")
    robot = tandem.load(text)
    forces = robot.forces({robot.names.links[1]: {"force": (0, 1, 0), "point": (0.5, 0, 0)}})
    assert robot.inverse_dynamics([0.0], forces=forces)[0] == pytest.approx(-0.5)


def test_what_else_takes_forces(arm, bent):
    forces = tandem.Forces({"tool": tandem.Wrench((0, 0, -20), point=(0, 0, 0.1))}, passive=True)
    tau = arm.inverse_dynamics(bent, forces=forces)
    np.testing.assert_allclose(arm.linearize(bent, forces=forces).u, tau, atol=1e-10)
    motion = arm.simulate(bent, time=1e-3, forces=forces, act=lambda at: tau)
    np.testing.assert_allclose(motion.ydd[0], 0, atol=1e-9)
    by_name = arm.simulate(bent, time=1e-3, forces=tandem.Forces({"tool": tandem.Wrench((0, 0, -20))}, passive=True),
                           act=lambda at: arm.inverse_dynamics(bent, forces=arm.forces({"tool": {"force": (0, 0, -20)}})))
    np.testing.assert_allclose(by_name.ydd[0], 0, atol=1e-9)
    assert arm.link_compliance("tool", bent, forces=forces, held=arm.names.y).K.shape == (7, 7)
    with pytest.raises(ValueError, match="wrenches at points"):
        arm.simulate(bent, forces=forces, wrenches=True)


def test_each_state_has_its_own_wrenches(arm):
    rng = np.random.default_rng(5)
    y, yd = arm.random_configuration(4, seed=3), rng.standard_normal((4, 7))
    force, moment, point = rng.standard_normal((4, 3)), rng.standard_normal(3), (0.0, 0.02, 0.1)
    for frame, at in (("aligned", None), ("aligned", point), ("body", point), ("world", None)):
        forces = arm.forces({"tool": tandem.Wrench(force, moment, at), "link_3": {"moment": 2 * force}}, frame=frame)
        one = [arm.forces({"tool": tandem.Wrench(f, moment, at), "link_3": {"moment": 2 * f}}, frame=frame) for f in force]
        for name in ("inverse_dynamics", "forward_dynamics", "bias_force", "joint_reactions"):
            f = getattr(arm, name)
            np.testing.assert_allclose(f(y, yd, forces=forces), [f(*row, forces=w) for *row, w in zip(y, yd, one)], rtol=1e-12, atol=1e-10)
        # broadcasts one state to leading axes
        np.testing.assert_allclose(arm.inverse_dynamics(y[0], forces=forces), [arm.inverse_dynamics(y[0], forces=w) for w in one],
                                   rtol=1e-12, atol=1e-10)
        both = arm.inverse_dynamics(y[:2, None], forces=forces)
        assert both.shape == (2, 4, 7)
        np.testing.assert_allclose(both[1, 2], arm.inverse_dynamics(y[1], forces=one[2]), rtol=1e-12, atol=1e-10)
    d = arm.inverse_dynamics_derivatives(y, yd, forces=forces)
    np.testing.assert_allclose(d.dtau_y_dy[3], arm.inverse_dynamics_derivatives(y[3], yd[3], forces=one[3]).dtau_y_dy, rtol=1e-12, atol=1e-10)
    given = np.arange(7) < 3
    found = arm.hybrid_dynamics(y, given=given, forces=forces, ydd=np.zeros(7), tau_y=np.zeros(7)).tau_y
    np.testing.assert_allclose(found[2], arm.hybrid_dynamics(y[2], given=given, forces=one[2], ydd=np.zeros(7), tau_y=np.zeros(7)).tau_y,
                               rtol=1e-12, atol=1e-10)


def test_wrenches_of_many_states_go_along_with_parts_of_the_batch(arm):
    n = 20000  # more states than one part of a batch
    rows = np.zeros((n, len(arm.names.links), 6))
    rows[:, -1, 5] = np.arange(n)
    tau = arm.inverse_dynamics(arm.state(joint_2=0.5), forces=tandem.Forces(rows))
    assert tau.shape == (n, 7)
    np.testing.assert_allclose(np.diff(tau[:, 1]), tau[1, 1] - tau[0, 1], rtol=1e-6)
    with pytest.raises(ValueError, match="wrenches for each of several states"):
        arm.linearize(arm.state(), forces=tandem.Forces(rows))
    with pytest.raises(ValueError, match="leading axes do not broadcast: y .3,., forces .20000,."):
        arm.inverse_dynamics(arm.random_configuration(3, seed=1), forces=tandem.Forces(rows))
    with pytest.raises(ValueError, match="forces has wrenches on 2 links"):
        arm.inverse_dynamics(arm.state(), forces=tandem.Forces(rows[:, :2]))
    assert tandem.Wrench(rows[:, 0, :3]) == tandem.Wrench(rows[:, 0, :3]) != tandem.Wrench((1, 0, 0)) == tandem.Wrench([1, 0, 0])


def test_each_state_has_its_own_payload(arm):
    rng = np.random.default_rng(6)
    y, yd = arm.random_configuration(4, seed=3), rng.standard_normal((4, 7))
    mass, com = rng.uniform(0.5, 2, 4), rng.uniform(-0.1, 0.1, (4, 3))
    heavy = arm.with_payload("flange", mass, com, (0.01, 0, 0, 0.02, 0, 0.01)).with_payload("link_3", 1.0)
    heavy = heavy.with_payload("tool", mass=0.5 * mass)
    one = [arm.with_payload("flange", m, c, (0.01, 0, 0, 0.02, 0, 0.01)).with_payload("link_3", 1.0).with_payload("tool", 0.5 * m)
           for m, c in zip(mass, com)]
    for name, given in (("inverse_dynamics", (y, yd)), ("forward_dynamics", (y, yd)), ("mass_matrix", (y,)), ("center_of_mass", (y,)),
                        ("gravity_force", (y,))):
        found = getattr(heavy, name)(*given)
        np.testing.assert_array_equal(found, [getattr(robot, name)(*row) for robot, *row in zip(one, *given)])
    np.testing.assert_allclose(heavy.tree.gravity_force(y), heavy.gravity_force(y), atol=1e-12)
    np.testing.assert_array_equal(heavy.inverse_dynamics(y.reshape(2, 2, 7)), heavy.inverse_dynamics(y).reshape(2, 2, 7))
    assert hash(heavy) == hash(pickle.loads(pickle.dumps(heavy)))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(heavy)).gravity_force(y), heavy.gravity_force(y))
    np.testing.assert_array_equal(heavy.without_payloads().gravity_force(y), arm.gravity_force(y))
    np.testing.assert_array_equal(heavy.with_payload("flange", 1.0).with_payload("tool", 0).gravity_force(y),
                                  arm.with_payload("flange", 1.0).with_payload("link_3", 1.0).gravity_force(y))
    for call in (lambda: heavy.gravity_force(y[0]), lambda: heavy.gravity_force(y[:3]), lambda: heavy.simulate(y[0], time=0.1),
                 lambda: heavy.mass_matrix_derivatives(y)):
        with pytest.raises(ValueError, match="the robot has payloads for 4 states"):
            call()
    with pytest.raises(ValueError, match="3 states, but another link has payloads for 4"):
        heavy.with_payload("link_3", [1.0, 2, 3])


def test_wrenches_that_act_are_in_the_axes_of_the_world(arm, bent):
    rows = np.zeros((len(arm.names.links), 6))
    rows[arm.names.links.index("tool"), 5] = -20
    hold = arm.gravity_force(bent) + change(arm, bent, tandem.Forces(rows))
    motion = arm.simulate(bent, time=1e-3, wrenches=True, act=lambda at: tandem.Action(tau=hold, wrenches=rows))
    np.testing.assert_allclose(motion.ydd[0], 0, atol=1e-9)


@pytest.mark.parametrize("wrenches, error, says", [
    ({"tool": [0, 0, -20, 0, 0, 0]}, TypeError, r"write tandem.Wrench\(force=\(fx, fy, fz\), moment=\(mx, my, mz\)\)"),
    ({"tool": np.zeros(6)}, TypeError, "no names"),
    ({"tool": {"forces": (0, 0, 1)}}, TypeError, "'forces', expected some of force, moment, point, frame"),
    ({"tool": {"force": (0, 1)}}, ValueError, r"force has shape .2,., expected .\.\.\., 3."),
    ({"tool": {"force": "20N"}}, TypeError, "force is '20N', expected three numbers"),
    ({"tol": {"force": (0, 0, 1)}}, ValueError, "no link 'tol'; did you mean 'tool'"),
    ({"tool": {"force": (0, 0, 1), "frame": "link"}}, ValueError, "'link' is not one of 'world', 'body', 'aligned'"),
    ({"tool": {"force": (0, 0, 1), "frame": "body"}, "flange": {"force": (0, 0, 1), "frame": "world"}}, ValueError, "in the same frame"),
    ({"tool": {"force": (0, 0, 1), "point": (0, 0, 1), "frame": "world"}}, ValueError, "has a point, but frame 'world'")])
def test_what_is_no_wrench_says_how_to_write_it(arm, bent, wrenches, error, says):
    with pytest.raises(error, match=says):
        arm.forces(wrenches)
    with pytest.raises(error, match=says):
        arm.inverse_dynamics(bent, forces=tandem.Forces(wrenches))


# ---- states


def test_states_nobody_named_are_the_reference():
    robot = load("stewart")
    np.testing.assert_array_equal(robot.state(), robot.reference)
    np.testing.assert_array_equal(robot.tree.state(), robot.tree.reference)
    assert not robot.velocity().any()
    arm = load("arm7", start={"joint_2": 0.4})
    assert arm.state()[1] == 0.4 and arm.state(joint_2=0.1)[1] == 0.1 and not arm.neutral().any() and arm.state(joint_1=1)[1] == 0.4
    limited = tandem.load((ROBOTS / "arm7.urdf").read_text().replace('lower="-2.0" upper="2.0"', 'lower="0.5" upper="2.0"'))
    assert np.array_equal(limited.state(), limited.reference)


def test_motion_from_actuators_begins_at_the_reference(stewart):
    y = stewart.integrate(stewart.reference, np.full(stewart.nyd, 0.02))
    np.testing.assert_allclose(stewart.motion_from_actuators(stewart.motion_to_actuators(y).position).y, y, atol=1e-9)


def test_gravity_of_the_panda_is_that_of_the_command():
    found = sorted((pathlib.Path(os.environ.get("TANDEM_DATA", ROBOTS.parents[2] / "shared")) / "models").rglob("panda.urdf"))
    if not found:
        pytest.skip("there is no panda.urdf")
    assert any(abs(panda.gravity_force(panda.state()) - -5.306).min() < 1e-3 for panda in map(tandem.load, found))


@pytest.mark.parametrize("text, value", [
    ("90deg", np.pi / 2), ("90 deg", np.pi / 2), ("-pi/2", -np.pi / 2), ("2*pi", 2 * np.pi), ("0.3", 0.3), ("+.5rad", 0.5), ("500mrad", 0.5),
    ("0.25rev", np.pi / 2), ("3pi/4rad", 3 * np.pi / 4), ("1e-3", 1e-3), ("90°", np.pi / 2), ("1.", 1.0)])
def test_values_with_units(arm, text, value):
    assert arm.state(joint_2=text)[1] == pytest.approx(value, abs=1e-15)


def test_units_of_lengths_and_velocities():
    screw = load("linear_leg")
    slide = next(name for name in screw.names.q if screw._model.domain_of(name, False) == "m")
    at = screw.names.q.index(slide)
    for text, value in (("0.1m", 0.1), ("5mm", 0.005), ("2cm", 0.02), ("1in", 0.0254), ("0.2", 0.2)):
        assert screw.tree.state({slide: text})[at] == pytest.approx(value, abs=1e-15)
    at = screw.names.qd.index(slide)
    assert screw.tree.velocity({slide: "5mm/s"})[at] == 0.005 and screw.tree.velocity({slide: "5mm/s2"})[at] == 0.005
    arm = load("arm7")
    assert arm.velocity(joint_2="60rpm")[1] == pytest.approx(2 * np.pi) and arm.velocity(joint_2="10deg/s^2")[1] == pytest.approx(np.pi / 18)


@pytest.mark.parametrize("call, says", [
    (lambda arm: arm.state(joint_2="5mm"), "'joint_2' is an angle: its positions are in rad, mrad, deg or rev, not mm"),
    (lambda arm: arm.state(joint_2="5deg/s"), "'joint_2' is an angle: .* not deg/s"),
    (lambda arm: arm.velocity(joint_2="5deg"), "'joint_2' is an angle: its velocities are in rad/s, .* not deg"),
    (lambda arm: arm.state(joint_2="5s"), "'joint_2' is an angle: .* not s"),
    (lambda arm: arm.state(joint_2="5 miles"), "'joint_2': '5 miles' is not a value"),
    (lambda arm: arm.state(joint_2="deg"), "'joint_2': 'deg' is not a value"),
    (lambda arm: arm.state(joint_2=""), "'joint_2': '' is not a value"),
    (lambda arm: arm.state(joint_2="nan"), "'joint_2': 'nan' is not a value"),
    (lambda arm: arm.state(joint_2="1/0"), "'joint_2': '1/0' is not finite"),
    (lambda arm: load("arm7", floating=True).state({"base.qw": "1rad"}), "'base.qw' is part of a quaternion, which has no unit, not rad")])
def test_wrong_units_name_the_joint(arm, call, says):
    with pytest.raises(ValueError, match=says):
        call(arm)


def test_positions_of_locked_and_starting_joints_have_units():
    text = (ROBOTS / "hand_a.urdf").read_bytes()
    for option in ("locked", "start"):
        arm = tandem.load("tandem:arm7", **{option: {"joint_2": "90deg", "joint_4": -0.25}})
        assert arm == tandem.load("tandem:arm7", **{option: {"joint_2": np.pi / 2, "joint_4": -0.25}}) and arm != tandem.load("tandem:arm7")
        hand = tandem.load(text, **{option: {"wx": 0.02}})
        assert tandem.load(text, **{option: {"wx": "20mm"}}) == hand != tandem.load(text)
        assert tandem.Builder(urdf=text).finish(**{option: {"wx": "20mm"}}) == tandem.Builder(urdf=text).finish(**{option: {"wx": 0.02}})


@pytest.mark.parametrize("option", ["locked", "start"])
def test_positions_of_locked_and_starting_joints_refuse_other_units(option):
    with pytest.raises(ValueError, match="'joint_2' is an angle: its positions are in rad, mrad, deg or rev, not mm"):
        tandem.load("tandem:arm7", **{option: {"joint_2": "5mm"}})
    with pytest.raises(ValueError, match="'joint_2' is an angle: .* not deg/s"):
        tandem.load("tandem:arm7", **{option: {"joint_2": "5deg/s"}})
    with pytest.raises(tandem.ModelError, match="elbow"):
        tandem.load("tandem:arm7", **{option: {"elbow": "5deg"}})


# ---- robots that come with tandem


def test_bundled_robots_are_found_by_name(monkeypatch, tmp_path):
    assert tandem.load("tandem:arm7") == tandem.load("tandem:arm7.urdf") == load("arm7")
    monkeypatch.delenv("TANDEM_ROBOTS", raising=False)
    here = pathlib.Path(tandem.__file__).parent / "robots"
    assert sorted(path.name for path in here.glob("*.urdf")) == sorted(path.name for path in ROBOTS.glob("*.urdf"))
    assert tandem.load("tandem:gripper") == load("gripper")
    with pytest.raises(tandem.ModelError, match="tandem:griper: .*tandem includes no robot with this name\n.*did you mean tandem:gripper"):
        tandem.load("tandem:griper")
    with pytest.raises(tandem.ModelError, match="no robot with this name"):
        tandem.load("tandem:../robots/gripper")
    monkeypatch.setenv("TANDEM_ROBOTS", str(tmp_path))
    with pytest.raises(tandem.ModelError, match="there are no robots in .*\n.*set TANDEM_ROBOTS") as raised:
        tandem.load("tandem:gripper")
    assert raised.value.status == tandem.Status.IO


def test_bundled_robots_are_found_in_any_folder(tmp_path):
    environment = {name: value for name, value in os.environ.items() if name != "TANDEM_ROBOTS"}
    done = subprocess.run([sys.executable, "-c", "import tandem; print(tandem.load('tandem:gripper').nv)"], cwd=tmp_path, env=environment,
                          capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "6\n"), done.stderr

# SPDX-License-Identifier: MIT
"""Inverse kinematics: targets from forward kinematics, rows, wished-for goals, loops, errors."""
import numpy as np
import pytest

import tandem
from conftest import load
from tandem import Goal, GoalKind


def pose_of(robot, link, y):
    pose = robot.link_poses(y)[robot._link_index(link)]
    position, quaternion = tandem.pose_split(pose)
    return np.concatenate([position, quaternion])


def test_poses_and_rows():
    robot = load("arm7")
    states = robot.random_configuration(20)
    targets = np.array([pose_of(robot, "tool", y) for y in states])
    rows = robot.inverse_kinematics("tool", targets)
    assert rows.y.shape == (20, 7) and rows.left.shape == (20, 1, 2) and rows.reached.all()
    for target, y, left in zip(targets, rows.y, rows.left):
        found = pose_of(robot, "tool", y)
        assert np.abs(found[:3] - target[:3]).max() < 1.01e-6 and abs(abs(found[3:] @ target[3:]) - 1) < 1e-12
        one = robot.inverse_kinematics("tool", target)
        assert one.reached is True and np.array_equal(one.y, y) and np.array_equal(one.left, left)
        assert np.array_equal(one.q, y)
    seeds = robot.inverse_kinematics("tool", targets, rows.y)
    assert np.array_equal(seeds.y, rows.y) and not seeds.iterations.any()
    far = robot.inverse_kinematics("tool", targets[0] + np.array([9, 0, 0, 0, 0, 0, 0]), restarts=3)
    assert far.reached is False and far.status == tandem.IkStatus.NEAREST and far.left[0, 0] > 5


def test_poses_as_matrices():
    robot = load("arm7")
    states = robot.random_configuration(5)
    poses = robot.link_pose("tool", states)
    expected = robot.inverse_kinematics("tool", np.concatenate(tandem.pose_split(poses), axis=1))
    for targets in (poses, tandem.pose_matrix(poses)):
        assert np.array_equal(robot.inverse_kinematics("tool", targets).y, expected.y)
        assert np.array_equal(robot.inverse_kinematics("tool", targets[0]).y, expected.y[0])
    both = robot.inverse_kinematics(["tool", Goal(GoalKind.POSTURE, required=False)], [poses[0], robot.state()])
    assert both.reached and len(robot.inverse_kinematics_all("tool", poses[0]).y) > 1
    for wrong in (2 * poses[0], -poses[0], np.full((3, 4), np.nan)):
        with pytest.raises(ValueError, match="not a rotation matrix"):
            robot.inverse_kinematics("tool", wrong)
    with pytest.raises(ValueError, match=r"Goal\(GoalKind.POSITION, link\) is of a position alone"):
        robot.inverse_kinematics("tool", [0.4, 0.1, 0.5])
    with pytest.raises(ValueError, match=r"expected \(3,\)"):
        robot.inverse_kinematics(Goal(GoalKind.POSITION, "tool"), poses[0])


def test_following_and_held():
    robot = load("arm7")
    point = Goal(GoalKind.POSITION, "tool_tip", point=(0, 0, 0.1))
    path = np.array([[0.35, 0.3 * np.sin(t), 0.4] for t in np.linspace(0, 1, 40)])
    first = robot.inverse_kinematics(point, path[0])
    along = robot.inverse_kinematics(point, path, first.y, follow=True)
    assert along.reached.all() and np.abs(np.diff(along.y, axis=0)).max() < 0.1
    held = robot.inverse_kinematics(point, path[5], first.y, held=["joint_1"])
    assert held.y[0] == first.y[0]


def test_wishes():
    robot = load("arm7")
    home = robot.random_configuration(seed=4) * 0.3
    goals = [Goal(GoalKind.POSITION, "tool"), Goal(GoalKind.POSTURE, required=False)]
    posture = robot.inverse_kinematics(goals, [pose_of(robot, "tool", home)[:3] + 0.01, home], home)
    assert posture.reached and posture.left[0, 0] < 1e-6 and posture.left[1, 1] < 0.2
    alone = robot.inverse_kinematics(goals[0], pose_of(robot, "tool", home)[:3] + 0.01)
    assert np.linalg.norm(posture.y - home) <= np.linalg.norm(alone.y - home)


def test_loops():
    robot = load("stewart")
    y = robot.reference
    target = pose_of(robot, "platform_2", y) + np.array([0.01, -0.005, 0.01, 0, 0, 0, 0])
    found = robot.inverse_kinematics("platform_2", target)
    assert found.reached
    assert np.abs(pose_of(robot.with_start(found.q), "platform_2", found.y) - target).max() < 2e-6


def test_lists_and_rows_with_errors():
    robot = load("arm7")
    states = robot.random_configuration(6)
    targets = np.array([pose_of(robot, "tool", y) for y in states])
    one = robot.inverse_kinematics("tool", targets[0])
    listed = robot.inverse_kinematics(["tool"], [targets[0]])
    assert listed.y.shape == (7,) and listed.reached is True and np.array_equal(listed.y, one.y)
    rows = robot.inverse_kinematics(["tool"], [targets])
    targets[2, 3:] = 2
    targets[4, 0] = np.nan
    bad = robot.inverse_kinematics("tool", targets)
    good = [0, 1, 3, 5]
    assert np.array_equal(bad.y[good], rows.y[good]) and np.isnan(bad.y[[2, 4]]).all() and np.isnan(bad.q[2]).all()
    assert list(bad.errors) == [0, 0, int(tandem.Status.QUATERNION), 0, int(tandem.Status.NOT_FINITE), 0]
    assert not bad.reached[[2, 4]].any() and bad.reached[good].all()


def test_threads():
    robot = load("arm7")
    targets = np.array([pose_of(robot, "tool", y) for y in robot.random_configuration(40)])
    one, three = (r.inverse_kinematics("tool", targets) for r in (robot, robot.with_threads(3)))
    for name in ("y", "q", "left", "iterations", "evaluations"):
        assert np.array_equal(getattr(one, name), getattr(three, name))


def test_all():
    robot = load("arm7")
    held = ["joint_3"]
    target = pose_of(robot, "tool", np.array([0.3, 0.5, 0, 1.1, 0.2, 0.7, 0.1]))
    found = robot.inverse_kinematics_all("tool", target, held=held)
    assert 2 <= len(found.y) <= 16 and found.left.max() < 1e-6 and np.array_equal(found.y, found.q)
    assert (np.diff(np.linalg.norm(found.y - robot.state(), axis=1)) >= 0).all()
    assert len(robot.inverse_kinematics_all("tool", target, most=1, held=held).y) == 1
    assert len(robot.inverse_kinematics_all("tool", target + np.array([9, 0, 0, 0, 0, 0, 0]), starts=20).y) == 0
    with pytest.raises(ValueError, match="rows"):
        robot.inverse_kinematics_all("tool", [target])


def test_path():
    robot = load("arm7")
    begin, end = np.array([0.3, 0.5, 0, 1.1, 0.2, 0.7, 0.1]), np.array([-0.3, 0.9, 0.3, 0.8, 0.1, 0.9, 0.5])
    states = begin + np.linspace(0, 1, 50)[:, None] * (end - begin)
    targets = np.array([pose_of(robot, "tool", y) for y in states])
    path = robot.inverse_kinematics_path("tool", targets, begin)
    assert path.reached.all() and not path.jump.any() and not path.errors.any() and path.starts >= 1
    assert path.y.shape == (50, 7) and np.allclose(path.change[1:], np.abs(np.diff(path.y, axis=0)).max(axis=1))
    assert (path.smallest > 0).all() and not path.singular.all()
    targets[7, 0] = np.nan
    assert list(np.flatnonzero(robot.inverse_kinematics_path("tool", targets, begin).errors)) == [7]


def test_errors():
    robot = load("arm7")
    with pytest.raises(ValueError, match="shape"):
        robot.inverse_kinematics("tool", np.zeros(6))
    with pytest.raises(ValueError, match="needs a link"):
        robot.inverse_kinematics(Goal(GoalKind.AXIS), np.ones(3))
    with pytest.raises(ValueError, match="2 goals"):
        robot.inverse_kinematics(["tool", "tool_tip"], [np.zeros(7)])
    with pytest.raises(ValueError, match="seed"):
        robot.inverse_kinematics("tool", [0, 0, 0, 0, 0, 0, 1], np.zeros(3))
    with pytest.raises(ValueError):
        robot.inverse_kinematics([], [])
    with pytest.raises(ValueError):
        robot.inverse_kinematics(Goal(GoalKind.POSE, "tool", weight=-1), [0, 0, 0, 0, 0, 0, 1])
    with pytest.raises((KeyError, ValueError), match="toole"):
        robot.inverse_kinematics("toole", [0, 0, 0, 0, 0, 0, 1])
    with pytest.raises(tandem.DynamicsError):
        robot.inverse_kinematics("tool", [0, 0, 0, 0, 0, 0, 2])
    pose = [0.3, 0, 0.5, 0, 0, 0, 1]
    for wrong in ({"point": (0, 0)}, {"turn": (0, 0, 1)}, {"axis": (1, 0)}, {"other_point": ()}, {"point": (0, 0, np.nan)},
                  {"point": [[0, 0, 0]]}, {"point": 0.0}):
        with pytest.raises(ValueError, match=f"{list(wrong)[0]} of a goal is .*finite numbers"):
            robot.inverse_kinematics(Goal(GoalKind.POSE, "tool", **wrong), pose)
    for name in ("most", "starts", "random"):
        with pytest.raises(ValueError, match=f"{name} is -1"):
            robot.inverse_kinematics_all("tool", pose, **{name: -1})
    with pytest.raises(ValueError, match="restarts is -3"):
        robot.inverse_kinematics("tool", pose, restarts=-3)
    with pytest.raises(ValueError, match="starts is -1"):
        robot.inverse_kinematics_path("tool", [pose], starts=-1)
    with pytest.raises(TypeError):
        robot.inverse_kinematics_all("tool", pose, most=2.5)


def test_numbers_of_numpy():
    robot = load("arm7")
    link = robot.names.links.index("tool")
    target = pose_of(robot, "tool", np.full(7, 0.3))
    found = robot.inverse_kinematics("tool", target, restarts=2)
    for index in (link, np.int64(link), np.int32(link)):
        again = robot.inverse_kinematics(index, target, restarts=np.int64(2))
        assert again.y.shape == (7,) and np.array_equal(again.y, found.y)
        rate = robot.inverse_kinematics_rate(index)(np.full(7, 0.3), [0, 0, 0.1, 0, 0, 0])
        assert rate.reached
    apart = Goal(GoalKind.DISTANCE, "tool", other_point=np.array([0, 0, 0.2]))
    one = robot.inverse_kinematics(apart, 0.5)
    assert one.reached is True and one.y.shape == (7,)
    assert abs(np.linalg.norm(pose_of(robot, "tool", one.y)[:3] - [0, 0, 0.2]) - 0.5) < 1e-5
    for target in ([0.5], np.float64(0.5)):
        assert np.array_equal(robot.inverse_kinematics(apart, target).y, one.y)
    assert np.array_equal(robot.inverse_kinematics([apart], [0.5]).y, one.y)

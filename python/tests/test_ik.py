# SPDX-License-Identifier: MIT
"""Inverse kinematics: targets by forward kinematics, rows, wishes, loops, errors."""
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
    y = robot.independent_coordinates(robot.reference).y
    target = pose_of(robot, "platform_2", y) + np.array([0.01, -0.005, 0.01, 0, 0, 0, 0])
    found = robot.inverse_kinematics("platform_2", target)
    assert found.reached
    assert np.abs(pose_of(robot.with_start(found.q), "platform_2", found.y) - target).max() < 2e-6


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

# SPDX-License-Identifier: MIT
"""Differential inverse kinematics: comparison with SciPy's bounded least squares, tracking of a line, bounds, errors."""
import numpy as np
import pytest

import tandem
from conftest import load
from tandem import Goal, GoalKind


def test_against_scipy():
    optimize = pytest.importorskip("scipy.optimize")
    robot = load("arm7")
    rate = robot.inverse_kinematics_rate("tool", velocities=1.0, damping=0.0)
    random = np.random.default_rng(2)
    near = 0
    for y in 0.6 * robot.random_configuration(100):
        J = _jacobian(robot, y)
        v = random.uniform(-1, 1, 6)
        found = rate(y, v)
        best = optimize.lsq_linear(J, v, (-1, 1), method="bvls", tol=1e-14)
        assert (np.abs(found.yd) <= 1).all()
        assert np.linalg.norm(J @ found.yd - v) < np.linalg.norm(best.fun) + 1e-8
        if not best.success:  # SciPy may fail
            continue
        assert abs(np.hypot(*found.left[0]) - np.linalg.norm(best.fun)) < 1e-8
        near += found.status == tandem.RateStatus.NEAREST
    assert 10 < near


def _jacobian(robot, y, h=1e-6):
    """Returns rows v and ω of the link's frame, by finite differences."""
    index = robot._link_index("tool")
    J = np.zeros((6, robot.nyd))
    for k in range(robot.nyd):
        a, b = (robot.link_poses(y + s * h * np.eye(robot.ny)[k])[index].reshape(3, 4) for s in (-1, 1))
        W = (b[:, :3] - a[:, :3]) @ (0.5 * (a[:, :3] + b[:, :3])).T / (2 * h)
        J[:, k] = *((b[:, 3] - a[:, 3]) / (2 * h)), W[2, 1], W[0, 2], W[1, 0]
    return J


def test_a_line():
    robot = load("arm7")
    goals = [Goal(GoalKind.POSITION, "tool_tip"), Goal(GoalKind.POSTURE, required=False)]
    rate = robot.inverse_kinematics_rate(goals, step=0.01, accelerations=20.0)
    y, yd = np.array([0.1, 0.6, 0, 1.0, 0, 0.8, 0]), np.zeros(7)
    index = robot._link_index("tool_tip")
    begin = robot.link_poses(y)[index].reshape(3, 4)[:, 3]
    for k in range(100):
        last = yd
        found = rate(y, [[0, 0.1 * min(k / 20, 1), 0.02], np.zeros(7)], yd)
        assert found.reached or k == 0
        yd = found.yd
        assert (np.abs(yd - last) <= 0.2 + 1e-12).all()
        y = robot.integrate(y, 0.01 * yd)
    way = robot.link_poses(y)[index].reshape(3, 4)[:, 3] - begin
    assert np.abs(way - [0, 0.1 * (0.01 * (80 + 9.5)), 0.02]).max() < 1e-3
    assert (found.smallest > 0) and found.largest >= found.smallest and found.active.shape == (robot.nv,)


def test_bounds_of_followers():
    robot = load("gripper")
    follower = next(i for i in range(len(robot.joints)) if robot.joint_place(i).dependent)
    place = robot.joint_place(follower)
    most = np.full(robot.nv, np.inf)
    most[place.qd] = 0.05
    rate = robot.inverse_kinematics_rate(Goal(GoalKind.POSTURE), velocities=most)
    found = rate(robot.state(), np.full(robot.nyd, 2.0))
    qd = robot.tree_state(robot.state(), found.yd).qd
    assert abs(abs(qd[place.qd]) - 0.05) < 1e-12 and found.active[place.qd] != 0
    assert found.status == tandem.RateStatus.NEAREST


def test_held():
    robot = load("arm7")
    y, v = np.array([0.1, 0.6, 0.2, 1.0, 0.3, 0.8, 0.2]), [0.1, 0.2, -0.1]
    free = robot.inverse_kinematics_rate(Goal(GoalKind.POSITION, "tool_tip"))(y, v)
    held = robot.inverse_kinematics_rate(Goal(GoalKind.POSITION, "tool_tip"), held=["joint_1", "joint_4"])(y, v)
    assert free.reached and held.reached and (np.abs(free.yd[[0, 3]]) > 1e-3).all()
    assert not held.yd[[0, 3]].any()


def test_errors():
    robot = load("arm7")
    with pytest.raises(ValueError, match="needs a link"):
        robot.inverse_kinematics_rate(Goal(GoalKind.AXIS))
    with pytest.raises(ValueError):
        robot.inverse_kinematics_rate("tool", step=0)
    rate = robot.inverse_kinematics_rate("tool")
    with pytest.raises(ValueError, match="velocities"):
        rate(np.zeros(7), np.zeros(5))
    with pytest.raises(tandem.DynamicsError):
        rate(np.zeros(7), np.full(6, np.nan))

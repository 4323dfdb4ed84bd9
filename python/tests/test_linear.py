# SPDX-License-Identifier: MIT
"""Linear models: comparison with derivatives of the dynamics and NumPy's eigenvalues; residuals of regulators, equilibria
and compliances; errors.
"""
import numpy as np
import pytest

import tandem
from conftest import load


def test_matrices_are_those_of_the_derivatives():
    robot = load("arm7")
    random = np.random.default_rng(1)
    y, yd, u = random.normal(size=(3, 7))
    linear = robot.linearize(y, yd, u, inputs="forces")
    derivatives = robot.forward_dynamics_derivatives(y, yd, u)
    ydd, along, rate, inverse = derivatives
    n = 7
    assert np.array_equal(linear.A[:n], np.hstack([np.zeros((n, n)), np.eye(n)]))
    assert np.allclose(linear.A[n:], np.hstack([along, rate]), rtol=1e-14, atol=1e-14)
    assert np.array_equal(linear.B, np.vstack([np.zeros((n, n)), inverse]))
    assert np.array_equal(linear.ydd, ydd) and np.array_equal(linear.u, u)
    held = robot.linearize(y, yd)
    assert np.allclose(held.u, robot.inverse_dynamics(y, yd), rtol=1e-12) and abs(held.ydd).max() < 1e-9
    values = held.eigenvalues()
    expected = np.linalg.eigvals(held.A)
    assert np.allclose(np.sort(np.abs(values)), np.sort(np.abs(expected)), rtol=1e-9, atol=1e-6)
    size, damping = held.modes()
    assert np.allclose(size, np.abs(values)) and np.allclose(np.nan_to_num(damping) * size, -values.real)
    assert held.reached() == 14
    reach = held.reach()
    assert (reach.reached, reach.most) == (14, 14) and reach.margin.shape == (14,) and reach.margin.min() > 1e-6
    Ad, Bd = held.discrete(1e-4)
    assert np.allclose(Ad, np.eye(14) + 1e-4 * held.A, atol=1e-4) and np.allclose(Bd, 1e-4 * held.B, atol=1e-3)


def test_regulators_solve_their_equations():
    robot = load("gripper")
    linear = robot.linearize(robot.state(driver_joint=0.2))
    Q, R = np.diag([10.0, 1.0]), np.array([[0.1]])
    for dt in (None, 0.01):
        K, S = linear.regulator(Q, R, dt)
        A, B = (linear.A, linear.B) if dt is None else linear.discrete(dt)
        if dt is None:
            left = A.T @ S + S @ A - S @ B @ K + Q
            assert np.allclose(K, np.linalg.solve(R, B.T @ S)) and np.linalg.eigvals(A - B @ K).real.max() < 0
        else:
            left = A.T @ S @ (A - B @ K) + Q - S
            assert np.abs(np.linalg.eigvals(A - B @ K)).max() < 1
        assert np.abs(left).max() < 1e-9 * np.abs(S).max()
    with pytest.raises(tandem.Error, match="no gain"):
        tandem.regulator(np.eye(2), np.zeros((2, 1)), Q, R)
    with pytest.raises(ValueError):
        tandem.regulator(np.eye(2), np.ones((2, 1)), Q, -R)
    with pytest.raises(ValueError, match="shape"):
        tandem.regulator(np.eye(2), np.ones((2, 1)), np.eye(3), R)


ROD = """<robot name="crank_and_slider"><link name="base"/>
  <link name="wheel"><inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0"
    iyz="0"/></inertial></link>
  <link name="rod"><inertial><origin xyz="0.2 0 0"/><mass value="0.5"/><inertia ixx="0" iyy="0.01" izz="0.01" ixy="0" ixz="0"
    iyz="0"/></inertial></link>
  <link name="block"><inertial><mass value="0.3"/><inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="crank" type="revolute"><parent link="base"/><child link="wheel"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="9" velocity="9"/></joint>
  <joint name="slide" type="prismatic"><parent link="base"/><child link="block"/><origin xyz="0.6 0 0"/><axis xyz="1 0 0"/>
    <limit lower="-2" upper="2" effort="9" velocity="9"/></joint>
  <joint name="tilt" type="continuous"><parent link="wheel"/><child link="arm"/><origin xyz="0.2 0 0"/><axis xyz="0 1 0"/></joint>
  <link name="arm"/> <link name="fork"/>
  <joint name="swing" type="continuous"><parent link="arm"/><child link="fork"/><axis xyz="0 0 1"/></joint>
  <joint name="turn" type="continuous"><parent link="fork"/><child link="rod"/><axis xyz="1 0 0"/></joint>
  <loop name="end" type="spherical"><predecessor link="rod"><origin xyz="0.4 0 0"/></predecessor><successor link="block"/></loop>
</robot>"""


def test_gains_leave_idle_rods_out():
    free = tandem.load(ROD, actuated=["crank"])
    locked = tandem.load(ROD, actuated=["crank"], locked={"turn": 0.3})
    assert len(free.idle) == 1 and not locked.idle
    linear = free.linearize(free.state(crank=0.4, turn=0.3))
    other = locked.linearize(locked.state(crank=0.4))
    entry = linear.idle_yd[0]
    rest = [i for i in range(2 * free.nyd) if i % free.nyd != entry]
    for dt in (None, 0.01):
        K, S = linear.regulator(np.eye(4), np.eye(1), dt)
        expected, cost = other.regulator(np.eye(2), np.eye(1), dt)
        assert np.allclose(K[:, rest], expected, rtol=1e-8) and not K[:, [entry, free.nyd + entry]].any()
        assert np.allclose(S[np.ix_(rest, rest)], cost, rtol=1e-8)
    assert locked.linearize(locked.state(crank=0.4)).idle.shape == (0, 1)
    with pytest.raises(tandem.Error, match="no gain"):
        tandem.regulator(linear.A, linear.B, np.eye(4), np.eye(1))


def test_beams_sag_and_yield():
    robot = load("flexible_arm")
    forces = tandem.Forces(passive=True)
    held = [robot.joints[i].name for i in robot.independent_joints if robot.joints[i].flexible is None]
    y = robot.equilibrium(robot.state(), forces=forces, held=held)
    tau = robot.inverse_dynamics(y, forces=forces)
    free = np.array([robot.joints[i].flexible is not None for i in robot.independent_joints])
    assert np.abs(tau[free]).max() < 1e-10 * np.abs(tau).max() + 1e-12
    assert np.array_equal(y[~free], robot.state()[~free])
    found = robot.link_compliance("hand", y, forces=forces, held=held)
    J = robot.link_jacobian("hand", y)
    expected = J[:, free] @ np.linalg.solve(found.K[np.ix_(free, free)], J[:, free].T)
    assert np.allclose(found.compliance, expected, rtol=1e-9, atol=1e-12)
    linear = robot.linearize(y, u=np.zeros(robot.nyd), inputs="forces", forces=forces)
    assert np.allclose(linear.ydd[free], robot.forward_dynamics(y, forces=forces)[free])


def test_errors():
    robot, floating = load("gripper"), load("humanoid", floating=True)
    y = robot.state()
    with pytest.raises(ValueError, match="inputs"):
        robot.linearize(y, inputs="hands")
    with pytest.raises(ValueError, match="shape"):
        robot.linearize(np.zeros(3))
    with pytest.raises(ValueError, match="named 'nothing'"):
        robot.equilibrium(y, held=["nothing"])
    with pytest.raises(tandem.DynamicsError) as caught:
        robot.with_gravity([0, 0, 0]).link_compliance("left_tip", y)
    assert caught.value.status == tandem.Status.STIFFNESS
    with pytest.raises(tandem.DynamicsError) as caught:
        floating.linearize(floating.state())
    assert caught.value.status == tandem.Status.UNDERACTUATED
    with pytest.raises(ValueError, match="links"):
        robot.linearize(y, forces=tandem.Forces(np.zeros((2, 6))))

# SPDX-License-Identifier: MIT
"""What users need first: limits, poses, tables with names, plots, copies, and errors with remedies."""
import copy
import math
import pickle
import signal
import threading
import time

import numpy as np
import pytest

import tandem
from conftest import ROBOTS, load


def test_limits_stand_in_the_order_of_y(arm):
    limits = [arm.joints[joint].limit for joint in arm.independent_joints]
    np.testing.assert_array_equal(arm.lower, [limit.lower for limit in limits])
    np.testing.assert_array_equal(arm.upper, [limit.upper for limit in limits])
    np.testing.assert_array_equal(arm.velocity_limit, [limit.velocity for limit in limits])
    np.testing.assert_array_equal(arm.effort_limit, [limit.effort for limit in limits])
    arm.lower[:] = 0  # a copy
    assert arm.lower[0] < 0
    hand = load("hand_a", floating=True)
    assert np.isinf(hand.lower[:7]).all() and hand.lower.shape == (hand.ny,) and hand.effort_limit.shape == (hand.nyd,)
    for joint in hand.independent_joints:
        place = hand.joint_place(joint)
        if place.nq == 1:
            at = hand.names.y.index(hand.names.q[place.q])
            assert (hand.lower[at], hand.upper[at]) == (hand.effective_limit(joint).lower, hand.effective_limit(joint).upper)


def test_poses(arm):
    y = arm.random_configuration((3, 2))
    poses = arm.link_poses(y)
    tool, elbow = arm.names.links.index("flange"), 3
    np.testing.assert_array_equal(arm.link_pose("flange", y), poses[:, :, tool])
    relative = tandem.pose_compose(tandem.pose_inverse(poses[:, :, elbow]), poses[:, :, tool])
    np.testing.assert_allclose(tandem.pose_compose(poses[:, :, elbow], relative), poses[:, :, tool], atol=1e-15)
    matrices = tandem.pose_matrix(poses)
    np.testing.assert_allclose(matrices[:, :, elbow] @ tandem.pose_matrix(relative), matrices[:, :, tool], atol=1e-15)
    np.testing.assert_allclose(np.linalg.inv(matrices[0, 0, tool]), tandem.pose_matrix(tandem.pose_inverse(poses[0, 0, tool])),
                               atol=1e-14)
    np.testing.assert_allclose(tandem.pose_join(*tandem.pose_split(poses)), poses, atol=1e-15)
    with pytest.raises(ValueError, match=r"pose has shape \(4, 4\), expected \(..., 3, 4\)"):
        tandem.pose_log(np.eye(4))
    good = np.eye(4)[:3]
    for bad in (np.zeros((3, 4)), 2 * good, good * [[1], [1], [-1]], good * np.nan, np.stack([good, np.zeros((3, 4))]),
                good + np.eye(3, 4, 1) * [[0], [0], [1]] + [[0, 0.5, 0, 0], [0] * 4, [0] * 4]):
        with pytest.raises(ValueError, match="rotation"):
            tandem.pose_log(bad)
    tandem.pose_log(poses.astype(np.float32))
    for bad in (np.full(6, np.nan), [0, 0, np.inf, 0, 0, 0]):
        with pytest.raises(ValueError, match="twist is not finite"):
            tandem.pose_exp(bad)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-5, 0.0999, 0.1001, 1.0, 3.0, math.pi - 1e-9, math.pi])
def test_exponential_and_logarithm_of_poses(angle):
    """Compares with the power series of the matrix, and inverts it."""
    random = np.random.default_rng(2)
    for _ in range(20):
        axis = random.normal(size=3)
        twist = np.concatenate([angle * axis / np.linalg.norm(axis), random.normal(size=3)])
        W = np.zeros((4, 4))
        W[:3, :3] = [[0, -twist[2], twist[1]], [twist[2], 0, -twist[0]], [-twist[1], twist[0], 0]]
        W[:3, 3] = twist[3:]
        series, term = np.eye(4), np.eye(4)
        for k in range(1, 40):
            term = term @ W / k
            series += term
        pose = tandem.pose_exp(twist)
        np.testing.assert_allclose(tandem.pose_matrix(pose), series, atol=3e-15)
        back = tandem.pose_log(pose)
        np.testing.assert_allclose(tandem.pose_exp(back), pose, atol=1e-14)
        if angle < 3.1:
            np.testing.assert_allclose(back, twist, atol=1e-14)


def test_ground_reactions():
    """A plate with a known force at a known point, as an array of wrenches; and two feet."""
    at, force, free = np.array([0.3, -0.2, 0.1]), np.array([20.0, -30.0, 700.0]), 5.0
    wrench = np.concatenate([np.cross(at, force) + [0, 0, free], force])
    both = np.stack([wrench, -wrench])
    center, moment = tandem.center_of_pressure(both, (7, 4, 0.1), (0, 0, 2))
    np.testing.assert_allclose(center[0], at, atol=1e-14)
    assert abs(moment[0] - free) < 1e-12 and np.isnan(center[1]).all() and np.isnan(moment[1])
    np.testing.assert_allclose(tandem.zero_moment_point(wrench, (7, 4, 0.1), (0, 0, 2)), at, atol=1e-14)
    feet = np.array([[0.5, 0, 0], [0, -0.5, 0]])
    for weights, near, length in ([0.25, 0.75], None, np.inf), ([1, 1], [[0, 0, 0, 0, 0, 300], [0, 0, 0, 0, 0, 380]], 0.1):
        split = tandem.split_wrench(wrench, feet, weights, near, length)
        np.testing.assert_allclose(split[:, 3:].sum(axis=0), force, atol=1e-12)
        np.testing.assert_allclose((split[:, :3] + np.cross(feet, split[:, 3:])).sum(axis=0), wrench[:3], atol=1e-12)
    np.testing.assert_allclose(tandem.split_wrench(wrench, feet, [0.25, 0.75])[0, 3:], 0.25 * force, atol=1e-12)
    with pytest.raises(ValueError, match="no weight is positive"):
        tandem.split_wrench(wrench, feet, [0, 0])
    with pytest.raises(ValueError, match="wrench has shape"):
        tandem.center_of_pressure(wrench[:5], (0, 0, 0), (0, 0, 1))


def test_terms_are_those_of_the_functions_and_go_where_out_says(hand):
    y, yd = hand.random_configuration(5), np.random.default_rng(1).normal(size=(5, hand.nyd))
    everything = tuple(tandem.Terms._fields)
    for rows in (slice(None), 0):
        at, rates = y[rows], yd[rows]
        terms = hand.dynamics_terms(at, rates, want=everything)
        np.testing.assert_allclose(terms.H, hand.mass_matrix(at), rtol=1e-13, atol=1e-18)
        np.testing.assert_allclose(terms.C, hand.bias_force(at, rates), rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(terms.poses, hand.link_poses(at), atol=1e-15)
        np.testing.assert_allclose(terms.energy, hand.energy(at, rates), rtol=1e-12, atol=1e-15)
    some = hand.dynamics_terms(y, yd, want=("gravity", "H"))
    assert some.C is None and some.gravity.shape == (5, hand.nyd)
    again = hand.dynamics_terms(y + 0.1, yd, want=("gravity", "H"), out=some)
    assert again.H is some.H
    np.testing.assert_allclose(again.gravity, hand.gravity_force(y + 0.1), rtol=1e-12, atol=1e-15)
    one = hand.dynamics_terms(y[0], want=["com"])
    np.testing.assert_allclose(one.com, hand.center_of_mass_motion(y[0]), atol=1e-15)
    for want in (("H",), "H", ["H"], "H", "", ()):
        if want in ("H", "", ()):
            with pytest.raises(TypeError, match="sequence of names"):
                hand.dynamics_terms(y, want=want)
        else:
            assert hand.dynamics_terms(y, want=want).C is None
    tree = hand.tree.dynamics_terms(hand.tree_state(y[0]).q)
    assert tree.H.shape == (hand.nv, hand.nv)
    with pytest.raises(ValueError, match="want has 'h'"):
        hand.dynamics_terms(y, want=["h"])
    with pytest.raises(TypeError, match="sequence of names"):
        hand.dynamics_terms(y, want=())
    with pytest.raises(ValueError, match="out .H. has shape"):
        hand.dynamics_terms(y, out=hand.dynamics_terms(y[0]))
    with pytest.raises(tandem.DynamicsError) as caught:
        hand.dynamics_terms(y[0], np.full(hand.nyd, 1e200), want=("H", "C"))
    assert isinstance(caught.value.result, tandem.Terms)


def test_what_is_no_number_is_an_error_of_one_state(arm):
    y = np.zeros(7)
    with pytest.raises(tandem.DynamicsError, match="not a finite number"):
        arm.inverse_dynamics(y, np.full(7, 1e200))
    tau = arm.inverse_dynamics(np.zeros((2, 7)), [[0.0] * 7, [1e200] * 7])
    assert np.isfinite(tau[0]).all() and np.isnan(tau[1]).any()


def test_wrong_types_say_so(arm):
    with pytest.raises(TypeError, match="forces is .*ndarray.*Robot.forces"):
        arm.inverse_dynamics(np.zeros(7), None, None, np.zeros((11, 6)))
    with pytest.raises(TypeError, match="link is 1.5"):
        arm.link_jacobian(1.5, np.zeros(7))
    with pytest.raises(ValueError, match="3 points, but a 'not-a-knot' spline of degree 3 needs at least 4; kind='clamped'"):
        tandem.Trajectory.spline([0, 1, 2], [0, 1, 0])
    assert tandem.Trajectory.spline([0, 1, 2], [0, 1, 0], kind="clamped").size == 1


def test_tables_have_the_columns_of_the_robot(arm):
    y = arm.random_configuration(4)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(y, columns=["q:" + name for name in arm.names.y])
    np.testing.assert_array_equal(arm.gravity_force(frame), arm.gravity_force(y))
    np.testing.assert_array_equal(arm.gravity_force(frame.rename(columns=lambda name: name[2:])), arm.gravity_force(y))
    np.testing.assert_array_equal(arm.gravity_force(pandas.DataFrame(y)), arm.gravity_force(y))
    with pytest.raises(ValueError, match="y has other columns or another order"):
        arm.gravity_force(frame[frame.columns[::-1]])
    with pytest.raises(ValueError, match="y has no column 'joint_1'"):
        arm.gravity_force(frame.rename(columns={"q:joint_1": "q:elbow"}))


def test_motions_have_names_and_pictures(tmp_path):
    bars = load("four_bar")
    motion = bars.simulate(yd=[6.0], time=0.1)
    columns = motion.columns()
    assert list(columns) == ["t", "q:crank_joint", "qd:crank_joint", "qdd:crank_joint", "tau:crank_joint", "energy:total", "work"]
    np.testing.assert_array_equal(columns["q:crank_joint"], motion.y[:, 0])
    tree = bars.simulate(yd=[6.0], time=0.1, tree=True)
    assert [name for name in tree.columns() if name.startswith("q:")] == ["q:" + name for name in bars.names.q]
    assert pickle.loads(pickle.dumps(motion)).names == bars.names
    pytest.importorskip("matplotlib")
    figure = motion.plot()
    assert len(figure.axes) == 3 and [len(axes.lines) for axes in figure.axes] == [1, 1, 1]
    figure.savefig(tmp_path / "motion.png")
    assert (tmp_path / "motion.png").stat().st_size > 5000
    with pytest.raises(ValueError, match="which has 'y'"):
        motion.plot(which=["y"])


def test_trajectories_and_forces_can_be_pickled(arm):
    values = np.array([0.0, 1.0, 0.5, 0.0])
    ways = [tandem.Trajectory.spline(range(4), values), tandem.Trajectory.move(np.zeros(2), np.ones(2), 3.0),
            tandem.Trajectory.polynomial([[0.0], [1.0]], [[1.0], [0.0]], 2.0), tandem.Trajectory.limited([0], [1], [1], [2], [9]),
            tandem.Trajectory.hermite([0, 1], [[0.0], [1.0]], [[0.0], [0.0]]), tandem.Trajectory.spline(range(4), values).scaled(2)]
    values[:] = 7  # does not share memory with its input
    for way in ways:
        other = pickle.loads(pickle.dumps(way))
        times = np.linspace(way.begin, way.end, 9)
        np.testing.assert_array_equal(other(times), way(times))
        assert copy.deepcopy(way) is way
    assert ways[-1].scaled(1.0)(3.0)[0] < 2
    forces = arm.forces({"flange": tandem.Wrench((4, 5, 6), (1, 2, 3))}, frame="world", passive=True)
    other = pickle.loads(pickle.dumps(forces))
    y = np.full(7, 0.3)
    np.testing.assert_array_equal(arm.inverse_dynamics(y, y, y, other), arm.inverse_dynamics(y, y, y, forces))


def test_pickles_name_no_folder():
    robot = tandem.load((ROBOTS / "gripper.urdf").resolve())
    assert robot.diagnostics and robot.diagnostics[0].file.startswith("/")
    content = pickle.dumps(robot)
    assert str(ROBOTS.resolve()).encode() not in content
    other = pickle.loads(content)
    assert other == robot and hash(other) == hash(robot) and other.diagnostics[0].file == "gripper.urdf"


def test_batches_answer_an_interrupt(arm):
    """A signal stops a batch between its parts. The parts together equal the batch."""
    y = arm.random_configuration(40000)
    np.testing.assert_array_equal(arm.gravity_force(y)[::997], arm.gravity_force(y[::997]))
    many = np.broadcast_to(y, (100, *y.shape)).reshape(-1, 7)
    thread = threading.get_ident()
    signal_main = threading.Timer(0.1, lambda: signal.pthread_kill(thread, signal.SIGINT))
    begin = time.monotonic()
    signal_main.start()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(100):
            arm.inverse_dynamics_derivatives(many, many, many)
    assert time.monotonic() - begin < 60


def test_records_are_read_once(arm):
    assert arm.links is arm.links and arm.joints is arm.joints and arm.actuators is arm.actuators


def test_a_step_that_is_too_long_names_the_joint():
    hand = load("hand_a")
    simulation = tandem.Simulation(hand, lambda at: -1e6 * at.yd, integrator="rk4", step=0.01).start(yd=np.ones(hand.nyd))
    with pytest.raises(tandem.DynamicsError) as caught:
        simulation.run(1.0)
    assert any("not stable there" in note for note in caught.value.__notes__)


def test_a_step_that_is_too_long_calls_act_again_without_its_exceptions():
    hand, ended = load("hand_a"), []

    def act(at):
        if ended and at.t == 0:
            raise OSError("of the user's own")
        ended.extend([1] if at.t > 0 else [])
        return -1e6 * at.yd

    simulation = tandem.Simulation(hand, act, integrator="rk4", step=0.01).start(yd=np.ones(hand.nyd))
    with pytest.raises(tandem.DynamicsError) as caught:
        simulation.run(1.0)
    assert caught.value.status == tandem.Status.DIVERGED and not getattr(caught.value, "__notes__", [])


def test_what_answers_a_signal_may_not_call_the_robot(arm):
    y, raised = arm.random_configuration(40000), []

    def handler(number, frame):
        try:
            arm.gravity_force(y[0])
        except RuntimeError as error:
            raised.append(str(error))

    before = signal.signal(signal.SIGUSR1, handler)
    thread, done = threading.get_ident(), threading.Event()

    def send():
        while not done.is_set():
            signal.pthread_kill(thread, signal.SIGUSR1)
            time.sleep(0.001)

    sender = threading.Thread(target=send)
    sender.start()
    try:
        for _ in range(200):
            arm.inverse_dynamics_derivatives(y, y, y)  # runs in parts, and handles signals between them
            if raised:
                break
    finally:
        done.set()
        sender.join()
        signal.signal(signal.SIGUSR1, before)
    assert raised and "signal handler" in raised[0]


def test_without_mass_there_is_no_center_and_no_error(arm):
    robot = tandem.load(b"<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='revolute'><parent link='a'/>"
                        b"<child link='b'/><axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>")
    y = np.zeros(1)
    assert np.isnan(robot.center_of_mass(y)).all() and np.isnan(robot.tree.center_of_mass(y)).all()
    for name in ("center_of_mass_motion", "center_of_mass_jacobian", "centroidal_momentum_matrix", "centroidal_momentum",
                 "centroidal_momentum_bias", "center_of_mass_derivatives", "centroidal_momentum_derivatives"):
        arguments = (y,) if name.endswith(("jacobian", "matrix")) else (y, y)
        for called in (robot, robot.tree):
            result = getattr(called, name)(*arguments)
            assert any(np.isnan(array).any() for array in (result if isinstance(result, tuple) else (result,)))
    terms = robot.dynamics_terms(y, y, want=tandem.Terms._fields)
    assert np.isnan(terms.com).all() and np.isfinite(terms.H).all() and np.isfinite(terms.energy).all()
    for want in (("C",), ("C", "com")):  # other terms must not be NaN
        with pytest.raises(tandem.DynamicsError):
            arm.dynamics_terms(np.ones(7), np.full(7, 1e200), want=want)


def test_records_by_name_and_what_new_users_try():
    robot = load("arm7")
    assert robot.link("flange") is robot.links[robot.names.links.index("flange")] and robot.joint("joint_3").name == "joint_3"
    assert robot.joint(0) is robot.joints[0]
    with pytest.raises(ValueError, match="did you mean 'flange'"):
        robot.link("flang")
    with pytest.raises(TypeError, match="y is a dict, expected numbers .Robot.state makes y of names"):
        robot.link_pose("flange", {"joint_1": 1.0})
    with pytest.raises(TypeError, match=r"the wrench of 'flange' is \[0, 0, -10\], whose parts have no names: write tandem.Wrench"):
        robot.forces({"flange": [0, 0, -10]})

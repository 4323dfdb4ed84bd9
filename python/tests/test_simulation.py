# SPDX-License-Identifier: MIT
"""Simulations: comparison with an independent integration, applied forces, events, failures. Trajectories: comparison with
finite differences, time scaling within limits.
"""
import gc
import inspect
import threading
import weakref

import numpy as np
import pytest

import tandem
from conftest import load
from tandem._native import ffi


def integrated(robot, y, yd, time, steps, force):
    """Integrates by the classical Runge-Kutta method of order 4, with forward dynamics without passive forces; no
    quaternions."""
    def rate(t, x):
        n = robot.nyd
        return np.concatenate([x[n:], robot.forward_dynamics(x[:n], x[n:], force(t, x[:n], x[n:]))])

    x, h = np.concatenate([y, yd]), time / steps
    for i in range(steps):
        t = i * h
        a = rate(t, x)
        b = rate(t + h / 2, x + h / 2 * a)
        c = rate(t + h / 2, x + h / 2 * b)
        x = x + h / 6 * (a + 2 * b + 2 * c + rate(t + h, x + h * c))
    return np.split(x, 2)


@pytest.mark.parametrize("name, time", [("arm7", 0.3), ("gripper", 0.3), ("four_bar", 0.5), ("hand_b", 0.2)])
def test_motions_are_those_of_the_equations(name, time):
    robot = load(name)
    y = robot.reference + 0.05
    yd = np.full(robot.nyd, 0.3)

    def force(t, y, yd):
        return 0.01 * np.cos(3 * t) - 0.02 * y

    motion = robot.simulate(y, yd, time=time, rate=50, act=lambda at: force(at.t, at.y, at.yd), rtol=1e-10,
                            forces=tandem.Forces())
    expected_y, expected_yd = integrated(robot, y, yd, time, 4000, force)
    size = np.max(np.abs(expected_yd)) + 1
    np.testing.assert_allclose(motion.y[-1], expected_y, rtol=0, atol=1e-8 * size)
    np.testing.assert_allclose(motion.yd[-1], expected_yd, rtol=0, atol=1e-7 * size)
    assert motion.t[0] == 0 and motion.t[-1] == time and len(motion) == round(50 * time) + 1
    np.testing.assert_array_equal(motion.y[0], y)
    np.testing.assert_allclose(motion.tau[-1], force(time, motion.y[-1], motion.yd[-1]), rtol=0, atol=1e-12)
    assert motion.balance < 1e-9 * np.max(np.abs(motion.kinetic))
    tau = robot.inverse_dynamics(motion.y, motion.yd, motion.ydd)
    np.testing.assert_allclose(tau, motion.tau, rtol=0, atol=1e-7 * size)


@pytest.mark.parametrize("options", [{}, {"integrator": "dormand-prince-8"}, {"integrator": "rk4", "step": 1e-3}, {"integrator": "euler", "step": 1e-4}, {"integrator": "exponential-linear", "step": 1e-3}])
def test_states_of_ones_own_are_integrated(options):
    """Compares a low-pass filter of the position, z' = 5 (y - z), with its solution for a prescribed motion."""
    robot = load("gripper")
    w = 4.0
    simulation = tandem.Simulation(robot, lambda at: tandem.Action(z_rate=5 * (at.y - at.z)), states=1,
                                   given={"driver_joint": lambda t: (0.2 + 0.1 * np.sin(w * t), 0.1 * w * np.cos(w * t),
                                                                     -0.1 * w * w * np.sin(w * t))}, **options)
    motion = simulation.start(z=[0.2]).run(1.5, 20)
    t, k = motion.t, 5.0
    exact = 0.2 + 0.1 * k * (k * np.sin(w * t) - w * np.cos(w * t) + w * np.exp(-k * t)) / (k * k + w * w)
    allowed = {"euler": 1e-3, "exponential-linear": 1e-5}.get(options.get("integrator"), 1e-8)
    np.testing.assert_allclose(motion.z[:, 0], exact, rtol=0, atol=allowed)
    np.testing.assert_allclose(motion.y[:, 0], 0.2 + 0.1 * np.sin(w * t), rtol=0, atol=1e-14)
    tau = robot.inverse_dynamics(motion.y, motion.yd, motion.ydd, forces=tandem.Forces(passive=True))
    np.testing.assert_allclose(motion.tau, tau, rtol=0, atol=1e-12 * (1 + np.max(np.abs(tau))))


def test_wrenches_act(arm):
    """A force that balances gravity, from act and from the simulation's forces."""
    weight = np.array([-9.81 * link.mass for link in arm.links])
    wrenches = np.zeros((len(arm.links), 6))

    def lift(at):
        com = arm.link_poses(at.y)
        for i, link in enumerate(arm.links):
            p = com[i, :, 3] + com[i, :, :3] @ np.array(link.inertial.position)
            wrenches[i] = [*np.cross(p, [0, 0, -weight[i]]), 0, 0, -weight[i]]
        return tandem.Action(wrenches=wrenches)

    y = arm.state(joint_2=0.5, joint_4=-0.7)
    motion = tandem.Simulation(arm, lift, wrenches=True, forces=tandem.Forces(frame="world")).start(y=y).run(0.5)
    np.testing.assert_allclose(motion.y, np.broadcast_to(y, motion.y.shape), rtol=0, atol=1e-10)
    lift(type("At", (), {"y": y}))
    motion = arm.simulate(y, time=1e-3, forces=tandem.Forces(wrenches, frame="world"))
    np.testing.assert_allclose(motion.ydd[0], 0, atol=1e-9)
    with pytest.raises(ValueError, match="wrenches=True"):
        arm.simulate(y, act=lift)


def test_loops_stay_closed_and_forces_of_constraints_do_no_work():
    robot = load("five_bar")
    motion = robot.simulate(time=1.0, rate=20, tree=True)
    for i in range(len(motion)):
        assert np.max(np.abs(robot.constraint_residual(motion.q[i]))) < 1e-13
        # loops allow motions in the null space of K; beyond a dead point y does not determine them
        allowed = np.linalg.svd(robot.constraint_jacobian(motion.q[i]))[2][-robot.nyd:]
        np.testing.assert_allclose(allowed @ motion.constraint[i], 0, atol=1e-11 * (np.max(np.abs(motion.constraint[i])) + 1))
        np.testing.assert_allclose(allowed.T @ (allowed @ motion.qd[i]), motion.qd[i], atol=1e-11 * (1 + np.max(np.abs(motion.qd[i]))))
    assert robot.simulate(time=0.1).q is None


def test_changes_of_the_robot_count(arm):
    assert np.max(np.abs(arm.with_gravity((0, 0, 0)).simulate(time=0.1).yd)) == 0
    y = arm.state(joint_2=0.5)
    heavy = arm.with_payload("flange", mass=2.0, com=(0, 0, 0.05))
    motion = heavy.simulate(y, time=0.1)
    passive = tandem.Forces(passive=True)
    np.testing.assert_allclose(motion.ydd[0], heavy.forward_dynamics(y, forces=passive), rtol=1e-12)
    assert np.max(np.abs(motion.ydd[0] - arm.forward_dynamics(y, forces=passive))) > 0.1


def test_stops_and_their_events():
    """A pendulum falls against its stop. The impulse must match its inertia and speed."""
    builder = tandem.Builder("pendulum")
    builder.add(tandem.Link("base"))
    builder.add(tandem.Link("rod", has_inertial=True, mass=2.0, inertia=(0.1, 0, 0, 0.1, 0, 0.1),
                                 inertial=tandem.Pose(position=(0.5, 0, 0))))
    builder.add(tandem.Joint("pivot", tandem.JointType.REVOLUTE, "base", "rod", axis=(0, 1, 0),
                                   limit=tandem.Limit(lower=-3.0, upper=0.6, effort=1.0, velocity=9.0)))
    robot = builder.finish()
    motion = robot.simulate([0.0], time=4.0, stops="impact", restitution=0.5)
    assert [e.kind for e in motion.events][-1] == tandem.EventKind.REST
    first = motion.events[0]
    inertia, speed = 0.6, np.sqrt(2 * 2 * 9.81 * 0.5 * np.sin(0.6) / 0.6)
    assert (first.kind, first.joint, first.loop) == (tandem.EventKind.UPPER_STOP, "pivot", None)
    assert abs(first.impulse) == pytest.approx(1.5 * inertia * speed, rel=1e-6)
    assert str(first) == f"{first.t:g} pivot upper stop" and np.max(motion.y) < 0.6 + 1e-9
    assert motion.y[-1, 0] == pytest.approx(0.6, abs=1e-9) and motion.yd[-1, 0] == 0
    soft = robot.simulate([0.0], time=4.0, stops="spring", stop_stiffness=1e3, stop_damping=20)
    assert 0.6 < np.max(soft.y) < 0.8 and soft.events[0].kind == tandem.EventKind.UPPER_STOP


def test_dead_points_are_passed_and_a_start_repeats():
    robot = load("four_bar")
    simulation = tandem.Simulation(robot).start(yd=[6.0])
    first = simulation.run(3.0)
    again = simulation.start(yd=[6.0]).run(3.0)
    np.testing.assert_array_equal(first.y, again.y)
    assert first.balance < 1e-7 * np.max(first.kinetic)


def test_a_motion_that_ends_keeps_what_was_computed():
    robot = load("spherical_3rpr")
    with pytest.raises(tandem.DynamicsError) as caught:
        robot.simulate(time=10)
    error = caught.value
    assert error.status == tandem.Status.CLOSURE_SINGULAR and error.loop in robot.names.loops
    assert f"loop '{error.loop}'" in str(error) and "nan" not in str(error)
    assert 0.6 < error.result.t[-1] < 0.7 and np.all(np.isfinite(error.result.y)) and len(error.result) > 60


def test_steps_and_single_rows(arm):
    simulation = tandem.Simulation(arm, integrator="rk4", step=1e-3)
    with pytest.raises(ValueError, match="started"):
        simulation.step(1.0)
    assert simulation.fastest() == (None, 0.0)
    simulation.start(t=2.0)
    joint, rate = simulation.fastest()
    assert joint in arm.names.joints and rate > 0
    simulation.step(9.0)
    assert (simulation.begin, simulation.time, simulation.counts.steps) == (2.0, 2.001, 1)
    simulation.advance(2.01)
    row = simulation.at(2.0095, tree=True)
    assert row.t.tolist() == [2.0095] and row.y.shape == (1, 7) and row.qdd.shape == (1, 7)
    with pytest.raises(ValueError, match="range"):
        simulation.at(1.0)
    with pytest.raises(ValueError, match="until"):
        simulation.run(1.0)
    simulation.jump()
    assert len(simulation.run(simulation.time)) == 1


def test_what_is_raised_comes_back(arm):
    class Stop(Exception):
        pass

    def act(at):
        if at.t > 0.05:
            raise Stop(at.t)

    simulation = tandem.Simulation(arm, act).start()
    with pytest.raises(Stop):
        simulation.run(1.0)
    assert 0 < simulation.time <= 0.05
    with pytest.raises(ValueError, match=r"tau has shape \(2,\), expected \(7,\)"):
        arm.simulate(act=lambda at: [1, 2])
    with pytest.raises(ValueError, match="z_rate has shape"):
        arm.simulate(act=lambda at: tandem.Action(z_rate=[1.0]))
    with pytest.raises(ZeroDivisionError):
        arm.simulate(given={"joint_1": lambda t: 1 / 0})
    inner = tandem.Simulation(arm, lambda at: inner.step(1.0))
    with pytest.raises(RuntimeError, match="in use"):
        inner.start()


def test_a_simulation_is_one_threads_at_a_time(arm):
    entered, leave, seen = threading.Event(), threading.Event(), []

    def act(at):
        entered.set()
        leave.wait(10)

    simulation = tandem.Simulation(arm, act)
    worker = threading.Thread(target=simulation.start)
    worker.start()
    assert entered.wait(10)
    try:
        simulation.start()
    except RuntimeError as error:
        seen.append(str(error))
    leave.set()
    worker.join()
    assert seen and "thread" in seen[0]


def test_nothing_keeps_a_simulation(arm):
    simulation = tandem.Simulation(arm, lambda at: None).start()
    there = weakref.ref(simulation)
    del simulation
    assert there() is None or (gc.collect(), there() is None)[1]


@pytest.mark.parametrize("options, text", [
    ({"integrator": "heun"}, "'dormand-prince'"), ({"integrator": "cvode"}, "'radau'"), ({"stops": "wall"}, "'impact'"),
    ({"restitution": 2}, "restitution is 2"), ({"rtol": -1}, "rtol is -1"), ({"step": np.nan}, "step is nan"), ({"given": {"joint_8": abs}}, "did you mean"),
    ({"given": {"joint_1": tandem.Trajectory.move([0, 0], [1, 1], 1)}}, "2 numbers"),
    ({"forces": tandem.Forces(np.zeros((3, 6)))}, "3 links")])
def test_options_out_of_their_ranges_are_named(arm, options, text):
    with pytest.raises(ValueError, match=text):
        tandem.Simulation(arm, **options)


def test_every_option_has_a_keyword():
    taken = set(inspect.signature(tandem.Simulation).parameters)
    names = {name for struct in ("td_simulation_options", "td_integrator_options") for name, _ in ffi.typeof(struct).fields}
    assert names - taken == {"size_of", "context", "motion", "method", "event_parts"}
    assert {"tau" if n == "tau_y" else "constraint" if n == "tau_c" else n
            for n, _ in ffi.typeof("td_simulation_sample").fields} - {"size_of"} <= set(tandem.Motion.__dataclass_fields__)


# ---- trajectories


POINTS = np.array([[0.0, 1.0], [0.5, -1.0], [1.0, 0.3], [0.2, 0.0], [0.4, 0.1], [0.0, 1.0]])
TIMES = np.array([0.0, 0.4, 1.0, 1.5, 2.1, 2.5])
CURVES = {
    "cubic": lambda: tandem.Trajectory.spline(TIMES, POINTS),
    "quintic": lambda: tandem.Trajectory.spline(TIMES, POINTS, degree=5),
    "clamped": lambda: tandem.Trajectory.spline(TIMES, POINTS, kind="clamped", start=[0.1, 0.2], end=[0.3, 0.4]),
    "periodic": lambda: tandem.Trajectory.spline(TIMES, POINTS, kind="periodic"),
    "b-spline": lambda: tandem.Trajectory.spline(TIMES, POINTS, degree=5, kind="b-spline"),
    "hermite": lambda: tandem.Trajectory.hermite(TIMES, POINTS, 0 * POINTS, POINTS),
    "minimum-jerk": lambda: tandem.Trajectory.move(POINTS[0], POINTS[1], 1.5),
    "cycloid": lambda: tandem.Trajectory.move(POINTS[0], POINTS[1], 1.5, "cycloid"),
    "polynomial": lambda: tandem.Trajectory.polynomial(POINTS[:3], POINTS[3:], 1.5),
    "limited": lambda: tandem.Trajectory.limited(POINTS[0], POINTS[2], [0.5, 0.9], [2, 2], [30, 30]),
}


@pytest.mark.parametrize("name", CURVES)
def test_derivatives_are_those_of_the_values(name):
    curve = CURVES[name]()
    t = np.random.default_rng(4).uniform(curve.begin + 1e-3, curve.end - 1e-3, (3, 7))
    h = 1e-5
    y, yd, ydd = curve(t)
    assert y.shape == (3, 7, 2)
    np.testing.assert_allclose((curve(t + h)[0] - curve(t - h)[0]) / (2 * h), yd, atol=1e-6 * (1 + np.max(np.abs(ydd))))
    np.testing.assert_allclose((curve(t + h)[1] - curve(t - h)[1]) / (2 * h), ydd, atol=2e-3 * (1 + np.max(np.abs(ydd))))
    slow = curve.scaled(2.0).scaled(1.5)
    there = curve.begin + (t - curve.begin) * 3
    for d, (a, b) in enumerate(zip(slow(there), (y, yd, ydd))):
        np.testing.assert_allclose(a * 3**d, b, rtol=0, atol=1e-12 * (1 + np.max(np.abs(b))))
    if len(curve.pieces) == len(TIMES) or name in ("cubic", "quintic"):
        np.testing.assert_allclose(curve(TIMES)[0], POINTS, atol=1e-13)
    rows = curve.sampled(100)
    assert rows[0][0] == curve.begin and rows[0][-1] == curve.end and rows[1].shape == (len(rows[0]), 2)


def test_trajectories_of_one_number_and_their_errors():
    curve = tandem.Trajectory.spline([0, 1, 2, 3], [0, 1, 0, 0.5])
    assert curve.size == 1 and curve(1.0)[0].shape == (1,) and curve(1.0)[0][0] == pytest.approx(1)
    for call, text in ((lambda: tandem.Trajectory.spline([0, 0, 1, 2], [1, 2, 3, 4]), "range"),
                       (lambda: tandem.Trajectory.spline([0, 1], [1, np.nan], kind="clamped"), "finite"),
                       (lambda: tandem.Trajectory.spline([0, 1, 2], [1, 2]), "expected"),
                       (lambda: tandem.Trajectory.spline([0, 1], [1, 2], kind="round"), "'periodic'"),
                       (lambda: tandem.Trajectory.move([0], [1], -1), "range"),
                       (lambda: tandem.Trajectory.polynomial([0], [1], 1), "2 to 4"),
                       (lambda: curve(np.nan), "finite"), (lambda: curve.scaled(0), "range"),
                       (lambda: curve.sampled(0), "rate")):
        with pytest.raises(ValueError, match=text):
            call()


def test_time_scaling_keeps_the_limits(arm):
    rng = np.random.default_rng(2)
    points = rng.uniform(-0.8, 0.8, (5, 7))
    fast = tandem.Trajectory.spline([0, 0.1, 0.2, 0.3, 0.4], points, kind="clamped")
    scale = arm.time_scale(fast)
    assert scale.factor > 1 and scale.joint in arm.names.joints and scale.kind != tandem.LimitKind.NONE
    t, y, yd, ydd = fast.scaled(scale.factor).sampled(3000)
    tau = np.abs(arm.inverse_dynamics(y, yd, ydd, forces=tandem.Forces(passive=True)))
    joints = [j for j in arm.joints if j.limit is not None and j.name in arm.names.y]
    assert len(joints) == 7
    use = max(np.max(np.max(np.abs(yd), axis=0) / [j.limit.velocity for j in joints]),
              np.max(np.max(tau, axis=0) / [j.limit.effort for j in joints]))
    assert use == pytest.approx(1, abs=2e-3) and use <= 1 + 1e-6
    loose = [tandem.Limit(velocity=1e3) for _ in arm.joints]
    free = arm.time_scale(fast, limits=loose, forces=False, faster=True)
    assert free.factor < 1 and free.kind == tandem.LimitKind.VELOCITY
    with pytest.raises(tandem.DynamicsError) as caught:
        arm.time_scale(tandem.Trajectory.move(0 * points[0], 9 + 0 * points[0], 1.0))
    assert caught.value.status == tandem.Status.LIMIT and caught.value.result.kind == tandem.LimitKind.POSITION
    with pytest.raises(ValueError, match="ny=7"):
        arm.time_scale(tandem.Trajectory.move([0], [1], 1))


def test_a_trajectory_drives_a_joint(arm):
    curve = tandem.Trajectory.move([0.0], [0.5], 1.0)
    motion = arm.simulate(time=1.0, given={name: curve for name in arm.names.y})
    np.testing.assert_allclose(motion.y, np.repeat(curve(motion.t)[0], 7, axis=1), atol=1e-14)
    tau = arm.inverse_dynamics(motion.y, motion.yd, motion.ydd, forces=tandem.Forces(passive=True))
    np.testing.assert_allclose(motion.tau, tau, atol=1e-10 * np.max(np.abs(tau)))

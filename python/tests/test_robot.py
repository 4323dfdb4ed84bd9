# SPDX-License-Identifier: MIT
"""Loading, names, changes, copies, closures, the builder."""
import copy
import dataclasses
import enum
import io
import math
import pickle

import numpy as np
import pytest

import tandem
from conftest import ROBOTS, load
from tandem._native import ffi
from tandem import _errors, _records

TWO = """<robot name='two'><link name='a'/><link name='b'><inertial><mass value='1'/>
<inertia ixx='1' iyy='1' izz='1'/></inertial></link>
<joint name='j' type='revolute'><parent link='a'/><child link='b'/><limit effort='1' velocity='1' lower='-1' upper='1'/></joint>
</robot>"""


def test_sources_of_a_robot(tmp_path):
    path = ROBOTS / "arm7.urdf"
    by_path = tandem.load(path)
    assert by_path == tandem.load(str(path))
    with open(path, encoding="utf-8") as file, open(path, "rb") as raw:
        for robot in (tandem.load(file), tandem.load(raw), tandem.load(path.read_text()), tandem.load(path.read_bytes()),
                      tandem.load(io.StringIO(path.read_text()), name="x"),
                      tandem.load("String value is: " + path.read_text() + "\n---\n")):
            assert robot.names == by_path.names
            np.testing.assert_array_equal(robot.gravity_force(np.ones(7)), by_path.gravity_force(np.ones(7)))


def test_what_does_not_load_says_why(tmp_path):
    with pytest.raises(tandem.ModelError, match="TD-E002") as caught:
        tandem.load(tmp_path / "none.urdf")
    assert caught.value.status == tandem.Status.IO
    with pytest.raises(tandem.ModelError, match=r"here:2:\d+: error\[URDF-N001\]") as caught:
        tandem.load(TWO.replace("ixx='1'", "ixx='x'"), name="here")
    first = caught.value.diagnostics[0]
    assert (first.severity, first.line, first.file) == (tandem.Severity.ERROR, 2, "here") and first.remedy
    assert pickle.loads(pickle.dumps(caught.value)).diagnostics == caught.value.diagnostics
    robot = tandem.load(TWO)
    assert robot.warnings == tuple(d for d in robot.diagnostics if d.severity == tandem.Severity.WARNING)
    with pytest.raises(tandem.ModelError):
        tandem.load(TWO.replace("lower='-1'", "lower='3'"), strict=True)
    with pytest.raises(ValueError, match="out of range"):
        tandem.load(TWO, gravity=(0, 0, math.nan))
    with pytest.raises(ValueError, match="expected 3"):
        tandem.load(TWO, gravity=(0, 0))
    with pytest.raises(ValueError, match="actuated is 'all'"):
        tandem.load(TWO, actuated="all")


def test_options_do_what_they_say():
    robot = tandem.load(ROBOTS / "hand_a.urdf", floating=True, gravity=(1, 2, 3), plan="reduced")
    assert robot.floating and robot.nyd == load("hand_a").nyd + 6 and tuple(robot.gravity) == (1, 2, 3)
    assert robot.plan.plan == tandem.Plan.REDUCED
    assert tandem.load(ROBOTS / "four_bar.urdf", loops=False).nyd == 3
    arm = tandem.load(ROBOTS / "arm7.urdf", locked={"joint_2": 0.3}, actuated=["joint_1", "joint_4"])
    assert arm.nyd == 6 and arm.names.u == ("joint_1", "joint_4")
    assert arm.actuation_status == tandem.Status.UNDERACTUATED


def test_limits_are_ignored(tmp_path):
    kept, free = load("gripper"), load("gripper", ignore_limits=True)
    assert np.isfinite(kept.upper).all() and np.isposinf(free.upper).all() and np.isneginf(free.lower).all()
    np.testing.assert_array_equal(free.velocity_limit, kept.velocity_limit)
    goal, tip = kept.link_pose("right_tip", [1.2]), tandem.Goal(tandem.GoalKind.POSITION, "right_tip")
    assert free.inverse_kinematics(tip, goal[:, 3]).y == pytest.approx([1.2], abs=1e-4)
    assert not kept.inverse_kinematics(tip, goal[:, 3]).reached
    assert kept.outside_limits([1.2]) == ("driver_joint",) and free.outside_limits([1.2]) == ()
    again = tandem.read_model(free.write())  # a model keeps its options, and with other options has its limits
    assert np.isposinf(again.upper).all() and np.isfinite(tandem.read_model(free.write(), ignore_limits=False).upper).all()
    free.export(tmp_path / "free.urdf")
    assert tandem.load(tmp_path / "free.urdf").joint("driver_joint").type == tandem.JointType.CONTINUOUS


def test_closing_frames():
    trap = ROBOTS.parent.parent / "test" / "traps" / "closing_frames.urdf"
    left_open = tandem.load(trap)
    assert left_open.names.loops == () and [d.code for d in left_open.diagnostics if d.omission] == ["URDF-C042"]
    closed = tandem.load(trap, closing_frames="point")
    assert closed.names.loops == ("closing_tool",) and closed.nyd == 2
    with pytest.raises(tandem.ModelError, match="hinge"):
        tandem.load(trap, closing_frames="hinge")


def test_a_path_goes_on_from_row_to_row():
    robot = tandem.load(ROBOTS / "five_bar.urdf")
    y = robot.reference + np.linspace(0, 0.2, 30)[:, None]
    expected = [robot.tree_state(row).q for row in y]
    path = robot.with_path()
    np.testing.assert_array_equal(path.tree_state(y).q, expected)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(path)).tree_state(y).q, expected)
    assert path != robot and path.with_path(False) == robot
    assert path == robot.with_following("last") and robot == robot.with_following("call")


def test_results_are_functions_of_y_from_the_start():
    robot = tandem.load(ROBOTS / "five_bar.urdf").with_following("start")
    y = robot.reference + np.array([0.05, 0.04])
    first = robot.inverse_dynamics(y)
    for _ in range(3):
        robot.inverse_dynamics(robot.reference + np.array([-0.05, 0.03]))
        np.testing.assert_array_equal(robot.inverse_dynamics(y), first)
    with pytest.raises(ValueError, match="expected 'call', 'last' or 'start'"):
        robot.with_following("before")


def test_starts_choose_the_branch_of_loops():
    file = ROBOTS / "five_bar.urdf"
    robot = tandem.load(file)
    q = dict(zip(robot.names.q, robot.tree.reference))
    other = tandem.load(file, start={"A": q["A"], "O": q["O"], "B": q["B"] + 2})
    branch = dict(zip(other.names.q, other.tree.reference))
    assert branch["A"] == pytest.approx(q["A"]) and branch["O"] == pytest.approx(q["O"])
    assert abs(branch["B"] - q["B"]) > 0.5
    np.testing.assert_array_equal(other.reference, other.independent_coordinates(other.tree.reference).y)
    pickled = pickle.loads(pickle.dumps(other))
    np.testing.assert_array_equal(pickled.tree.reference, other.tree.reference)
    with pytest.raises(tandem.ModelError, match="C052"):
        tandem.load(file, start={"none": 1})


def test_names_and_states(arm, hand):
    floating = load("arm7", floating=True)
    assert floating.names.y[:7] == tuple("base." + c for c in ("x", "y", "z", "qx", "qy", "qz", "qw"))
    assert floating.names.yd[0] == "base.wx" and floating.names.tau_y[0] == "base.mx"
    y = floating.state({"base.z": 1}, joint_3=0.5)
    assert y[2] == 1 and y[6] == 1 and y[9] == 0.5 and np.count_nonzero(y) == 3
    assert floating.velocity({"base.vx": 2.0})[3] == 2
    with pytest.raises(ValueError, match="did you mean 'joint_3'"):
        arm.state(joint_33=1)
    follower = next(n for n in hand.names.q if n not in hand.names.y)
    with pytest.raises(ValueError, match="follows"):
        hand.state({follower: 1})
    assert hand.tree.state({follower: 1})[hand.names.q.index(follower)] == 1
    tau = arm.gravity_force(np.zeros(7))
    assert arm.to_dict(tau) == dict(zip(arm.names.y, tau))
    poses = arm.to_dict(arm.link_poses(np.zeros(7)), "links")
    assert poses["flange"].shape == (3, 4)
    with pytest.raises(ValueError, match="but tau_y has"):
        arm.to_dict(np.zeros(6))


@pytest.mark.parametrize("name", ["arm7", "hand_a", "four_bar", "stewart", "humanoid"])
def test_robots_travel(name):
    robot = load(name, floating=name == "humanoid", gravity=(0.1, 0, -9.7)).with_payload(1, 0.5)
    other = pickle.loads(pickle.dumps(robot))
    assert other == robot and hash(other) == hash(robot) and other is not robot
    assert other.diagnostics == tuple(dataclasses.replace(d, file=f"{name}.urdf") for d in robot.diagnostics)
    y = robot.reference
    yd = np.linspace(-1, 1, robot.nyd)
    for a, b in ((robot.inverse_dynamics(y, yd), other.inverse_dynamics(y, yd)), (robot.mass_matrix(y), other.mass_matrix(y))):
        np.testing.assert_array_equal(a, b)
    assert copy.deepcopy(robot) is robot and copy.copy(robot) is robot
    assert robot != load(name) and len({robot, other, load(name), load(name)}) == 2
    assert tandem.read_model(robot.write()).names == robot.names
    assert tandem.read_model(robot.write(), floating=True).floating


@pytest.mark.parametrize("name", ["arm7", "hand_a", "four_bar", "stewart", "humanoid", "lamp"])
def test_robots_are_exported(name, tmp_path):
    last = len(load(name).links) - 1  # not a massless link, for which MuJoCo would require moments of inertia
    robot = load(name).with_payload(last, 0.5, (0, 0, 0.1)).with_gravity((0, 0, -1.6))
    text = robot.export(tmp_path / "robot.urdf")
    assert (tmp_path / "robot.urdf").read_text() == text
    other = tandem.load(tmp_path / "robot.urdf").with_gravity((0, 0, -1.6))
    assert other.digest == robot.digest != load(name).digest and other.export() == text
    y = robot.reference
    yd = np.linspace(-1, 1, robot.nyd)
    np.testing.assert_allclose(other.inverse_dynamics(y, yd), robot.inverse_dynamics(y, yd), rtol=1e-11, atol=1e-11)
    mjcf = robot.export(format="mjcf")
    assert mjcf.startswith("<mujoco") and 'gravity="0 0 -1.6' in mjcf


def test_what_a_format_cannot_hold_is_named():
    yoke = load("yoke")
    with pytest.raises(tandem.ModelError, match="slide"):
        yoke.export(format="mjcf")
    with pytest.raises(ValueError, match="expected 'urdf' or 'mjcf'"):
        yoke.export(format="sdf")
    sine = tandem.load(yoke.export().replace('type="continuous"', 'type="revolute"').replace(
        '</joint>', '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>', 1))
    with pytest.warns(UserWarning, match="TD-X003"):
        assert "polycoef" in sine.export(format="mjcf", fit=True)


def test_damaged_model_files_are_refused(arm):
    with pytest.raises(tandem.ModelError, match="TD-E004"):
        tandem.read_model(arm.write()[:-3])
    with pytest.raises(tandem.ModelError, match="TD-E005"):
        tandem.read_model(b"tandem-model 9\n")


def test_changes_give_other_robots(arm):
    y = arm.random_configuration()
    heavy = arm.with_payload("flange", 2.0, com=(0, 0, 0.1), inertia=(0.01, 0, 0, 0.01, 0, 0.01))
    assert not np.array_equal(heavy.gravity_force(y), arm.gravity_force(y))
    np.testing.assert_array_equal(heavy.without_payloads().gravity_force(y), arm.gravity_force(y))
    np.testing.assert_array_equal(arm.with_gravity((0, 0, 0)).gravity_force(y), np.zeros(7))
    assert heavy != arm and heavy.total_mass == arm.total_mass and len({heavy, arm}) == 2
    with pytest.raises(ValueError, match="payload"):
        arm.with_payload(0, -1e3)
    with pytest.raises(ValueError, match="gravity"):
        arm.with_gravity((0, 0, math.inf))
    many = np.random.default_rng(0).normal(size=(2000, 7))
    np.testing.assert_array_equal(arm.with_threads(2).inverse_dynamics(many), arm.inverse_dynamics(many))


def indices_in(value):
    """Yields all integers of a record, including nested lists of records."""
    if isinstance(value, (tuple, list)):
        for one in value:
            yield from indices_in(one)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from indices_in(getattr(value, field.name))
    elif isinstance(value, int):
        yield value


def test_indices_of_none(arm, hand, stewart):
    """Missing indices are None, never the C value TD_NONE."""
    base = arm.joint_place(0)
    assert arm.link_body("base") is None and arm.link_parent_joint("base") is None
    assert base.parent_joint is None and base.leader is None and base.cluster is None and base.q == 0
    assert arm.effective_limit(0).lower_joint == 0 and arm.actuators[0].loop is None and arm.actuators[0].joint == 0
    assert tandem.JointType.REVOLUTE.kind.quaternion is None and tandem.JointType.FLOATING.kind.quaternion == 3
    follower = next(i for i in range(len(hand.joints)) if hand.joint_place(i).dependent)
    assert hand.joint_place(follower).y is None and hand.joint_place(follower).leader is not None
    assert hand.effective_limit(follower).lower_joint is None
    assert all(place.cluster is not None for place in stewart.loop_places)
    for robot in (arm, hand, stewart, load("parallelogram_loop"), load("humanoid")):
        records = [robot.loop_places, robot.actuators, robot.movable_joints, robot.independent_joints]
        records += [[robot.joint_place(i), robot.effective_limit(i), joint.type.kind] for i, joint in enumerate(robot.joints)]
        assert all(-1 <= value < 10 ** 6 for value in indices_in(records))


def test_queries(arm, hand, stewart):
    assert arm.total_mass == pytest.approx(sum(link.mass for link in arm.links))
    assert arm.joint_place("joint_2").parent_joint is not None and arm.link_parent_joint("base") is None
    assert arm.effective_limit("joint_1").upper_joint == arm.names.joints.index("joint_1")
    assert arm.inertia_audit("base").positive_definite
    assert arm.outside_limits(np.full(7, 100.0)) == arm.names.y and arm.outside_limits(np.zeros(7)) == ()
    assert len(arm.movable_joints) == len(arm.independent_joints) == 7 and arm.body_count == 7
    assert arm.isa and arm.lanes in (2, 4, 8) and arm.threads == 1 and arm.workspace_bytes > 0
    M, b = hand.closure_matrix(), hand.closure_offset()
    y = hand.random_configuration(4)
    np.testing.assert_allclose(hand.tree_state(y).q, y @ M.T + b, atol=1e-14)
    np.testing.assert_array_equal(hand.closure_velocity_matrix(), hand.closure_jacobian(y[0]))
    assert stewart.loop_places[0].form == tandem.LoopForm.ITERATED and stewart.loops[0].name == stewart.names.loops[0]
    assert [a.name for a in stewart.actuators] == list(stewart.names.u)
    np.testing.assert_array_equal(arm.random_configuration((2, 3), seed=5), arm.random_configuration(6, seed=5).reshape(2, 3, 7))


def test_closure_objects():
    bar = load("four_bar")
    y = bar.reference
    closure = bar.closure(y + 0.1, [1.0], [0.5])
    assert closure.status == tandem.Status.OK and closure.residual < 1e-12 and closure.ranks == (2,)
    np.testing.assert_allclose(closure.qd, closure.G @ [1.0], atol=1e-12)
    np.testing.assert_allclose(closure.K @ closure.G, 0, atol=1e-12)
    np.testing.assert_allclose(closure.phi, 0, atol=1e-12)
    assert closure.condition > 1 and closure.q.shape == (3,) and closure.qdd.shape == (3,)
    step = 1e-6
    ends = [bar.tree_state(y + 0.1 + s * step).q for s in (-1, 1)]
    np.testing.assert_allclose((ends[1] - ends[0]) / (2 * step), closure.G[:, 0], atol=1e-8)
    broken = load("stewart")
    far = broken.reference
    far[0] += 50
    closure = broken.closure(far)
    assert closure.status != tandem.Status.OK and closure.report.loop in broken.names.loops
    with pytest.raises(tandem.DynamicsError):
        closure.q
    again = bar.with_start(bar.tree_state(y + 0.1).q)
    np.testing.assert_allclose(again.tree_state(y + 0.1).q, bar.tree_state(y + 0.1).q, atol=1e-12)


def test_charts():
    bar = load("four_bar")
    q = bar.tree_state(bar.reference + 0.4).q
    there = bar.with_chart(q)
    positions, velocities = there.chart_entries
    u = there.independent_coordinates(q).y
    np.testing.assert_array_equal(u, q[positions])
    np.testing.assert_array_equal(bar.chart_entries[0], [bar.names.q.index(name) for name in bar.names.y])
    closure = there.closure(u, [1.0], [0.5])
    np.testing.assert_allclose(closure.q, q, atol=1e-12)
    np.testing.assert_allclose(closure.K @ closure.G, 0, atol=1e-12)
    assert closure.qd[velocities[0]] == 1.0
    of_u, of_y = there.chart_speeds(q)
    assert of_u <= 2 and bar.chart_speeds(q) == pytest.approx((of_y, of_y))
    y = bar.independent_coordinates(q).y
    np.testing.assert_allclose(there.with_chart(None).mass_matrix(y), bar.mass_matrix(y), rtol=1e-12)
    assert pickle.loads(pickle.dumps(there)).chart_entries[0] == positions
    with pytest.raises(tandem.DynamicsError):
        bar.with_chart(q + 1)
    with pytest.raises(ValueError):
        bar.with_chart(q[:1])


def test_charts_of_poses():
    swing = load("swing")
    assert (swing.nq, swing.ny, swing.nyd) == (14, 14, 7)
    y = swing.reference
    y[1], y[2] = 1.9, 1.9  # the seat: loops do not close here, with the rods almost level
    q = swing.tree_state(y).q
    assert abs(swing.constraint_residual(q)).max() < 1e-12
    y = swing.independent_coordinates(q).y
    np.testing.assert_array_equal(swing.tree_state(y).q, q)
    there = swing.with_chart(q)
    positions, velocities = there.chart_entries
    u = there.independent_coordinates(q).y
    assert set(velocities) != set(swing.chart_entries[1]) and len(u) == len(positions)
    ud = np.linspace(-1, 1, swing.nyd)
    at = there.tree_state(u, ud)
    np.testing.assert_allclose(at.q, q, atol=1e-12)
    np.testing.assert_allclose(at.qd[velocities], ud, atol=1e-12)
    assert there.chart_speeds(q)[0] <= 2 < swing.chart_speeds(q)[0]


def test_actuation_report(stewart):
    report = stewart.actuation(stewart.reference)
    assert report.rank + len(report.directions) == report.drivable


def chain():
    link = dict(has_inertial=True, mass=1.0, inertia=(0.1, 0, 0, 0.1, 0, 0.1), inertial=tandem.Pose((0.1, 0, 0)))
    builder = tandem.Builder("chain")
    builder.add(tandem.Link("a"), tandem.Link("b", **link, geometry=(tandem.Geometry(tandem.Shape.BOX, rgba=(1, 0, 0, 1)),)),
                tandem.Link("c", **link))
    builder.add(tandem.Joint("j", tandem.JointType.CONTINUOUS, "a", "b", axis=(0, 1, 0)),
                tandem.Joint("k", tandem.JointType.CONTINUOUS, "b", "c", axis=(0, 1, 0), origin=tandem.Pose((0.3, 0, 0))))
    return builder


def test_builder():
    robot = chain().finish()
    assert robot.names.y == ("j", "k") and robot.links[1].geometry[0].rgba == (1, 0, 0, 1)
    with pytest.raises(tandem.ModelError, match="'d'"):
        chain().add(tandem.Joint("l", tandem.JointType.FIXED, "c", "d")).finish()
    with pytest.raises(ValueError, match="expected 3"):
        chain().add(tandem.Link("d", inertial=tandem.Pose((0, 0))))  # type: ignore[arg-type]
    more = tandem.Builder(urdf=TWO.encode())
    more.add(tandem.Link("c"), tandem.Joint("k", tandem.JointType.FIXED, "b", "c"))
    assert len(more.finish().names.links) == 3
    assert chain().set_independent("j", True).finish().names.y == ("j", "k")


def test_closures_of_ones_own():
    def gamma(y):
        return [math.sin(y[0])], [[math.cos(y[0])]]

    def rate(y, yd):
        return (*gamma(y), [[-math.sin(y[0]) * yd[0]]])

    cam = tandem.OwnClosure("cam", ["k"], ["j"], gamma, rate)
    robot = chain().finish(closures=[cam])
    y = np.array([[0.3], [0.5]])
    np.testing.assert_allclose(robot.tree_state(y).q, np.hstack([y, np.sin(y)]), atol=1e-15)
    np.testing.assert_allclose(robot.closure_jacobian(y[0]), [[1], [math.cos(0.3)]], atol=1e-15)
    plain = chain().finish()
    q, qd, qdd = robot.tree_state(y[0], [1.0], [0.0])
    tau = plain.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(robot.inverse_dynamics(y[0], [1.0]), robot.project_force(y[0], tau), atol=1e-12)

    def derivatives(y, yd, ydd, f):
        bend, turn = -math.sin(y[0]), -math.cos(y[0])
        return [[bend * yd[0]]], [[bend * ydd[0] + turn * yd[0] ** 2]], [[f[0] * bend]]

    exact = chain().finish(closures=[tandem.OwnClosure("cam", ["k"], ["j"], gamma, rate, derivatives)])
    arguments = [0.3], [0.7], [-0.2], [1.0, 2.0]
    for ours, found in zip(exact.closure_derivatives(*arguments), robot.closure_derivatives(*arguments)):
        np.testing.assert_allclose(found, ours, atol=1e-12)
    np.testing.assert_allclose(exact.closure_derivatives(*arguments).dtau_y_dy, [[-2 * math.sin(0.3)]], atol=1e-15)
    with pytest.raises(TypeError, match="cannot be written"):
        pickle.dumps(robot)
    assert robot == robot and hash(robot) == hash(robot) and copy.deepcopy(robot) is robot
    caught = []

    def reenters(y):
        if late:
            for call in (late[0].gravity_force, late[0].closure, late[0].dynamics_terms, late[0].actuation):
                try:
                    call(y)
                except RuntimeError as error:
                    caught.append(str(error))
        return gamma(y)

    late = []
    inside = chain().finish(closures=[tandem.OwnClosure("inside", ["k"], ["j"], reenters, rate)])
    late.append(inside)
    for call in (inside.gravity_force, inside.closure, inside.dynamics_terms):
        caught.clear()
        call([0.1])
        assert len(caught) % 4 == 0 and caught and "user-supplied closure" in caught[0]
    late.clear()
    nowhere = tandem.OwnClosure("log", ["k"], ["j"], lambda y: None if y[0] > 1 else gamma(y), rate)
    with pytest.raises(tandem.DynamicsError):
        chain().finish(closures=[nowhere]).tree_state([1.5])


@pytest.mark.parametrize("kind, c_type", [(tandem.Link, "td_link"), (tandem.Joint, "td_joint"), (tandem.Loop, "td_loop"),
                                          (tandem.Geometry, "td_geometry"), (tandem.Coupling, "td_coupling"),
                                          (tandem.Curve, "td_curve"), (tandem.Follower, "td_follower"),
                                          (tandem.Transmission, "td_transmission"), (tandem.Spring, "td_spring"),
                                          (tandem.Flexible, "td_flexible"), (tandem.Limit, "td_limit"),
                                          (tandem.JointPlace, "td_joint_place"), (tandem.PlanInfo, "td_plan_info"),
                                          (tandem.LoopPlace, "td_loop_place"), (tandem.LoopCluster, "td_loop_cluster"),
                                          (tandem.InertiaAudit, "td_inertia_audit"), (tandem.IdleDirection, "td_idle_direction"), (tandem.Actuator, "td_actuator"),
                                          (tandem.EffectiveLimit, "td_effective_limit"), (tandem.JointKind, "td_joint_kind"), (tandem.Source, "td_source"),
                                          (tandem.Pose, "td_pose")])
def test_records_have_the_fields_of_the_structs(kind, c_type):
    fields = {name for name, _ in ffi.typeof(c_type).fields} - {"size_of", "geometry_count", "coefficients", "points", "curves"}
    assert {f.name for f in dataclasses.fields(kind)} == fields


def other(value, name):
    """Another value than the default one of a field, of its type."""
    if isinstance(value, enum.IntEnum):
        return list(type(value))[-1]
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 2
    if isinstance(value, float):
        return 0.375
    if dataclasses.is_dataclass(value):
        return type(value)(**{f.name: other(getattr(value, f.name), f.name) for f in dataclasses.fields(value)})
    if name in _records.NUMBERS:
        return (0.5, 0.25, 0.125)
    if name in ("geometry", "curve"):
        kind = tandem.Geometry() if name == "geometry" else tandem.Curve("leader", tandem.CurveType.POLYNOMIAL)
        return (other(kind, name),) * 2
    return tuple(k + 0.625 for k in range(len(value))) if isinstance(value, tuple) else f"another {name}"


def types(value):
    if dataclasses.is_dataclass(value):
        return {f.name: types(getattr(value, f.name)) for f in dataclasses.fields(value)}
    return [types(one) for one in value] if isinstance(value, tuple) else type(value)


@pytest.mark.parametrize("record", [
    tandem.Link("a"), tandem.Joint("j", tandem.JointType.REVOLUTE, "a", "b"), tandem.Loop("l", "a", "b"), tandem.Coupling("c", "a", "b", 1.0),
    tandem.Follower("j"), tandem.Spring("s", "a", "b"), tandem.Transmission("t", "j"), tandem.Flexible("a")])
def test_every_field_goes_to_c_and_back(record):
    """With its value and its type, the numbers of an enum as members of it."""
    changed = other(record, "")
    assert all(getattr(changed, f.name) != getattr(record, f.name) for f in dataclasses.fields(record))
    struct, kept = ffi.new(f"td_{type(record).__name__.lower()} *"), []
    struct.size_of = ffi.sizeof(struct[0])
    _records.to_c(changed, struct, kept)
    back = _records.from_c(type(record), struct)
    assert back == changed and types(back) == types(changed)


@pytest.mark.parametrize("kind, c_type, prefix", [
    (tandem.Status, "td_status", "TD_ERROR_"), (tandem.JointType, "td_joint_type", "TD_JOINT_"),
    (tandem.SpringType, "td_spring_type", "TD_SPRING_"), (tandem.CurveType, "td_curve_type", "TD_CURVE_"),
    (tandem.CurveEnds, "td_curve_ends", "TD_CURVE_ENDS_"), (tandem.LoopType, "td_loop_type", "TD_LOOP_"), (tandem.LoopForm, "td_loop_form", "TD_LOOP_FORM_"),
    (tandem.Shape, "td_shape", "TD_SHAPE_"), (tandem.Plan, "td_plan", "TD_PLAN_"),
    (tandem.EventKind, "td_event_kind", "TD_EVENT_"), (tandem.LimitKind, "td_limit_kind", "TD_LIMIT_"),
    (tandem.Severity, "td_severity", "TD_SEVERITY_"), (tandem.Frame, "td_frame", "TD_FRAME_"), (tandem.Scope, "td_scope", "TD_SCOPE_")])
def test_enumerators_are_those_of_the_library(kind, c_type, prefix):
    there = {name.removeprefix(prefix).removeprefix("TD_"): value for value, name in ffi.typeof(c_type).elements.items()}
    assert there == {m.name: m.value for m in kind}


def test_followers_by_curves():
    builder = tandem.Builder("pair").add(tandem.Link("a"))
    for i, (above, below) in enumerate(["ab", "bc"]):
        builder.add(tandem.Link(below, has_inertial=True, mass=1.0, inertia=(1, 0, 0, 1, 0, 1)),
                    tandem.Joint("jk"[i], tandem.JointType.REVOLUTE, above, below))
    at = np.linspace(-1, 1, 9)
    curves = (tandem.Curve.polynomial("j", [0.1, 0, 0.5]), tandem.Curve.sine("j", 0.3, 2, 0.1),
              tandem.Curve.spline("j", at, at, ends=tandem.CurveEnds.CLAMPED, end_slope=(1, 1)))
    robot = builder.add(tandem.Follower("k", curves, 0.2)).finish()
    assert robot.followers[0].curve == curves and robot.followers[0].offset == 0.2
    assert robot.nyd == 1
    x = 0.4
    q = robot.tree_state([x]).q
    assert abs(q[1] - (0.3 + 0.5 * x * x + 0.3 * np.sin(2 * x + 0.1) + x)) < 1e-14
    assert pickle.loads(pickle.dumps(robot)).followers == robot.followers
    assert load("yoke").followers[0].curve[0].amplitude == 0.08
    with pytest.raises(ValueError):
        builder.add(tandem.Follower("k", (tandem.Curve.spline("j", [0, 1], [0]),)))


def test_kinds_of_joints():
    planar = tandem.JointType.PLANAR.kind
    assert (planar.word, planar.nq, planar.quaternion) == ("planar", 3, None)
    assert [t.kind.word for t in tandem.JointType] == [t.name.lower() for t in tandem.JointType]
    robot = load("arm7", floating=True)
    assert robot.component_units("base") == (("m",) * 3 + ("",) * 4, ("rad",) * 3 + ("m",) * 3)
    assert robot.component_units(1) == (("rad",), ("rad",))


def test_screws_balls_and_universal_joints():
    crane, screw = load("crane"), load("lead_screw")
    assert crane.names.q == ("slew", "swing.rx", "swing.ry", "hook.qx", "hook.qy", "hook.qz", "hook.qw")
    assert crane.names.tau == ("slew", "swing.rx", "swing.ry", "hook.mx", "hook.my", "hook.mz")
    assert crane.component_units("swing") == (("rad", "rad"), ("rad", "rad"))
    y = crane.random_configuration(seed=3)
    step = np.linspace(0.1, 0.6, crane.nyd)
    np.testing.assert_allclose(crane.difference(y, crane.integrate(y, step)), step, atol=1e-14)
    assert pickle.loads(pickle.dumps(crane)) == crane
    assert screw.joints[screw.names.joints.index("thread")].pitch == -0.005
    np.testing.assert_allclose(screw.tree_state([2 * np.pi]).q, [2 * np.pi, -2 * np.pi, 0.005], atol=1e-12)
    builder = chain()
    builder.add(tandem.Link("d", has_inertial=True, mass=1.0), tandem.Joint("s", tandem.JointType.SCREW, "c", "d", pitch=0.1))
    robot = builder.finish()
    np.testing.assert_allclose(robot.link_poses([0, 0, np.pi])[3, 0, 3], 0.3 + 0.05, atol=1e-15)


def test_rotations():
    R = tandem.rotation_from_rpy(0.1, 0.2, 0.3)
    np.testing.assert_allclose(tandem.rotation_from_quaternion(tandem.quaternion_from_rotation(R)), R, atol=1e-15)
    position, xyzw = tandem.pose_split(np.hstack([R, [[1], [2], [3]]]))
    np.testing.assert_array_equal(position, [1, 2, 3])
    np.testing.assert_allclose(tandem.rotation_from_quaternion(xyzw), R, atol=1e-15)
    with pytest.raises(ValueError, match="length 0"):
        tandem.rotation_from_quaternion(np.zeros(4))


def test_one_word_for_one_thing():
    assert tandem.__version__ == tandem.version() and _errors.Status.OK.text == "success"
    assert "inverse_dynamics" in dir(tandem.Robot) and "H q̈ + C" in tandem.Robot.inverse_dynamics.__doc__
    assert _records.Link("x") == tandem.Link("x")

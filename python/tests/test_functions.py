# SPDX-License-Identifier: MIT
"""Compares every function bitwise with the library, called by cffi with pointers, for one state. Rows of a batch must equal
single states.
"""
import doctest
import re

import numpy as np
import pytest

import tandem
from conftest import ROOT, load
from tandem import _functions
from tandem._arrays import BYTES, IN, OUT, SHARED, core_shape
from tandem._native import ffi, lib, new_object

POINTER, INDEX, NUMBER, REAL = 4, 5, 6, 7

# methods not generated from the table, properties, and functions with other names in Python
BY_HAND = """
idle_count idle_direction_read idle_directions closure_start closure_rows closure_remember closure_recall closure_start_from chart_choose chart_speeds chart_leave chart_use chart_is_used chart_entries chart_positions dynamics_terms batch_dynamics_terms closure_examine
packed_entries packed_pattern factors_solve
actuation_examine neutral random_configuration outside_limits set_gravity
set_payload set_payload_rows allow_payloads clear_payloads workspace_new workspace_free workspace_threads
workspace_bytes use_coordinates used_coordinates argument_fault singular_joint failed_loop failed_path model_free model_name nq
nv ny nyd nu joint_kind_of model_base gravity isa lanes link_count link_at link_index root_link joint_count joint_at joint_index
loop_count loop_at loop_type_text coupling_count coupling_at follower_count follower_at follower_of curve_at curve_value spring_count spring_at transmission_count transmission_at flexible_count
flexible_at joint_place_read component_text component_unit coordinate_of movable_count movable_joint
independent_count independent_joint body_count link_body link_parent_joint link_audit_read plan_read total_mass moving_mass
constraint_count closure_matrix closure_velocity_matrix closure_offset loop_place_read loop_cluster_count
loop_cluster_read reference effective_limit_read actuator_read actuation_status status_text version severity_text
diagnostics_new diagnostics_free diagnostics_add diagnostics_size diagnostics_at diagnostics_count builder_new builder_free
builder_set_source builder_add_link builder_add_joint builder_add_loop builder_add_coupling builder_add_follower builder_add_spring builder_add_transmission
builder_add_flexible builder_set_independent builder_finish
geometry_at find_file load_urdf load_urdf_memory parse_urdf_memory parse_submechanisms_memory model_write load_model_memory model_export model_digest
rotation_from_rpy rotation_from_quaternion quaternion_from_rotation pose_split pose_join pose_compose pose_inverse pose_exp pose_log
pose_interpolate center_of_pressure zero_moment_point split_wrench
simulation_new simulation_free simulation_workspace simulation_start simulation_step
simulation_advance simulation_jump simulation_failed_loop simulation_fastest simulation_time simulation_begin
simulation_evaluate event_text simulation_event_count simulation_event_read simulation_counts_read
trajectory_free trajectory_move trajectory_polynomial trajectory_limited trajectory_spline trajectory_hermite
trajectory_size trajectory_begin trajectory_end trajectory_pieces trajectory_piece trajectory_evaluate trajectory_state trajectory_turn trajectory_scale
trajectory_time_scale
ik_new ik_free ik_target_count ik_goal_count ik_solve ik_solve_rows ik_q
ik_clone ik_solve_all ik_solve_path
ik_rate_new ik_rate_free ik_rate_velocity_count ik_rate_solve
completion_new completion_free completion_missing completion_start complete
linearization_new linearization_free linearization_states linearization_inputs linearization_A linearization_B linearization_ydd
linearization_u linearization_rest linearize linearize_held equilibrium link_compliance
""".split()

ROBOTS = ["arm7", "hand_a", "four_bar", "humanoid", "stewart", "linear_leg", "lamp"]


def specs():
    """Returns the C name and the specification of each function of the table."""
    found = {}
    for name, value in vars(_functions).items():
        op = getattr(value, "__self__", value)
        if type(op) is _functions.Op:
            found[op.spec[0]] = op.spec
    return found


SPECS = specs()
METHODS = {"closure": "tree_state"}  # methods whose names differ from C

# functions for few robots; factors of an earlier call are tested separately
ONLY = {"loop_motion": ["four_bar", "linear_leg"], "spring_state": ["lamp"], "spring_state_derivatives": ["lamp"]}


def calls():
    """Returns each function with each robot that supports it, in independent and in tree coordinates."""
    return [(name, robot, tree) for name in sorted(SPECS) for robot in ONLY.get(name, ROBOTS)
            for tree in (False, True)[:1 + hasattr(tandem.Tree, METHODS.get(name, name))]]


def in_coordinates(robot, tree):
    return robot.tree if tree else robot


def test_the_package_has_every_function_of_the_headers():
    declared = set()
    for header in (ROOT / "include" / "tandem").glob("*.h"):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        declared |= set(re.findall(r"TD_API\b[^;()]*?\btd_(\w+)\s*\(", text))
    table = set(SPECS) | {"batch_" + name for name in SPECS}
    missing = declared - table - set(BY_HAND)
    assert not missing
    assert not set(BY_HAND) - declared


class States:
    """Random values for all arguments. Loops are closed at y and q."""

    def __init__(self, robot, n, seed=3, tree=False):
        self.robot, self.n = robot, n
        self.sizes = in_coordinates(robot, tree)._sizes
        self.random = np.random.default_rng(seed)
        middle = robot.reference
        self.y = robot.integrate(np.tile(middle, (n, 1)), self.random.uniform(-0.05, 0.05, (n, robot.nyd)))
        self.q = robot.tree_state(self.y).q
        self.own = self.q if tree else self.y

    def value(self, function, kind, name, dims):
        if kind == POINTER:
            return tandem.Forces(self.random.normal(size=(self.sizes[5], 6)), passive=True) if name == "forces" else None
        if kind == INDEX:
            return self.sizes[5] - 1 if name == "link" else 0
        if kind == NUMBER:
            return 1
        if kind == REAL:
            return 0.25
        shape = core_shape(dims, self.sizes)
        if kind == BYTES:
            given = np.zeros(shape, dtype=bool)
            given[: 6 if self.robot.floating else 1] = True
            return given
        if kind == SHARED:
            return np.abs(self.random.normal(size=shape)) + 0.5
        if name in ("y", "q", "start", "end"):
            return self.q if dims == (-3,) else self.own
        values = self.random.normal(size=(self.n, *shape))
        if name == "position":
            return self.robot.motion_to_actuators(self.y).position
        return values


def direct(spec, robot, inputs, starts, row, tree):
    """Calls the library's function by cffi for one state. Returns status and outputs."""
    name, sizes = spec[0], in_coordinates(robot, tree)._sizes
    workspace = new_object("td_workspace", robot._model.pointer, ffi.NULL)
    lib.td_use_coordinates(workspace, tree)
    function = getattr(lib, "td_" + name)
    outputs, passed, kept, given, begin = [], [], [], iter(inputs), iter(starts)
    for kind, _, dims in spec[3]:
        if kind == OUT:
            start = next(begin)
            outputs.append(np.zeros(core_shape(dims, sizes)) if start is None else start[row].copy())
            passed.append(ffi.from_buffer("double[]", outputs[-1]))
            continue
        value = next(given)
        if kind in (IN, SHARED):
            array = None if value is None else np.ascontiguousarray(value[row] if kind == IN else value)
            kept.append(array)
            passed.append(ffi.NULL if array is None else ffi.from_buffer("double[]", array))
        elif kind == BYTES:
            kept.append(value.astype(np.uint8))
            passed.append(ffi.from_buffer("unsigned char[]", kept[-1]))
        elif kind == POINTER:
            passed.append(ffi.NULL if value is None else value.pointer)
        else:
            passed.append(value)
    second = ffi.typeof(function).args[1].cname
    before = [workspace] if "td_workspace" in second else [int(tree)] if "td_coordinates" in second else []
    if ffi.typeof(function).result.kind == "primitive" and ffi.typeof(function).result.cname == "double":
        outputs[-1][...] = function(robot._model.pointer, *before, *passed[:-1])
        return 0, outputs
    status = function(robot._model.pointer, *before, *passed)
    return status or 0, outputs


def call(robot, spec, inputs, starts, row=None, statuses=None):
    """Calls the method for one row or for all rows."""
    arguments, begin = {}, iter(starts)
    given = iter(inputs)
    for kind, argument, _ in spec[3]:
        value = next(begin) if kind == OUT else next(given)
        if value is None or (kind == OUT and value is None):
            continue
        if kind in (IN, OUT) and row is not None:
            value = value[row]
        if kind == NUMBER:
            value = (tandem.Frame if argument == "frame" else tandem.Scope)(value)
        arguments[argument] = value
    function = getattr(robot, METHODS.get(spec[0], spec[0]))
    if statuses is not None:
        arguments["statuses"] = statuses
    return function(**arguments)


@pytest.mark.parametrize("name, robot_name, tree", calls())
def test_results_are_those_of_the_library(name, robot_name, tree):
    robot = load(robot_name, floating=robot_name == "humanoid")
    spec = SPECS[name]
    states = States(robot, 5, tree=tree)
    inputs = [states.value(name, *entry) for entry in spec[3] if entry[0] != OUT]
    inout = {"hybrid_dynamics", "motion_from_actuators", "normalize", "align_quaternions"}
    starts = [None for entry in spec[3] if entry[0] == OUT]
    if name in inout:
        starts = [None if a == "residual" else states.own.copy() if dims == (-1,) else states.q.copy() if dims == (-3,) else
                  states.value(name, IN, a, dims) for kind, a, dims in spec[3] if kind == OUT]
    statuses = np.full(5, -1, dtype=np.intc)
    called = in_coordinates(robot, tree)
    batch = call(called, spec, inputs, starts, statuses=statuses)
    parts = batch if isinstance(batch, tuple) else (batch,)
    for row in range(5):
        status, expected = direct(spec, robot, inputs, starts, row, tree)
        assert statuses[row] == status
        if status:
            with pytest.raises(tandem.DynamicsError) as caught:
                call(called, spec, inputs, starts, row)
            assert caught.value.status == status
            single = caught.value.result
        else:
            single = call(called, spec, inputs, starts, row)
        single = single if isinstance(single, tuple) else (single,)
        assert len(single) == len(expected) == len(parts)
        # a single call starts closing loops from the last call of its workspace
        tolerance = 1e-9 if robot.loop_clusters else 0
        # an inverse has the error of its matrix times the condition number
        rounding = 0
        if name == "operational_inertia" and not status:
            kept = np.diag(expected[1]) != 0
            rounding = 1e-15 * np.linalg.cond(expected[1][np.ix_(kept, kept)]) if kept.any() else 0
        for one, many, there in zip(single, parts, expected):
            assert np.shape(one) == there.shape and many.shape == (5, *there.shape)
            scale = 1 + np.nanmax(np.abs(there), initial=0)
            np.testing.assert_allclose(one, there, rtol=0, atol=tolerance * scale)
            np.testing.assert_allclose(many[row], there, rtol=0, atol=max(tolerance, 1e-11, rounding) * scale)


@pytest.mark.parametrize("robot_name", ["arm7", "hand_a", "four_bar", "humanoid", "stewart"])
@pytest.mark.parametrize("tree", [False, True])
def test_factors(robot_name, tree):
    robot = load(robot_name)
    states = States(robot, 3)
    y = (states.q if tree else states.y)[0]
    robot = in_coordinates(robot, tree)
    rows, columns = robot.packed_pattern()
    H, factors = robot.mass_matrix(y), robot.mass_matrix_factors(y)
    L = np.eye(len(H))
    for i in range(len(H)):
        part = slice(rows[i], rows[i + 1])
        L[i, columns[part]] = factors[part]
    D = np.diag(L).copy()
    np.fill_diagonal(L, 1)
    np.testing.assert_allclose(L.T @ np.diag(D) @ L, H, rtol=0, atol=1e-13 * np.abs(H).max())
    B = np.random.default_rng(1).normal(size=(len(H), 11))
    X = robot.factors_solve(factors, B)
    np.testing.assert_allclose(X, np.linalg.solve(H, B), rtol=1e-7, atol=1e-9 * np.abs(X).max())
    np.testing.assert_allclose(robot.factors_solve(factors, B[:, 0]), X[:, 0], rtol=1e-12, atol=1e-12 * np.abs(X).max())
    many = robot.factors_solve(np.array([factors, 2 * factors]), np.array([B, B]))
    np.testing.assert_array_equal(many[0], X)
    assert np.isfinite(many[1]).all() and not np.array_equal(many[1], X)
    np.testing.assert_array_equal(robot.factors_solve([[factors]], [[B[:, 0]]])[0, 0], robot.factors_solve(factors, B[:, 0]))
    with pytest.raises(ValueError, match="factors"):
        robot.factors_solve(factors[1:], B)
    with pytest.raises(ValueError, match="expected"):
        robot.factors_solve([factors], B)
    with pytest.raises(ValueError, match="expected"):
        robot.factors_solve(factors, B[1:])
    with pytest.raises(tandem.DynamicsError):
        robot.factors_solve(-factors, B)


@pytest.mark.parametrize("robot_name", ["arm7", "hand_a", "four_bar", "humanoid"])
@pytest.mark.parametrize("tree", [False, True])
def test_terms_are_those_of_the_single_functions(robot_name, tree):
    robot = load(robot_name)
    states = States(robot, 3)
    y = states.q if tree else states.y
    yd = states.random.normal(size=(3, robot.nv if tree else robot.nyd))
    robot = in_coordinates(robot, tree)
    names = ("H", "C", "gravity", "poses", "velocities", "accelerations", "com", "centroidal_momentum_matrix", "energy")
    for rows in (slice(None), 0):
        terms = robot.dynamics_terms(y[rows], yd[rows], want=names, frame="body")
        expected = {
            "H": robot.mass_matrix(y[rows]), "C": robot.bias_force(y[rows], yd[rows]),
            "gravity": robot.gravity_force(y[rows]), "poses": robot.link_poses(y[rows]),
            "velocities": robot.link_velocities(y[rows], yd[rows], frame="body"),
            "accelerations": robot.link_spatial_accelerations(y[rows], yd[rows], frame="body"),
            "com": robot.center_of_mass_motion(y[rows], yd[rows]),
            "centroidal_momentum_matrix": robot.centroidal_momentum_matrix(y[rows]),
            "energy": robot.energy(y[rows], yd[rows]),
        }
        for name, value in expected.items():
            found = getattr(terms, name)
            assert found.shape == value.shape
            np.testing.assert_allclose(found, value, atol=1e-10 * (1 + np.max(np.abs(value))))
    assert robot.dynamics_terms(y[0]).poses is None
    with pytest.raises(ValueError, match="'M'"):
        robot.dynamics_terms(y[0], want=["M"])


def test_passive_forces_and_wrenches_act(arm):
    y, yd = arm.random_configuration(), np.ones(7)
    plain, passive = arm.inverse_dynamics(y, yd), arm.inverse_dynamics(y, yd, forces=tandem.Forces(passive=True))
    damping = np.array([j.damping + j.friction / np.sqrt(1 + 1e-6) for j in arm.joints if j.type == tandem.JointType.REVOLUTE])
    assert passive.shape == plain.shape and damping.shape == (7,)
    np.testing.assert_allclose(passive - plain, damping, atol=1e-9)
    wrench = np.array([0.1, 0.2, 0.3, 1.0, 2.0, 3.0])
    acted = arm.inverse_dynamics(y, forces=arm.forces({arm.names.links[-1]: {"moment": wrench[:3], "force": wrench[3:]}}, frame="body"))
    J = arm.link_jacobian(arm.names.links[-1], y, frame="body")
    np.testing.assert_allclose(arm.inverse_dynamics(y) - acted, J.T @ wrench, atol=1e-10)


def test_examples_of_methods_run():
    """Runs the examples in docstrings for the four-bar, and checks that every method names its units."""
    bars = load("four_bar")
    n = bars._model.sizes
    names = {entry[1]: np.ones(core_shape(entry[2], n)) for name in sorted(SPECS)
             for entry in SPECS[name][3] if entry[0] in (IN, SHARED)}
    names.update(bars=bars, y=bars.reference, q=bars.tree.reference, start=bars.reference,
                 end=bars.reference, given=np.array([True]),
                 position=bars.motion_to_actuators(bars.reference).position)
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False)
    for name, method in {**vars(_functions.Operations), **vars(_functions.Functions)}.items():
        if not name.startswith("_"):
            assert "Units: " in method.__doc__, name
            test = parser.get_doctest(method.__doc__, dict(names), name, None, 0)
            assert len(test.examples) >= 1 or name in ("spring_state", "spring_state_derivatives", "loop_motion"), name
            said = []
            runner.run(test, out=said.append)
            assert not said, "".join(said)

# SPDX-License-Identifier: MIT
"""tandem.recording, and filters, noise, outliers and derivatives as functions. The filters themselves are tested in C."""
import csv
import warnings

import numpy as np
import pytest

import tandem
from conftest import ROOT, load

T = np.arange(601) / 60
BODY = ("<link name='{0}'><inertial><origin xyz='0.05 0 0.1'/><mass value='1'/><inertia ixx='.01' iyy='.02' izz='.02' ixy='0' ixz='0' iyz='0'/>"
        "</inertial></link>")


def hand_recording():
    rows = list(csv.reader((ROOT / "examples" / "hand_recording.csv").open(encoding="utf-8")))
    columns = {name: np.array([float(row[k] or "nan") for row in rows[1:]]) for k, name in enumerate(rows[0])}
    return {name.replace("wrist x", "wx").replace("wrist y", "wy"): column for name, column in columns.items()}


# output of `tandem recording hand_a.urdf hand_recording.csv --map 'wrist x=wx' --map 'wrist y=wy' --repair --json --filter F`
COMMAND = {"butterworth": [0.9158456771996293, 1.095537293939335, 0.7399599529280421, 1.3924316724911454, 1.1581693514141698],
           "spline": [0.9106427545557477, 1.0917156867637172, 0.7384113516274394, 1.3753052481631935, 1.1563139788541053]}


@pytest.mark.parametrize("kind", ["butterworth", "spline"])
def test_a_recording_is_that_of_the_command(kind):
    recorded = tandem.recording(load("hand_a"), hand_recording(), filter=kind, repair=True)
    np.testing.assert_allclose(list(recorded.cutoff.values()), COMMAND[kind], rtol=1e-8)
    assert list(recorded.cutoff) == ["wx [mm]", "wy [mm]", "wrist [deg]", "mcp [deg]", "pip [deg]"]
    # contains noise of 0.05 mm and 0.1 degrees, an outlier and a gap
    np.testing.assert_allclose(list(recorded.noise.values()), [5e-5, 5e-5, *[np.radians(0.1)] * 3], rtol=0.1)
    assert list(recorded.outliers) == ["mcp [deg]"] and recorded.outliers["mcp [deg]"] == pytest.approx([3.4167])
    assert 0 < recorded.followers["dip [deg]"] < 0.005
    if kind == "butterworth":
        assert np.abs(recorded.tau[:, 0]).max() == pytest.approx(0.005526754942886752, rel=1e-8)
    np.testing.assert_array_equal(recorded.columns()["tau:pip"], recorded.tau[:, 4])


def test_former_names_name_their_successors():
    with pytest.raises(AttributeError, match="tandem.motion is tandem.recording now"):
        tandem.motion
    with pytest.raises(AttributeError, match="tandem.RecordedMotion is tandem.Recording now"):
        tandem.RecordedMotion
    with pytest.raises(AttributeError, match="module 'tandem' has no attribute 'no_such_name'"):
        tandem.no_such_name


def test_a_clean_motion_has_its_own_torques(arm):
    way = tandem.Trajectory.spline([0, 1, 2, 3], arm.random_configuration(4, seed=3), kind="clamped")
    t, y, yd, ydd = way.sampled(200)
    exact = arm.inverse_dynamics(y, yd, ydd, tandem.Forces(passive=True))
    table = {"time": t, **{name: column for name, column in zip(arm.names.y, y.T)}}
    table.update({"qd:" + name: column for name, column in zip(arm.names.yd, yd.T)})
    table.update({"qdd:" + name: column for name, column in zip(arm.names.yd, ydd.T)})
    recorded = tandem.recording(arm, table)
    np.testing.assert_allclose(recorded.tau, exact, rtol=1e-12, atol=1e-12)
    assert recorded.cutoff == {} and recorded.outliers == {}
    half = tandem.recording(arm, table, rate=100)
    np.testing.assert_allclose(half.tau, exact[::2], rtol=1e-9, atol=1e-9)
    # from positions only; differs where the jerk has corners, at the points of the path
    alone = tandem.recording(arm, (t, y), passive=False)
    inner = np.abs((t[:, None] - [0, 1, 2, 3])).min(axis=1) > 0.1
    np.testing.assert_allclose(alone.ydd[inner], ydd[inner], atol=1e-4 * np.abs(ydd).max())


def test_loops_are_followed_and_rows_without_a_result_are_nan():
    robot = load("four_bar")
    y = robot.reference
    y = y + 0.5 * np.sin(T)[:, None]
    recorded = tandem.recording(robot, (T, y))
    np.testing.assert_allclose(recorded.tau[::100], robot.inverse_dynamics(recorded.y[::100], recorded.yd[::100], recorded.ydd[::100],
                                                                         tandem.Forces(passive=True)), rtol=1e-8)


@pytest.mark.parametrize("change, message", [
    ({"t": None}, "no column 't'"), ({"elbow": T}, None), ({"q:elbow": T}, "no coordinate"), ({"qd:joint_2": T}, "q:joint_2"),
    ({"joint_1 [mm]": T, "joint_1": None}, "mm is not a unit"), ({"joint_1 [rpm]": T, "joint_1": None}, "q:joint_1"),
    ({"joint_1 [furlong]": T}, "unit is unknown"), ({"q:joint_1 (furlong)": T}, "unit is unknown"), ({"joint_1 [s]": T, "joint_1": None}, "s is not a unit"),
    ({"q:joint_1": T}, "second column"), ({"time": T}, "second time column"), ({"joint_1": T[:-1]}, "shape"),
    ({"t [deg]": T, "t": None}, "not a unit of time"), ({"joint_1": None}, "no column is a coordinate"),
    ({"t": np.where(T == 5, 4, T)}, "rows 300 do not ascend"), ({"joint_1": np.where((T > 4) & (T < 5), np.nan, np.sin(T))}, "no values from 4 to 5 s"),
])
def test_what_is_wrong_with_a_table_is_named(arm, change, message):
    table = {k: v for k, v in {"t": T, "joint_1": np.sin(T), **change}.items() if v is not None}
    if message is None:
        with pytest.warns(UserWarning, match="ignored columns: elbow"):
            tandem.recording(arm, table)
        return
    with pytest.raises(ValueError, match=message):
        tandem.recording(arm, table)


@pytest.mark.parametrize("heading", ["joint_1_[deg/s]", "qd:joint_1 [°/s]", "joint_1 _(deg/s)"])
def test_headings_are_those_of_the_command(arm, heading):
    table = {"t_[ms]": 1000 * T, "joint_1_[deg]": np.degrees(np.sin(T)), heading: np.degrees(np.cos(T))}
    recorded = tandem.recording(arm, table)
    np.testing.assert_allclose(recorded.y[:, 0], np.sin(T), atol=1e-14)
    np.testing.assert_allclose(recorded.yd[:, 0], np.cos(T), atol=1e-14)
    with pytest.warns(UserWarning, match=r"ignored columns: joint_1 \[N m\]"):
        tandem.recording(arm, {**table, "joint_1 [N m]": T})


def test_wrong_options_are_named(arm):
    table = {"t": T, "joint_1": np.sin(T)}
    for options, message in (({"filter": "fir"}, "butterworth"), ({"filter": "spline", "cutoff": {"joint_2": 3}}, "joint_2"),
                             ({"filter": "spline", "cutoff": 40}, "0.45 of the rate"),
                             ({"cutoff": 5}, "cutoff requires a filter"), ({"cutoff": {"joint_1": 5}}, "cutoff requires a filter"), ({"degree": 4}, "degree"), ({"rest": [0.0]}, "ny=7")):
        with pytest.raises(ValueError, match=message):
            tandem.recording(arm, table, **options)
    with pytest.raises(TypeError, match="columns by name"):
        tandem.recording(arm, np.zeros((5, 2)))
    with pytest.raises(ValueError, match="fewer than four rows"):
        tandem.recording(arm, {"t": T[:3], "joint_1": T[:3]})


def test_repair(arm):
    x = np.sin(T)
    bad, t = x.copy(), T.copy()
    bad[[0, -1]] = np.nan
    bad[100:140] = np.nan
    bad[300] += 0.5
    t[400] = 0
    with pytest.raises(ValueError, match="do not ascend"):
        tandem.recording(arm, {"t": t, "joint_1": bad})
    with pytest.warns(UserWarning) as told:
        recorded = tandem.recording(arm, {"t": t, "joint_1": bad}, repair=True)
    assert {str(w.message).removeprefix("recording: ") for w in told} == {
        "skipped rows 400, whose times do not ascend", "skipped rows 0, before all columns have values",
        "skipped rows 600, after the last row in which all columns have values", "column 'joint_1': 40 missing values interpolated",
        "column 'joint_1' has outliers at 5 s (replaced)"}
    assert {w.filename for w in told} == {__file__}
    assert len(recorded.t) == 598 and list(recorded.outliers) == ["joint_1"] and recorded.outliers["joint_1"] == pytest.approx([5.0])
    np.testing.assert_allclose(recorded.y[:, 0], np.sin(recorded.t), atol=1e-3)
    with pytest.warns(UserWarning, match="outliers at 5 s"):
        tandem.recording(arm, {"t": T, "joint_1": np.where(T == 5, 0.5, x)})
    structured = np.rec.fromarrays([T, x], names=["t", "joint_1"])
    np.testing.assert_array_equal(tandem.recording(arm, structured).y[:, 0], x)


def test_functions_of_columns():
    x = np.column_stack([np.sin(T), np.cos(2 * T)])
    noisy = x + np.random.default_rng(1).normal(size=x.shape) * [1e-3, 2e-3]
    np.testing.assert_allclose(tandem.noise_level(T, noisy), [1e-3, 2e-3], rtol=0.2)
    assert tandem.noise_level(T, noisy[:, 0]).shape == () and np.isnan(tandem.noise_level(T[:10], noisy[:10, 0]))
    for kind in ("butterworth", "spline"):
        cutoff = tandem.choose_cutoff(T, noisy, filter=kind)
        assert cutoff.shape == (2,) and (cutoff > 0.3).all() and (cutoff < 5).all()
        smooth = tandem.filtered(T, noisy, filter=kind)
        np.testing.assert_array_equal(smooth, tandem.filtered(T, noisy, cutoff, filter=kind))
        np.testing.assert_array_equal(smooth[:, 1], tandem.filtered(T, noisy[:, 1], cutoff[1], filter=kind))
        # the default criterion: the acceleration
        errors = [np.abs(tandem.derivatives(T, z)[2] + x * [1, 4])[30:-30].max(axis=0) for z in (smooth, noisy)]
        assert (errors[0] < 0.02 * errors[1]).all() and (errors[0] < 0.3).all()
        # gain 1/√2 at the cutoff, without delay
        wave = np.sin(2 * np.pi * 3 * T)
        np.testing.assert_allclose(tandem.filtered(T, wave, 3.0, filter=kind)[200:400], wave[200:400] / np.sqrt(2), atol=2e-3)
    # weights: positions need a higher cutoff than accelerations
    assert (tandem.choose_cutoff(T, noisy, weight=np.diag([1, 0, 0])) > tandem.choose_cutoff(T, noisy)).all()
    y, yd, ydd = tandem.derivatives(T, x)
    np.testing.assert_allclose(yd[:, 0], np.cos(T), atol=1e-7)
    np.testing.assert_allclose(ydd[:, 1], -4 * np.cos(2 * T), atol=1e-5)
    assert tandem.derivatives(T, x[:, 0], degree=3)[2].shape == T.shape


def test_outliers_and_gaps():
    x = np.column_stack([np.sin(T), np.cos(T)])
    x[200, 0] += 0.1
    x[50:53, 1] = np.nan
    found = tandem.outliers(T, x)
    assert found.shape == x.shape and np.argwhere(found).tolist() == [[200, 0]]
    np.testing.assert_allclose(tandem.repaired(T, x), np.column_stack([np.sin(T), np.cos(T)]), atol=1e-7)
    assert tandem.repaired(T, x, outliers=False)[200, 0] == x[200, 0]
    x[:5, 1] = np.nan
    assert np.isnan(tandem.repaired(T, x)[:5, 1]).all()
    with pytest.raises(ValueError, match="3 values"):
        tandem.repaired(T, np.where(T < 0.04, 1.0, np.nan))


TURNER = """<robot name="turner"><link name="ground"/><link name="arm"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="half"/>
<joint name="turn" type="{}"><parent link="ground"/><child link="arm"/><axis xyz="0 1 0"/>
<limit lower="-7" upper="7" effort="9" velocity="9"/></joint>
<joint name="half" type="continuous"><parent link="arm"/><child link="half"/><mimic joint="turn" multiplier="0.5"/></joint></robot>"""


def modulo(x):
    return x - 2 * np.pi * np.floor((x + np.pi) / (2 * np.pi))


def test_angles_modulo_a_turn():
    way = 4 * np.sin(1.5 * T) - 0.8 * T + 1
    x = np.column_stack([modulo(way), way, modulo(way)])
    x[50:53, 2] = np.nan
    np.testing.assert_allclose(tandem.unwrapped(T, x)[:, :2], np.column_stack([way, way]), atol=1e-12)
    np.testing.assert_array_equal(np.isnan(tandem.unwrapped(T, x)), np.isnan(x))
    np.testing.assert_allclose(tandem.unwrapped(T, x[:, 0]), way, atol=1e-12)
    with pytest.warns(UserWarning, match="of column 1 turns, first in row 1") as told:
        tandem.unwrapped(T, np.column_stack([way, modulo(160 * T)]))
    assert [w.filename for w in told] == [__file__]

    robot = tandem.load(TURNER.format("continuous"))
    counted = tandem.recording(robot, {"t": T, "turn": way, "half": way / 2})
    assert counted.turns == {}
    with pytest.warns(UserWarning) as told:
        recorded = tandem.recording(robot, {"t": T, "turn": modulo(way), "half": modulo(way / 2) + 4 * np.pi})
    rows = np.flatnonzero(np.abs(np.diff(modulo(way))) > np.pi) + 1
    assert recorded.turns["turn"] == len(rows) > 1
    assert f"recording: column 'turn': {len(rows)} jumps by whole turns removed, the first at {T[rows[0]]:g} s" in [str(w.message) for w in told]
    assert {w.filename for w in told} == {__file__}
    np.testing.assert_allclose(recorded.tau, counted.tau, atol=1e-9)
    assert recorded.followers["half"] < 1e-12
    bad = modulo(way)
    bad[rows[0] - 2] = 0.1
    with pytest.warns(UserWarning, match="replaced"):
        recorded = tandem.recording(robot, {"t": T, "turn": bad}, repair=True)
    np.testing.assert_allclose(recorded.y[:, 0], way, atol=1e-4)
    with pytest.warns(UserWarning, match="too far apart to determine how far 'turn' turns, first at 0.0166667 s"):
        tandem.recording(robot, {"t": T, "turn": modulo(160 * T)})

    limited = tandem.load(TURNER.format("revolute"))
    with pytest.warns(UserWarning, match=f"'turn' jumps by about a turn at {T[rows[0]]:g} s, and joint 'turn' has limits; left as recorded"):
        recorded = tandem.recording(limited, {"t": T, "turn": modulo(way)})
    np.testing.assert_array_equal(recorded.y[:, 0], modulo(way))
    assert recorded.turns == {}


@pytest.mark.parametrize("call", [
    lambda: tandem.filtered(T, np.sin(T), 0), lambda: tandem.filtered(T, np.sin(T), 30), lambda: tandem.filtered(T**2, np.sin(T), 1),
    lambda: tandem.filtered(T, T[:5], 1), lambda: tandem.filtered(-T, T, 1), lambda: tandem.filtered(T[:3], T[:3], 1),
    lambda: tandem.filtered(T, np.where(T == 1, np.nan, T), 1), lambda: tandem.filtered(T, T, 1, filter="x"),
    lambda: tandem.filtered(T, T, 1, filter=None), lambda: tandem.choose_cutoff(T, np.sin(T), filter=None),
    lambda: tandem.choose_cutoff(T**2, np.sin(T)),
    lambda: tandem.noise_level(T, np.zeros((601, 2, 2))), lambda: tandem.derivatives(T[:5], T[:5])])
def test_wrong_arguments(call):
    with pytest.raises(ValueError):
        call()


def test_a_figure(arm):
    pytest.importorskip("matplotlib")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = tandem.recording(arm, {"t": T, "joint_1": np.sin(T)}).plot(("q", "qdd", "tau"))
    assert len(figure.axes) == 3


# ---- plans

def test_a_plan_is_as_fast_as_limits_allow(arm):
    points = np.array([arm.state(), arm.state(joint_2=0.5, joint_4=-0.3), arm.state(joint_4=-0.9)])
    way = arm.trajectory(points)
    np.testing.assert_allclose(way(way.pieces)[0], points, atol=1e-12)
    _, y, yd, ydd = way.sampled(500)
    assert not yd[0].any() and np.abs(yd[-1]).max() < 1e-12 and not arm.outside_limits(y.max(axis=0)) and (np.abs(yd) <= arm.velocity_limit + 1e-9).all()
    assert arm.time_scale(way, faster=True).factor == pytest.approx(1, abs=1e-6)
    named = arm.trajectory({"joint_2": points[:, 1], "q:joint_4": points[:, 3]})
    assert named.end == way.end
    slow = arm.trajectory(points, [0, 5, 10], curve="quintic")
    assert slow.end == 10 and slow(5.0)[0] == pytest.approx(points[1])
    assert arm.trajectory({"t": [0, 5, 10], "joint_2": points[:, 1]}).end == 10
    with pytest.raises(ValueError, match="violates the .* limit of .* times as long to satisfy all"):
        arm.trajectory(points, [0, 0.01, 0.02])
    assert arm.trajectory(points, [0, 0.01, 0.02], slower=True).end > 0.1


@pytest.mark.parametrize("points, options, message", [
    (np.zeros((2, 6)), {}, "ny=7"), (np.zeros((1, 7)), {}, "two points"), (np.zeros((3, 7)), {}, "point 1 equals the point before it"),
    ({"elbow": [0, 1]}, {}, "'elbow' is not a coordinate"), ({"t": [0, 1]}, {}, "no column is"), (np.zeros((3, 7)), {"curve": "x"}, "curve is 'x'"),
    ({"joint_1": [0, 100]}, {}, "LIMIT|limit")])
def test_plans_that_cannot_be(arm, points, options, message):
    with pytest.raises((ValueError, tandem.DynamicsError), match=message):
        arm.trajectory(points, **options)


# ---- joints with quaternions

def coning(t, a=1.3, b=0.7, c=2.1):
    """Rz(a t) Rx(b) Rz(c t): quaternions, and ω in body axes."""
    C, S = np.cos(b / 2), np.sin(b / 2)
    p = np.array([S * np.cos((a - c) * t / 2), S * np.sin((a - c) * t / 2), C * np.sin((a + c) * t / 2), C * np.cos((a + c) * t / 2)])
    return p.T, np.array([a * np.sin(b) * np.sin(c * t), a * np.sin(b) * np.cos(c * t), np.full_like(t, a * np.cos(b) + c)]).T


@pytest.fixture(scope="module")
def swung(tmp_path_factory):
    """A ball joint on a floating trunk."""
    path = tmp_path_factory.mktemp("robots") / "swung.urdf"
    path.write_text(f"<robot name='r'>{BODY.format('w')}{BODY.format('a')}<joint name='hip' type='ball'><parent link='w'/><child link='a'/>"
                    "<origin xyz='0 0 -0.2'/></joint></robot>", encoding="utf-8")
    return tandem.load(path, floating=True)


def swung_table(t, noise=0.0):
    base, hip = coning(t)[0], coning(t, -0.8, 1.9, 3)[0]
    chance = np.random.default_rng(4)
    table = {"t": t, "base.x": np.sin(t), "base.y": 0.3 * np.cos(2 * t), "base.z": 0.1 * t}
    table.update({f"base.q{n}": column for n, column in zip("xyzw", base.T)})
    table.update({f"hip.q{n}": column for n, column in zip("xyzw", hip.T)})
    return {name: x + noise * chance.normal(size=len(t)) if name != "t" else x for name, x in table.items()}


def test_poses_as_data(swung):
    t = np.arange(0, 3, 0.01)
    table = swung_table(t)
    table["hip.qx"], table["hip.qw"] = table["hip.qx"].copy(), table["hip.qw"].copy()
    for n in "xyzw":  # the other sign is the same orientation
        table[f"hip.q{n}"] = np.where(np.arange(len(t)) % 7 < 3, -1, 1) * table[f"hip.q{n}"]
    recorded = tandem.recording(swung, table)
    np.testing.assert_allclose(recorded.yd[10:-10, 6:], coning(t, -0.8, 1.9, 3)[1][10:-10], atol=1e-8)
    np.testing.assert_allclose(recorded.yd[10:-10, :3], coning(t)[1][10:-10], atol=1e-8)
    np.testing.assert_allclose(np.linalg.norm(recorded.y[:, 7:], axis=1), 1, rtol=1e-15)
    own = {**table, **{"qd:" + name: x for name, x in zip(swung.names.yd, recorded.yd.T)},
           **{"qdd:" + name: x for name, x in zip(swung.names.yd, recorded.ydd.T)}}
    np.testing.assert_allclose(tandem.recording(swung, own).tau, recorded.tau, rtol=1e-12, atol=1e-12)
    own["hip.qx"] = np.where(np.arange(len(t)) == 50, 0.0, own["hip.qx"])  # of another length
    with pytest.raises(ValueError, match="the quaternion of 'hip' has length"):
        tandem.recording(swung, own)
    with pytest.warns(UserWarning, match="wrong length at 0.5 s"):
        mended = tandem.recording(swung, {name: own[name] for name in table}, repair=True)
    np.testing.assert_allclose(mended.tau[10:-10], recorded.tau[10:-10], atol=1e-3 * np.abs(recorded.tau).max())
    with pytest.raises(ValueError, match="of some velocities but not of all 3"):
        tandem.recording(swung, {**table, "qd:hip.wx": t})


@pytest.mark.parametrize("kind", ["butterworth", "spline"])
def test_noise_of_poses(swung, kind):
    t = np.arange(0, 4, 0.005)
    recorded = tandem.recording(swung, swung_table(t, 1e-4), filter=kind)
    assert len({recorded.cutoff[f"hip.q{n}"] for n in "xyzw"}) == 1 and len({recorded.cutoff[f"base.q{n}"] for n in "xyzw"}) == 1
    exact = tandem.recording(swung, swung_table(t))
    away = slice(60, -60)
    assert np.abs(recorded.tau - exact.tau)[away].max() < 0.05 * np.abs(exact.tau).max()


def test_plans_through_poses(swung):
    points = swung.random_configuration(4, seed=2)
    way = swung.trajectory(points, t=[0, 1, 2.5, 3])
    y, yd, ydd = swung.trajectory_state(way, np.linspace(0, 3, 31))
    np.testing.assert_allclose(np.abs((y[[0, 10, 25, 30], 7:] * points[:, 7:]).sum(axis=1)), 1, rtol=1e-12)
    h = 1e-5
    before, after = (swung.trajectory_state(way, np.linspace(0.05, 2.95, 30) + s * h) for s in (-1, 1))
    middle = swung.trajectory_state(way, np.linspace(0.05, 2.95, 30))
    np.testing.assert_allclose(swung.difference(before[0], after[0]) / (2 * h), middle[1], atol=1e-6)
    np.testing.assert_allclose((after[1] - before[1]) / (2 * h), middle[2], atol=1e-5)
    with pytest.raises(ValueError, match="expected ny=11"):
        swung.trajectory_state(tandem.Trajectory.move([0], [1], 1.0), 0)
    turn = tandem.Trajectory.move(points[0], points[1], 2.0, quaternions=[3, 7])
    rates = swung.trajectory_state(turn.scaled(0.5), np.linspace(0.1, 0.9, 9))[1][:, 6:]
    np.testing.assert_allclose(np.cross(rates, rates[0]), 0, atol=1e-12)  # about one axis


def test_poses_that_are_given(swung):
    t = np.linspace(0, 2, 201)
    base = np.zeros((201, 7))
    base[:, 3:] = coning(t)[0]
    curve = tandem.Trajectory.spline(t, base, degree=5)
    motion = swung.simulate(time=1.0, given={"base": curve}, y=swung.align_quaternions(swung.reference, swung.reference))
    np.testing.assert_allclose(motion.yd[:, :3], coning(motion.t)[1], atol=1e-6)
    spin = swung.simulate(time=0.5, given={"hip": lambda t: ([0, 0, np.sin(t), np.cos(t)], [0, 0, 2], [0, 0, 0])})
    np.testing.assert_allclose(spin.yd[:, 6:], np.tile([0, 0, 2], (len(spin.t), 1)), atol=1e-12)
    with pytest.raises(ValueError, match="is a part of a floating or ball joint; give the joint"):
        swung.simulate(time=0.5, given={"hip.qx": curve})


# ---- joints that a loop determines in part

IN_PART = {
    # the rod determines the deck's x
    "planar": BODY.format("a") + "<joint name='deck' type='planar'><parent link='w'/><child link='a'/><axis xyz='0 0 1'/></joint>"
    "<loop name='rod' type='distance'><predecessor link='w'><origin xyz='1 0 0'/></predecessor><successor link='a'><origin xyz='.3 0 0'/>"
    "</successor><distance value='.8'/></loop>",
    # the rod determines one angle of the cross
    "universal": BODY.format("a") + "<joint name='cross' type='universal'><parent link='w'/><child link='a'/></joint>"
    "<loop name='rod' type='distance'><predecessor link='w'><origin xyz='0 .7 0.2'/></predecessor><successor link='a'><origin xyz='0 .3 0.5'/>"
    "</successor><distance value='.5'/></loop>",
}


@pytest.mark.parametrize("kind", IN_PART)
def test_joints_that_loops_decide_in_part(kind, tmp_path):
    (tmp_path / "r.urdf").write_text(f"<robot name='r'><link name='w'/>{IN_PART[kind]}</robot>", encoding="utf-8")
    robot = tandem.load(tmp_path / "r.urdf")
    place = robot.joint_place(0)
    assert 0 < place.nyd < place.nv  # the loop determines a part of the joint
    first, last = robot.reference, robot.reference + 0.05
    way = robot.trajectory(np.array([first, last]), t=[0, 1.0])
    np.testing.assert_allclose(way([0, 1.0])[0], [first, last], atol=1e-12)
    _, y, yd, ydd = way.sampled(200)
    t = np.linspace(0, 1, len(y))
    tau = robot.inverse_dynamics(y, yd, ydd, tandem.Forces(passive=True))
    np.testing.assert_allclose(tandem.recording(robot, (t, y)).tau[20:-20], tau[20:-20], atol=1e-4 * np.abs(tau).max())
    table = {"t": t, **{"q:" + name: column for name, column in zip(robot.names.y, y.T)}}
    table.update({"qd:" + name: column for name, column in zip(robot.names.yd, yd.T)})
    table.update({"qdd:" + name: column for name, column in zip(robot.names.yd, ydd.T)})
    np.testing.assert_allclose(tandem.recording(robot, table).tau, tau, rtol=1e-10, atol=1e-10)
    assert tandem.recording(robot, table, filter="butterworth", cutoff=20).tau.shape == tau.shape  # weights of columns
    assert tandem.recording(robot, table, filter="spline").cutoff.keys() == set(table) - {"t"}

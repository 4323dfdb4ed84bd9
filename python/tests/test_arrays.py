# SPDX-License-Identifier: MIT
"""Shapes, layouts, out= and statuses."""
import numpy as np
import pytest

import tandem

RNG = np.random.default_rng(1)


def states(robot, *lead):
    return tuple(RNG.normal(size=(*lead, robot.nyd)) for _ in range(3))


@pytest.mark.parametrize("lead", [(), (1,), (4,), (2, 3), (2, 1, 3), (0,), (3, 0)])
def test_leading_axes_are_kept(arm, lead):
    y, yd, ydd = states(arm, *lead)
    tau = arm.inverse_dynamics(y, yd, ydd)
    assert tau.shape == (*lead, 7) and tau.dtype == np.float64
    assert arm.mass_matrix(y).shape == (*lead, 7, 7)
    assert arm.link_poses(y).shape == (*lead, 11, 3, 4)
    assert arm.power(tau, yd).shape == lead
    assert arm.project_force(y, tau).shape == (*lead, 7)  # has no batch function
    for index in np.ndindex(*lead):
        np.testing.assert_allclose(tau[index], arm.inverse_dynamics(y[index], yd[index], ydd[index]), atol=1e-11)


def test_leading_axes_broadcast(arm):
    y, yd, ydd = states(arm, 4)
    np.testing.assert_array_equal(arm.inverse_dynamics(y, yd[0], ydd),
                                  arm.inverse_dynamics(y, np.tile(yd[0], (4, 1)), ydd))
    tau = arm.inverse_dynamics(y[:, None], yd[None, :])
    assert tau.shape == (4, 4, 7)
    np.testing.assert_allclose(tau[1, 2], arm.inverse_dynamics(y[1], yd[2]), atol=1e-11)
    with pytest.raises(ValueError, match=r"leading axes do not broadcast: y \(4,\), yd \(3,\)"):
        arm.inverse_dynamics(y, yd[:3])


def test_other_layouts_and_types_are_converted(arm):
    y, yd, ydd = states(arm, 5)
    expected = arm.inverse_dynamics(y, yd, ydd)
    wide = np.zeros((5, 14))
    wide[:, ::2] = y
    np.testing.assert_array_equal(arm.inverse_dynamics(wide[:, ::2], np.asfortranarray(yd), ydd), expected)
    np.testing.assert_array_equal(arm.inverse_dynamics(y.astype(">f8"), yd, ydd), expected)
    single = arm.inverse_dynamics(y.astype(np.float32), yd, ydd)
    np.testing.assert_array_equal(single, arm.inverse_dynamics(y.astype(np.float32).astype(float), yd, ydd))
    np.testing.assert_array_equal(arm.gravity_force([0] * 7), arm.gravity_force(np.zeros(7)))
    np.testing.assert_array_equal(arm.gravity_force((True,) + 6 * (False,)), arm.gravity_force(np.eye(7)[0]))
    unaligned = np.frombuffer(b"x" + y.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(5, 7)
    np.testing.assert_array_equal(arm.inverse_dynamics(unaligned, yd, ydd), expected)
    read_only = y.copy()
    read_only.flags.writeable = False
    np.testing.assert_array_equal(arm.inverse_dynamics(read_only, yd, ydd), expected)


def test_inputs_are_never_written(arm, hand):
    for robot in (arm, hand):
        y, yd, ydd = states(robot, 3)
        before = [a.copy() for a in (y, yd, ydd)]
        robot.inverse_dynamics(y, yd, ydd)
        robot.normalize(y)
        robot.hybrid_dynamics(y, np.ones(robot.nyd), ydd, ydd, yd)
        for a, b in zip((y, yd, ydd), before):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("call, message", [
    (lambda r: r.inverse_dynamics(np.zeros(6)), r"inverse_dynamics: y has shape \(6,\), expected \(\.\.\., ny=7\)"),
    (lambda r: r.inverse_dynamics(np.zeros(7), np.zeros((2, 8))), r"yd has shape \(2, 8\), expected \(\.\.\., nyd=7\)"),
    (lambda r: r.tree.inverse_dynamics(np.zeros(7), ydd=3.0), r"inverse_dynamics: ydd has shape \(\), expected \(\.\.\., nv=7\)"),
    (lambda r: r.link_jacobian("flange", np.zeros(7), point=[1, 2]), r"point has shape \(2,\), expected \(3,\)"),
    (lambda r: r.link_jacobian("flange", np.zeros(7), point=np.zeros((2, 3))), r"point has shape \(2, 3\), expected \(3,\)"),
    (lambda r: r.hybrid_dynamics(np.zeros(7), np.zeros(6), np.zeros(7), np.zeros(7)), r"given has shape \(6,\), expected \(nyd=7,\)"),
    (lambda r: r.mass_matrix(np.zeros(7), out=np.zeros((7, 6))), r"out \(H\) has shape \(7, 6\), expected \(7|nyd=7"),
    (lambda r: r.mass_matrix(np.zeros((2, 7)), out=np.zeros((7, 7))), r"out \(H\) has shape \(7, 7\)"),
    (lambda r: r.mass_matrix(np.zeros(7), out=np.zeros((7, 14))[:, ::2]), "C-contiguous"),
    (lambda r: r.energy(np.zeros(7), statuses=np.zeros((), np.intc)), "statuses is only for batches"),
    (lambda r: r.energy(np.zeros((2, 7)), statuses=np.zeros(3, np.intc)), r"statuses must be .* \(2,\)"),
    (lambda r: r.energy(np.zeros((2, 7)), statuses=np.zeros(2)), "statuses must be"),
    (lambda r: r.inverse_dynamics(None), "y is missing or out of range"),
    (lambda r: r.link_velocities(np.zeros(7), frame="up"), "'up' is not one of 'world', 'body', 'aligned'"),
    (lambda r: r.energy(np.zeros(7), scope="none"), "'none' is not one of 'all', 'moving'"),
    (lambda r: r.link_jacobian("flangr", np.zeros(7)), "no link 'flangr'; did you mean 'flange'"),
    (lambda r: r.inverse_dynamics(np.zeros(7), forces=tandem.Forces(np.zeros((3, 6)))), "wrenches on 3 links, but the robot has 11"),
])
def test_what_does_not_fit_is_named(arm, call, message):
    with pytest.raises(ValueError, match=message):
        call(arm)


def test_wrong_types_are_refused(arm):
    with pytest.raises(TypeError, match="complex"):
        arm.gravity_force(np.zeros(7, dtype=complex))
    with pytest.raises(TypeError, match="y is an array of"):
        arm.gravity_force(["a"] * 7)
    with pytest.raises(TypeError, match="float64"):
        arm.gravity_force(np.zeros(7), out=np.zeros(7, dtype=np.float32))
    with pytest.raises(TypeError, match="tuple of 2"):
        arm.independent_coordinates(np.zeros(7), out=np.zeros(7))
    with pytest.raises(IndexError, match="11"):
        arm.link_jacobian(11, np.zeros(7))


def test_out_is_written_and_returned(arm):
    y, yd, ydd = states(arm, 3)
    out = np.full((3, 7), 5.0)
    assert arm.inverse_dynamics(y, yd, ydd, out=out) is out
    np.testing.assert_array_equal(out, arm.inverse_dynamics(y, yd, ydd))
    pair = (np.empty((3, 7)), np.empty(3))
    result = arm.independent_coordinates(y, out=pair)
    assert result.y is pair[0]
    np.testing.assert_array_equal(pair[0], y)
    strided = np.zeros((3, 14))[:, ::2]
    strided[...] = y
    np.testing.assert_array_equal(arm.gravity_force(strided, out=out), arm.gravity_force(y))  # y is converted, out is not


def test_out_must_not_overlap_inputs(arm):
    y = np.zeros((3, 7))
    with pytest.raises(ValueError, match="overlaps"):
        arm.gravity_force(y, out=y)
    with pytest.raises(ValueError, match="overlaps"):
        arm.gravity_force(y[:2], out=y[1:])
    with pytest.raises(ValueError, match="overlaps"):
        arm.independent_coordinates(y[0], out=(y[0], np.empty(())))
    with pytest.raises(ValueError, match="writable"):
        frozen = np.zeros(7)
        frozen.flags.writeable = False
        arm.gravity_force(y[0], out=frozen)


def test_rows_that_fail_are_nan_with_a_status(arm, stewart):
    y = np.zeros((5, 7))
    y[1, 3], y[4, 0] = np.nan, np.inf
    statuses = np.full(5, 99, dtype=np.intc)
    tau = arm.inverse_dynamics(y, statuses=statuses)
    assert [tandem.Status(s).name for s in statuses] == ["OK", "NOT_FINITE", "OK", "OK", "NOT_FINITE"]
    assert np.isnan(tau[[1, 4]]).all() and np.isfinite(tau[[0, 2, 3]]).all()
    matrix = np.full((2, 2), 99, dtype=np.intc)
    arm.project_force(np.array([[y[0], y[1]], [y[2], y[3]]]), np.zeros((2, 2, 7)), statuses=matrix)
    assert (matrix == [[0, tandem.Status.NOT_FINITE], [0, 0]]).all()
    far = np.tile(stewart.reference, (2, 1))
    far[1, 0] += 50
    status = np.zeros(2, dtype=np.intc)
    q = stewart.tree_state(far, statuses=status).q
    assert status[0] == 0 and status[1] == tandem.Status.ASSEMBLY and np.isnan(q[1]).all()


def test_a_single_state_that_fails_raises(arm, stewart):
    with pytest.raises(tandem.DynamicsError, match="not a finite number") as caught:
        arm.inverse_dynamics(np.full(7, np.nan))
    assert caught.value.status == tandem.Status.NOT_FINITE and np.isnan(caught.value.result).all()
    y = stewart.reference
    y[0] += 50
    with pytest.raises(tandem.DynamicsError, match="loop 'end_") as caught:
        stewart.inverse_dynamics(y)
    assert caught.value.loop in stewart.names.loops and caught.value.residual > 0


def test_a_singular_mass_matrix_names_the_joint():
    robot = tandem.load(b"<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='continuous'>"
                        b"<parent link='a'/><child link='b'/></joint></robot>")
    with pytest.raises(tandem.DynamicsError, match="joint 'j'") as caught:
        robot.forward_dynamics([0.0], [0.0], [1.0])
    assert caught.value.joint == "j" and caught.value.status == tandem.Status.SINGULAR

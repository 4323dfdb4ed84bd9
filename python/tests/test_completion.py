# SPDX-License-Identifier: MIT
"""Completion of all joints from measured ones: compared with the closure along a path; names, rows, errors."""
import numpy as np
import pytest

import tandem
from conftest import load


@pytest.mark.parametrize("name, measured", [
    ("four_bar", ["rocker_joint"]), ("gripper", ["right_tip_joint"]), ("hand_a", None), ("stewart", None)])
def test_against_the_closure(name, measured):
    robot = load(name)
    measured = measured or [n for n in robot.names.q if n in robot.names.y][:robot.ny]
    completion = robot.completion(measured)
    y0 = robot.reference
    yd = 0.02 * np.cos(np.arange(robot.nyd))
    at = [robot.names.q.index(n) for n in measured]
    for t in np.linspace(0.2, 1, 20):
        truth = robot.tree_state(robot.integrate(y0, t * yd), yd)
        found = completion(truth.q[at], truth.qd[at])
        assert np.abs(found.q - truth.q).max() < 1e-8 and np.abs(found.qd - truth.qd).max() < 1e-6
        assert found.residual < 1e-9 and found.status == tandem.Status.OK
        by_name = completion(dict(zip(measured, truth.q[at])))
        assert np.abs(by_name.q - truth.q).max() < 1e-8 and not by_name.qd.any()


def test_rows_and_errors():
    robot = load("four_bar")
    completion = robot.completion(["rocker_joint"], tolerance=1e-4)
    rocker = robot.names.q.index("rocker_joint")
    q = robot.tree_state(np.linspace(0.1, 0.4, 5)[:, None]).q
    rows = np.vstack((q[:, [rocker]], [[9.0]]))
    completion.start(q[0])
    found = completion(rows)
    assert np.abs(found.q[:5] - q).max() < 1e-8 and np.isnan(found.q[5]).all()
    assert found.status.tolist() == [0] * 5 + [tandem.Status.MEASURED]
    with pytest.raises(tandem.DynamicsError) as error:
        completion([9.0])
    assert error.value.status == tandem.Status.MEASURED and error.value.residual > 0.1
    with pytest.raises(ValueError, match="'elbow'"):
        robot.completion(["elbow"])
    with pytest.raises(ValueError, match="differ by 'crank'"):
        completion({"rocker_joint": 1, "crank": 1})
    with pytest.raises(ValueError, match="shape"):
        completion([1.0, 2.0])
    with pytest.raises(tandem.Error, match="driver_joint"):
        load("gripper").completion([])

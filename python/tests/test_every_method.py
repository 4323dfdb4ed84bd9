# SPDX-License-Identifier: MIT
"""Calls every property and method on every bundled robot, at a state near its start. Exceptions must be among the refusals
listed here, and each method must succeed for some robot.
"""
import inspect
import re

import numpy as np
import pytest

import tandem
from conftest import ROBOTS, load
from tandem import _native

ROBOT_NAMES = sorted(path.stem for path in ROBOTS.glob("*.urdf"))
PUBLIC = sorted(name for name in dir(tandem.Robot) if not name.startswith("_"))
IN_TREE = sorted(name for name in dir(tandem.Tree) if not name.startswith("_"))
METHODS = [name for name in PUBLIC if callable(getattr(tandem.Robot, name))]
ALSO_GIVEN = ("yd", "ydd", "tau_y")  # optional, but parts of the state

NO_TIME = "no duration is long enough for the motion to respect a limit"
REFUSALS = {
    "constrained_forward_dynamics_derivatives": "a loop is singular",  # refusal for followers by curves: constraint.h
    "equilibrium": "no equilibrium was found from this start",
    "linearize": "fewer actuators than independent coordinates",
    "link_compliance": "a joint that is not locked has no stiffness",
    "loop_motion": "loop 0: the robot has 0|loop is missing or out of range",  # refusal for loops whose type has no coordinate
    "simulate": "a loop is singular",  # the robot falls into a dead point
    "spring_state": "spring is missing or out of range",
    "spring_state_derivatives": "spring is missing or out of range",
    "time_scale": NO_TIME,
    "trajectory": NO_TIME,
    "trajectory_state": NO_TIME,
}
PAGE = _native.lib.view_page_size()
ANSWERS = set(METHODS) - (set() if PAGE else {"viewer"})  # methods, except those not available in this build
answered = set()


class Arguments:
    """Values for the parameters of methods, by name."""

    def __init__(self, robot, tree=False):
        random = np.random.default_rng(5)
        self.robot = robot
        self.called = robot.tree if tree else robot
        self.start = robot.reference
        self.y = robot.integrate(self.start, random.uniform(-0.01, 0.01, robot.nyd))
        self.link = robot.names.links[-1]
        in_y, in_q = random.normal(size=robot.nyd), random.normal(size=robot.nv)
        self.of_name = {
            "y": self.y, "yd": in_y, "ydd": -in_y, "tau_y": 2 * in_y, "covector": in_y, "b": in_y, "B": in_y, "values": in_y,
            "q": robot.tree_state(self.y).q, "qd": in_q, "tau": in_q, "u": np.ones(robot.nu), "start": self.start, "end": self.y,
            "position": robot.motion_to_actuators(self.y).position, "given": np.ones(robot.nyd, bool),
            "point": np.ones(3), "link": self.link, "joint": 0, "loop": 0, "spring": 0, "gravity": (0, 1, -9), "mass": 1.5,
            "names": robot.names.y, "goals": tandem.Goal(tandem.GoalKind.POSE, self.link),
            "targets": robot.link_pose(self.link, self.y), "rate": self.start, "second": self.start, "reference": self.start,
        }
        if tree:
            q = self.of_name["q"]
            self.of_name.update({"y": q, "start": q, "end": q, "rate": q, "second": q, "reference": q, "yd": in_q, "ydd": -in_q, "tau_y": 2 * in_q, "covector": in_q, "b": in_q,
                                 "B": in_q, "given": np.ones(robot.nv, bool)})

    def of_method(self, name):
        """Returns additional or different arguments for a method."""
        robot, points = self.robot, [self.start, self.y]
        return {
            "factors_solve": lambda: {"factors": self.called.mass_matrix_factors(self.of_name["y"])},
            "inverse_kinematics_path": lambda: {"targets": robot.link_pose(self.link, np.array(points))},
            "time_scale": lambda: {"trajectory": robot.trajectory(points, [0, 1])},
            "trajectory": lambda: {"points": points, "t": [0, 1]},
            "trajectory_state": lambda: {"trajectory": robot.trajectory(points, [0, 1]), "t": 0.5},
            "viewer": lambda: {"open": False},
        }.get(name, dict)()

    def of(self, name, method):
        given = self.of_method(name)
        for parameter in inspect.signature(method).parameters.values():
            required = parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD
            if parameter.name not in given and (required or parameter.name in ALSO_GIVEN):
                given[parameter.name] = self.of_name[parameter.name]
        return given


@pytest.mark.parametrize("robot_name", ROBOT_NAMES)
def test_methods_answer(robot_name):
    robot = load(robot_name)
    arguments = Arguments(robot)
    for name in set(PUBLIC) - set(METHODS):
        getattr(robot, name)
    for name in sorted(ANSWERS):
        method = getattr(robot, name)
        try:
            result = method(**arguments.of(name, method))
        except (tandem.Error, ValueError, IndexError) as error:
            assert name in REFUSALS and re.search(REFUSALS[name], str(error)), f"{name}: {error!r}"
            continue
        answered.add(name)
        if name == "viewer":
            result.close()
        elif name == "closure":
            assert result.report.loop is None and result.status == tandem.Status.OK and result.residual < 1e-9
            assert np.isfinite([result.q.sum(), result.qd.sum(), result.qdd.sum(), result.G.sum(), result.condition]).all()
            assert np.abs(result.phi).max(initial=0) < 1e-9 and result.K.shape == (robot.constraint_count, robot.nv)


@pytest.mark.parametrize("robot_name", ROBOT_NAMES)
def test_methods_of_the_tree_answer(robot_name):
    """The tree has the sizes of a robot whose joints are all independent, and has inertia at all joints."""
    robot = load(robot_name)
    arguments = Arguments(robot, True)
    for name in IN_TREE:
        method = getattr(robot.tree, name)
        if callable(method):
            try:
                result = method(**arguments.of(name, method))
            except (tandem.Error, ValueError, IndexError) as error:
                assert name in REFUSALS and re.search(REFUSALS[name], str(error)) or (
                    isinstance(error, tandem.DynamicsError) and error.status == tandem.Status.SINGULAR), f"{name}: {error!r}"
                continue
            if name in ("inverse_dynamics", "gravity_force", "velocity", "difference"):
                assert result.shape == (robot.nv,)


def test_each_method_is_answered():
    assert answered == ANSWERS

# SPDX-License-Identifier: MIT
"""Every property and method of a robot, on every robot that comes with tandem. A method that a robot cannot answer raises one of
the package's errors, for a reason that is listed here."""
import inspect

import numpy as np
import pytest

import tandem
from conftest import ROBOTS, load

ROBOT_NAMES = sorted(path.stem for path in ROBOTS.glob("*.urdf"))
PUBLIC = sorted(name for name in dir(tandem.Robot) if not name.startswith("_"))
METHODS = [name for name in PUBLIC if callable(getattr(tandem.Robot, name))]

ALSO_GIVEN = ("yd", "ydd", "tau_y")  # optional, but part of the state


class Arguments:
    """Values for the parameters of methods, by name. The state is near the robot's start, where its loops are closed."""

    def __init__(self, robot):
        random = np.random.default_rng(5)
        start = robot.independent_coordinates(robot.reference).y
        y = robot.integrate(start, random.uniform(-0.01, 0.01, robot.nyd))
        link, in_y, in_q = robot.names.links[-1], random.normal(size=robot.nyd), random.normal(size=robot.nv)
        self.of_method = {
            "completion": {"names": robot.names.y},
            "inverse_kinematics_path": {"targets": robot.link_pose(link, np.array([start, y]))},
            "packed_multiply": {"packed": robot.mass_matrix_packed(y)},
            "factors_solve": {"factors": robot.mass_matrix_factors(y)},
            "with_payload": {"mass": 1.5},
            "time_scale": {"trajectory": robot.trajectory([start, y], [0, 1])},
            "trajectory": {"points": [start, y], "t": [0, 1]},
            "viewer": {"open": False, "meshes": False},
        }
        self.of_name = {
            "y": y, "yd": in_y, "ydd": -in_y, "tau_y": 2 * in_y, "covector": in_y, "b": in_y, "B": in_y, "values": in_y,
            "q": robot.tree_state(y).q, "qd": in_q, "tau": in_q, "u": np.ones(robot.nu), "start": start, "end": y,
            "position": robot.motion_to_actuators(y).position, "given": np.arange(robot.nyd) % 2 == 0, "point": np.ones(3),
            "link": link, "joint": 0, "loop": 0, "spring": np.ones(3), "gravity": (0, 1, -9),
            "goals": tandem.Goal(tandem.GoalKind.POSE, link), "targets": robot.link_pose(link, y),
        }

    def __call__(self, method):
        given = dict(self.of_method.get(method.__name__, {}))
        for parameter in inspect.signature(method).parameters.values():
            required = parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD
            if parameter.name not in given and (required or parameter.name in ALSO_GIVEN):
                given[parameter.name] = self.of_name[parameter.name]
        return given


@pytest.mark.parametrize("robot_name", ROBOT_NAMES)
def test_every_method(robot_name):
    robot = load(robot_name)
    arguments = Arguments(robot)
    for name in PUBLIC:
        if name not in METHODS:
            getattr(robot, name)
    for name in METHODS:
        method = getattr(robot, name)
        print(robot_name, name)
        try:
            result = method(**arguments(method))
        except Exception as error:
            print("EXC", robot_name, name, type(error), error)
            continue
        if name == "viewer":
            result.close()

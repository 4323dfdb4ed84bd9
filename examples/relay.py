# SPDX-License-Identifier: MIT
"""A relay of joint states: what encoders measure comes in, the state of all joints goes out, those of mimic joints,
gears, cams and closed loops too.

    python3 relay.py robot.urdf [TOLERANCE] < measured > all

A line is a message with the fields of ROS's sensor_msgs/JointState, as JSON: {"name": ["motor"], "position": [0.1],
"velocity": [2.0]}. Where a pose does not close no message goes out, and the reason is on standard error. In a node of
ROS, relay() is the callback's body, and the robot's text comes from the parameter robot_description.
"""
import json
import sys

import tandem

MOST = 16  # sets of names whose last states are kept


class Relay:
    def __init__(self, robot, tolerance=1e-3):
        self.robot, self.tolerance, self.completions = robot, tolerance, {}
        self.single = [(i, robot.names.qd.index(name), name) for i, name in enumerate(robot.names.q)
                       if name in robot.names.joints]

    def relay(self, message):
        """The message with all joints of one coordinate; tandem.Error where there is none."""
        names = tuple(message["name"])
        # made once for each set of names: the last state is kept in it; those that were used last stay
        completion = self.completions.pop(names, None) or self.robot.completion(names, tolerance=self.tolerance)
        self.completions[names] = completion
        if len(self.completions) > MOST:
            del self.completions[next(iter(self.completions))]
        state = completion(message["position"], message.get("velocity") or None)
        return {**message, "name": [name for _, _, name in self.single],
                "position": [float(state.q[i]) for i, _, _ in self.single],
                "velocity": [float(state.qd[k]) for _, k, _ in self.single]}


if __name__ == "__main__":
    relay = Relay(tandem.load(sys.argv[1]), *map(float, sys.argv[2:]))
    for line in sys.stdin:
        try:
            print(json.dumps(relay.relay(json.loads(line))), flush=True)
        except (tandem.Error, ValueError) as error:
            print(error, file=sys.stderr)
        except (TypeError, KeyError, AttributeError) as error:
            print(f"no message of joints: {error!r}", file=sys.stderr)

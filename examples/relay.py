# SPDX-License-Identifier: MIT
"""Relays joint states: reads encoder measurements and writes the state of all joints, including mimic joints, gears, cams
and closed loops.

    python3 relay.py robot.urdf [TOLERANCE] < measured > all

Each line is a JSON message with the fields of ROS's sensor_msgs/JointState: {"name": ["motor"], "position": [0.1],
"velocity": [2.0]}. If the loops cannot be closed, it writes no message, and prints the reason on standard error. In a ROS
node, relay() is the body of the callback, and the text of the robot comes from the parameter robot_description.
"""
import json
import sys

import tandem

MOST = 16  # number of sets of names whose last states are kept


class Relay:
    def __init__(self, robot, tolerance=1e-3):
        self.robot, self.tolerance, self.completions = robot, tolerance, {}
        self.single = [(i, robot.names.qd.index(name), name) for i, name in enumerate(robot.names.q)
                       if name in robot.names.joints]

    def relay(self, message):
        """Returns the message with all joints that have one coordinate. Raises tandem.Error if there is no such state."""
        names = tuple(message["name"])
        # one completion per set of names, which keeps the last state; the most recently used ones are kept
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

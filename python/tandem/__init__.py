# SPDX-License-Identifier: MIT
"""Dynamics of robots described in URDF, with mimic joints, couplings and closed loops as part of the model.

    robot = tandem.load("robot.urdf")
    tau = robot.inverse_dynamics(robot.state(elbow=0.3), yd, ydd)

Every function takes one state or arrays of them; help(tandem.Robot) has the rules and all functions.
"""
import typing as _typing

from ._arrays import Array, Frame, Scope
from ._closure import ActuationReport, Closure, ClosureReport
from ._completion import Completed, Completion
from ._coordinates import Changes, Payload, Terms, Tree
from ._errors import Diagnostic, DynamicsError, Error, ModelError, Severity, Status
from ._forces import Forces, Wrench
from ._ground import Pressure, center_of_pressure, split_wrench, zero_moment_point
from ._ik import Goal, GoalKind, IkStatus, Path, Posture, Postures
from ._ik_rate import InverseKinematicsRate, Rate, RateStatus
from ._linear import Compliance, Linear, Reach, regulator
from ._load import Builder, OwnClosure, load, read_model, version
from ._model import Names
from ._recording import Recording, choose_cutoff, derivatives, filtered, noise_level, outliers, recording, repaired, unwrapped
from ._records import (Actuator, Coupling, Curve, CurveEnds, CurveType, EffectiveLimit, Flexible, Follower, Geometry,
                       IdleDirection, InertiaAudit, Joint, JointKind, JointPlace, JointType, Limit, Link, Loop, LoopCluster, LoopForm, LoopPlace, LoopType, Plan, PlanInfo, Pose, Shape, Source,
                       Spring, SpringType, Transmission)
from ._robot import Robot
from ._server import Viewer
from ._simulation import Action, Counts, Event, EventKind, Instant, Motion, Simulation
from ._spatial import (pose_compose, pose_exp, pose_inverse, pose_join, pose_log, pose_matrix, pose_split, quaternion_from_rotation,
                       rotation_from_quaternion, rotation_from_rpy)
from ._trajectory import LimitKind, TimeScale, Trajectory
from ._view import Page

__version__ = version()

__all__ = [
    "Action", "ActuationReport", "Actuator", "Array", "Builder", "Changes", "Closure", "ClosureReport", "Completed", "Completion", "Compliance", "Counts", "Coupling",
    "Curve", "CurveEnds", "CurveType", "Follower",
    "Diagnostic", "DynamicsError", "EffectiveLimit", "Error", "Event", "EventKind", "Flexible", "Forces", "Frame",
    "Geometry", "Goal", "GoalKind", "IdleDirection", "IkStatus", "InertiaAudit", "Instant", "Joint", "JointKind", "JointPlace", "JointType", "Limit", "LimitKind", "Linear", "Link", "Loop",
    "LoopCluster", "LoopForm", "LoopPlace", "LoopType", "ModelError", "Motion", "Names", "OwnClosure", "Page", "Payload", "Plan",
    "PlanInfo", "Pose", "Posture", "Pressure", "Reach", "Recording", "Robot", "Scope", "Severity", "Shape", "Simulation", "Source", "Spring", "SpringType", "Status",
    "Terms", "TimeScale", "Trajectory", "Transmission", "Tree", "Viewer", "center_of_pressure", "choose_cutoff", "derivatives", "filtered", "load",
    "noise_level", "outliers", "pose_compose", "pose_exp", "pose_inverse", "pose_join", "pose_log", "pose_matrix", "pose_split", "quaternion_from_rotation", "read_model", "recording", "regulator", "repaired", "rotation_from_quaternion",
    "rotation_from_rpy", "split_wrench", "unwrapped", "version", "Wrench", "zero_moment_point",
]

_RENAMED = {"motion": "recording", "RecordedMotion": "Recording"}

if not _typing.TYPE_CHECKING:  # type checkers report all unknown names

    def __getattr__(name: str) -> _typing.NoReturn:
        """Names the successor of a name that was renamed."""
        if name in _RENAMED:
            raise AttributeError(f"tandem.{name} is tandem.{_RENAMED[name]} now")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

# SPDX-License-Identifier: MIT
"""Robots: a model, the changes to it, and a workspace for each calling thread."""
from __future__ import annotations

import dataclasses
import os
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._arrays import Array, FrameLike, as_double, checked, common_lead
from ._closure import ActuationReport, Closure, ClosureReport
from ._coordinates import FOLLOWING, Changes, Coordinates, Payload, PayloadRows, Tree, portable
from ._errors import Diagnostic, Severity, Status, dynamics_error
from ._forces import Forces, Wrench
from ._functions import Functions
from ._model import POSITION, VELOCITY, Model
from ._native import ffi, filled, index_or_none, lib, text
from . import _completion, _export, _ik, _ik_rate, _linear, _meshes, _recording, _server, _simulation, _view
from ._records import (Actuator, Coupling, EffectiveLimit, Flexible, Follower, IdleDirection, InertiaAudit, Joint, JointPlace, Limit, Link, Loop,
                       LoopCluster, LoopPlace, PlanInfo, Spring, Transmission, from_c)
from ._trajectory import LimitKind, TimeScale, Trajectory, time_scale_options


class Robot(Coordinates, Functions):
    """A robot, as returned by tandem.load.

    A robot is immutable. It can be used by several threads at once, hashed, compared, pickled and copied. Its functions take
    one state, arrays of shape (n,), or arrays with leading axes, (..., n). Leading axes broadcast, and the results have the
    same leading shape:

    - C-contiguous arrays of float64 are used in place; others are copied once. out= takes arrays for the results and never
      copies. They must not overlap inputs.
    - y, yd, ydd are independent coordinates, in the order of robot.names. robot.tree has the same functions in the coordinates
      of the spanning tree: q, qd, qdd. yd and ydd default to zero.
    - A single state without a result raises DynamicsError. In a batch, rows without a result are NaN. statuses=, an array of
      numpy.intc with the leading shape, receives a Status for each row.
    - Other threads of Python run during a call. Each thread has a separate workspace.

    with_gravity, with_payload, with_start, with_following, with_path, with_chart and with_threads return modified robots that
    share the model.
    """

    _coordinates = 0
    _name_lists = ("y", "yd")

    def __init__(self, model: Model, diagnostics: Sequence[Diagnostic] = (), changes: Changes = Changes()) -> None:
        super().__init__(model, changes)
        self._diagnostics = tuple(diagnostics)
        self._tree: Optional[Tree] = None

    @property
    def tree(self) -> Tree:
        """The robot in the coordinates of its spanning tree, with the same methods: robot.tree.mass_matrix(q). It has the
        gravity, payloads and threads of the robot."""
        if self._tree is None:
            self._tree = Tree(self._model, dataclasses.replace(self._changes, start=None, chart=None, following="call"))
        return self._tree

    def _apply(self, handle: Any, workspace: Any) -> None:
        super()._apply(handle, workspace)
        start, chart = self._changes.start, self._changes.chart
        if start is not None:
            status = lib.td_closure_start(self._model.pointer, workspace, start)
            if status == Status.ARGUMENT:
                raise ValueError("start is out of range")
            if status:
                raise dynamics_error("closure_start", handle, Status(status), None)
        if chart is not None:
            status = lib.td_chart_choose(self._model.pointer, workspace, chart, ffi.NULL, ffi.new("_Bool *"))
            if status == Status.ARGUMENT:
                raise ValueError("chart is out of range")
            if status:
                raise dynamics_error("chart_choose", handle, Status(status), None)
            if lib.td_chart_is_used(workspace):
                rows = ffi.new("size_t[]", self.nyd + 1)
                lib.td_packed_pattern(self._model.pointer, workspace, rows, ffi.NULL)
                handle.sizes = handle.sizes._replace(ny=lib.td_chart_positions(self._model.pointer), entries=rows[self.nyd])

    # ---- changes

    def _changed(self, **changes: Any) -> "Robot":
        robot = Robot(self._model, self._diagnostics, dataclasses.replace(self._changes, **changes))
        robot._handle()  # errors are raised here
        return robot

    def with_gravity(self, gravity: Optional[Sequence[float]]) -> "Robot":
        """Returns the robot with another gravity (3, m/s², world axes). None: the gravity of the model."""
        if gravity is not None and len(gravity) != 3:
            raise ValueError(f"gravity has {len(gravity)} numbers, expected 3")
        return self._changed(gravity=None if gravity is None else tuple(map(float, gravity)))

    def with_payload(self, link: Union[str, int], mass: npt.ArrayLike, com: npt.ArrayLike = (0, 0, 0),
                     inertia: npt.ArrayLike = (0, 0, 0, 0, 0, 0)) -> "Robot":
        """Returns the robot with a body fixed to a link. It replaces an earlier payload of the link. Payload documents shapes
        and units. The pieces of a flexible link are separate links: its name selects the first piece, whatever com is
        (docs/formats/urdf.md).

        With leading axes, mass (...), com (..., 3) and inertia (..., 6), each state of a batch has a different payload. Calls
        must then have that number of states (td_set_payload_rows)."""
        parts = [as_double("with_payload", name, value) for name, value in (("mass", mass), ("com", com), ("inertia", inertia))]
        if parts[1].shape[-1:] != (3,) or parts[2].shape[-1:] != (6,):
            raise ValueError(f"with_payload: com has shape {parts[1].shape} and inertia {parts[2].shape}, expected (..., 3) and (..., 6)")
        index = self._link_index(link)
        others = tuple(p for p in self._changes.payloads if p.link != index)
        rows = {} if self._changes.payload_rows is None else self._changes.payload_rows.by_link()
        rows.pop(index, None)
        lead = common_lead("with_payload", [("mass", parts[0], 0), ("com", parts[1], 1), ("inertia", parts[2], 1)])
        if lead == ():
            numbers = [tuple(map(float, part.reshape(-1))) for part in parts]
            return self._changed(payloads=(*others, Payload(index, numbers[0][0], *numbers[1:])), payload_rows=PayloadRows.of(rows))
        parts[0] = parts[0][..., None]
        each = np.concatenate([np.broadcast_to(part, lead + part.shape[-1:]) for part in parts], axis=-1).reshape(-1, 10)
        if any(len(other) != len(each) for other in rows.values()):
            raise ValueError(f"with_payload: {len(each)} states, but another link has payloads for {len(next(iter(rows.values())))}")
        return self._changed(payloads=others, payload_rows=PayloadRows.of({**rows, index: each}))

    def without_payloads(self) -> "Robot":
        """Returns the robot without payloads."""
        return self._changed(payloads=(), payload_rows=None)

    def with_start(self, q: Optional[npt.ArrayLike]) -> "Robot":
        """Returns the robot that starts loop closure from q (nq) and keeps the branch of q (td_closure_start). None: the
        reference configuration."""
        if q is None:
            return self._changed(start=None)
        array = as_double("with_start", "q", q)
        if array.shape != (self.nq,):
            raise ValueError(f"with_start: q has shape {array.shape}, expected (nq={self.nq},)")
        return self._changed(start=tuple(map(float, array)))

    def with_following(self, following: str = "call") -> "Robot":
        """Returns the robot with another start of loop closure (td_following). "call": a single state starts from the last one
        that closed, and rows of a batch start from the configured start. "last": rows also start from the previous row, as
        paths require. "start": every state starts from the configured start, so that results depend only on y."""
        if following not in FOLLOWING:
            raise ValueError(f"with_following: {following!r}, expected 'call', 'last' or 'start'")
        return self._changed(following=following)

    def with_path(self, path: bool = True) -> "Robot":
        """Returns with_following("last"), or with_following("call") if path is False."""
        return self.with_following("last" if path else "call")

    def with_chart(self, q: Optional[npt.ArrayLike]) -> "Robot":
        """Returns the robot whose functions use other independent coordinates u in place of y. They are chosen at q (nq), where
        its loops must be closed, and stay away from dead points there (td_chart_choose). chart_entries lists them. u has
        more entries than y if joints with a quaternion are in loops. independent_coordinates(q) returns u. names, ny and
        simulate still refer to y. None: y again."""
        if q is None:
            return self._changed(chart=None)
        array = as_double("with_chart", "q", q)
        if array.shape != (self.nq,):
            raise ValueError(f"with_chart: q has shape {array.shape}, expected (nq={self.nq},)")
        return self._changed(chart=tuple(map(float, array)))

    @property
    def chart_entries(self) -> Tuple[npt.NDArray[np.uintp], npt.NDArray[np.uintp]]:
        """The index in q of each entry of y (ny), or of u after with_chart, and the index in q̇ of each entry of ẏ (nyd)."""
        positions, velocities = np.zeros(self._handle().sizes[0], np.uintp), np.zeros(self.nyd, np.uintp)
        lib.td_chart_entries(self._model.pointer, self._workspace(), ffi.cast("size_t *", positions.ctypes.data),
                             ffi.cast("size_t *", velocities.ctypes.data))
        return positions, velocities

    def chart_speeds(self, q: npt.ArrayLike) -> Tuple[float, float]:
        """Returns how fast other joints of the loops can move relative to u, and relative to y, at q (nq): the largest ratio of
        velocities. Lengths are relative to the size of the mechanism. The ratio is infinite at a dead point
        (td_chart_speeds)."""
        array = as_double("chart_speeds", "q", q)
        if array.shape != (self.nq,):
            raise ValueError(f"chart_speeds: q has shape {array.shape}, expected (nq={self.nq},)")
        speeds = ffi.new("double[2]")
        status = self._exclusive(lambda w: int(lib.td_chart_speeds(self._model.pointer, w, tuple(map(float, array)),
                                                                   ffi.NULL, speeds, speeds + 1)))
        if status:
            raise dynamics_error("chart_speeds", self._handle(), Status(status), None)
        return speeds[0], speeds[1]

    def with_threads(self, threads: int = 0) -> "Robot":
        """Returns the robot that distributes batches over this number of threads. 0: one for each processor."""
        if threads < 0:
            raise ValueError("threads must not be negative")
        return self._changed(threads=int(threads))

    # ---- motion over time

    def simulate(self, y: Optional[npt.ArrayLike] = None, yd: Optional[npt.ArrayLike] = None, *, time: float = 1.0,
                 rate: float = 100.0, tree: bool = False, act: Optional[_simulation.Act] = None,
                 z: Optional[npt.ArrayLike] = None, states: Optional[int] = None, wrenches: bool = False,
                 forces: Optional[Forces] = None, given: Optional[Mapping[str, _simulation.Curve]] = None,
                 integrator: str = "auto", step: Optional[float] = None, rtol: Optional[float] = None,
                 atol: Optional[float] = None, longest: Optional[float] = None, stops: Optional[str] = None,
                 stop_stiffness: Optional[float] = None, stop_damping: Optional[float] = None,
                 restitution: Optional[float] = None, rest_speed: Optional[float] = None, stiction: bool = False
                 ) -> _simulation.Motion:
        """Simulates the motion from y (ny,; rad, m) and yd (nyd,; rad/s, m/s) over a time (s), with rate rows per second. act
        returns the applied forces. For the other options see Simulation, which can also continue step by step and has
        events. y defaults to the reference, yd to zero. tree: rows also have q, qd, qdd and the constraint forces."""
        if states is None:
            states = 0 if z is None else len(np.atleast_1d(z))
        simulation = _simulation.Simulation(
            self, act, states=states, wrenches=wrenches, forces=forces, given=given, integrator=integrator, step=step, rtol=rtol,
            atol=atol, longest=longest, stops=stops, stop_stiffness=stop_stiffness, stop_damping=stop_damping,
            restitution=restitution, rest_speed=rest_speed, stiction=stiction)
        return simulation.start(0.0, y, yd, z).run(time, rate, tree=tree)

    def time_scale(self, trajectory: Trajectory, *, limits: Optional[Sequence[Limit]] = None, forces: bool = True,
                   passive: bool = True, faster: bool = False, samples: int = 64) -> TimeScale:
        """Computes how much slower a motion y(t) must be to satisfy the limits of position, velocity and acceleration, and,
        with forces, of effort and power of motors. trajectory.scaled(factor) is the slower motion. limits: one for each joint, instead of
        the limits of the model. passive: forces include damping, friction, springs and rotors. faster: the factor may be
        below 1. DynamicsError (LIMIT, with the TimeScale as result): no factor satisfies the limits.
        (td_trajectory_time_scale)"""
        kept: List[Any] = []
        options = time_scale_options(limits, self._sizes.joints, forces, passive, faster, samples, kept)
        found = ffi.new("td_time_scale *", {"size_of": ffi.sizeof("td_time_scale")})
        if trajectory.size != self.ny:
            raise ValueError(f"time_scale: the trajectory has {trajectory.size} numbers, expected ny={self.ny}")
        status = self._exclusive(lambda workspace: int(
            lib.td_trajectory_time_scale(self._model.pointer, workspace, trajectory._pointer, options, found)))
        joint = self.names.joints[found.joint] if found.joint != lib.TD_NONE else None
        scale = TimeScale(found.factor, LimitKind(found.kind), joint, found.t)
        if status in (Status.ARGUMENT, Status.MEMORY):
            raise ValueError("time_scale: an option is out of range")
        if status:
            raise dynamics_error("time_scale", self._handle(), Status(status), scale)
        return scale

    def trajectory_state(self, trajectory: Trajectory, t: npt.ArrayLike) -> Tuple[Array, Array, Array]:
        """Returns y (..., ny), yd and ydd (..., nyd) of a trajectory of the ny numbers in y at times t (...,). Without
        quaternions, trajectory(t) gives the same. (td_trajectory_state)"""
        times = as_double("trajectory_state", "t", t)
        if trajectory.size != self.ny:
            raise ValueError(f"trajectory_state: the trajectory has {trajectory.size} numbers, expected ny={self.ny}")
        rows = [np.empty((times.size, size)) for size in (self.ny, self.nyd, self.nyd)]
        for i, time in enumerate(times.flat):
            status = lib.td_trajectory_state(trajectory._pointer, self._model.pointer, time,
                                             *(ffi.from_buffer("double[]", part[i]) for part in rows))
            if status:
                raise ValueError("trajectory_state: t is NaN" if status == Status.NOT_FINITE else
                                 "trajectory_state: quaternions of the trajectory are at other places than the robot's")
        y, yd, ydd = (part.reshape(*times.shape, part.shape[1]) for part in rows)
        return y, yd, ydd

    def trajectory(self, points: Any, t: Optional[npt.ArrayLike] = None, *, curve: str = "cubic",
                   limits: Optional[Sequence[Limit]] = None, slower: bool = False, passive: bool = True) -> Trajectory:
        """Plans a motion that starts at rest, passes through points and ends at rest, within the limits of all joints, as
        `tandem trajectory` does. points: rows of y (points, ny; rad, m), or columns by name; missing columns have their
        reference values. t (points,; s): times of the points; None: as fast as the limits allow. curve: 'cubic', 'quintic'
        or 'b-spline', which passes near the points. trajectory_state evaluates it for robots with floating or ball joints, whose
        velocity and acceleration limits (limits) apply to the lengths of angular and linear vectors. slower: slows down a motion that violates limits; otherwise this is a
        ValueError. limits, passive: as in time_scale."""
        return _recording.plan(self, points, t, curve, limits, slower, passive)

    # ---- linear models

    def linearize(self, y: npt.ArrayLike, yd: Optional[npt.ArrayLike] = None, u: Optional[npt.ArrayLike] = None, *,
                  inputs: str = "motors", forces: Optional[Forces] = None) -> _linear.Linear:
        """Computes A and B of ẋ = A x + B δu near y (ny,) and yd (nyd,; None: at rest). inputs: 'motors' (nu) or 'forces' along
        y (nyd). u: their values. None: the values that keep the state in equilibrium, ÿ = 0, or DynamicsError
        (UNDERACTUATED) if motors cannot do this. (td_linearize, td_linearize_held)"""
        return _linear.linearize(self, y, yd, u, inputs, forces)

    def equilibrium(self, y: npt.ArrayLike, u: Optional[npt.ArrayLike] = None, *, inputs: str = "motors",
                    forces: Optional[Forces] = None, held: Iterable[str] = ()) -> Array:
        """Finds the configuration at rest nearest to y (ny,) under inputs u (None: none). Joints and flexible links with names
        in held stay fixed. DynamicsError (EQUILIBRIUM): none was found. (td_equilibrium)"""
        return _linear.equilibrium(self, y, u, inputs, forces, held)

    def link_compliance(self, link: Union[str, int], y: npt.ArrayLike, *, point: Optional[npt.ArrayLike] = None,
                        forces: Optional[Forces] = None, held: Iterable[str] = ()) -> _linear.Compliance:
        """Computes how loads at rest displace a point of a link (in its frame; None: its origin). Joints and flexible links in
        held are rigid. DynamicsError (STIFFNESS): some load meets no resistance. (td_link_compliance)"""
        return _linear.compliance(self, link, y, point, forces, held)

    # ---- inverse kinematics

    def inverse_kinematics(self, goals: Union[_ik.Goal, str, int, Sequence[Union[_ik.Goal, str, int]]], targets: Any,
                           seed: Optional[npt.ArrayLike] = None, *, follow: bool = False, held: Iterable[str] = (),
                           evaluations: Optional[int] = None, iterations: Optional[int] = None,
                           restarts: Optional[int] = None, random: Optional[int] = None) -> _ik.Posture:
        """Finds the y that reaches goals, or the nearest posture (.reached says which). goals: a link, to reach its pose, or a
        Goal, or a list of these. targets: the numbers listed in GoalKind; for a list of goals, a list of arrays. With one
        row for each of n targets, the result has n postures, distributed over with_threads. seed (ny,) or (n, ny); None: the
        reference. follow: each row starts from the last row that was reached. Joints and flexible links in held keep their
        position of the seed. A goal out of reach is not an error. For rows with invalid targets, .errors has the reason.
        (td_ik_solve; docs/ik.md)"""
        options = {"evaluations": evaluations, "iterations": iterations, "restarts": restarts, "random": random}
        return _ik.inverse_kinematics(self, goals, targets, seed, follow, held, options)

    def inverse_kinematics_all(self, goals: Union[_ik.Goal, str, int, Sequence[Union[_ik.Goal, str, int]]],
                               targets: Any, seed: Optional[npt.ArrayLike] = None, *, most: int = 64,
                               turns: bool = False, distance: Optional[float] = None, starts: Optional[int] = None,
                               held: Iterable[str] = (), random: Optional[int] = None) -> _ik.Postures:
        """Finds all y that reach goals, up to a number of most, nearest to the seed first: .y has a row for each. turns:
        solutions that differ by whole turns count separately. distance: smallest difference of a coordinate (rad or m)
        between two solutions. (td_ik_solve_all)"""
        return _ik.solutions(self, goals, targets, seed, most, turns, distance, starts, held, {"random": random})

    def inverse_kinematics_path(self, goals: Union[_ik.Goal, str, int, Sequence[Union[_ik.Goal, str, int]]],
                                targets: Any, seed: Optional[npt.ArrayLike] = None, *, jump: Optional[float] = None,
                                singular: Optional[float] = None, starts: Optional[int] = None,
                                held: Iterable[str] = (), random: Optional[int] = None) -> _ik.Path:
        """Finds a motion without jumps along rows of targets. It starts from one of several solutions of the first row. Rows
        with .jump cannot be reached from the previous row in steps of jump (rad or m). Rows with .singular are near a
        singular posture. (td_ik_solve_path)"""
        return _ik.path(self, goals, targets, seed, jump, singular, starts, held, {"random": random})

    def inverse_kinematics_rate(self, goals: Union[_ik.Goal, str, int, Sequence[Union[_ik.Goal, str, int]]], *,
                                step: float = 0.01, velocities: Optional[npt.ArrayLike] = None,
                                accelerations: Optional[npt.ArrayLike] = None, held: Iterable[str] = (),
                                damping: Optional[float] = None, wish_damping: Optional[float] = None
                                ) -> _ik_rate.InverseKinematicsRate:
        """Returns an object that computes ẏ for velocities of goals. The bounds of positions, velocities and accelerations of
        all joints hold over a step (s): rate(y, velocities, before).yd. velocities and accelerations: the largest |q̇| and
        |q̈|, one for all or (nv,); None: the robot's velocity limits, and no bounds on accelerations. (tandem/ik_rate.h;
        docs/ik.md)"""
        return _ik_rate.InverseKinematicsRate(self, goals, step, velocities, accelerations, held, damping, wish_damping)

    # ---- all joints from some

    def completion(self, names: Sequence[str], *, tolerance: float = 1e-3) -> _completion.Completion:
        """Returns an object that computes the state of all joints from measured ones: completion(positions, velocities).q and
        .qd, in the order of names.q and names.qd. names: coordinates of the tree that determine all others, such as the
        motors; an Error lists the missing ones. tolerance (rad or m): the largest difference between measurements and q. It
        starts from the robot's loop closure (with_start). (td_completion_new; docs/python.md)"""
        completion = _completion.Completion(self, names, tolerance)
        completion.start(self._changes.start)
        return completion

    # ---- a page

    def show(self, *, motion: Optional[Union[_meshes.PathLike, Tuple[npt.ArrayLike, npt.ArrayLike]]] = None,
             packages: Mapping[str, _meshes.PathLike] = {}, mesh_roots: Sequence[_meshes.PathLike] = (),
             meshes: bool = True, up_axis: bool = False, height: int = 620) -> _view.Page:
        """Returns a page that shows the moving robot by tandem in the browser. As the last value of a Jupyter cell it is
        displayed; .save(path) writes it. In Jupyter, page.y = y (ny,) moves the robot, and page.y returns the position of
        the sliders. motion: a file with a table, CSV or an array of NumPy, as for the command, or times (n,) and positions y
        (n, ny). Meshes are searched in packages (folders by name), in the folders that contain the URDF (unknown for a
        pickled robot), in the paths of ROS and in mesh_roots (docs/view.md). up_axis: COLLADA and glTF files are rotated by
        their up axis. The page starts with the gravity, payloads and start of the robot; they can be changed in it. height:
        of the frame, in pixels."""
        table: Optional[Tuple[str, Union[str, bytes]]] = None
        if isinstance(motion, tuple):
            t, y = (as_double("show", name, value) for name, value in zip(("t", "y"), motion))
            if t.ndim != 1 or y.shape != (len(t), self.ny):
                raise ValueError(f"show: motion has shapes {t.shape} and {y.shape}, expected (n,) and (n, ny={self.ny})")
            quoted = ['"q:' + name.replace('"', '""') + '"' for name in self.names.y]
            rows = [",".join(map(repr, row.tolist())) for row in np.column_stack((t, y))]
            table = ("motion", "\n".join([",".join(["t", *quoted]), *rows, ""]))
        elif motion is not None:
            with open(motion, "rb") as file:
                table = (str(motion), file.read())
        return _view.page(self._model.written(), self.links, self._diagnostics, packages, mesh_roots, meshes, up_axis, table, height,
                          self._page_state(), self._model.in_folder, self._page_begin(), self.name)

    def viewer(self, *, open: bool = True, port: int = 0, packages: Mapping[str, _meshes.PathLike] = {},
               mesh_roots: Sequence[_meshes.PathLike] = (), meshes: bool = True, up_axis: bool = False) -> _server.Viewer:
        """Serves the page of show from this process, to browsers of this machine that know its secret address, .url. viewer.y =
        y (ny,) moves the robot at any time, and viewer.y returns the position set by sliders and mouse. open: opens a
        browser. port: of 127.0.0.1; 0: any. The server ends with close(), the end of a with statement, or Python."""
        page = self.show(packages=packages, mesh_roots=mesh_roots, meshes=meshes, up_axis=up_axis)
        viewer = _server.Viewer(page.html, self.name, page.y, port)
        if open:
            viewer.open()
        return viewer

    def _page_begin(self) -> Array:
        """Returns the initial y (ny,) of a page."""
        if self._changes.start is None:
            return self.reference
        indices = [self.names.q.index(name) for name in self.names.y]
        return np.array(self._changes.start)[indices]

    def _page_state(self) -> Dict[str, Any]:
        """Returns the changes made by with_gravity, with_payload and with_start."""
        c = self._changes
        state: Dict[str, Any] = {}
        if c.gravity is not None:
            state["gravity"] = list(c.gravity)
        if c.payloads:
            state["payloads"] = [dataclasses.asdict(p) for p in c.payloads]
        if c.start is not None:
            state["start"] = list(c.start)
        return state

    # ---- identity

    def __reduce__(self) -> Tuple[Any, ...]:
        said = tuple(dataclasses.replace(d, file=os.path.basename(d.file)) for d in self._diagnostics)
        return _restore, (portable(self._model.written()), said, self._changes)

    def __repr__(self) -> str:
        return f"<tandem.Robot {self.name!r}: {self.nyd} independent of {self.nv} velocities, {len(self.names.links)} links>"

    def write(self) -> bytes:
        """Returns the text of the model (td_model_write); tandem.read_model turns it into a robot again. It does not contain
        changes."""
        return self._model.written()

    def export(self, path: Optional[Union[str, "os.PathLike[str]"]] = None, format: str = "urdf", *, fit: bool = False) -> str:
        """Converts the robot for other programs, with payloads and locked joints, to normalized "urdf" or to "mjcf" for MuJoCo
        (td_model_export). Writes it to path, if given. ModelError names anything that the format cannot represent. fit:
        curves that MJCF cannot represent become polynomials of fourth degree, with a warning that states the error.

        >>> robot.export("robot.xml", "mjcf")"""
        content = _export.text_of(self._model.pointer, self._workspace(), format, fit)
        if path is not None:
            with open(path, "wb") as file:
                file.write(content)
        return content.decode("utf-8", "surrogateescape")

    @property
    def digest(self) -> str:
        """16 hexadecimal digits that identify the dynamics, payloads and gravity included (td_model_digest). Robots with the
        same dynamic parameters have the same digest, even if their files differ otherwise."""
        return _export.digest_of(self._model.pointer, self._workspace())

    # ---- queries

    @property
    def diagnostics(self) -> Tuple[Diagnostic, ...]:
        """Diagnostics of the loader."""
        return self._diagnostics

    @property
    def warnings(self) -> Tuple[Diagnostic, ...]:
        """The warnings among the diagnostics."""
        return tuple(d for d in self._diagnostics if d.severity == Severity.WARNING)

    @property
    def name(self) -> str:
        """The name of the robot in its file."""
        return text(lib.td_model_name(self._model.pointer))

    @property
    def ny(self) -> int:
        """Number of independent positions."""
        return self._sizes.ny

    @property
    def nyd(self) -> int:
        """Number of independent velocities."""
        return self._sizes.nyd

    @property
    def nu(self) -> int:
        """Number of motor forces."""
        return self._sizes.nu

    @property
    def constraint_count(self) -> int:
        """Number of rows of φ and K."""
        return self._sizes.constraints

    @property
    def floating(self) -> bool:
        """Whether the root link floats."""
        return bool(lib.td_model_base(self._model.pointer))

    @property
    def gravity(self) -> Array:
        """The current gravity (3,): from with_gravity, or the model."""
        return np.array(tuple(lib.td_gravity(self._model.pointer, self._workspace())[0:3]))

    @property
    def isa(self) -> str:
        """Instruction set of the kernels in use."""
        return text(lib.td_isa(self._model.pointer))

    @property
    def lanes(self) -> int:
        """Number of states that a batch computes side by side."""
        return int(lib.td_lanes(self._model.pointer))

    @property
    def threads(self) -> int:
        """Number of threads that batches are distributed over."""
        return int(lib.td_workspace_threads(self._workspace()))

    @property
    def workspace_bytes(self) -> int:
        """Size of the workspace of one thread, in bytes."""
        return int(lib.td_workspace_bytes(self._model.pointer, self._workspace_options()))

    @property
    def total_mass(self) -> float:
        """Mass of all links of the model, including the root (kg)."""
        return float(lib.td_total_mass(self._model.pointer))

    @property
    def moving_mass(self) -> float:
        """Mass of the moving bodies of the model (kg)."""
        return float(lib.td_moving_mass(self._model.pointer))

    @property
    def root_link(self) -> int:
        """Index of the root link."""
        return int(lib.td_root_link(self._model.pointer))

    @property
    def body_count(self) -> int:
        """Number of moving bodies; links connected by fixed joints are one body."""
        return int(lib.td_body_count(self._model.pointer))

    @property
    def plan(self) -> PlanInfo:
        """How forward dynamics is computed."""
        return from_c(PlanInfo, filled("td_plan_info", lib.td_plan_read, self._model.pointer))

    def _list(self, kind: Any, count: Any, at: Any) -> Tuple[Any, ...]:
        p = self._model.pointer
        return self._model.once(kind.__name__, lambda: tuple(from_c(kind, at(p, i)) for i in range(count(p))))

    def _places(self, kind: Any, c_type: str, count: Any, read: Any) -> Tuple[Any, ...]:
        p = self._model.pointer
        return self._model.once(c_type, lambda: tuple(from_c(kind, filled(c_type, read, p, i)) for i in range(count(p))))

    @property
    def links(self) -> Tuple[Link, ...]:
        """Records of the links, in file order."""
        return self._list(Link, lib.td_link_count, lib.td_link_at)

    @property
    def joints(self) -> Tuple[Joint, ...]:
        """Records of the joints, in the model's order, fixed ones included."""
        return self._list(Joint, lib.td_joint_count, lib.td_joint_at)

    def link(self, link: Union[str, int]) -> Link:
        """The record of a link."""
        return self.links[self._link_index(link)]

    def joint(self, joint: Union[str, int]) -> Joint:
        """The record of a joint."""
        return self.joints[self._joint_index(joint)]

    @property
    def loops(self) -> Tuple[Loop, ...]:
        """Records of joints that close loops."""
        return self._list(Loop, lib.td_loop_count, lib.td_loop_at)

    @property
    def couplings(self) -> Tuple[Coupling, ...]:
        """Records of couplings (gears)."""
        return self._list(Coupling, lib.td_coupling_count, lib.td_coupling_at)

    @property
    def followers(self) -> Tuple[Follower, ...]:
        """Joints that follow others by curves."""
        return self._list(Follower, lib.td_follower_count, lib.td_follower_at)

    @property
    def springs(self) -> Tuple[Spring, ...]:
        """Springs and dampers between two links."""
        return self._list(Spring, lib.td_spring_count, lib.td_spring_at)

    @property
    def transmissions(self) -> Tuple[Transmission, ...]:
        """Records of transmissions."""
        return self._list(Transmission, lib.td_transmission_count, lib.td_transmission_at)

    @property
    def flexible_links(self) -> Tuple[Flexible, ...]:
        """Records of flexible links."""
        return self._list(Flexible, lib.td_flexible_count, lib.td_flexible_at)

    @property
    def movable_joints(self) -> Tuple[int, ...]:
        """Indices of the joints that move."""
        p = self._model.pointer
        return self._model.once("movable", lambda: tuple(lib.td_movable_joint(p, i) for i in range(lib.td_movable_count(p))))

    @property
    def independent_joints(self) -> Tuple[int, ...]:
        """Indices of the independent joints, in the order of y."""
        p = self._model.pointer
        return self._model.once(
            "independent", lambda: tuple(lib.td_independent_joint(p, i) for i in range(lib.td_independent_count(p))))

    @property
    def loop_places(self) -> Tuple[LoopPlace, ...]:
        """How each loop is closed."""
        return self._places(LoopPlace, "td_loop_place", lib.td_loop_count, lib.td_loop_place_read)

    @property
    def loop_clusters(self) -> Tuple[LoopCluster, ...]:
        """Loops that are solved together, with their ranks."""
        return self._places(LoopCluster, "td_loop_cluster", lib.td_loop_cluster_count, lib.td_loop_cluster_read)

    @property
    def idle(self) -> Tuple[IdleDirection, ...]:
        """Rods that turn about the lines of their ends without effect."""
        return self._places(IdleDirection, "td_idle_direction", lib.td_idle_count, lib.td_idle_direction_read)

    @property
    def actuators(self) -> Tuple[Actuator, ...]:
        """The joint or loop on which each entry of u acts."""
        return self._model.once("actuators", self._find_actuators)

    def _find_actuators(self) -> Tuple[Actuator, ...]:
        found = []
        for i in range(self.nu):
            a = filled("td_actuator", lib.td_actuator_read, self._model.pointer, i)
            found.append(Actuator(text(a.name), index_or_none(a.joint), index_or_none(a.loop), a.component, index_or_none(a.q), index_or_none(a.qd),
                                  bool(a.turns), a.effort_limit, a.velocity_limit, a.power_limit))
        return tuple(found)

    @property
    def actuation_status(self) -> Status:
        """Whether forces along y determine u."""
        return Status(lib.td_actuation_status(self._model.pointer))

    def joint_place(self, joint: Union[str, int]) -> JointPlace:
        """Returns the position of a joint in the tree and its indices in the coordinates."""
        return from_c(JointPlace, filled("td_joint_place", lib.td_joint_place_read, self._model.pointer, self._joint_index(joint)))

    def component_units(self, joint: Union[str, int]) -> Tuple[Tuple[str, ...], Tuple[str, ...]]:
        """Returns the units of the positions and of the velocities of a joint: "rad" or "m" (velocities per second; forces N m
        or N), and "" for components of a quaternion."""
        index, place = self._joint_index(joint), self.joint_place(joint)
        units = [[("", "rad", "m")[lib.td_component_unit(self._model.pointer, index, quantity, k)] for k in range(count)]
                 for quantity, count in ((POSITION, place.nq), (VELOCITY, place.nv))]
        return tuple(units[0]), tuple(units[1])

    def effective_limit(self, joint: Union[str, int]) -> EffectiveLimit:
        """Returns the limits of an independent joint, tightened by its followers."""
        return from_c(EffectiveLimit, filled("td_effective_limit", lib.td_effective_limit_read, self._model.pointer, self._joint_index(joint)))

    @property
    def lower(self) -> Array:
        """Lower position limits (ny,; rad, m) of the independent joints, tightened by their followers. Minus infinity:
        unlimited."""
        return self._limits()[0].copy()

    @property
    def upper(self) -> Array:
        """Upper position limits (ny,; rad, m) of the independent joints, tightened by their followers. Infinity: unlimited."""
        return self._limits()[1].copy()

    @property
    def velocity_limit(self) -> Array:
        """Velocity limits (nyd,; rad/s, m/s) of the independent joints, tightened by their followers. Infinity: unlimited."""
        return self._limits()[2].copy()

    @property
    def effort_limit(self) -> Array:
        """Effort limits (nyd,; N m, N) along the coordinates. Such a force overloads no joint, even if a single joint carries
        all of it. Infinity: unlimited."""
        return self._limits()[3].copy()

    def _limits(self) -> Tuple[Array, Array, Array, Array]:
        return self._model.once("limits", self._find_limits)

    def _find_limits(self) -> Tuple[Array, Array, Array, Array]:
        lower, upper = np.full(self.ny, -np.inf), np.full(self.ny, np.inf)
        velocity, effort = np.full(self.nyd, np.inf), np.full(self.nyd, np.inf)
        for joint in self.independent_joints:
            place, limit = self.joint_place(joint), self.effective_limit(joint)
            if place.nq == 1 and place.q is not None and place.qd is not None:
                i, k = (names.index(all_names[at]) for names, all_names, at in (
                    (self.names.y, self.names.q, place.q), (self.names.yd, self.names.qd, place.qd)))
                lower[i], upper[i], velocity[k], effort[k] = limit.lower, limit.upper, limit.velocity, limit.effort
        return lower, upper, velocity, effort

    def inertia_audit(self, link: Union[str, int]) -> InertiaAudit:
        """Checks the inertial of a link for physical consistency."""
        return from_c(InertiaAudit, filled("td_inertia_audit", lib.td_link_audit_read, self._model.pointer, self._link_index(link)))

    def link_body(self, link: Union[str, int]) -> Optional[int]:
        """Returns the moving body of a link; None if it is fixed to the world."""
        return index_or_none(lib.td_link_body(self._model.pointer, self._link_index(link)))

    def link_parent_joint(self, link: Union[str, int]) -> Optional[int]:
        """Returns the parent joint of a link; None for the root."""
        return index_or_none(lib.td_link_parent_joint(self._model.pointer, self._link_index(link)))

    def outside_limits(self, y: npt.ArrayLike) -> Tuple[str, ...]:
        """Returns names of the independent joints with a position (ny) outside their effective limits."""
        array = checked("outside_limits", "y", y, (-1,), self._sizes, False)
        room = ffi.new("size_t[]", max(1, self._sizes.joints))
        count = lib.td_outside_limits(self._model.pointer, ffi.from_buffer("double[]", array), room, len(room))
        return tuple(self.names.joints[room[i]] for i in range(count))

    # ---- configurations

    def to_dict(self, values: npt.ArrayLike, of: str = "tau_y") -> Dict[str, Any]:
        """Returns entries by name. of says what the values are ("y", "yd", "tau_y", "q", "qd", "tau", "u", "links", "joints").
        Names belong to the last axis; for links and joints, to the first."""
        names = getattr(self.names, of)
        array = np.asarray(values)
        axis = 0 if of in ("links", "joints", "loops") else -1
        if array.ndim == 0 or array.shape[axis] != len(names):
            raise ValueError(f"values have shape {array.shape}, but {of} has {len(names)} entries")
        rows = np.moveaxis(array, axis, 0)
        return {name: row if row.ndim else float(row) for name, row in zip(names, rows)}

    def forces(self, wrenches: Optional[Mapping[str, Union[Wrench, Mapping[str, Any]]]] = None, *, frame: FrameLike = "aligned",
               passive: bool = False, friction_velocity: float = 1e-3) -> Forces:
        """Returns Forces with wrenches on links by name: robot.forces({"tool": tandem.Wrench(force=(0, 0, -20))}), or {"tool":
        {"force": (0, 0, -20), "point": (0, 0, 0.1)}}. By default they are in world axes, at the link's origin or at the
        point; frame selects other axes. With leading axes, (..., 3), each state of a batch has different wrenches (Wrench,
        Forces)."""
        forces = Forces(wrenches, frame=frame, passive=passive, friction_velocity=friction_velocity)
        robot, found = forces.on(self._owner)
        return found if robot is None else forces

    def _with_forces(self, function: str, forces: Optional[Forces]) -> Tuple["Robot", Optional[Forces]]:
        """Returns the robot to use (see Forces.on), and forces with wrenches as an array."""
        if forces is None:
            return self, None
        robot, found = forces.on(self._owner)
        if found.per_state is not None:
            raise ValueError(f"{function}: forces has wrenches for each of several states, {found.per_state.shape[:-2]}")
        if found.links not in (None, (robot or self)._sizes.links):
            raise ValueError(f"{function}: forces has wrenches on {found.links} links, but the robot has {self._sizes.links}")
        return (robot if isinstance(robot, Robot) else self), found

    # ---- closure and actuation

    def closure_matrix(self) -> Array:
        """Returns M (nq, nw) of the linear closure q = M w + b (td_closure_matrix). w is y unless loops are iterated."""
        return _dense(lib.td_closure_matrix(self._model.pointer))

    def closure_velocity_matrix(self) -> Array:
        """Returns G (nv, nyd): constant or, if loops are iterated, at the reference configuration."""
        return _dense(lib.td_closure_velocity_matrix(self._model.pointer))

    def closure_offset(self) -> Array:
        """Returns b (nq) of q = M w + b."""
        return np.array(list(lib.td_closure_offset(self._model.pointer)[0:self.nq]))

    def closure(self, y: npt.ArrayLike, yd: Optional[npt.ArrayLike] = None, ydd: Optional[npt.ArrayLike] = None) -> Closure:
        """Computes the loop closure at one state: q, qd, qdd, G, residual, ranks and singular values. Raises no error if loops
        do not close; closure.status has the reason."""
        arrays = [None if value is None else checked("closure", name, value, dims, self._sizes, False)
                  for name, value, dims in (("y", y, (-1,)), ("yd", yd, (-2,)), ("ydd", ydd, (-2,)))]
        assert arrays[0] is not None
        report = ffi.new("td_closure_report *")
        report.size_of = ffi.sizeof("td_closure_report")
        at = ffi.from_buffer("double[]", arrays[0])
        status = self._exclusive(lambda workspace: int(
            lib.td_closure_examine(self._model.pointer, workspace, at, report)))
        if status == Status.ARGUMENT:
            raise ValueError("closure: y is out of range")
        loop = self.names.loops[report.loop] if report.loop != lib.TD_NONE else None
        numbers = ClosureReport(Status(report.status), loop, float(report.residual), float(report.reached),
                                int(report.iterations), float(report.smallest), float(report.largest))
        return Closure(self, arrays[0].copy(), arrays[1], arrays[2], numbers)

    def idle_directions(self, y: npt.ArrayLike) -> Array:
        """Returns the idle directions of ẏ at one configuration, (nyd, number of idle)."""
        array = checked("idle_directions", "y", y, (-1,), self._sizes, False)
        result = np.zeros((self.nyd, len(self.idle)))
        at, into = ffi.from_buffer("double[]", array), ffi.from_buffer("double[]", result)
        status = self._exclusive(lambda workspace: int(lib.td_idle_directions(self._model.pointer, workspace, at, into)))
        if status == Status.ARGUMENT:
            raise ValueError("idle_directions: y is out of range")
        if status != Status.OK:
            raise dynamics_error("idle_directions", self._handle(), Status(status), result)
        return result

    def actuation(self, y: npt.ArrayLike) -> ActuationReport:
        """Analyzes M_u at one state: rank, singular values, and the velocities at which no motor moves."""
        array = checked("actuation", "y", y, (-1,), self._sizes, False)
        report = ffi.new("td_actuation_report *")
        report.size_of = ffi.sizeof("td_actuation_report")
        directions = np.zeros((max(1, self.nyd), self.nyd))
        at, into = ffi.from_buffer("double[]", array), ffi.from_buffer("double[]", directions)
        status = self._exclusive(lambda workspace: int(
            lib.td_actuation_examine(self._model.pointer, workspace, at, report, into)))
        if status == Status.ARGUMENT:
            raise ValueError("actuation: y is out of range")
        free = report.drivable - report.rank
        return ActuationReport(Status(report.status), int(report.drivable), int(report.rank), float(report.smallest),
                               float(report.largest), float(report.closure_condition), float(report.map_condition),
                               directions[:free].copy())


def _dense(sparse: Any) -> Array:
    matrix = np.zeros((sparse.rows, sparse.columns))
    for i in range(sparse.rows):
        for k in range(sparse.row[i], sparse.row[i + 1]):
            matrix[i, sparse.column[k]] += sparse.value[k]
    return matrix


def _restore(content: bytes, diagnostics: Tuple[Diagnostic, ...], changes: Changes) -> Robot:
    """Rebuilds the robot of a pickle."""
    from ._load import read_model

    robot = Robot(read_model(content, name="pickle")._model, diagnostics, changes)
    robot._model.in_folder = False
    robot._handle()
    return robot

# SPDX-License-Identifier: MIT
"""Motion over time (tandem/simulation.h)."""
from __future__ import annotations

import dataclasses
import enum
import sys
import threading
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _plot
from ._arrays import Array, as_double
from ._errors import DynamicsError, Status, dynamics_error
from ._forces import Forces
from ._model import Model, Names, index_of
from ._native import ffi, filled, lib, text
from ._recording import poses_of
from ._trajectory import Trajectory, sample_times

if TYPE_CHECKING:
    from ._robot import Robot

METHODS = {"dormand-prince": 0, "rk4": 1, "euler": 2, "radau": 3, "auto": 4, "dormand-prince-8": 5,
           "exponential": 6, "exponential-linear": 7}
STOPS = {None: 0, "spring": 1, "impact": 2}

Curve = Union[Trajectory, Callable[[float], Tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike]]]


class EventKind(enum.IntEnum):
    """An event of a joint; text describes it."""

    LOWER_STOP = 0
    UPPER_STOP = 1
    REST = 2
    RELEASE = 3
    STICK = 4
    SLIP = 5

    @property
    def text(self) -> str:
        """The description of the event, in English."""
        return text(lib.td_event_text(int(self)))


@dataclasses.dataclass(frozen=True)
class Event:
    """td_simulation_event: at t (s); joint, or the loop that contains the joint; impulse of an impact (N m s, N s)."""

    t: float
    kind: EventKind
    joint: Optional[str]
    loop: Optional[str]
    impulse: float

    def __str__(self) -> str:
        return f"{self.t:g} {self.joint or self.loop} {self.kind.text}"


@dataclasses.dataclass(frozen=True)
class Counts:
    """Numbers of steps, rejected steps and evaluations of the dynamics; of steps by Radau; and of Jacobians that the methods
    for stiff motions computed."""

    steps: int
    rejected: int
    evaluations: int
    stiff: int = 0
    jacobians: int = 0


class Instant:
    """The state of the robot when Simulation calls act. All arrays are copies, which may be kept.

    t; y (ny,), yd (nyd,); z, the user's additional states. q (nq,) and qd (nv,) for robots with iterated loops, otherwise None:
    near a dead point y does not determine the loops, and functions of robot.tree take q and qd.
    """

    __slots__ = ("t", "y", "yd", "z", "q", "qd")

    def __init__(self, t: float, y: Array, yd: Array, z: Array, q: Optional[Array], qd: Optional[Array]) -> None:
        self.t, self.y, self.yd, self.z, self.q, self.qd = t, y, yd, z, q, qd


@dataclasses.dataclass(frozen=True)
class Action:
    """The forces at an instant: along y (nyd,), wrenches on links (links, 6), and rates of the user's additional states
    (states,). Wrenches are (moment, force) in N m and N, about the link's origin and in world axes, unless the simulation's
    forces select another frame. Missing parts are zero."""

    tau: Optional[npt.ArrayLike] = None
    wrenches: Optional[npt.ArrayLike] = None
    z_rate: Optional[npt.ArrayLike] = None


Act = Callable[[Instant], Union[Action, npt.ArrayLike, None]]


@dataclasses.dataclass(frozen=True)
class Motion:
    """The motion returned by Simulation.run and Robot.simulate: arrays with one row for each time.

    tau (rows, nyd): forces of act, and the forces of prescribed motions. Energies are in J. work is the work of the forces
    since the start, minus the energy dissipated by damping and friction: kinetic + potential - work is constant. With tree=True
    there are also q, qd, qdd and constraint, the forces of mimic joints and loops on the joints (rows, nv).
    """

    t: Array  # (rows,)
    y: Array  # (rows, ny)
    yd: Array  # (rows, nyd)
    ydd: Array  # (rows, nyd)
    tau: Array  # (rows, nyd)
    z: Array  # (rows, states)
    kinetic: Array  # (rows,)
    potential: Array  # (rows,)
    work: Array  # (rows,)
    q: Optional[Array]  # (rows, nq)
    qd: Optional[Array]  # (rows, nv)
    qdd: Optional[Array]  # (rows, nv)
    constraint: Optional[Array]  # (rows, nv)
    events: Tuple[Event, ...]
    names: Names

    @property
    def energy(self) -> Array:
        """(rows,): kinetic + potential (J)"""
        return self.kinetic + self.potential

    @property
    def balance(self) -> float:
        """The largest change of energy - work (J), a measure of the integration error."""
        left = self.energy - self.work
        return float(np.max(np.abs(left - left[0]))) if len(left) else 0.0

    def columns(self) -> Dict[str, Array]:
        """Returns the motion as columns by name: t, q:NAME, qd:NAME, qdd:NAME, tau:NAME, z:1 and so on, and energies, as in
        tables of `tandem simulate`. With q, the columns are for all joints. pandas.DataFrame(motion.columns()) makes a table
        of them."""
        tree = self.q is not None
        names = self.names
        parts = [("q", names.q, self.q), ("qd", names.qd, self.qd), ("qdd", names.qd, self.qdd)] if tree else [
            ("q", names.y, self.y), ("qd", names.yd, self.yd), ("qdd", names.yd, self.ydd)]
        parts += [("tau", names.tau_y, self.tau), ("z", tuple(str(i + 1) for i in range(self.z.shape[1])), self.z)]
        found = {"t": self.t}
        for prefix, labels, array in parts:
            assert array is not None
            found.update({f"{prefix}:{label}": array[:, i] for i, label in enumerate(labels)})
        found.update({"energy:total": self.energy, "work": self.work})
        return found

    def plot(self, *, which: Sequence[str] = ("q", "qd", "tau")) -> Any:
        """Returns a matplotlib figure of positions, velocities and forces (which: some of "q", "qd", "qdd", "tau", "z") over
        time, with events as lines. matplotlib must be installed. .savefig(path) writes it."""
        return _plot.figure(self.columns(), self.events, which)

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        span = f"{self.t[0]:g} to {self.t[-1]:g} s, " if len(self) else ""
        return f"<tandem.Motion {span}{len(self)} rows, {len(self.events)} events>"


def _view(pointer: Any, size: int) -> Array:
    return np.frombuffer(ffi.buffer(pointer, 8 * size), dtype=np.float64) if size else np.empty(0)


def _put(pointer: Any, name: str, value: npt.ArrayLike, shape: Tuple[int, ...]) -> None:
    array = as_double("act", name, value)
    if array.shape != shape:
        raise ValueError(f"act: {name} has shape {array.shape}, expected {shape}")
    if array.size:
        _view(pointer, array.size)[:] = array.ravel()


class _Callbacks:
    """Callbacks from the library. They must not refer to the simulation, which owns them."""

    def __init__(self, model: Model, states: int, act: Optional[Act], curves: List[Tuple[List[int], List[int], Curve]]) -> None:
        self.sizes, self.states, self._act, self.curves = model.sizes, states, act, curves
        self._model, self._numbers = model.pointer, [ffi.new("double[]", max(size, 1)) for size in model.sizes[:1] * 3 + model.sizes[1:2] * 2]
        lib.td_neutral(self._model, lib.TD_COORDINATES_INDEPENDENT, self._numbers[0])
        self.error: Optional[BaseException] = None

    def act(self, a: Any) -> None:
        ny, nyd, nq, nv, _, links = self.sizes[:6]
        assert self._act is not None
        tree = a.q != ffi.NULL
        done = self._act(Instant(a.t, _view(a.y, ny).copy(), _view(a.yd, nyd).copy(), _view(a.z, self.states).copy(),
                                 _view(a.q, nq).copy() if tree else None, _view(a.qd, nv).copy() if tree else None))
        action = done if isinstance(done, Action) else Action(done)
        if action.tau is not None:
            _put(a.tau_y, "tau", action.tau, (nyd,))
        if action.z_rate is not None:
            _put(a.z_rate, "z_rate", action.z_rate, (self.states,))
        if action.wrenches is not None:
            if a.wrenches == ffi.NULL:
                raise ValueError("act: wrenches require a simulation with wrenches=True")
            _put(a.wrenches, "wrenches", action.wrenches, (links, 6))

    def motion(self, t: float, y: Any, yd: Any, ydd: Any) -> None:
        for positions, velocities, curve in self.curves:
            first, k, n = positions[0], velocities[0], self._numbers
            if isinstance(curve, Trajectory) and len(positions) == 1:
                curve._check(lib.td_trajectory_evaluate(curve._pointer, t, y + first, yd + k, ydd + k))
            elif isinstance(curve, Trajectory):
                curve._check(lib.td_trajectory_evaluate(curve._pointer, t, n[0] + first, n[1] + first, n[2] + first))
                lib.td_rates_to_velocities(self._model, lib.TD_COORDINATES_INDEPENDENT, *n)
                for target, source, places in ((y, n[0], positions), (yd, n[3], velocities), (ydd, n[4], velocities)):
                    for i in places:
                        target[i] = source[i]
            else:
                for target, values, places in zip((y, yd, ydd), curve(t), (positions, velocities, velocities)):
                    for i, value in zip(places, np.broadcast_to(values, (len(places),))):
                        target[i] = value


@ffi.def_extern(name="tandem_python_act", error=int(Status.FUNCTION))  # type: ignore[misc]
def _act_called(context: Any, action: Any) -> int:
    callbacks: _Callbacks = ffi.from_handle(context)
    try:
        callbacks.act(action)
    except BaseException as error:  # raised again by the call of the simulation
        callbacks.error = error
        return int(Status.FUNCTION)
    return 0


@ffi.def_extern(name="tandem_python_motion", error=int(Status.FUNCTION))  # type: ignore[misc]
def _motion_called(context: Any, t: float, y: Any, yd: Any, ydd: Any) -> int:
    callbacks: _Callbacks = ffi.from_handle(context)
    try:
        callbacks.motion(t, y, yd, ydd)
    except BaseException as error:
        callbacks.error = error
        return int(Status.FUNCTION)
    return 0


@dataclasses.dataclass
class _Place:
    """Tells dynamics_error the joint or the loop."""

    workspace: int
    owner: Any


class Simulation:
    """Integrates the motion y(t) of a robot under forces in its independent coordinates. Mimic joints and loops stay exact, and
    the motion can pass dead points (td_simulation; options have the same defaults).

        simulation = tandem.Simulation(robot, act=lambda at: -10 * at.y - at.yd)
        simulation.start(y=[0.3])
        motion = simulation.run(5.0, rate=200)

    act(instant) returns forces along y (nyd,), None, or an Action with wrenches (wrenches=True) and the rates of states=n
    additional states, such as a controller's memory. It must depend only on the instant. An exception in it ends the motion,
    and is raised by the call of the simulation.

    integrator: 'auto' (adaptive, with rtol, atol, longest: 'radau' if the motion is stiff, otherwise 'dormand-prince-8', or
    'dormand-prince' for rtol of 1e-7 and above), one of these methods, or with a fixed step (s) 'rk4', 'euler', 'exponential' and
    'exponential-linear'. forces: constant wrenches, and passive forces, which are on
    by default. given: prescribed motions of joints, by names of coordinates: a Trajectory of one number, or a function of t
    that returns position, velocity, acceleration. A floating or ball joint is given by its name, with a Trajectory of its numbers
    in y or a function that returns arrays. stops: None, 'spring' (stop_stiffness, stop_damping) or 'impact'
    (restitution, rest_speed). stiction: Coulomb friction with events for sticking and slipping. The robot's gravity, payloads
    and start apply. Only one thread at a time may use it.
    """

    def __init__(self, robot: "Robot", act: Optional[Act] = None, *, states: int = 0, wrenches: bool = False,
                 forces: Optional[Forces] = None, given: Optional[Mapping[str, Curve]] = None,
                 integrator: str = "auto", step: Optional[float] = None, rtol: Optional[float] = None,
                 atol: Optional[float] = None, longest: Optional[float] = None, stops: Optional[str] = None,
                 stop_stiffness: Optional[float] = None, stop_damping: Optional[float] = None,
                 restitution: Optional[float] = None, rest_speed: Optional[float] = None, stiction: bool = False) -> None:
        self._options = {name: value for name, value in locals().items() if name not in ("self", "robot")}
        self._first: Tuple[Any, ...] = (0.0, None, None, None)
        self.robot = robot
        if forces is None and wrenches:
            forces = Forces(passive=True)
        robot._refuse_rows()
        site, acting = robot._with_forces("Simulation", forces)
        if wrenches and site is not robot:
            raise ValueError("forces has wrenches at points, which cannot be combined with wrenches=True")
        model = site._model
        self._model, self._forces = model, acting
        self._lock = threading.Lock()
        curves, mask = self._given(given or {})
        self._callbacks = _Callbacks(model, states, act, curves)
        self._context = ffi.new_handle(self._callbacks)
        own = ffi.new("td_integrator_options *", lib.td_integrator_options_default())
        if integrator not in METHODS:
            raise ValueError(f"integrator is {integrator!r}, expected one of {', '.join(map(repr, METHODS))}")
        own.method = METHODS[integrator]
        if stops not in STOPS:
            raise ValueError(f"stops is {stops!r}, expected None, 'spring' or 'impact'")
        options = ffi.new("td_simulation_options *", lib.td_simulation_options_default())
        numbers: Dict[str, Optional[float]] = {"stop_stiffness": stop_stiffness, "stop_damping": stop_damping,
                                               "restitution": restitution, "rest_speed": rest_speed}
        for target, values in ((own, {"step": step, "rtol": rtol, "atol": atol, "longest": longest}), (options, numbers)):
            for name, value in values.items():
                most = 1.0 if name == "restitution" else sys.float_info.max
                if value is not None and not 0 <= value <= most:
                    raise ValueError(f"{name} is {value}, which is out of range")
                if value is not None:
                    setattr(target, name, value)
        options.integrator = own
        options.forces = ffi.NULL if acting is None else acting.pointer
        options.context = self._context
        if act is not None:
            options.act = lib.tandem_python_act
        options.states, options.wrenches = states, wrenches
        if curves:
            options.given, options.motion = mask, lib.tandem_python_motion
        options.stops, options.stiction = STOPS[stops], stiction
        place = ffi.new("td_simulation **")
        status = lib.td_simulation_new(model.pointer, options, place)
        if status == Status.MEMORY:
            raise MemoryError("Simulation")
        if status:
            raise ValueError("Simulation: an option is out of range, or given lacks coordinates of a joint")
        self._pointer = ffi.gc(place[0], lib.td_simulation_free)
        workspace = lib.td_simulation_workspace(self._pointer)
        self._place = _Place(int(ffi.cast("uintptr_t", workspace)), model)
        robot._apply(self._place, workspace)
        self._moved = False  # perhaps through a dead point: the branch must be set again

    def _given(self, given: Mapping[str, Curve]) -> Tuple[List[Tuple[List[int], List[int], Curve]], Any]:
        names, poses = self._model.names, poses_of(self.robot)
        curves = []
        mask = ffi.new("unsigned char[]", max(len(names.yd), 1))
        for name, curve in given.items():
            if name in poses:
                positions, velocities = poses[name].y, poses[name].yd
            else:
                positions = [index_of("coordinate", name, names.y)]
                if name not in names.yd:
                    raise ValueError(f"given: {name!r} is a part of a floating or ball joint; give the joint")
                velocities = [names.yd.index(name)]
            if isinstance(curve, Trajectory) and curve.size != len(positions):
                raise ValueError(f"given: the trajectory of {name!r} has {curve.size} numbers, expected {len(positions)}")
            curves.append((positions, velocities, curve))
            for k in velocities:
                mask[k] = 1
        return curves, mask

    def _call(self, name: str, function: Callable[..., int], *arguments: Any) -> int:
        """Returns the status, and raises exceptions of act or given again."""
        if not self._lock.acquire(blocking=False):
            raise RuntimeError(f"{name}: the simulation is in use, by another thread or by one of its callbacks")
        try:
            self._callbacks.error = None
            status = function(self._pointer, *arguments)
            if self._callbacks.error is not None:
                raise self._callbacks.error
            return status
        finally:
            self._callbacks.error = None
            self._lock.release()

    def _error(self, name: str, status: int, result: Any = None) -> Exception:
        if status == Status.ARGUMENT:
            return ValueError(f"{name}: an argument is out of range, or the simulation has not been started")
        if status == Status.MEMORY:
            return MemoryError(name)
        error = dynamics_error(name, self._place, Status(status), result)
        loop = lib.td_simulation_failed_loop(self._pointer)
        if loop != lib.TD_NONE and error.loop is None:
            error = DynamicsError(name, Status(status), error.joint, self._model.names.loops[loop], None, result)
        if status == Status.DIVERGED and self._options["integrator"] in ("rk4", "euler"):
            try:
                joint, rate = Simulation(self.robot, **self._options).start(*self._first).fastest()
            except Exception:  # from the user's act or given, which are called again here; the note is optional
                joint, rate = None, 0.0
            if joint is not None and rate > 0:
                error.add_note(f"what acts on joint {joint!r} changes its motion within {1 / rate:.2g} s where it begins, and steps of "
                               f"more than {2 / rate:.2g} s are not stable there; integrator='auto' finds its own")
        return error

    def _do(self, name: str, function: Callable[..., int], *arguments: Any) -> None:
        status = self._call(name, function, *arguments)
        if status:
            raise self._error(name, status)

    # ---- steps

    def start(self, t: float = 0.0, y: Optional[npt.ArrayLike] = None, yd: Optional[npt.ArrayLike] = None,
              z: Optional[npt.ArrayLike] = None) -> "Simulation":
        """Starts at t with y (ny,; Robot.reference), yd (nyd,; at rest) and z (states,; zeros). Prescribed motions override
        their entries. Returns the simulation."""
        self._first = (t, *(None if value is None else np.array(value) for value in (y, yd, z)))
        arrays: List[Any] = []
        for name, value, size in (("y", y, self._model.sizes[0]), ("yd", yd, self._model.sizes[1]),
                                  ("z", z, self._callbacks.states)):
            array = None if value is None else as_double("start", name, value)
            if array is not None and array.shape != (size,):
                raise ValueError(f"start: {name} has shape {array.shape}, expected ({size},)")
            arrays.append(ffi.NULL if array is None else ffi.from_buffer("double[]", np.ascontiguousarray(array)))
        if self._moved:
            start = self.robot._changes.start
            workspace = ffi.cast("td_workspace *", self._place.workspace)
            self._do("start", lambda _: int(lib.td_closure_start(self._model.pointer, workspace,
                                                                 ffi.NULL if start is None else start)))
        self._moved = True
        self._do("start", lib.td_simulation_start, t, *arrays)
        return self

    def step(self, until: float) -> None:
        """Performs one step of the integrator, up to until at most; an event shortens it. DynamicsError: the motion ends at the
        state before the step."""
        self._do("step", lib.td_simulation_step, until)

    def advance(self, t: float) -> None:
        """Performs steps up to time t."""
        self._do("advance", lib.td_simulation_advance, t)

    def jump(self) -> None:
        """Must be called between steps if the result of act, or a prescribed motion, is discontinuous."""
        self._do("jump", lib.td_simulation_jump)

    def fastest(self) -> Tuple[Optional[str], float]:
        """Returns the joint whose motion changes fastest at the current state, and its rate (1/s). Methods with a fixed step
        need a step of about 2 divided by this rate, or less. (None, 0.0) before a start."""
        rate = ffi.new("double *")
        joint = self._call("fastest", lib.td_simulation_fastest, rate)
        return (self._model.names.joints[joint] if joint != lib.TD_NONE else None), float(rate[0])

    @property
    def time(self) -> float:
        """End of the last step (s)."""
        return float(lib.td_simulation_time(self._pointer))

    @property
    def begin(self) -> float:
        """Begin of the last step (s)."""
        return float(lib.td_simulation_begin(self._pointer))

    @property
    def events(self) -> Tuple[Event, ...]:
        """Events at the end of the last step, at the start, or at the last jump."""
        found = []
        for i in range(lib.td_simulation_event_count(self._pointer)):
            e = filled("td_simulation_event", lib.td_simulation_event_read, self._pointer, i)
            found.append(Event(e.t, EventKind(e.kind), self._model.names.joints[e.joint] if e.joint != lib.TD_NONE else None,
                               self._model.names.loops[e.loop] if e.loop != lib.TD_NONE else None, e.impulse))
        return tuple(found)

    @property
    def counts(self) -> Counts:
        """Counts since the simulation was created."""
        c = filled("td_integrator_counts", lib.td_simulation_counts_read, self._pointer)
        return Counts(c.steps, c.rejected, c.evaluations, c.stiff, c.jacobians)

    # ---- rows

    def at(self, t: float, *, tree: bool = False) -> Motion:
        """Returns one row: the motion at a time within the last step, ends included."""
        rows = _Rows(self, 1, tree)
        rows.take("at", t)
        return rows.motion(self.events)

    def run(self, until: float, rate: float = 100.0, *, tree: bool = False) -> Motion:
        """Performs steps up to a time (s) and returns the motion from the current time, with rate rows per second and one at
        the end. If it cannot continue, the DynamicsError has the motion so far as its result. tree: rows also have q, qd,
        qdd and the constraint forces; the motion is the same."""
        if not until >= self.time:
            raise ValueError(f"run: until is {until}, but the simulation is already at {self.time}")
        times = sample_times(self.time, until, rate)
        rows = _Rows(self, len(times) + 1, tree)
        events = list(self.events)
        try:
            while True:
                now = self.time
                while rows.count < len(times) and times[rows.count] <= now:
                    rows.take("run", float(times[rows.count]))
                if now >= until:
                    break
                self.step(until)
                while rows.count < len(times) and times[rows.count] < self.time:
                    rows.take("run", float(times[rows.count]))
                events += self.events
        except DynamicsError as error:
            if self.time > rows.last:
                try:
                    rows.take("run", self.time)
                except DynamicsError:  # there is no row at the end
                    pass
            error.result = rows.motion(tuple(events))
            raise
        return rows.motion(tuple(events))

    def __repr__(self) -> str:
        return f"<tandem.Simulation of {self.robot.name!r} at {self.time:g} s>"


class _Rows:
    """Rows of a motion, collected during the computation."""

    def __init__(self, simulation: Simulation, most: int, tree: bool) -> None:
        ny, nyd, nq, nv = simulation._model.sizes[:4]
        self.simulation = simulation
        self.count: int = 0
        self.last: float = float("-inf")
        width = {"y": ny, "yd": nyd, "ydd": nyd, "tau_y": nyd, "z": simulation._callbacks.states}
        if tree:
            width.update(q=nq, qd=nv, qdd=nv, tau_c=nv)
        self.array = {name: np.zeros((most, size)) for name, size in width.items()}
        self.scalar = {name: np.zeros(most) for name in ("t", "kinetic", "potential", "work")}
        self.sample = ffi.new("td_simulation_sample *", lib.td_simulation_sample_default())

    def take(self, name: str, t: float) -> None:
        i = self.count
        for key, array in self.array.items():
            if array.shape[1]:
                setattr(self.sample, key, ffi.cast("double *", array.ctypes.data + i * array.strides[0]))
        self.simulation._do(name, lib.td_simulation_evaluate, t, self.sample)
        self.scalar["t"][i] = t
        for key in ("kinetic", "potential", "work"):
            self.scalar[key][i] = getattr(self.sample, key)
        self.count, self.last = i + 1, t

    def motion(self, events: Tuple[Event, ...]) -> Motion:
        n = self.count
        rows = {"tau" if key == "tau_y" else "constraint" if key == "tau_c" else key: array[:n]
                for key, array in self.array.items()}
        for key in ("q", "qd", "qdd", "constraint"):
            rows.setdefault(key, None)  # type: ignore[arg-type]
        return Motion(**{key: value[:n] for key, value in self.scalar.items()}, **rows, events=events,
                      names=self.simulation._model.names)

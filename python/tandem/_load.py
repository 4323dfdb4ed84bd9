# SPDX-License-Identifier: MIT
"""Loading: files, texts, file objects; the builder; model files."""
from __future__ import annotations

import os
from typing import IO, Any, Callable, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from ._arrays import Array
from ._errors import Diagnostic, ModelError, Status, read_diagnostics
from ._model import Model
from ._native import encoded, ffi, lib, new_object, text
from ._records import Coupling, Flexible, Follower, Joint, Link, Loop, Plan, Source, Spring, Transmission, to_c
from ._robot import Robot
from ._units import quantity

PathLike = Union[str, "os.PathLike[str]"]
Solve = Callable[[Array], Tuple[Any, Any]]
SolveRate = Callable[[Array, Array], Tuple[Any, Any, Any]]
SolveDerivatives = Callable[[Array, Array, Array, Array], Tuple[Any, Any, Any]]

BASES = {False: 0, True: 1}
ACTUATIONS = {"independent": 0, "transmissions": 1, "ros2_control": 3}


class OwnClosure:
    """A user-supplied closure map γ: the joints `dependent` as a function of the joints `independent` (td_closure_function).

    solve(y) returns x (dependents) and G = ∂x/∂y (dependents, independents). rate(y, yd) returns x, G and Ġ, the rate of G as y
    moves with yd. derivatives(y, yd, ydd, f) is optional and returns ∂(Gẏ)/∂y and ∂(Gÿ + Ġẏ)/∂y (dependents, independents) and
    ∂(Gᵀf)/∂y (independents, independents); without it tandem uses finite differences. All of them return None or raise
    ArithmeticError if there is no value. Other exceptions are printed and count as no value. tandem calls them while it loads a
    robot and at every state, from any thread. They must be smooth and must not use the robot that they belong to. Robots with
    such a closure cannot be pickled.
    """

    def __init__(self, name: str, dependent: Sequence[str], independent: Sequence[str], solve: Solve, rate: SolveRate,
                 derivatives: Optional[SolveDerivatives] = None) -> None:
        self.name, self.dependent, self.independent = name, tuple(dependent), tuple(independent)
        self.solve, self.rate, self.derivatives = solve, rate, derivatives

    def _call(self, y: Any, yd: Any, x: Any, G: Any, G_rate: Any) -> int:
        rows, columns = len(self.dependent), len(self.independent)
        try:
            at = _array(y, columns)
            found: Any = self.solve(at) if yd == ffi.NULL else self.rate(at, _array(yd, columns))
        except ArithmeticError:
            return 1
        return self._give(found, (x, G, G_rate), ((rows,), (rows, columns), (rows, columns)))

    def _call_derivatives(self, y: Any, yd: Any, ydd: Any, f: Any, targets: Tuple[Any, ...]) -> int:
        rows, columns = len(self.dependent), len(self.independent)
        assert self.derivatives is not None
        try:
            found = self.derivatives(_array(y, columns), _array(yd, columns), _array(ydd, columns), _array(f, rows))
        except ArithmeticError:
            return 1
        return self._give(found, targets, ((rows, columns), (rows, columns), (columns, columns)))

    def _give(self, found: Any, targets: Tuple[Any, ...], shapes: Tuple[Tuple[int, ...], ...]) -> int:
        if found is None:
            return 1
        for target, value, shape in zip(targets, found, shapes):
            if target == ffi.NULL:
                continue
            numbers = np.asarray(value, dtype=np.float64)
            if numbers.shape != shape:
                raise ValueError(f"closure {self.name!r} returned an array of shape {numbers.shape}, expected {shape}")
            ffi.memmove(target, np.ascontiguousarray(numbers), numbers.nbytes)
        return 0


def _array(pointer: Any, size: int) -> Array:
    return np.frombuffer(ffi.buffer(pointer, 8 * size), dtype=np.float64).copy()


@ffi.def_extern(name="tandem_python_closure", error=2)  # type: ignore[misc]
def _closure_called(context: Any, y: Any, yd: Any, x: Any, G: Any, G_rate: Any) -> int:
    closure: OwnClosure = ffi.from_handle(ffi.cast("void *", context))
    return closure._call(y, yd, x, G, G_rate)


@ffi.def_extern(name="tandem_python_derivatives", error=2)  # type: ignore[misc]
def _derivatives_called(context: Any, y: Any, yd: Any, ydd: Any, f: Any, velocity: Any, acceleration: Any, force: Any) -> int:
    closure: OwnClosure = ffi.from_handle(ffi.cast("void *", context))
    return closure._call_derivatives(y, yd, ydd, f, (velocity, acceleration, force))


class _Options:
    """Converts keyword arguments to td_load_options."""

    def __init__(self, floating: bool = False, gravity: Optional[Sequence[float]] = None, strict: bool = False,
                 actuated: Union[str, Sequence[str]] = "independent", plan: Union[Plan, str] = Plan.AUTO,
                 loops: bool = True, closures: Sequence[OwnClosure] = (), locked: Optional[Mapping[str, Union[float, str]]] = None,
                 submechanisms: Optional[PathLike] = None, partial: bool = False, loop_evaluations: Optional[int] = None,
                 max_bytes: Optional[int] = None, max_elements: Optional[int] = None, max_depth: Optional[int] = None,
                 max_cluster: Optional[int] = None, max_elastic: Optional[int] = None,
                 start: Optional[Mapping[str, Union[float, str]]] = None, ignore_limits: bool = False,
                 closing_frames: Optional[str] = None, xacro: Optional[PathLike] = None,
                 xacro_arguments: Optional[Mapping[str, object]] = None, xacro_timeout: Optional[float] = None) -> None:
        self.kept: List[Any] = []
        self.texts: List[Tuple[Any, str, str]] = []  # positions with units: destination, joint, text
        options = self.pointer = ffi.new("td_load_options *", lib.td_load_options_default())
        options.base = BASES[bool(floating)]
        if gravity is not None:
            if len(gravity) != 3:
                raise ValueError(f"gravity has {len(gravity)} numbers, expected 3")
            options.gravity = [float(g) for g in gravity]
        options.strict, options.partial, options.open_loops = strict, partial, not loops
        options.ignore_limits = ignore_limits
        options.plan = Plan[plan.upper()] if isinstance(plan, str) else plan
        self._actuated(actuated)
        self._locked(locked or {})
        self._start(start or {})
        self._closures(closures)
        if submechanisms is not None:
            options.submechanisms = self._keep(ffi.new("char[]", os.fsencode(submechanisms)))
        if closing_frames is not None:
            options.closing_frames = self._keep(ffi.new("char[]", encoded(closing_frames)))
        if xacro is not None:
            options.xacro = self._keep(ffi.new("char[]", os.fsencode(xacro)))
        words = [f"{argument}:={value}" for argument, value in (xacro_arguments or {}).items()]
        options.xacro_arguments, options.xacro_argument_count = self._strings(words), len(words)
        for name, value in (("loop_evaluations", loop_evaluations), ("max_bytes", max_bytes),
                            ("max_elements", max_elements), ("max_depth", max_depth),
                            ("max_cluster", max_cluster), ("max_elastic", max_elastic), ("xacro_timeout", xacro_timeout)):
            if value is not None:
                setattr(options, name, value)

    def _keep(self, value: Any) -> Any:
        self.kept.append(value)
        return value

    def _strings(self, names: Sequence[str]) -> Any:
        return self._keep(ffi.new("char *[]", [self._keep(ffi.new("char[]", encoded(name))) for name in names]))

    def _actuated(self, actuated: Union[str, Sequence[str]]) -> None:
        if isinstance(actuated, str):
            if actuated not in ACTUATIONS:
                raise ValueError(f"actuated is {actuated!r}, expected 'independent', 'transmissions', 'ros2_control' or a list of "
                                 "joints")
            self.pointer.actuation = ACTUATIONS[actuated]
            return
        self.pointer.actuation = 2
        self.pointer.actuated, self.pointer.actuated_count = self._strings(actuated), len(actuated)

    def _positions(self, positions: Mapping[str, Union[float, str]]) -> Any:
        array = self._keep(ffi.new("td_joint_position[]", len(positions)))
        for item, (name, position) in zip(array, positions.items()):
            item.joint = self._keep(ffi.new("char[]", encoded(name)))
            if isinstance(position, str):
                self.texts.append((item, name, position))
            else:
                item.position = position
        return array

    def read_texts(self, call: Callable[[Any, Any], int]) -> None:
        """Parses positions given as text, whose units depend on the type of the joint. call makes a model with these options,
        here without the positions, so that all joints have coordinates."""
        if not self.texts:
            return
        pointer, model = self.pointer, ffi.new("td_model **")
        given = ffi.new("td_load_options *", pointer[0])
        pointer.locked_count = pointer.start_count = pointer.closure_count = 0
        pointer.open_loops, pointer.strict = True, False
        call(ffi.NULL, model)
        pointer[0] = given[0]
        plain = Model(model[0]) if model[0] != ffi.NULL else None
        for item, name, value in self.texts:
            if plain is not None and name in plain.names.q:  # otherwise loading reports the error
                item.position = quantity(value, name, plain.domain_of(name, False), (0,))

    def _locked(self, locked: Mapping[str, Union[float, str]]) -> None:
        self.pointer.locked, self.pointer.locked_count = self._positions(locked), len(locked)

    def _start(self, start: Mapping[str, Union[float, str]]) -> None:
        self.pointer.start, self.pointer.start_count = self._positions(start), len(start)

    def _closures(self, closures: Sequence[OwnClosure]) -> None:
        array = self._keep(ffi.new("td_closure_function[]", len(closures)))
        for item, closure in zip(array, closures):
            item.size_of = ffi.sizeof("td_closure_function")
            item.name = self._keep(ffi.new("char[]", encoded(closure.name)))
            item.dependents, item.independents = len(closure.dependent), len(closure.independent)
            item.dependent, item.independent = self._strings(closure.dependent), self._strings(closure.independent)
            item.solve = lib.tandem_python_closure
            item.derivatives = lib.tandem_python_derivatives if closure.derivatives else ffi.NULL
            item.context = self._keep(ffi.new_handle(closure))
        self.pointer.closures, self.pointer.closure_count = array if closures else ffi.NULL, len(closures)


def _finish(name: str, kept: Optional[_Options], call: Callable[[Any, Any], int], earlier: Tuple[Diagnostic, ...] = ()) -> Robot:
    """Returns the robot of a call that fills a list of diagnostics and a pointer to the model. kept are its options."""
    if kept is not None:
        kept.read_texts(call)
    listed = new_object("td_diagnostics", 0)
    model = ffi.new("td_model **")
    status = Status(call(listed, model))
    diagnostics = earlier + read_diagnostics(listed)
    if status == Status.OK:
        return Robot(Model(model[0], kept), diagnostics)
    if status == Status.MEMORY:
        raise MemoryError(name)
    if status == Status.ARGUMENT:
        raise ValueError(f"{name}: an option is missing or out of range")
    raise ModelError(f"{name}: {status.text}", diagnostics, status)


def load(source: Union[PathLike, bytes, IO[str], IO[bytes]], *, name: Optional[str] = None, floating: bool = False,
         gravity: Optional[Sequence[float]] = None, strict: bool = False,
         actuated: Union[str, Sequence[str]] = "independent", plan: Union[Plan, str] = Plan.AUTO, loops: bool = True,
         closures: Sequence[OwnClosure] = (), locked: Optional[Mapping[str, Union[float, str]]] = None,
         submechanisms: Optional[PathLike] = None, partial: bool = False, loop_evaluations: Optional[int] = None,
         max_bytes: Optional[int] = None, max_elements: Optional[int] = None, max_depth: Optional[int] = None,
         max_cluster: Optional[int] = None, max_elastic: Optional[int] = None,
         start: Optional[Mapping[str, Union[float, str]]] = None, ignore_limits: bool = False,
         closing_frames: Optional[str] = None, xacro: Optional[PathLike] = "xacro",
         xacro_arguments: Optional[Mapping[str, object]] = None, xacro_timeout: Optional[float] = None) -> Robot:
    """Loads a robot from a URDF or xacro file.

    source: a path; "tandem:gripper", a robot included in tandem; the text itself (bytes, or a str that begins with
    "<" or contains "<robot", as ROS prints it); or an open file. Diagnostics use name in place of the file name of a text. Options are the fields of td_load_options:

    floating          whether the root link floats; it is fixed to the world by default
    gravity           three numbers, m/s², world axes; (0, 0, -9.81)
    strict            warnings are errors
    actuated          "independent", "transmissions", "ros2_control" (the joints that <ros2_control> commands), or a list of
                      names of joints and loops
    plan              of forward dynamics: "auto", "cluster" or "reduced"
    loops             False: loops stay open
    closures          OwnClosure objects
    locked            joints that are fixed, with their positions: {"wrist": 0.5}, or with a unit, {"wrist": "90deg"}
    submechanisms     a file with loops and independent joints
    partial           the robot is part of another one; its parent may be missing
    loop_evaluations  the largest number of evaluations of φ per call and cluster of loops
    max_bytes, max_elements, max_depth: caps for the file
    max_cluster, max_elastic: caps for coordinates in a cluster of loops and for elastic joints; 0: 2000 and 50 000
    start             positions of joints, as in locked, at which the first loop closure starts; selects the branch
    ignore_limits     ignores the position limits in the file
    closing_frames    type of loops that the file states only in part: "point", "revolute", "fixed", ...
    xacro             the program that expands xacro files: a path, or a name that is searched in PATH. None: no program is
                      run. xacro executes expressions of the file, so load only xacro files that you trust
    xacro_arguments   arguments of xacro: {"arm": "ur5", "gripper": True}
    xacro_timeout     seconds after which xacro is stopped; 30

    Raises ModelError with all diagnostics if the robot has errors or the file cannot be read. Warnings
    and notes are in robot.diagnostics.
    """
    if not hasattr(lib, "td_load_urdf_memory"):
        raise ModelError("this tandem was built without its URDF importer")
    options = _Options(floating, gravity, strict, actuated, plan, loops, closures, locked, submechanisms, partial,
                       loop_evaluations, max_bytes, max_elements, max_depth, max_cluster, max_elastic, start, ignore_limits,
                       closing_frames, xacro, xacro_arguments, xacro_timeout)
    content: Optional[bytes] = None
    if isinstance(source, str) and (source.lstrip().startswith("<") or "<robot" in source):
        content = source.encode()
    elif isinstance(source, bytes):
        content = source
    elif hasattr(source, "read"):
        read = source.read()
        content = read.encode() if isinstance(read, str) else read
        name = name or str(getattr(source, "name", "text"))
    if content is not None:
        label = name or "text"
        data = content
        return _finish(label, options, lambda listed, model: int(lib.td_load_urdf_memory(
            data, len(data), os.fsencode(label), options.pointer, listed, model)))
    path = os.fspath(source)  # type: ignore[arg-type]
    return _finish(str(path), options,
                   lambda listed, model: int(lib.td_load_urdf(os.fsencode(path), options.pointer, listed, model)))


def read_model(content: bytes, *, name: str = "model file", **options: Any) -> Robot:
    """Returns the robot for a text of Robot.write. Options are the same as for load. If any is given, all options replace those
    stored in the text."""
    given = _Options(**options) if options else None
    pointer = given.pointer if given else ffi.NULL
    return _finish(name, given, lambda listed, model: int(lib.td_load_model_memory(
        content, len(content), os.fsencode(name), pointer, listed, model)))


class Builder:
    """Builds a robot in Python, without XML: add records in any order, then call finish. Builder(urdf=text) starts with the
    records of a URDF."""

    def __init__(self, name: str = "", *, urdf: Optional[bytes] = None, source: Optional[Source] = None) -> None:
        self._diagnostics: Tuple[Diagnostic, ...] = ()
        if urdf is None:
            self._pointer = new_object("td_builder", encoded(name))
        else:
            self._pointer = ffi.gc(self._parse(urdf, name), lib.td_builder_free)
        if source is not None:
            self._add("td_source", lib.td_builder_set_source, source)

    def _parse(self, urdf: bytes, name: str) -> Any:
        listed = new_object("td_diagnostics", 0)
        builder = ffi.new("td_builder **")
        status = Status(lib.td_parse_urdf_memory(urdf, len(urdf), encoded(name or "text"), ffi.NULL, listed, builder))
        self._diagnostics = read_diagnostics(listed)
        if status != Status.OK:
            raise ModelError(f"{name or 'text'}: {status.text}", self._diagnostics, status)
        return builder[0]

    def _add(self, c_type: str, function: Any, record: Any) -> "Builder":
        kept: List[Any] = []
        struct = ffi.new(c_type + " *")
        if c_type != "td_source":
            struct.size_of = ffi.sizeof(c_type)
        to_c(record, struct, kept)
        self._done(function(self._pointer, struct))
        return self

    def _done(self, status: int) -> None:
        if status == Status.MEMORY:
            raise MemoryError
        if status:
            raise ValueError(Status(status).text)

    def add(self, *records: Union[Link, Joint, Loop, Coupling, Follower, Spring, Transmission, Flexible]) -> "Builder":
        """Adds records; returns the builder."""
        functions = {Link: ("td_link", lib.td_builder_add_link), Joint: ("td_joint", lib.td_builder_add_joint),
                     Loop: ("td_loop", lib.td_builder_add_loop), Coupling: ("td_coupling", lib.td_builder_add_coupling),
                     Follower: ("td_follower", lib.td_builder_add_follower),
                     Spring: ("td_spring", lib.td_builder_add_spring),
                     Transmission: ("td_transmission", lib.td_builder_add_transmission),
                     Flexible: ("td_flexible", lib.td_builder_add_flexible)}
        for record in records:
            c_type, function = functions[type(record)]
            self._add(c_type, function, record)
        return self

    def add_submechanisms(self, content: bytes, name: str = "submechanisms") -> "Builder":
        """Adds the content of a submechanism list (YAML)."""
        listed = new_object("td_diagnostics", 0)
        status = Status(lib.td_parse_submechanisms_memory(self._pointer, content, len(content), encoded(name), ffi.NULL, listed))
        found = read_diagnostics(listed)
        self._diagnostics += found
        if status != Status.OK:
            raise ModelError(f"{name}: {status.text}", found, status)
        return self

    def set_independent(self, joint: str, independent: bool) -> "Builder":
        """Sets whether the coordinate of an added joint is independent; overrides its record."""
        self._done(lib.td_builder_set_independent(self._pointer, encoded(joint), independent))
        return self

    def finish(self, **options: Any) -> Robot:
        """Returns the robot. Options are the same as for load. The builder does not change."""
        given = _Options(**options)
        return _finish("builder", given, lambda listed, model: int(lib.td_builder_finish(
            self._pointer, given.pointer, listed, model)), self._diagnostics)


def version() -> str:
    """Returns the version of the library."""
    return text(lib.td_version())

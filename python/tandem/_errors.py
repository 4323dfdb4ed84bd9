# SPDX-License-Identifier: MIT
"""Statuses, diagnostics and exceptions."""
from __future__ import annotations

import dataclasses
import enum
from typing import Any, Iterable, Optional, Tuple

from ._native import ffi, lib, text


class Status(enum.IntEnum):
    """The result of a call. The names are the names of td_status without prefixes."""

    OK = 0
    ARGUMENT = 1
    MEMORY = 2
    IO = 3
    MODEL = 4
    ISA = 5
    NAME = 6
    UNDERACTUATED = 7
    ACTUATION_SINGULAR = 8
    NOT_FINITE = 9
    SINGULAR = 10
    ASSEMBLY = 11
    CLOSURE_SINGULAR = 12
    BRANCH = 13
    QUATERNION = 14
    DEPENDENT = 15
    STEP = 16
    LIMIT = 17
    FUNCTION = 18
    STOP = 19
    MATRICES = 20
    REACTION = 21
    DIVERGED = 22
    EQUILIBRIUM = 23
    STIFFNESS = 24
    RICCATI = 25
    UNDETERMINED = 26
    MEASURED = 27
    EVENTS = 28

    @property
    def text(self) -> str:
        """The description of the library."""
        return text(lib.td_status_text(int(self)))


class Severity(enum.IntEnum):
    """The severity of a diagnostic. An error prevents a robot from loading."""

    NOTE = 0
    WARNING = 1
    ERROR = 2


@dataclasses.dataclass(frozen=True)
class Diagnostic:
    """A message of the loader about a position in a file. line and column count from 1; 0 means unknown."""

    severity: Severity
    code: str
    message: str
    remedy: str
    file: str
    line: int
    column: int
    element: str
    omission: bool

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part)
        remedy = f"\n    {self.remedy}" if self.remedy else ""
        return f"{place + ': ' if place else ''}{self.severity.name.lower()}[{self.code}]: {self.message}{remedy}"


class Error(Exception):
    """Base of all exceptions of tandem except ValueError, TypeError and OSError."""


class ModelError(Error):
    """A robot that cannot be loaded. diagnostics and the text of the exception contain all diagnostics."""

    def __init__(self, message: str, diagnostics: Iterable[Diagnostic] = (), status: Status = Status.MODEL) -> None:
        self.message = message
        self.diagnostics: Tuple[Diagnostic, ...] = tuple(diagnostics)
        self.status = status
        super().__init__(message, self.diagnostics, status)

    def __str__(self) -> str:
        return "\n".join([self.message, *map(str, self.diagnostics)])


class DynamicsError(Error):
    """A state without a result.

    status is the reason. joint is the joint that moves no inertia, or loop is the loop that cannot be closed, if that is the
    reason. residual is the remaining error of the loop. result has the output of the call: NaN, or values that the function
    documents for this status.
    """

    def __init__(self, function: str, status: Status, joint: Optional[str] = None, loop: Optional[str] = None,
                 residual: Optional[float] = None, result: Any = None) -> None:
        self.function, self.status, self.joint, self.loop = function, status, joint, loop
        self.residual, self.result = residual, result
        super().__init__(function, status, joint, loop, residual, result)

    def __str__(self) -> str:
        where = f" (joint '{self.joint}')" if self.joint else ""
        if self.loop:
            residual = "" if self.residual is None else f", residual {self.residual:.3g}"
            where = f" (loop '{self.loop}'{residual})"
        return f"{self.function}: {self.status.text}{where}"


def read_diagnostics(pointer: Any) -> Tuple[Diagnostic, ...]:
    found = []
    for i in range(lib.td_diagnostics_size(pointer)):
        d = lib.td_diagnostics_at(pointer, i)
        found.append(Diagnostic(Severity(d.severity), text(d.code), text(d.message), text(d.remedy), text(d.source.file),
                                d.source.line, d.source.column, text(d.source.element), bool(d.omission)))
    return tuple(found)


def raise_status(spec: Tuple[Any, ...], handle: Any, status: int, result: Any) -> None:
    """Raises the exception of a status; called by python/call.c."""
    name = spec[0]
    workspace = ffi.cast("td_workspace *", handle.workspace)
    if status == Status.ARGUMENT:
        fault = text(lib.td_argument_fault(workspace)) or "an argument"
        raise ValueError(f"{name}: {fault} is missing or out of range")
    if status == Status.MEMORY:
        raise MemoryError(name)
    raise dynamics_error(name, handle, Status(status), result)


def dynamics_error(name: str, handle: Any, status: Status, result: Any) -> DynamicsError:
    workspace = ffi.cast("td_workspace *", handle.workspace)
    model = handle.owner
    joint = loop = residual = None
    if status == Status.SINGULAR:
        index = lib.td_singular_joint(workspace)
        joint = model.names.joints[index] if index != lib.TD_NONE else None
    if status in (Status.ASSEMBLY, Status.CLOSURE_SINGULAR, Status.BRANCH):
        left = ffi.new("double *")
        index = lib.td_failed_loop(workspace, left)
        if index != lib.TD_NONE:
            loop, residual = model.names.loops[index], float(left[0])
    return DynamicsError(name, status, joint, loop, residual, result)

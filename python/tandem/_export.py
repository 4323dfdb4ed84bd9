# SPDX-License-Identifier: MIT
"""Conversion of a robot to files for other programs, and its digest (tandem/export.h)."""
from __future__ import annotations

import warnings
from typing import Any, Tuple

from ._errors import Diagnostic, Error, ModelError, Severity, Status, read_diagnostics
from ._native import ffi, lib, new_object

FORMATS = {"urdf": 0, "mjcf": 1}


def _fail(what: str, status: int, said: Tuple[Diagnostic, ...] = ()) -> None:
    if status == Status.MEMORY:
        raise MemoryError(what)
    if status == Status.FUNCTION:
        raise TypeError("a robot with a user-supplied closure cannot be written, because the closure is code")
    if status == Status.MODEL:
        raise ModelError(f"{what}: the format cannot represent this robot", said)
    if status:
        raise Error(f"{what}: {Status(status).text}")


def _write(model: Any, options: Any, diagnostics: Any) -> bytes:
    size = ffi.new("size_t *")
    status = lib.td_model_export(model, options, diagnostics, ffi.NULL, 0, size)
    said = read_diagnostics(diagnostics)
    _fail("export", status, said)
    for one in said:
        if one.severity == Severity.WARNING:
            warnings.warn(str(one), stacklevel=4)
    buffer = ffi.new("char[]", size[0] or 1)
    _fail("export", lib.td_model_export(model, options, ffi.NULL, buffer, size[0], size))
    return bytes(ffi.buffer(buffer, size[0]))


def text_of(model: Any, workspace: Any, form: str, fit: bool) -> bytes:
    """Returns the text of td_model_export."""
    if form not in FORMATS:
        raise ValueError(f"format is {form!r}, expected 'urdf' or 'mjcf'")
    options = ffi.new("td_export_options *", lib.td_export_options_default())
    options.format, options.workspace, options.fit = FORMATS[form], workspace, bool(fit)
    return _write(model, options, new_object("td_diagnostics", 0))


def digest_of(model: Any, workspace: Any) -> str:
    """Returns the digest of td_model_digest, as the command prints it."""
    digest = ffi.new("uint64_t *")
    _fail("digest", lib.td_model_digest(model, workspace, digest))
    return f"{digest[0]:016x}"

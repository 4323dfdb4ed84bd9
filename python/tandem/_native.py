# SPDX-License-Identifier: MIT
"""The extension module: ffi and lib of cffi, and Handle and Op of python/call.c, which is in the same file."""
from __future__ import annotations

import importlib.machinery
import importlib.util
from typing import Any

from . import _tandem as _cffi_module  # type: ignore[attr-defined]

ffi: Any = _cffi_module.ffi
lib: Any = _cffi_module.lib


def _call_module() -> Any:
    path = str(_cffi_module.__file__)
    loader = importlib.machinery.ExtensionFileLoader("_call", path)
    spec = importlib.util.spec_from_file_location("_call", path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


call: Any = _call_module()
Handle: Any = call.Handle
Op: Any = call.Op


def filled(c_type: str, read: Any, *arguments: Any) -> Any:
    """Returns a struct of the given size, filled by the library."""
    struct = ffi.new(c_type + " *")
    read(*arguments, struct, ffi.sizeof(c_type))
    return struct


def index_or_none(index: int) -> "int | None":
    """Returns an index from the library, None for TD_NONE."""
    return None if index == lib.TD_NONE else index


def text(pointer: Any) -> str:
    """Returns a string of the library, "" for NULL."""
    return "" if pointer == ffi.NULL else bytes(ffi.string(pointer)).decode("utf-8", "surrogateescape")


def text_or_none(pointer: Any) -> "str | None":
    return None if pointer == ffi.NULL else text(pointer)


def encoded(value: str) -> bytes:
    if "\0" in value:
        raise ValueError("a name has a NUL character")
    return value.encode("utf-8", "surrogateescape")


def new_object(kind: str, *arguments: Any) -> Any:
    """Creates an object of the library with the constructor of its type ("td_diagnostics"). It is freed with the last
    reference."""
    found = ffi.new(f"{kind} **")
    if getattr(lib, f"{kind}_new")(*arguments, found):
        raise MemoryError(f"no memory for {kind}")
    return ffi.gc(found[0], getattr(lib, f"{kind}_free"))

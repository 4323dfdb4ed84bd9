# SPDX-License-Identifier: MIT
"""The page of `tandem view` for a robot in Python, in Jupyter or as a file."""
from __future__ import annotations

import base64
import gzip
import html
import json
import pathlib
import zlib
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple, Union

from . import _notebook
from ._arrays import Array
from ._errors import Diagnostic
from ._live import Live
from ._meshes import PathLike, Places, meshes_of
from ._native import ffi, lib
from ._records import Link

MARK = "<!--tandem-data-->"
ELEMENT = ('<script type="application/json" id="tandem-data">', "</script>")


class Page(Live):
    """A page with a moving robot. As the last value of a Jupyter cell it is displayed; save(path) writes it. In Jupyter, page.y
    = y moves the robot, and page.y returns its position after sliders and mouse."""

    def __init__(self, data: str, height: int, y: Array, name: str) -> None:
        super().__init__(y)
        self._data = data
        self._name = name
        self._channel: Optional[_notebook.Channel] = None
        self.height = height

    @property
    def html(self) -> str:
        """The page, which needs no other file and no network."""
        return template().replace(MARK, ELEMENT[0] + self._data + ELEMENT[1], 1)

    def save(self, path: PathLike) -> None:
        """Writes the page, which needs no other file and no network."""
        pathlib.Path(path).write_text(self.html, encoding="utf-8")

    def _announce(self) -> None:
        if self._channel:
            self._channel.announce()

    def _repr_html_(self) -> str:
        if self._channel is None:
            self._channel = _notebook.channel(self)
        if self._channel:
            return self._channel.output({"template": template(), "data": self._data}, (MARK, *ELEMENT), self.height, self._name)
        # a frame with a separate origin, so that the page cannot access the notebook
        return (f'<iframe sandbox="allow-scripts allow-downloads" style="width: 100%; height: {self.height}px; border: 0" '
                f'srcdoc="{html.escape(self.html)}"></iframe>')


def template() -> str:
    """Returns the page without a robot."""
    size = lib.view_page_size()
    if not size:
        raise RuntimeError("this tandem was built without the page; build it with -Dview=enabled (docs/building.md)")
    return bytes(ffi.buffer(lib.view_page, size)).decode("utf-8")


def page(model: bytes, links: Sequence[Link], diagnostics: Sequence[Diagnostic], packages: Mapping[str, PathLike],
         roots: Sequence[PathLike], meshes: bool, up_axis: bool, motion: Optional[Tuple[str, Union[str, bytes]]], height: int,
         state: Mapping[str, Any], in_folder: bool, y: Array, name: str) -> Page:
    """Returns the page of a model in the form of td_model_write. state: gravity, payloads and start, if they differ from the
    model. in_folder: searches meshes in the folders that contain the URDF. y: initial position. name: the robot's name."""
    sources = [link.source.file for link in links if link.source.file]
    file = sources[0] if sources else ""
    data: Dict[str, Any] = {
        "schema_version": 1, "file": file or "Python", "model": model.decode("utf-8", "replace"),
        "diagnostics": [_diagnostic(d) for d in diagnostics], "meshes": {}, "left_out": [],
        "up_axis": up_axis, "motion": _motion(*motion) if motion else None,
    }
    if state:
        data["state"] = dict(state)
    if meshes:
        shapes = [g for link in links for g in link.geometry]
        data["meshes"], data["left_out"] = meshes_of(shapes, Places(file if in_folder else "", packages, roots))
    # escapes "<", so that no name is interpreted as markup
    text = json.dumps(data, allow_nan=False).replace("<", "\\u003c")
    return Page(text, height, y, name)


def _motion(name: str, table: Union[str, bytes]) -> Dict[str, str]:
    """Returns a table for the page: text, or the bytes of a binary file; decompresses gzip data."""
    if isinstance(table, str):
        return {"name": name, "text": table}
    if table[:2] == b"\x1f\x8b":
        try:
            table = gzip.decompress(table)
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(f"show: {name} cannot be decompressed: {error}") from error
        name = name[:-3] if name.lower().endswith(".gz") else name
    try:
        return {"name": name, "text": table.decode("utf-8")}
    except UnicodeDecodeError:
        return {"name": name, "base64": base64.b64encode(table).decode("ascii")}


def _diagnostic(d: Diagnostic) -> Dict[str, Any]:
    return {"severity": d.severity.name.lower(), "code": d.code, "file": d.file, "line": d.line, "column": d.column,
            "element": d.element, "message": d.message, "remedy": d.remedy}

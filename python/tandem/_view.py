# SPDX-License-Identifier: MIT
"""The page of `tandem view` for a robot of Python: in Jupyter, or as a file."""
from __future__ import annotations

import html
import importlib.resources
import json
import pathlib
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple

from ._errors import Diagnostic
from ._meshes import PathLike, Places, meshes_of
from ._records import Link

MARK = "<!--tandem-data-->"


class Page:
    """A page in which a robot moves: the last value of a cell of Jupyter shows it, save(path) writes it."""

    def __init__(self, text: str, height: int) -> None:
        self.html = text
        self.height = height

    def save(self, path: PathLike) -> None:
        """Writes the page, which needs no other file and no network."""
        pathlib.Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        # a frame of its own origin: the page can do nothing to the notebook
        return (f'<iframe sandbox="allow-scripts" style="width: 100%; height: {self.height}px; border: 0" '
                f'srcdoc="{html.escape(self.html)}"></iframe>')


def template() -> str:
    """The page without a robot."""
    file = importlib.resources.files(__package__).joinpath("_page.html")
    if not file.is_file():
        raise RuntimeError("this tandem was built without the page: build it with -Dview=enabled, which says what it needs")
    return file.read_text(encoding="utf-8")


def page(model: bytes, links: Sequence[Link], diagnostics: Sequence[Diagnostic], packages: Mapping[str, PathLike],
         roots: Sequence[PathLike], meshes: bool, up_axis: bool, motion: Optional[Tuple[str, str]], height: int,
         state: Mapping[str, Any], in_folder: bool) -> Page:
    """The page of a model as td_model_write has it; state: gravity, payloads and start where they are not the model's;
    in_folder: meshes are searched in the folders that hold the file of the URDF."""
    sources = [link.source.file for link in links if link.source.file]
    file = sources[0] if sources else ""
    data: Dict[str, Any] = {
        "schema_version": 1, "file": file or "Python", "model": model.decode("utf-8", "replace"),
        "diagnostics": [_diagnostic(d) for d in diagnostics], "meshes": {}, "left_out": [],
        "up_axis": up_axis, "motion": {"name": motion[0], "text": motion[1]} if motion else None,
    }
    if state:
        data["state"] = dict(state)
    if meshes:
        shapes = [g for link in links for g in link.geometry]
        data["meshes"], data["left_out"] = meshes_of(shapes, Places(file if in_folder else "", packages, roots))
    # "<" as an escape, so that no name is markup
    text = json.dumps(data, allow_nan=False).replace("<", "\\u003c")
    element = f'<script type="application/json" id="tandem-data">{text}</script>'
    return Page(template().replace(MARK, element, 1), height)


def _diagnostic(d: Diagnostic) -> Dict[str, Any]:
    return {"severity": d.severity.name.lower(), "code": d.code, "file": d.file, "line": d.line, "column": d.column,
            "element": d.element, "message": d.message, "remedy": d.remedy}

# SPDX-License-Identifier: MIT
"""The page of `tandem view` for a robot of Python: in Jupyter, or as a file."""
from __future__ import annotations

import base64
import html
import importlib.resources
import json
import os
import pathlib
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ._errors import Diagnostic
from ._records import Geometry, Link, Shape

MARK = "<!--tandem-data-->"
MOST_BYTES = 64 << 20
TYPES = {".stl": "stl", ".obj": "obj", ".dae": "dae"}
PathLike = Union[str, "os.PathLike[str]"]


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
         meshes: bool, motion: Optional[Tuple[str, str]], height: int) -> Page:
    """The page of a model as td_model_write has it."""
    sources = [link.source.file for link in links if link.source.file]
    file = sources[0] if sources else ""
    data: Dict[str, Any] = {
        "schema_version": 1, "file": file or "Python", "model": model.decode("utf-8", "replace"),
        "diagnostics": [_diagnostic(d) for d in diagnostics], "meshes": {}, "left_out": [],
        "motion": {"name": motion[0], "text": motion[1]} if motion else None,
    }
    if meshes:
        shapes = [g for link in links for g in link.geometry]
        data["meshes"], data["left_out"] = _meshes(shapes, file, packages)
    # "<" as an escape, so that no name is markup
    text = json.dumps(data, allow_nan=False).replace("<", "\\u003c")
    element = f'<script type="application/json" id="tandem-data">{text}</script>'
    return Page(template().replace(MARK, element, 1), height)


def _diagnostic(d: Diagnostic) -> Dict[str, Any]:
    return {"severity": d.severity.name.lower(), "code": d.code, "file": d.file, "line": d.line, "column": d.column,
            "element": d.element, "message": d.message, "remedy": d.remedy}


def _meshes(shapes: Sequence[Geometry], file: str, packages: Mapping[str, PathLike]) -> Tuple[Dict[str, Any], List[Any]]:
    found: Dict[str, Any] = {}
    left_out: Dict[str, str] = {}
    for shape in shapes:
        name = shape.file
        if shape.shape != Shape.MESH or not name or name in found or name in left_out:
            continue
        try:
            path = _path(name, file, packages)
            if path.stat().st_size > MOST_BYTES:
                raise ValueError(f"it is larger than {MOST_BYTES >> 20} MiB")
            found[name] = {"type": TYPES[pathlib.PurePath(name).suffix.lower()],
                           "base64": base64.b64encode(path.read_bytes()).decode("ascii")}
        except KeyError:
            left_out[name] = "it is no STL, OBJ or COLLADA file by its name"
        except (OSError, ValueError) as error:
            left_out[name] = str(error)
    return found, [{"file": name, "why": why} for name, why in left_out.items()]


def _path(name: str, file: str, packages: Mapping[str, PathLike]) -> pathlib.Path:
    """Where a mesh is: below the folder of the URDF or of a package, or ValueError."""
    folder = pathlib.Path(file).parent if file and os.path.isfile(file) else None
    below = name
    if name.startswith("package://"):
        below = name[len("package://"):]
        package, _, rest = below.partition("/")
        if package in packages:
            folder, below = pathlib.Path(packages[package]), rest
    elif "://" in name or name.lower().startswith("file:"):
        raise ValueError("only package:// and paths beside the URDF are read")
    if folder is None:
        raise ValueError("it is not known where the URDF is; packages= says where packages are")
    if ".." in below.split("/") or below.startswith("/"):
        raise ValueError("it leads out of the folder")
    real = (folder / below).resolve(strict=True)
    if not real.is_relative_to(folder.resolve(strict=True)) or not real.is_file():
        raise ValueError("a link leads out of the folder, or it is no regular file")
    return real

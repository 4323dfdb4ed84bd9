# SPDX-License-Identifier: MIT
"""Mesh files of a URDF, and the files that they refer to, for the page (docs/view.md). With symbolic links resolved, every file
must lie within the folder in which it was searched."""
from __future__ import annotations

import base64
import gzip
import json
import os
import pathlib
import re
import stat
import urllib.parse
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ._errors import Status
from ._native import encoded, ffi, lib
from ._records import Geometry, Shape

PathLike = Union[str, "os.PathLike[str]"]
MOST_BYTES = 64 << 20
MOST_FILES = 64
MOST_MEBIBYTES = 256  # of all meshes in the page: browsers limit the size of texts
MOST_PATH = 4096
TYPES = {".stl": "stl", ".obj": "obj", ".dae": "dae", ".glb": "glb", ".gltf": "gltf"}
SIDES = (".mtl", ".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".tga")


class Places:
    """The places to search: the file of the URDF ("" for none), folders of packages by name, and other folders."""

    def __init__(self, file: str, packages: Mapping[str, PathLike], roots: Sequence[PathLike]) -> None:
        self.robot = file if file and os.path.isfile(file) else None
        self.packages = [(encoded(name), os.fsencode(folder)) for name, folder in packages.items()]
        self.roots = [os.fsencode(root) for root in roots]

    def find(self, name: str) -> Tuple[pathlib.Path, pathlib.Path]:
        """Returns the real paths of a file and of the folder in which it was searched (td_find_file). ValueError: the file is
        not found, with the reason."""
        if not hasattr(lib, "td_find_file"):
            raise ValueError("this tandem was built without its URDF importer")
        kept = [ffi.new("char[]", text) for pair in self.packages for text in pair] + [ffi.new("char[]", root) for root in self.roots]
        robot = ffi.new("char[]", os.fsencode(self.robot)) if self.robot is not None else ffi.NULL
        packages = ffi.new("td_package[]", [kept[i:i + 2] for i in range(0, 2 * len(self.packages), 2)])
        roots = ffi.new("char *[]", kept[2 * len(self.packages):])
        search = ffi.new("td_file_search *", (ffi.sizeof("td_file_search"), robot, packages, len(self.packages), roots, len(self.roots)))
        text, folder = ffi.new("char[]", MOST_PATH), ffi.new("size_t *")
        status = Status(lib.td_find_file(search, encoded(name), text, MOST_PATH, folder))
        found = ffi.string(text)
        if status == Status.OK:
            return pathlib.Path(os.fsdecode(found)), pathlib.Path(os.fsdecode(found[:folder[0]]) or "/")
        scheme, colon, rest = name.partition("://")
        hint = (f"; packages={{{rest.partition('/')[0]!r}: ...}} says where the package is" if colon and scheme.lower() != "file"
                else "; mesh_roots= names another one")
        raise ValueError(os.fsdecode(found) + (hint if status == Status.IO else ""))


def _real(path: pathlib.Path) -> Optional[pathlib.Path]:
    """Returns the real path, or None if it does not exist."""
    try:
        return path.resolve(strict=True)
    except (OSError, RuntimeError):  # RuntimeError: cyclic links, before Python 3.13
        return None


def _read(path: pathlib.Path) -> bytes:
    """Returns the content of a file at a real path. Refuses it, without blocking, if it has become a link or a pipe in the
    meantime."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise ValueError("it is not a regular file")
        with open(handle, "rb", closefd=False) as file:
            data = file.read(MOST_BYTES + 1)
    finally:
        os.close(handle)
    if len(data) > MOST_BYTES:
        raise ValueError(f"it is larger than {MOST_BYTES >> 20} MiB")
    return data


def _names(kind: str, text: str) -> List[str]:
    """Returns the files that an OBJ file, its materials, a COLLADA file or a glTF file refer to."""
    if kind == "gltf":
        return _uris(text)
    if kind == "dae":
        return [name.strip() for name in re.findall(r"<init_from>([^<]*)<", text)]
    word = r"mtllib" if kind == "obj" else r"map_\S*"
    names = [m.strip() for m in re.findall(rf"^[ \t]*{word}[ \t]+([^\r\n]+)", text, re.MULTILINE | re.IGNORECASE)]
    return [name.split(" ")[-1] if name.startswith("-") else name for name in names]  # options precede the name


def _uris(text: str) -> List[str]:
    """Returns the external buffers and pictures of a glTF file."""
    try:
        root = json.loads(text)
    except (ValueError, RecursionError):
        return []
    lists = [root.get(name) for name in ("buffers", "images")] if isinstance(root, dict) else []
    uris = [item.get("uri") for items in lists if isinstance(items, list) for item in items if isinstance(item, dict)]
    return [urllib.parse.unquote(uri) for uri in uris if isinstance(uri, str) and not uri.startswith("data:")]


def _sides(files: Dict[str, str], mesh: pathlib.Path, root: pathlib.Path, kind: str, data: bytes) -> None:
    """Adds the files that a mesh refers to, relative to it or in its folder, and within the folder of the search."""
    for name in _names(kind, data.decode("utf-8", "replace")):
        path = name.partition("://")[2] or name
        known = (*SIDES, ".bin") if kind == "gltf" else SIDES
        if len(files) >= MOST_FILES or name in files or not name.lower().endswith(known):
            continue
        for attempt in ([path] if not path.startswith("/") else []) + [path.rpartition("/")[2]]:
            try:
                real = _real(mesh.parent / attempt)
                if not real or not real.is_relative_to(root):
                    continue
                found = _read(real)
            except (OSError, ValueError):
                continue
            files[name] = base64.b64encode(found).decode("ascii")
            if name.lower().endswith(".mtl"):
                _sides(files, mesh, root, "mtl", found)
            break


def _mesh(path: pathlib.Path, root: pathlib.Path, kind: str) -> Dict[str, Any]:
    data = _read(path)
    files: Dict[str, str] = {}
    if kind in ("obj", "dae", "gltf"):
        _sides(files, path, root, kind, data)
    packed = gzip.compress(data, 4)
    small = len(packed) < len(data)
    return {"type": kind, "base64": base64.b64encode(packed if small else data).decode("ascii"),
            **({"gzip": True} if small else {}), **({"files": files} if files else {})}


def meshes_of(shapes: Sequence[Geometry], places: Places) -> Tuple[Dict[str, Any], List[Any]]:
    """Returns meshes by their names, and those that are left out, in the form of the page's data. Each file is stored once;
    other names of it refer to the first one. ValueError: they are too large for a browser."""
    found: Dict[str, Any] = {}
    left_out: Dict[str, str] = {}
    first: Dict[Tuple[pathlib.Path, str], str] = {}
    sizes: Dict[str, int] = {}
    total = 0
    for shape in shapes:
        name: Optional[str] = shape.file
        if shape.shape != Shape.MESH or not name or name in found or name in left_out:
            continue
        kind = TYPES.get(pathlib.PurePath(name).suffix.lower())
        if kind is None:
            left_out[name] = "its name does not end like an STL, OBJ, COLLADA or glTF file"
            continue
        try:
            path, root = places.find(name)
            same = first.setdefault((path, kind), name)
            found[name] = {"same": same} if same in found else _mesh(path, root, kind)
        except (OSError, ValueError) as error:
            left_out[name] = str(error)
            continue
        sizes[name] = len(found[name].get("base64", "")) + sum(map(len, found[name].get("files", {}).values()))
        total += sizes[name]
        if total > MOST_MEBIBYTES << 20:
            largest = max(sizes, key=lambda name: sizes[name])
            raise ValueError(f"the meshes exceed {MOST_MEBIBYTES} MiB, the most that browsers open; the largest of the first "
                             f"{len(sizes)} is {largest!r} with {sizes[largest] >> 20} MiB (simplify meshes, or leave them out with meshes=False)")
    return found, [{"file": name, "why": why} for name, why in left_out.items()]

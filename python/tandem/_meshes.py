# SPDX-License-Identifier: MIT
"""Mesh files of a URDF, and the files that they refer to, for the page. They are searched as in the command
(tools/meshes/mesh_place.c, docs/view.md), in folders that the user names or that contain the robot. With symbolic links
resolved, every file must lie within the folder in which it was searched."""
from __future__ import annotations

import base64
import gzip
import json
import os
import pathlib
import re
import stat
import urllib.parse
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from ._records import Geometry, Shape

PathLike = Union[str, "os.PathLike[str]"]
MOST_BYTES = 64 << 20
MOST_FILES = 64
MOST_MEBIBYTES = 256  # of all meshes in the page: browsers limit the size of texts
MOST_FOLDERS_UP = 4
TYPES = {".stl": "stl", ".obj": "obj", ".dae": "dae", ".glb": "glb", ".gltf": "gltf"}
SIDES = (".mtl", ".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".tga")


class Places:
    """The places to search: the file of the URDF ("" for none), folders of packages by name, and other folders."""

    def __init__(self, file: str, packages: Mapping[str, PathLike], roots: Sequence[PathLike]) -> None:
        self.folder = _real(pathlib.Path(file).parent) if file and os.path.isfile(file) else None
        self.packages = {name: pathlib.Path(folder) for name, folder in packages.items()}
        self.roots = [pathlib.Path(root) for root in roots]

    def find(self, name: str) -> Tuple[pathlib.Path, pathlib.Path]:
        """Returns the real paths of a file and of the folder in which it was searched. ValueError: the file is not
        found, with the reason."""
        scheme, colon, rest = name.partition("://")
        where = "mesh_roots= names another one"
        if not colon and not name.lower().startswith("file:"):
            candidates = self._of_path(name)
        elif colon and scheme.lower() == "file":
            candidates = self._of_path(rest)
        elif not colon and name[5:].startswith("/"):  # file:/folder/name
            candidates = self._of_path(name[5:])
        elif colon and scheme.lower() in ("package", "model"):
            package, _, below = rest.partition("/")
            where = f"packages={{{package!r}: ...}} says where the package is"
            candidates = self._of_package(package, below)
        else:
            raise ValueError("only package://, model://, file:// and paths are supported")
        outside = False
        for outer, folder, below in candidates:
            around, root, real = _real(outer), _real(folder), _real(folder / below) if below else None
            if not around or not root or not real:
                continue
            if root.is_relative_to(around) and real != root and real.is_relative_to(root):
                return real, root
            outside = True
        raise ValueError("a link leads out of the folder" if outside
                         else f"it is in none of the folders searched: {where}")

    def _of_path(self, name: str) -> Iterator[Tuple[pathlib.Path, pathlib.Path, str]]:
        if name.startswith("/"):
            real = _real(pathlib.Path(name))
            for folder in [*([self.folder] if self.folder else []), *self.roots, *self.packages.values()]:
                root = _real(folder)
                if real and root and real.is_relative_to(root):
                    yield root, root, str(real.relative_to(root))
            return
        climbs, rest = _plain(name)
        for up, folder in enumerate(self._folders()):
            if up >= climbs:
                yield folder, folder, rest
        for root in self.roots:
            yield root, root, rest

    def _of_package(self, package: str, below: str) -> Iterator[Tuple[pathlib.Path, pathlib.Path, str]]:
        climbs, rest = _plain(below)
        if climbs or package in (".", ".."):
            raise ValueError("it leads out of the folder")
        if package in self.packages:  # the folder given for a package is the only one searched
            yield self.packages[package], self.packages[package], rest
            return
        for folder in self._folders():
            yield from _both(folder, package, rest)
        for variable, between in (("ROS_PACKAGE_PATH", ""), ("AMENT_PREFIX_PATH", "share")):
            for entry in os.environ.get(variable, "").split(":"):
                folder = pathlib.Path(entry, between)
                if entry.startswith("/"):
                    yield from [c for c in _both(folder, package, rest) if c[1] != folder or folder.name == package]
        for root in self.roots:
            yield from _both(root, package, rest)

    def _folders(self) -> Iterator[pathlib.Path]:
        """Returns the folder of the robot and its parents, except the root, home folders and their parents, and folders that
        all users may write to."""
        folder, home = self.folder, _real(pathlib.Path(os.environ.get("HOME", "/")))
        for _ in range(MOST_FOLDERS_UP + 1):
            if folder is None:
                return
            yield folder
            folder = folder.parent
            try:
                open_to_all = folder.stat().st_mode & stat.S_IWOTH
            except OSError:
                return
            if open_to_all or folder.parent == folder or (home and home.is_relative_to(folder)):
                return


def _real(path: pathlib.Path) -> Optional[pathlib.Path]:
    """Returns the real path, or None if it does not exist."""
    try:
        return path.resolve(strict=True)
    except (OSError, RuntimeError):  # RuntimeError: cyclic links, before Python 3.13
        return None


def _both(folder: pathlib.Path, package: str, rest: str) -> List[Tuple[pathlib.Path, pathlib.Path, str]]:
    inside = [(folder, folder / package, rest)] if package else []
    return [*inside, (folder, folder, rest)]


def _plain(path: str) -> Tuple[int, str]:
    """Returns a path without ".." and ".", and the number of ".." that remained at its front."""
    climbs = 0
    parts: List[str] = []
    for part in path.split("/"):
        if part == "..":
            if parts:
                parts.pop()
            else:
                climbs += 1
        elif part not in ("", "."):
            parts.append(part)
    return climbs, "/".join(parts)


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

# SPDX-License-Identifier: MIT
"""The robots that come with tandem, by the names that the command takes: tandem:gripper (tools/robot/bundled.c)."""
from __future__ import annotations

import difflib
import os
import pathlib

BUNDLED = "tandem:"


def bundled_path(source: str) -> str:
    """The path of the file of tandem:NAME, with or without .urdf: in $TANDEM_ROBOTS, or beside the modules."""
    folder = pathlib.Path(os.environ.get("TANDEM_ROBOTS") or pathlib.Path(__file__).parent / "robots")
    name = source.removeprefix(BUNDLED).removesuffix(".urdf")
    names = sorted(path.stem for path in folder.glob("*.urdf"))
    if name in names:
        return str(folder / (name + ".urdf"))
    if not names:
        raise ValueError(f"{source}: the robots that come with tandem are not in {folder}; TANDEM_ROBOTS of the environment names another "
                         "folder")
    near = difflib.get_close_matches(name, names, 1)
    hint = f"did you mean {BUNDLED}{near[0]}?" if near else "there are " + ", ".join(names)
    raise ValueError(f"{source}: no such robot; {hint}")

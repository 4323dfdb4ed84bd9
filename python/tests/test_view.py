# SPDX-License-Identifier: MIT
"""robot.show(): the page and the data in it. view/test tests the page itself."""
import base64
import gzip
import json
import re

import numpy as np
import pytest

import tandem
from conftest import ROBOTS, load
from tandem import _native

pytestmark = pytest.mark.skipif(not _native.lib.view_page_size(),
                                reason="this build has no page")


def data_of(page):
    return json.loads(re.search(r'id="tandem-data">(.*?)</script>', page.html, re.DOTALL).group(1))


def test_the_page_has_the_robot(tmp_path):
    robot = load("gripper")
    page = robot.show()
    data = data_of(page)
    assert tandem.read_model(data["model"].encode()).names == robot.names
    assert [d["code"] for d in data["diagnostics"]] == [d.code for d in robot.diagnostics]
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page.html
    frame = page._repr_html_()
    assert frame.startswith('<iframe sandbox="allow-scripts allow-downloads"') and "<script" not in frame


def test_a_motion(tmp_path):
    robot = load("arm7")
    y = np.random.default_rng(1).normal(size=(5, 7))
    text = data_of(robot.show(motion=(np.arange(5) / 10, y)))["motion"]["text"]
    rows = [line.split(",") for line in text.split()]
    assert rows[0][1] == '"q:joint_1"'
    np.testing.assert_array_equal(np.array(rows[1:], dtype=float)[:, 1:], y)
    (tmp_path / "t.csv").write_text(text)
    assert data_of(robot.show(motion=tmp_path / "t.csv"))["motion"]["text"] == text
    for name in ("t.csv.gz", "packed"):  # detected by the first bytes, regardless of the name
        (tmp_path / name).write_bytes(gzip.compress(text.encode()))
        shown = data_of(robot.show(motion=tmp_path / name))["motion"]
        assert shown["text"] == text and shown["name"] == str(tmp_path / name.removesuffix(".gz"))
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text.encode())[:-9])
    with pytest.raises(ValueError, match="cannot be decompressed"):
        robot.show(motion=tmp_path / "t.csv.gz")
    np.save(tmp_path / "t.npy", y)
    shown = data_of(robot.show(motion=tmp_path / "t.npy"))["motion"]
    assert base64.b64decode(shown["base64"]) == (tmp_path / "t.npy").read_bytes() and shown["name"].endswith("t.npy")
    with pytest.raises(ValueError, match="ny=7"):
        robot.show(motion=(np.arange(5), y[:, :3]))


def test_names_are_data_and_meshes_stay_in_their_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "robot").mkdir()
    other = tmp_path / "other"
    other.mkdir()
    for path in (tmp_path / "robot" / "a.stl", other / "b.obj", tmp_path / "secret.stl"):
        path.write_bytes(b"mesh")
    (tmp_path / "robot" / "link.stl").symlink_to(tmp_path / "secret.stl")
    names = ["a.stl", "package://other/b.obj", "../../secret.stl", "link.stl", f"file://{tmp_path}/secret.stl",
             str(tmp_path / "secret.stl"), "package://other/../secret.stl", "none.stl", "a.txt"]
    links = "".join(f"<link name='&lt;/script>{i}'><visual><geometry><mesh filename='{n}'/></geometry></visual></link>"
                    for i, n in enumerate(names))
    joints = "".join(f"<joint name='j{i}' type='fixed'><parent link='&lt;/script>0'/><child link='&lt;/script>{i}'/></joint>"
                     for i in range(1, len(names)))
    (tmp_path / "robot" / "r.urdf").write_text(f"<robot name='&lt;/script>'>{links}{joints}</robot>")
    robot = tandem.load(tmp_path / "robot" / "r.urdf")
    data = data_of(robot.show(packages={"other": other}))
    assert list(data["meshes"]) == names[:2] and [m["file"] for m in data["left_out"]] == names[2:]
    assert data_of(robot.show(meshes=False))["meshes"] == {}


def test_meshes_are_searched_as_the_command_does(tmp_path, monkeypatch):
    for path in ("ws/arm/urdf/a.stl", "ws/arm/meshes/b.obj", "ws/arm/meshes/b.mtl", "ws/arm/meshes/b.png", "ws/other/c.stl", "ros/p/d.stl",
                 "ament/share/q/e.stl", "root/f/g.glb", "secret/s.stl", "secret/s.mtl"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(b"mesh")
    (tmp_path / "ws/arm/meshes/b.obj").write_text("mtllib b.mtl\nmtllib ../../../secret/s.mtl\n")
    (tmp_path / "ws/arm/meshes/b.mtl").write_text("newmtl m\n map_Kd -s 1 1 1 b.png\n")
    (tmp_path / "ros/link").symlink_to(tmp_path / "secret")
    names = ["a.stl", "../meshes/b.obj", "package:///meshes/b.obj", "package://arm/meshes/b.obj", "model://other/c.stl", "package://p/d.stl",
             "package://q/e.stl", "f/g.glb", "package://link/s.stl", f"{tmp_path}/secret/s.stl"]
    links = "".join(f"<link name='l{i}'><visual><geometry><mesh filename='{n}'/></geometry></visual></link>" for i, n in enumerate(names))
    joints = "".join(f"<joint name='j{i}' type='fixed'><parent link='l0'/><child link='l{i}'/></joint>" for i in range(1, len(names)))
    (tmp_path / "ws/arm/urdf/r.urdf").write_text(f"<robot name='r'>{links}{joints}</robot>")
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"/nowhere:{tmp_path}/ros")
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"{tmp_path}/ament")
    data = data_of(tandem.load(tmp_path / "ws/arm/urdf/r.urdf").show(mesh_roots=[tmp_path / "root"]))
    assert list(data["meshes"]) == names[:-2] and [m["file"] for m in data["left_out"]] == names[-2:]
    assert list(data["meshes"]["../meshes/b.obj"]["files"]) == ["b.mtl", "b.png"]


def test_gravity_payloads_and_start_are_those_of_the_robot():
    robot = load("four_bar")
    assert "state" not in data_of(robot.show())
    changed = robot.with_gravity((0, 0, -1.62)).with_payload(1, 2.0, (0, 0, 0.1))
    assert data_of(changed.show())["state"] == {"gravity": [0, 0, -1.62],
                                               "payloads": [{"link": 1, "mass": 2.0, "com": [0, 0, 0.1], "inertia": [0] * 6}]}
    assert data_of(robot.with_start(robot.tree.reference).show())["state"] == {"start": list(robot.tree.reference)}

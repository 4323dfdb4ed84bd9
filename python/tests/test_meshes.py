# SPDX-License-Identifier: MIT
"""The search for mesh files (tandem/_meshes.py) in unusual places, without the page."""
import base64
import os
import pickle

import pytest

import tandem
from tandem import _meshes
from tandem._meshes import Places, meshes_of

LINK = "<robot name='r'><link name='l'><visual><geometry><mesh filename='{}'/></geometry></visual></link></robot>"


def searched(tmp_path, name, packages={}, roots=()):
    """Returns the files found for a name, and the reasons for missing ones."""
    (tmp_path / "r.urdf").write_text(LINK.format(name))
    robot = tandem.load(tmp_path / "r.urdf")
    found, left_out = meshes_of(robot.links[0].geometry, Places(str(tmp_path / "r.urdf"), packages, roots))
    assert [*found, *(one["file"] for one in left_out)] == [name]
    return list(found), left_out[0]["why"] if left_out else None


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))


def test_links_in_a_circle_are_no_files(tmp_path, monkeypatch):
    for one, other in (("a.stl", "b.stl"), ("b.stl", "a.stl"), ("folder", "folder")):
        (tmp_path / one).symlink_to(tmp_path / other)
    for name in ("a.stl", "folder/c.stl", "package://folder/c.stl", f"{tmp_path}/a.stl", f"file://{tmp_path}/a.stl"):
        found, why = searched(tmp_path, name, roots=[tmp_path / "folder"])
        expected = "the file does not exist" if str(tmp_path) in name else f"it is in none of the folders searched: {tmp_path}, "
        assert not found and why.startswith(expected)
    assert not searched(tmp_path, "package://p/c.stl", packages={"p": tmp_path / "folder"})[0]
    monkeypatch.setenv("HOME", str(tmp_path / "folder"))
    assert not searched(tmp_path, "none.stl")[0]
    (tmp_path / "m.obj").write_text("mtllib m.mtl\n")
    (tmp_path / "m.mtl").symlink_to(tmp_path / "m.mtl")
    assert searched(tmp_path, "m.obj")[0]


def test_what_a_mesh_names_is_relative_to_it_or_else_beside_it(tmp_path):
    (tmp_path / "sub").mkdir()
    for name, data in (("m.obj", b"mtllib sub/m.mtl\nmtllib gone/other.mtl\n"), ("m.mtl", b"# beside\n"), ("sub/m.mtl", b"# relative\n"),
                       ("other.mtl", b"# other\n")):
        (tmp_path / name).write_bytes(data)
    (tmp_path / "r.urdf").write_text(LINK.format("m.obj"))
    found, left_out = meshes_of(tandem.load(tmp_path / "r.urdf").links[0].geometry, Places(str(tmp_path / "r.urdf"), {}, ()))
    assert not left_out
    assert {name: base64.b64decode(text) for name, text in found["m.obj"]["files"].items()} == {
        "sub/m.mtl": b"# relative\n", "gone/other.mtl": b"# other\n"}


def test_what_is_no_regular_file(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe.stl")
    (tmp_path / "folder.stl").mkdir()
    for name in ("pipe.stl", "folder.stl"):
        assert searched(tmp_path, name) == ([], "it is not a regular file")
    (tmp_path / "real.stl").write_bytes(b"12345678")
    (tmp_path / "link.stl").symlink_to(tmp_path / "real.stl")
    assert searched(tmp_path, "link.stl")[0]
    with pytest.raises(OSError):  # replaced by a link after its real path was found
        _meshes._read(tmp_path / "link.stl")
    monkeypatch.setattr(_meshes, "MOST_BYTES", 8)
    assert searched(tmp_path, "real.stl")[0]
    monkeypatch.setattr(_meshes, "MOST_BYTES", 7)
    assert "larger than" in searched(tmp_path, "real.stl")[1]


def test_names_without_a_path_and_with_one_slash(tmp_path):
    (tmp_path / "p.stl").mkdir()
    found, why = searched(tmp_path, "package://p.stl")
    assert not found and why.startswith("it is in none of the folders searched")
    (tmp_path / "a.stl").write_bytes(b"mesh")
    for name in (f"file:{tmp_path}/a.stl", f"file://{tmp_path}/a.stl"):
        assert searched(tmp_path, name)[0]
    assert "only package" in searched(tmp_path, "file:a.stl")[1]
    assert not searched(tmp_path, "file:/etc/a.stl")[0]


def test_robots_of_pickles_search_no_folder(tmp_path, monkeypatch):
    (tmp_path / "a.stl").write_bytes(b"mesh")
    (tmp_path / "r.urdf").write_text(LINK.format("a.stl"))
    monkeypatch.chdir(tmp_path)
    robot = tandem.load("r.urdf")
    searches = []

    def meshes(shapes, places):
        searches.append(places.robot)
        return {}, []

    monkeypatch.setattr("tandem._view.meshes_of", meshes)
    monkeypatch.setattr("tandem._view.template", lambda: "<!--tandem-data-->")
    other = pickle.loads(pickle.dumps(robot))
    for one in (robot, other, other.with_gravity((0, 0, -1)), pickle.loads(pickle.dumps(other))):
        one.show()
    assert searches == ["r.urdf", None, None, None]


def test_a_file_is_there_once_and_what_a_gltf_names_with_it(tmp_path, monkeypatch):
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.stl").write_bytes(os.urandom(3000))
    (tmp_path / "b.stl").symlink_to(tmp_path / "a.stl")
    (tmp_path / "g.gltf").write_text('{"buffers": [{"uri": "sub/of%20it.bin"}, {"uri": "data:,x"}, {}], "images": [{"uri": "p.png"}, 1], "x": "c.bin"}')
    (tmp_path / "strange.gltf").write_text("[{]")
    (tmp_path / "m.obj").write_text("mtllib c.bin\n")
    for name in ("sub/of it.bin", "p.png", "c.bin"):
        (tmp_path / name).write_text(name)
    names = ["a.stl", "./a.stl", "b.stl", "g.gltf", "strange.gltf", "m.obj"]
    links = "".join(f"<visual><geometry><mesh filename='{name}'/></geometry></visual>" for name in names)
    (tmp_path / "r.urdf").write_text(f"<robot name='r'><link name='l'>{links}</link></robot>")
    shapes = tandem.load(tmp_path / "r.urdf").links[0].geometry
    places = Places(str(tmp_path / "r.urdf"), {}, ())
    found, left_out = meshes_of(shapes, places)
    assert list(found) == names and not left_out
    assert found["./a.stl"] == found["b.stl"] == {"same": "a.stl"}
    assert {name: base64.b64decode(text).decode() for name, text in found["g.gltf"]["files"].items()} == {
        "sub/of it.bin": "sub/of it.bin", "p.png": "p.png"}
    assert "files" not in found["strange.gltf"] and "files" not in found["m.obj"]
    monkeypatch.setattr(_meshes, "MOST_MEBIBYTES", 0)
    with pytest.raises(ValueError, match="the largest of the first 1 is 'a.stl' .* meshes=False"):
        meshes_of(shapes, places)

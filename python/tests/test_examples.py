# SPDX-License-Identifier: MIT
"""Runs the code in the documentation: the examples, the tour; checks that types are complete. test/pages.py runs the pages."""
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

import tandem
from conftest import ROBOTS, ROOT

PACKAGE = os.path.dirname(tandem.__file__)


def test_the_tour_runs(tmp_path, monkeypatch):
    notebook = ROOT / "examples" / "tour.ipynb"
    monkeypatch.chdir(notebook.parent)
    monkeypatch.setenv("MPLBACKEND", "agg")
    converter = shutil.which("jupyter-nbconvert")
    if converter:
        done = subprocess.run([converter, "--to", "notebook", "--execute", "--output-dir", str(tmp_path), str(notebook)],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return
    names = {}
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            assert not cell["outputs"]
            exec(compile("".join(cell["source"]), "tour", "exec"), names)


def test_the_relay_completes_states():
    lines = [{"name": ["rocker_joint"], "position": [x], "velocity": [0.5], "header": {"stamp": x}} for x in (0.1, 0.12, 9)]
    odd = [3, [], {}, {"name": 3, "position": [0.1]}, {"name": [["a"]], "position": [0.1]}, {"name": ["rocker_joint"], "position": None}, "x"]
    lines = [lines[0], *odd, *lines[1:]]
    done = subprocess.run([sys.executable, str(ROOT / "examples" / "relay.py"), str(ROBOTS / "four_bar.urdf")],
                          input="\n".join(map(json.dumps, lines)), capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "measured positions" in done.stderr
    assert len(done.stderr.splitlines()) == len(odd) + 1
    first, second = map(json.loads, done.stdout.splitlines())
    robot = tandem.load(ROBOTS / "four_bar.urdf")
    assert first["name"] == list(robot.names.q) and first["header"] == {"stamp": 0.1}
    truth = robot.tree_state(second["position"][:1], second["velocity"][:1])
    assert truth.q == pytest.approx(second["position"]) and truth.qd == pytest.approx(second["velocity"])
    assert second["position"][second["name"].index("rocker_joint")] == pytest.approx(0.12)


@pytest.mark.parametrize("robot", ["arm7", "gripper", "hand_a"])
def test_swing_keeps_its_energy(robot):
    pytest.importorskip("scipy")
    done = subprocess.run([sys.executable, str(ROOT / "examples" / "swing.py"), str(ROBOTS / f"{robot}.urdf")],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert float(re.search(r"drift (\S+) J", done.stdout)[1]) < 1e-5


@pytest.mark.parametrize("arguments", [[], [str(ROBOTS / "gripper.urdf"), "0.4"], [str(ROBOTS / "four_bar.urdf"), "0.3"]])
def test_swing_up_is_found_with_fewer_evaluations(arguments):
    """Finds the swing-up from rest to rest, also with motions of the simulation. Exact derivatives need the fewest states."""
    pytest.importorskip("scipy")
    done = subprocess.run([sys.executable, str(ROOT / "examples" / "swing_up.py"), *arguments], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = re.findall(r": (\d+) iterations, (\d+) states .* gaps (\S+), .* within (\S+)$", done.stdout, re.M)
    assert len(rows) == 3
    assert all(float(gap) < 1e-8 and float(away) < 5e-3 for _, _, gap, away in rows)
    exact, knots, scipy = (int(states) for _, states, _, _ in rows)
    assert 2 * exact < knots and 20 * exact < scipy


def sweep(example, *arguments):
    done = subprocess.run([sys.executable, str(ROOT / "examples" / example), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("robot, failed", [("arm7", False), ("stewart", True)])
def test_sweeps_are_the_same_for_any_number_of_processes(robot, failed):
    arguments = str(ROBOTS / f"{robot}.urdf"), "50000" if robot == "arm7" else "1500"
    one = sweep("sweep_multiprocessing.py", *arguments, "1")
    assert len(one.splitlines()) == 1 + tandem.load(arguments[0]).nyd + failed and ("failed, state 385 first: ASSEMBLY" in one) == failed
    assert sweep("sweep_multiprocessing.py", *arguments, "3") == one
    pytest.importorskip("dask.delayed")
    for scheduler in ("processes", "threads"):
        assert sweep("sweep_dask.py", *arguments, scheduler) == one


@pytest.mark.parametrize("robot, states", [("arm7", 40000), ("stewart", 600)])
def test_sweeps_are_those_of_the_c_example(robot, states):
    program = os.path.join(os.environ.get("TANDEM_EXAMPLES", ""), "example_sweep")
    if not os.access(program, os.X_OK):
        pytest.skip("the examples in C are not here")
    path = str(ROBOTS / f"{robot}.urdf")
    done = subprocess.run([program, path, str(states)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    ours = sweep("sweep_multiprocessing.py", path, str(states), "2").splitlines()
    theirs = done.stdout.splitlines()
    names = len(tandem.load(path).names.tau_y)
    for mine, other in zip(ours[1:names + 1], theirs[1:names + 1]):  # joint, smallest, in state, largest, in state; joint, smallest, largest, in state
        mine, other = mine.split(), other.split()
        assert [mine[1], mine[3], mine[4]] == other[1:4]
    assert len(ours) == len(theirs)
    failures = [[line.split(":")[0] for line in lines[names + 1:]] for lines in (ours, theirs)]
    assert failures[0] == failures[1] and bool(failures[0]) == (robot == "stewart")


def test_sweeps_need_states():
    for example in ("sweep_multiprocessing.py", "sweep_dask.py"):
        if example == "sweep_dask.py" and not importlib.util.find_spec("dask"):
            continue
        done = subprocess.run([sys.executable, str(ROOT / "examples" / example), str(ROBOTS / "arm7.urdf"), "0"],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 1 and done.stderr == "no states\n"


def test_types_are_complete(tmp_path):
    assert os.path.exists(os.path.join(PACKAGE, "py.typed"))
    if os.environ.get("TANDEM_TEST_SHARE", "1") != "1":
        pytest.skip("a share of the cases runs; NumPy's types take most of a minute")
    if subprocess.run([sys.executable, "-m", "mypy", "--version"], capture_output=True, check=False).returncode:
        pytest.skip("there is no mypy")
    # checks all at once: most of the time is spent on NumPy's types
    (tmp_path / "mypy.ini").write_text("[mypy]\n[mypy-scipy.*]\nignore_missing_imports = true\n")
    files = [os.path.join("tandem", name) for name in sorted(os.listdir(PACKAGE)) if name.endswith(".py")]
    examples = [str(ROOT / "examples" / name) for name in ("swing.py", "live.py", "sweep_multiprocessing.py")]
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), "--config-file", str(tmp_path / "mypy.ini"),
                           *files, *examples], capture_output=True, text=True, cwd=os.path.dirname(PACKAGE), check=False,
                          env={**os.environ, "MYPYPATH": os.path.dirname(PACKAGE)})
    assert done.returncode == 0 and f"no issues found in {len(files) + len(examples)} source files" in done.stdout, done.stdout


def test_every_method_is_documented_with_shapes():
    from tandem import _functions

    for name, method in {**vars(_functions.Operations), **vars(_functions.Functions)}.items():
        if not name.startswith("_"):
            assert "Shapes: " in method.__doc__ and "The library (td_" in method.__doc__, name
            assert len(method.__doc__.split("The library")[1]) > 60, name

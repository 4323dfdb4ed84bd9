# SPDX-License-Identifier: MIT
"""Command, C and Python must give the same numbers, to the bit: the rows of triples.h in each of its situations. Prints
TAP.

    python3 test/triples.py TRIPLES COMMAND CASES OPERATIONS

TRIPLES is the program of triples.c, which contains the table and the C column. CASES is the folder of the robots in
test/tool, OPERATIONS lib/dynamics/operations.py. Python is compared if the tandem package can be imported.
"""
import concurrent.futures
import functools
import json
import math
import os
import pathlib
import runpy
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import tap  # noqa: E402

try:
    import numpy as np
    import tandem
except ImportError:
    tandem = None

program, command, cases, operations = sys.argv[1], *map(pathlib.Path, sys.argv[2:5])

scratch = tempfile.TemporaryDirectory()
folder = pathlib.Path(scratch.name)

# operations without a row, and the reason
NO_ROW = {}
# commands without a row, and the reason
NO_NUMBERS = {
    "check": "says what is wrong with files", "tree": "says what is in the file",
    "complete": "reads measured joints; test/tool/cases/complete.txt has what comes of them",
    "calibrate": "fits a robot's file to recorded points, and C and Python have no function for that",
    "fit": "fits a curve to a table, and C and Python have no function for that", "view": "writes a page",
    "export": "writes the robot", "diff": "compares two robots", "plot": "draws a table", "robots": "lists robots",
    "verify": "has residuals, which are rounding", "bench": "measures time", "help": "says what commands do",
}


def read_table():
    """Returns the program's output: lists of situations, calls, mistakes and results."""
    done = subprocess.run([program, str(cases)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    kinds = {"situation": [], "call": [], "mistake": [], "result": []}
    for line in done.stdout.splitlines():
        item = json.loads(line)
        kinds[item["kind"]].append(item)
    for situation in kinds["situation"]:
        situation["files"] = write_tables(situation)
    for result in kinds["result"]:
        result["numbers"] = [float.fromhex(number) for number in result["numbers"]]
    return kinds


# ---- the command

def joined(numbers):
    return ",".join(map(repr, numbers))


def assigned(text):
    """Returns the numbers of COORDINATE=VALUE,... by coordinate."""
    return {name: float(value) for name, value in (part.split("=") for part in (text or "").split(",") if part)}


def write_table(situation, name, columns):
    """Writes lists of numbers, by column name, to a file of the situation."""
    path = folder / f"{situation['name']} {name}.csv"
    rows = [",".join(columns), *(joined(row) for row in zip(*columns.values()))]
    path.write_text("\n".join([*rows, ""]), encoding="utf-8")
    return str(path)


def recorded(situation):
    """Returns the columns of a recording: positions k/8 s from the start."""
    rows = range(12)
    return {"t": [k / 8 for k in rows], **{f"q:{name}": [value * ((k * k + 60 - 20 * k) / 64) for k in rows]
                                           for name, value in assigned(situation["q"]).items()}}


def write_tables(situation):
    """Writes the files of {table}, {points}, {recorded} and {spec}."""
    q, rates = assigned(situation["q"]), {key: assigned(situation[key]) for key in ("qd", "qdd", "tau")}
    states = {f"q:{name}": [value] * 5 for name, value in q.items()}
    states.update({f"{key}:{name}": [times * value for times in range(1, 6)] for key, by_name in rates.items() for name, value in by_name.items()})
    points = {"t": [0.0, 4.0, 9.0], **{f"q:{name}": [value, value / 2, value] for name, value in q.items()}}
    spec = folder / f"{situation['name']}.yaml"
    ranges = [f"{name}: {{uniform: [{min(value / 2, value)!r}, {max(value / 2, value)!r}]}}" for name, value in q.items()]
    rates = [f"{name}: {value!r}" for name, value in rates["qd"].items()]
    spec.write_text(f"states: 5\nseed: 7\nvary: {{q: {{{', '.join(ranges)}}}, qd: {{{', '.join(rates)}}}}}\nevaluate: [id]\n"
                    f"passive: {'true' if situation['passive'] else 'false'}\nkeep: [{{moments: tau}}]\n", encoding="utf-8")
    return (write_table(situation, "table", states), write_table(situation, "points", points),
            write_table(situation, "recorded", recorded(situation)), str(spec))


def words_of(situation, tree):
    """Returns the command-line words for each part of a situation."""
    words = {"robot": ["tandem:" + situation["robot"]], "link": ["--link", situation["link"]], "name": [situation["link"]]}
    if situation["floating"]:
        words["robot"] += ["--base", "floating"]
    if any(situation["gravity"]):
        words["robot"].append("--gravity=" + joined(situation["gravity"]))
    for name, option in (("q", "-q"), ("qd", "--qd"), ("qdd", "--qdd"), ("tau", "--tau")):
        words[name] = [option, situation[name]] if situation[name] else []
    words["passive"] = ["--passive"] if situation["passive"] else []
    words["tree"] = ["--tree"] if tree else []
    words["point"] = ["--point=" + joined(situation["point"])] if any(situation["point"]) else []
    words["target"] = ["--position", " ".join(map(repr, situation["target"]))]
    words["joint"] = [situation["joint"]]
    words["table"], words["points"], words["recorded"], words["spec"] = ([path] for path in situation["files"])
    p = situation["payload"]
    ixx, ixy, ixz, iyy, iyz, izz = p["inertia"]
    inertia = (ixx, iyy, izz, ixy, ixz, iyz)
    words["payload"] = [] if not p["link"] else [
        f"--payload={p['link']}={p['mass']!r}@{joined(p['com'])}" + ("," + joined(inertia) if any(inertia) else "")]
    words["wrench"] = []
    for w in situation["wrenches"]:
        parts = [f"{part}:{joined(w[part])}" for part in ("force", "moment", "point") if any(w[part])]
        if situation["frame"]:
            parts.append("frame:" + situation["frame"])
        words["wrench"].append(f"--wrench={w['link']}=" + ",".join(parts))
    return words


@functools.lru_cache(maxsize=None)
def depends_on_gravity(name):
    """Returns whether a command has --gravity; others refuse it."""
    page = subprocess.run([command, "help", "--man", name], capture_output=True, text=True, check=True).stdout
    return "--gravity" in page.replace("\\-", "-")


def command_line(call, situation, tree):
    words, parts = [], words_of(situation, tree)
    for word in call["command"].split():
        words += parts[word[1:-1]] if word[0] == "{" else [word]
    if not depends_on_gravity(words[0]):
        words = [word for word in words if not word.startswith("--gravity=")]
    return [*words, "--json"]


def run(words):
    done = subprocess.run([command, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    return done.returncode, done.stdout, done.stderr


def flat(value):
    """Returns all numbers of a JSON value, in order."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for item in value for number in flat(item)]
    return [math.nan if value is None else float(value)]


def field(value, keys):
    """Returns the value at the keys, one per element of a list; '|' separates an alternative spelling of a key."""
    if not keys:
        return value
    if isinstance(value, list):
        return [field(item, keys) for item in value]
    names = [name for name in keys[0].split("|") if name in value]
    return field(value[names[0]], keys[1:]) if names else None


def read_json(text, fields):
    """Returns the numbers of the fields in the JSON of a command, or None if one is missing. If the last field is null,
    all its numbers are NaN; this is returned as an Ellipsis."""
    root = json.loads(text, parse_int=float)
    last = fields.split()[-1]
    if last in root and root[last] is None:
        return [*read_json(text, fields.removesuffix(last)), ...]
    found = [field(root, name.split(".")) for name in fields.split()]
    rows = [keys.split(".")[0] for keys in fields.split()]
    if "states" in rows and len(root["states"]) > 1:  # row by row
        found = [list(row) for row in zip(*found)]
    return None if any(value is None for value in found) else flat(found)


# ---- Python

def interleaved(reactions, tree):
    """Returns wrench and ambiguity of each joint, then of each loop. In the tree loops are cut, and the command omits
    them."""
    joints, loops, joint_ambiguity, loop_ambiguity = reactions
    each = np.hstack((joints, joint_ambiguity))
    return each if tree else (each, np.hstack((loops, loop_ambiguity)))


def motion_rows(motion):
    return np.column_stack((motion.q, motion.qd, motion.qdd, motion.tau, motion.work, motion.constraint))


def trajectory_rows(robot, way, forces):
    """Returns each second of a motion of 9 s with its forces."""
    return np.array([(*motion, robot.inverse_dynamics(*motion, forces)) for motion in zip(*way(np.arange(10.0)))])


def contributions(robot, joint, y, yd, ydd, forces):
    """Returns the force of a joint, and the factor and tree torque of each joint that contribute to it."""
    at = robot.names.yd.index(joint)
    factor = robot.tree_state(y, np.eye(robot.nyd)[at]).qd
    rows = np.flatnonzero(factor)
    torque = robot.tree.inverse_dynamics(*robot.tree_state(y, yd, ydd), forces)
    return robot.inverse_dynamics(y, yd, ydd, forces)[at], factor[rows], torque[rows]


def describe(robot):
    """Returns counts, gravity, masses, and the limits of independent joints, NaN for missing ones."""
    limits = [robot.effective_limit(joint) for joint in robot.independent_joints
              if robot.joint_place(joint).nv == 1 or robot.joints[joint].type.kind.bounded]
    table = np.array([[getattr(limit, kind) for limit in limits] for kind in ("lower", "upper", "velocity", "effort")])
    return (len(robot.names.links), len(robot.names.joints), robot.nq, robot.nv, robot.ny, robot.nyd, robot.nu, robot.gravity,
            robot.total_mass, robot.moving_mass, robot.center_of_mass(robot.reference), np.where(np.isfinite(table), table, np.nan))


def largest(t, rows):
    """Returns the largest number of each column and its time; of equal ones the first."""
    found = [(0.0, 0.0)] * rows.shape[1]
    for time, row in zip(t, rows):
        found = [(x, time) if abs(x) > abs(most[0]) * (1 + 1e-12) else most for most, x in zip(found, row)]
    return tuple(zip(*found))


def size_motors(robot, motion):
    """Uses single calls, as the command does: a batch computes the forces of the motion with other last bits."""
    rows = list(zip(motion.y, motion.yd, motion.ydd))
    u = np.array([robot.forces_to_actuators(y, robot.inverse_dynamics(y, yd, ydd, tandem.Forces(passive=True))).u for y, yd, ydd in rows])
    assert np.allclose(motion.u, u, rtol=1e-12, atol=1e-12 * np.abs(u).max())
    return (*largest(motion.t, u), *largest(motion.t, np.array([robot.motion_to_actuators(y, yd).velocity for y, yd, _ in rows])))


def sample_sweep(robot, q, qd, forces):
    """Returns state 3 of a sweep with seed 7 over positions, each between half of its value and its value: y, yd, ydd
    of zeros, and the forces."""
    from tandem._native import ffi, lib
    point = np.empty(len(q))
    lib.td_random_points(7, 3, 1, len(q), ffi.from_buffer("double[]", point))
    ends = [(min(value / 2, value), max(value / 2, value)) for value in q.values()]
    y, yd = robot.state({name: low + (high - low) * x for name, (low, high), x in zip(q, ends, point.tolist())}), robot.velocity(qd)
    return y, yd, np.zeros(robot.nyd), robot.inverse_dynamics([y], [yd], forces=forces)


class Scene:
    """The names that expressions in Python can use."""

    def __init__(self, situation, tree):
        options = {"gravity": situation["gravity"]} if any(situation["gravity"]) else {}
        robot = tandem.load("tandem:" + situation["robot"], floating=bool(situation["floating"]), **options)
        p = situation["payload"]
        if p["link"]:
            robot = robot.with_payload(p["link"], p["mass"], p["com"], p["inertia"])
        wrenches = {w["link"]: tandem.Wrench(force=w["force"], moment=w["moment"], point=w["point"] if any(w["point"]) else None)
                    for w in situation["wrenches"]}
        frame = situation["frame"] or "aligned"
        space = robot.tree if tree else robot
        state = space.normalize(space.state(assigned(situation["q"])))
        yd, ydd, tau = (space.velocity(assigned(situation[key])) for key in ("qd", "qdd", "tau"))
        self.names = {
            "np": np, "tandem": tandem, "interleaved": interleaved, "motion_rows": motion_rows, "trajectory_rows": trajectory_rows,
            "contributions": contributions, "describe": describe, "size_motors": size_motors, "sample_sweep": sample_sweep,
            "recorded": recorded(situation), "assigned_q": assigned(situation["q"]), "assigned_qd": assigned(situation["qd"]),
            "joint": situation["joint"], "scale": np.arange(1.0, 6.0), "tree": tree, "robot": space, "y": state, "yd": yd,
            "ydd": ydd, "tau": tau, "link": situation["link"], "point": situation["point"], "target": situation["target"],
            "n": len(yd), "loops": len(robot.names.loops), "springs": len(robot.springs), "u": np.arange(1.0, robot.nu + 1),
            "forces": tandem.Forces(wrenches, frame=frame, passive=bool(situation["passive"])),
            "moving": tandem.Forces(wrenches, frame=frame, passive=True)}
        if not tree:
            self.names.update(zip(("q", "qd", "qdd"), robot.tree_state(state, yd, ydd)))

    def evaluate(self, expression):
        """Returns the status and the numbers."""
        try:
            found = eval(expression, dict(self.names))
        except tandem.DynamicsError as error:
            return int(error.status), []
        except ValueError:
            return int(tandem.Status.ARGUMENT), []
        return 0, numbers_of(found)


def numbers_of(found):
    if isinstance(found, tuple):
        return [number for part in found for number in numbers_of(part)]
    return np.ravel(np.asarray(found, dtype=np.float64)).tolist()


# ---- comparison

def bits(number):
    return struct.pack("<d", math.nan if math.isnan(number) else number)


def compare(what, numbers, of_c):
    if numbers and numbers[-1] is ...:
        numbers = numbers[:-1] + [math.nan] * (len(of_c) - len(numbers) + 1)
    assert len(numbers) == len(of_c), f"{what} has {len(numbers)} numbers, C has {len(of_c)}"
    for place, (number, expected) in enumerate(zip(numbers, of_c)):
        assert bits(number) == bits(expected), (
            f"{what} has {number.hex()} = {number!r} at {place} of {len(of_c)}, C has {expected.hex()} = {expected!r}")


def compare_command(call, situation, result, answer):
    code, text, error = answer
    line = " ".join(command_line(call, situation, result["tree"]))
    if result["status"]:  # an id without motor forces has no key for them
        assert code == 4 or read_json(text, call["fields"]) is None, f"{line}: C has status {result['status']}, the command exits with {code}"
        return
    assert code in (0, 1), f"{line}: exits with {code}: {error}"
    numbers = read_json(text, call["fields"])
    assert numbers is not None, f"{line}: has no {call['fields']}"
    compare(line, numbers, result["numbers"])


def compare_python(call, result, scene):
    status, numbers = scene.evaluate(call["python"])
    assert status == result["status"], f"{call['python']}: status {status}, C has {result['status']}"
    if not status:
        compare(call["python"], numbers, result["numbers"])


def differences(call, result, answers, scenes, situations):
    """Yields a text for each difference of the command or Python from the result of C."""
    key = result["situation"], result["tree"]
    found = []
    for there, compared in ((call["command"], lambda: compare_command(call, situations[key[0]], result, answers[(call["name"], *key)])),
                            (scenes, lambda: compare_python(call, result, scenes[key]))):
        try:
            if there:
                compared()
        except AssertionError as error:
            found.append(f"{key[0]}{' --tree' if key[1] else ''}: {error}")
    return found


def check_call(call, results, *others):
    """Checks a row in all situations, and that a change of the last bit of a number is detected."""
    wrong = [text for result in results for text in differences(call, result, *others)]
    assert not wrong, "\n".join(wrong)
    good = [result for result in results if result["numbers"] and not result["status"]]
    assert good, "it has no result in any situation"
    *numbers, last = good[0]["numbers"]
    changed = {**good[0], "numbers": [*numbers, 1.0 if math.isnan(last) else math.nextafter(last, math.inf)]}
    columns = bool(call["command"]) + (tandem is not None)
    assert len(differences(call, changed, *others)) == columns, "a number of C that is changed by its last bit is not found"


def check_complete(calls):
    """Every operation must be in the C column, and in the Python column if it is a method."""
    rows = runpy.run_path(str(operations))["OPERATIONS"]
    in_c, in_python = (" ".join(call[column] for call in calls).replace("\n", " ") for column in ("c", "python"))
    in_c += pathlib.Path(__file__).with_suffix(".c").read_text(encoding="utf-8")
    missing = [row.name for row in rows if f"td_{row.name}(" not in in_c and row.name not in NO_ROW]
    assert not missing, f"no row of test/triples.h calls {', '.join(missing)}"
    missing = [row.method for row in rows if row.text is not None and f"robot.{row.method}(" not in in_python and row.name not in NO_ROW]
    assert not missing, f"no row of test/triples.h has in Python {', '.join(missing)}"
    stale = sorted(set(NO_ROW) - {row.name for row in rows})
    assert not stale, f"NO_ROW lists {', '.join(stale)}, which operations.py does not have"


def check_commands(calls):
    """Every command must be in the command column, or print no numbers that C and Python have."""
    page = subprocess.run([command, "--help"], capture_output=True, text=True, check=True).stdout.split("Commands:")[1]
    names = {line.split()[0] for line in page.splitlines() if line.startswith("  ") and line[2].isalpha()}
    in_rows = {call["command"].split()[0] for call in calls if call["command"]}
    missing = names - in_rows - set(NO_NUMBERS)
    assert not missing, f"no row of test/triples.h has {', '.join(sorted(missing))}"
    stale = (set(NO_NUMBERS) & in_rows) | (set(NO_NUMBERS) | in_rows) - names
    assert not stale, f"NO_NUMBERS lists {', '.join(sorted(stale))}"


def check_known(table):
    """With 20 N down on the tool of the arm and joint_2 at 0.5 rad, the required torque of that joint changes by -2.777
    N m."""
    tau = {result["situation"]: result["numbers"][1] for result in table["result"]
           if result["call"] == "inverse_dynamics" and not result["tree"] and result["situation"].startswith("arm")}
    change = tau["arm, pushed"] - tau["arm, bent"]
    assert abs(change + 2.777) < 5e-4, change


# ---- mistakes

def loaded(word):
    return tandem.load(word if word.startswith("tandem:") else str(cases / (word + ".urdf")))


def check_mistake(mistake):
    words = mistake["command"].replace("{cases}", str(cases)).split()
    code, _, error = run(words)
    assert code == mistake["exit"], f"{words}: exits with {code}, expected {mistake['exit']}: {error}"
    assert error, f"{words}: says nothing"
    assert mistake["status"], "C has a result"
    if tandem is None:
        return
    try:
        eval(mistake["python"], {"np": np, "tandem": tandem, "load": loaded})
    except Exception as raised:
        assert type(raised).__name__ == mistake["exception"], f"{mistake['python']}: {raised!r}"
        status = getattr(raised, "status", None)
        assert status is None or int(status) == mistake["status"], f"{mistake['python']}: {raised!r}, C has {mistake['text']}"
        return
    raise AssertionError(f"{mistake['python']}: raises nothing")


def main():
    table = read_table()
    situations = {situation["name"]: situation for situation in table["situation"]}
    calls = {call["name"]: call for call in table["call"]}
    scenes = {}
    if tandem is not None:
        scenes = {(name, tree): Scene(situation, tree) for name, situation in situations.items() for tree in (0, 1)}
    if run(["sweep", "tandem:gripper", situations["gripper"]["files"][3], "--json"])[2].find("cannot read YAML") >= 0:
        calls["sweep"]["command"] = None  # this build has no sweeps
    jobs = {(result["call"], result["situation"], result["tree"]):
            command_line(calls[result["call"]], situations[result["situation"]], result["tree"])
            for result in table["result"] if calls[result["call"]]["command"]}
    distinct = {tuple(words): words for words in jobs.values()}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        said = dict(zip(distinct, pool.map(run, distinct.values())))
    answers = {key: said[tuple(words)] for key, words in jobs.items()}
    tap.check("every operation is in a row", check_complete, table["call"])
    tap.check("every command is in a row", check_commands, table["call"])
    tap.check("20 N on the arm's tool", check_known, table)
    for name, call in calls.items():
        results = [result for result in table["result"] if result["call"] == name]
        tap.check(name, check_call, call, results, answers, scenes, situations)
    for mistake in table["mistake"]:
        tap.check("mistake: " + mistake["name"], check_mistake, mistake)
    if tandem is None:
        tap.skip("Python", "the package of tandem is not here")
    tap.finish()


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures, and writes the tables of docs/benchmarks.md anew from what comes out.

    python3 bench/tables.py BUILD_DIRECTORY [--quick] [FILE...]

FILE are robots beside our own. --quick takes half a minute and is good for a look only, the rest five.
A real-time schedule, for latencies and threads, needs the right to ask for it; without, the ordinary
one is taken, and the page says so. Give the machine as little else to do as possible.
"""
import argparse
import functools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
page = root / "docs" / "benchmarks.md"
robots = root / "urdf" / "robots"

goal, goal_coupled, goal_batch = 0.5, 0.4, 8


def run(command, **options):
    print("+", " ".join(map(str, command)), file=sys.stderr)
    return subprocess.run(list(map(str, command)), check=True, text=True, **options)


def table(head, rows, alignment):
    marks = {"l": "---", "r": "---:"}
    lines = [head, [marks[a] for a in alignment]] + rows
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def ns(x):
    return "" if x is None else f"{x:.0f}" if x >= 100 else f"{x:.1f}"


def ratio(x):
    return "" if x is None else f"{x:.2f}" if x < 10 else f"{x:.0f}"


def met(x, good):
    """In bold what the goal is met by."""
    return "" if x is None else f"**{ratio(x)}**" if good else ratio(x)


# ---- speed ---------------------------------------------------------------------------------------


class Speed:
    """What compare has measured: ns by robot, operation and library."""

    def __init__(self, cells):
        self.cells = cells
        self.time = {(c["robot"], c["operation"], c["library"]): c["best_ns"] for c in cells}
        self.robots = list(dict.fromkeys(c["robot"] for c in cells))
        self.operations = list(dict.fromkeys(c["operation"] for c in cells))

    def libraries(self, robot):
        return list(dict.fromkeys(c["library"] for c in self.cells if c["robot"] == robot))

    def of_tandem(self, robot, operation, batch):
        """On the best instruction set, which stands last."""
        times = [c["best_ns"] for c in self.cells
                 if (c["robot"], c["operation"]) == (robot, operation)
                 and c["library"].startswith("tandem") and ("lanes" in c["library"]) == batch]
        return times[-1] if times else None

    def best_peer(self, robot, operation):
        """Variants of a peer, with a comma in their names, are not what others are measured by."""
        peers = [(time, library) for (r, o, library), time in self.time.items()
                 if (r, o) == (robot, operation)
                 and not library.startswith("tandem") and "," not in library]
        return min(peers, default=(None, ""))


def comparisons(speed, time_of):
    """Of the time of an operation on a robot, for one state and in batches: those, the best other
    library with its name, and what of its time one state may take."""
    for robot in speed.robots:
        for operation in speed.operations:
            one = time_of(robot, operation, False)
            if one is not None:
                limit = goal_coupled if operation == "coupled" else goal
                yield (robot, operation, one, time_of(robot, operation, True),
                       *speed.best_peer(robot, operation), limit)


def meets(one, batch, other, limit):
    """Whether the goals are met; other None: nothing to compare with."""
    return other and (one / other <= limit, other / batch >= goal_batch)


def cells(one, batch, other, limit):
    good = meets(one, batch, other, limit)
    return [met(one / other, good[0]), met(other / batch, good[1])] if good else ["", ""]


def speed_tally(speed):
    """Of how many comparisons the goals are met, by instruction set."""
    sets = {}
    for library in speed.libraries(speed.robots[0]):
        if library.startswith("tandem"):
            sets.setdefault(library.split(",")[0], []).append(library)
    rows = []
    for name, libraries in sets.items():
        goals = [meets(one, batch, peer, limit) for _, _, one, batch, peer, _, limit in comparisons(
            speed, lambda robot, operation, in_batch: speed.time.get(
                (robot, operation, libraries[in_batch])))]
        count = [f"{sum(good[k] for good in goals if good)} of {sum(map(bool, goals))}"
                 for k in range(2)]
        rows.append([name.removeprefix("tandem "), *count])
    return table(["goals met", "one state", "batch"], rows, "lrr")


def speed_goals(speed):
    rows = [[robot, operation, ns(one), ns(batch), f"{ns(peer)} {name}",
             *cells(one, batch, peer, limit)]
            for robot, operation, one, batch, peer, name, limit in comparisons(
                speed, speed.of_tandem)]
    return speed_tally(speed) + "\n\n" + table(
        ["robot", "operation", "one state", "batch", "best here", "one ÷ best",
         "best ÷ batch"], rows, "llrrrrr")


def speed_libraries(speed):
    parts = []
    for robot in speed.robots:
        operations = [o for o in speed.operations if speed.of_tandem(robot, o, False)]
        rows = [[library] + [ns(speed.time.get((robot, o, library))) for o in operations]
                for library in speed.libraries(robot)]
        parts.append(table([robot] + operations, rows, "l" + "r" * len(operations)))
    return "\n\n".join(parts)


# ---- the command's figures -----------------------------------------------------------------------


@functools.cache
def real_time():
    """What puts a command on a real-time schedule, where that is permitted."""
    command = ["chrt", "-f", "50"]
    try:
        subprocess.run(command + ["true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    return command


def schedule():
    return "a real-time schedule" if real_time() else "the ordinary schedule"


def bench(tandem, files, options, prefix=()):
    for file in files:
        done = run([*prefix, tandem, "bench", "--json", *options, file], capture_output=True)
        yield pathlib.Path(file), json.loads(done.stdout)


def start(tandem, files, options):
    rows = []
    for file, x in bench(tandem, files, ["--threads", 1, "--batch", 1, *options]):
        info = json.loads(run([tandem, "info", "--json", file], capture_output=True).stdout)
        rows.append([file.stem, info["links"], f"{file.stat().st_size / 1024:.0f}",
                     f"{1e3 * x['load']:.2f}", f"{x['workspace_bytes'] / 1024:.0f}",
                     f"{x['bytes_per_further_thread'] / 1024:.0f}"])
    return table(["robot", "links", "file, KiB", "load, ms", "workspace, KiB",
                  "per further thread, KiB"], rows, "lrrrrr")


def threads(tandem, files, options):
    rows = []
    number = 1
    for file, x in bench(tandem, files, options, real_time()):
        number = x["threads"]
        for o in x["seconds_per_state"]:
            if o["operation"] in ("link_poses", "inverse_dynamics", "forward_dynamics",
                                  "mass_matrix"):
                rows.append([file.stem, o["operation"], ns(1e9 * o["of_batch"]),
                             ns(1e9 * o["of_threads"]), ratio(o["of_batch"] / o["of_threads"])])
    return f"{schedule().capitalize()}:\n\n" + table(["robot", "operation", "1 thread", f"{number} threads", "speed-up"], rows,
                 "llrrr")


def latency(tandem, files, options, calls, core):
    rows = []
    for file, x in bench(tandem, files, ["--threads", 1, "--batch", 64, "--calls", calls, *options],
                         ["taskset", "-c", core, *real_time()]):
        for o in x["seconds_per_call"]:
            if o["operation"] in ("clock", "inverse_dynamics", "forward_dynamics", "mass_matrix"):
                rows.append([file.stem, o["operation"]] + [
                    ns(1e9 * o[key]) for key in
                    ("least", "median", "percent_99", "percent_99.99", "largest")])
    return f"{calls} calls, {schedule()}:\n\n" + table(
        ["robot", "operation", "least", "median", "99 %", "99.99 %", "largest"], rows, "llrrrrr")


# ---- everything ----------------------------------------------------------------------------------


def replace(text, name, block):
    pattern = re.compile(f"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    if not pattern.search(text):
        sys.exit(f"{page} has no place for {name}")
    return pattern.sub(lambda m: f"{m[1]}\n{block}\n\n{m[2]}", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_intermixed_args()
    tandem = arguments.build / "tools" / "tandem"
    rounds, calls, time = (5, 10000, 0.01) if arguments.quick else (101, 1000000, 1)
    own = [robots / f"{name}.urdf" for name in ("arm7", "humanoid", "gripper", "hand_a")]
    with tempfile.TemporaryDirectory() as scratch:
        output = pathlib.Path(scratch) / "speed.json"
        run([arguments.build / "bench" / "compare", "--rounds", rounds, "--json", output,
             "--scratch", scratch, "--chain", 100, *own[:2], *arguments.files, *own[2:]])
        measured = json.loads(output.read_text())
        chain = pathlib.Path(scratch) / "chain_100.urdf"
        some = [own[0], own[1], chain]
        speed = Speed(measured["speed"])
        blocks = {
            "machine": f"{measured['processor']}, {measured['compiler']}; {measured['versions']}.",
            "goals": speed_goals(speed),
            "libraries": speed_libraries(speed),
            "latency": latency(tandem, own[:2] + own[3:], ["--measure", 0], calls, measured["core"]),
            "start": start(tandem, some + own[2:], ["--measure", time / 20]),
            "threads": threads(tandem, some, ["--measure", time / 4]),
        }
    text = page.read_text(encoding="utf-8")
    for name, block in blocks.items():
        text = replace(text, name, block)
    page.write_text(text, encoding="utf-8")


main()

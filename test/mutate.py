#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Puts one-line faults into the sources, and reports which ones the tests find.

    python3 test/mutate.py [--seed N] [--count N] [--only GLOB]... [--jobs N] [--list]

Works on a copy of the files in a temporary directory; the source tree is only read. All faults are built at once, and
one is selected when a program starts (mutation/schemata.py). A first run without faults finds which tests reach which
fault. With each fault only those tests run, the fastest first, until one fails. A fault that does not compile is
replaced by another. Results are logged immediately, so an interrupted call continues from there. docs/testing.md
documents the results.
"""
import argparse
import collections
import concurrent.futures
import difflib
import fnmatch
import hashlib
import itertools
import json
import os
import pathlib
import sys
import tempfile
import threading

from mutation import faults, trials
from mutation.copy import Copy, root, tracked_files

# what is changed unless --only selects otherwise
rooms = {
    "kernels": ["lib/kernel/*.[ch]", "lib/model/*.[ch]"],
    "closure": ["lib/load/*.[ch]"],
    "importer": ["urdf/*.c", "urdf/*.h", "lib/base/diagnostic_codes.h"],
    "simulation": ["lib/simulation/*.[ch]"],
    "functions": ["lib/dynamics/*.[ch]", "lib/dynamics/*.[ch]", "lib/ik/*.[ch]", "lib/dynamics/*.[ch]", "lib/base/*.[ch]",
                  "lib/export/*.[ch]", "lib/recording/*.[ch]", "lib/calibration/*.[ch]", "lib/linear/*.[ch]"],
    "tools": ["tools/*.[ch]"],
    "python": ["python/tandem/*.py"],
}
spare = 1.35  # faults built per judged fault, because some do not compile

killed, survived = "killed", "survived"


# ---- reports -------------------------------------------------------------------------------------

def room_of(file):
    for room, patterns in rooms.items():
        if any(fnmatch.fnmatch(file, p) for p in patterns):
            return room
    return file.rpartition("/")[0]


def difference(before, after):
    """Returns "a + b → a − b" with a few characters around the difference."""
    before, after = before.strip(), after.strip()
    blocks = difflib.SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    start = blocks[0].size if blocks[0].a == blocks[0].b == 0 else 0
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    left, right = max(0, start - 18), max(0, end - 18)

    def part(text):
        return ("…" if left else "") + text[left:len(text) - right] + ("…" if right else "")
    return f"{part(before)} → {part(after)}"


def row(entry):
    place = f"{entry['file']}:{entry['line']}"
    end = f"{entry['by']}: {entry['how']}" if entry["by"] else entry["how"] or ""
    return f"{entry['result']:8}  {place:34} {difference(entry['before'], entry['after'])}  {end}"


def summary(judged):
    print(f"\n{'':12}{'mutants':>8}{'killed':>8}{'survived':>10}")
    names = sorted({room_of(e["file"]) for e in judged})
    for name in names + (["all"] if len(names) > 1 else []):
        part = [e for e in judged if name in ("all", room_of(e["file"]))]
        dead = sum(e["result"] == killed for e in part)
        print(f"{name:12}{len(part):8}{dead:8}{len(part) - dead:10}{100 * dead / len(part):8.1f} %")
    by = collections.Counter(e["by"].split()[0] for e in judged if e["by"])
    print("\nkilled by   " + ", ".join(f"{name} {n}" for name, n in by.most_common()))


def key_of(mutant):
    return json.dumps([mutant.file, mutant.before.strip(), mutant.after.strip(), mutant.occurrence])


def read_log(path, retry):
    """Returns {key: entry}; with retry, without the surviving faults."""
    entries = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return {e["key"]: e for e in entries if not retry or e["result"] != survived}


# ---- main ----------------------------------------------------------------------------------------

def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    temporary = pathlib.Path(tempfile.gettempdir()) / f"tandem-mutate-{os.getuid()}"
    parser.add_argument("--seed", type=int, default=1, help="of the choice (1)")
    parser.add_argument("--count", type=int, default=400, help="mutants to judge (400)")
    parser.add_argument("--only", action="append", metavar="GLOB",
                        help="files to change, as 'lib/load/*.c'; else all rooms: " + ", ".join(rooms))
    parser.add_argument("--without", action="append", default=[], metavar="GLOB", help="tests that do not run")
    parser.add_argument("--most", type=float, default=600, metavar="S", help="leave out tests that take more processor time (600)")
    parser.add_argument("--each", type=float, default=3600, metavar="S",
                        help="processor time of the tests that a fault is shown to (3600)")
    parser.add_argument("--memcheck", type=float, default=0, metavar="S",
                        help="ask tests up to that once more under valgrind, which takes a hundred times as long (0)")
    parser.add_argument("--jobs", type=int, default=1, help="of ninja, and mutants that are judged at once (1)")
    parser.add_argument("--list", action="store_true", help="print the choice and judge nothing")
    parser.add_argument("--retry", action="store_true", help="judge survivors of the log anew")
    parser.add_argument("--fresh", action="store_true", help="forget the log")
    parser.add_argument("--log", type=pathlib.Path, help="default: seed-N.jsonl in the scratch directory")
    parser.add_argument("--scratch", type=pathlib.Path, default=temporary,
                        help=f"directory for the copy ({temporary})")
    parser.add_argument("--data", type=pathlib.Path, default=root.parent / "shared",
                        help="directory with models/ and reference/, as for meson")
    arguments = parser.parse_args()
    arguments.scratch = arguments.scratch.resolve()
    if arguments.scratch == root or root in arguments.scratch.parents:
        parser.error("the scratch directory must not be in the project")
    arguments.log = arguments.log or arguments.scratch / f"seed-{arguments.seed}.jsonl"
    return arguments


def chosen_files(only):
    patterns = only or [p for room in rooms.values() for p in room]
    files = [f for f in tracked_files() if f.endswith((".c", ".h", ".py"))
             and any(fnmatch.fnmatch(f, p) for p in patterns)]
    if not files:
        sys.exit("mutate: no file matches")
    return files


def main():
    arguments = parse()
    files = chosen_files(arguments.only)
    order = list(itertools.islice(faults.choose({f: (root / f).read_text() for f in files}, arguments.seed),
                                  int(arguments.count * spare) + 10))
    if arguments.list:
        for m in order[:arguments.count]:
            print(f"{m.file}:{m.line:<5} {m.operator}: {difference(m.before, m.after)}")
        return
    arguments.scratch.mkdir(parents=True, exist_ok=True)
    if arguments.fresh:
        arguments.log.unlink(missing_ok=True)
    mutants = dict(enumerate(order))
    copy = Copy(arguments.scratch, arguments.jobs, arguments.data.resolve())
    described = copy.prepare(mutants)
    print("# left out: " + (", ".join(f"{n} {why}" for why, n in collections.Counter(copy.dropped.values()).items()) or "none"))
    every = [t for t in trials.found(described, copy.build) if not any(fnmatch.fnmatch(t.name, g) for g in arguments.without)]
    key = hashlib.sha256(json.dumps([[key_of(m) for m in order], sorted(copy.dropped)]).encode()).hexdigest()
    good, bad, slow = trials.explored(every, arguments.most, arguments.jobs, arguments.scratch / "reached.json", key)
    print(f"# {len(good)} tests, {sum(t.cpu for t in good):.0f} s of processor time, {len(slow)} that take longer left out; "
          "these fail without a fault: " + (", ".join(t.name for t in bad) or "none"), flush=True)
    judge_all(arguments, mutants, copy, trials.Judge(good, copy.tables() - set(copy.dropped), arguments.each, arguments.memcheck))


def judge_all(arguments, mutants, copy, judge):
    log, lock, judged = read_log(arguments.log, arguments.retry), threading.Lock(), []
    left = [n for n in sorted(mutants) if n not in copy.dropped][:arguments.count]

    def one(number):
        mutant = mutants[number]
        key = key_of(mutant)
        entry = log.get(key)
        tried = entry.get("most", 0) if entry else 0
        if entry is None or entry["result"] == survived and (tried < arguments.most or arguments.memcheck):
            by, how, ran, seconds = judge.judge(number, tried)
            entry = dict(mutant._asdict(), key=key, number=number, result=killed if by else survived, by=by, how=how, ran=ran,
                         seconds=round(seconds, 1), most=arguments.most)
            with lock, arguments.log.open("a") as out:
                out.write(json.dumps(entry) + "\n")
        entry["line"] = mutant.line
        with lock:
            judged.append(entry)
            print(row(entry), flush=True)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(one, left))
    summary(judged)


if __name__ == "__main__":
    main()

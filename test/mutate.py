#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Puts faults of one line into the sources, one at a time, and tells which ones the tests find.

    python3 test/mutate.py [--seed N] [--count N] [--only GLOB]... [--jobs N] [--list]

Works on a copy of the files in a directory for temporary files: the tree that it is called from is
only read. Each fault is built there, and the tests run, those that are most likely to find it for
their time first, until one fails. A fault that does not compile, or that leaves all object code of
the library as it was, is replaced by another. What was found is written to a log at once; a call that was
interrupted, or one with a larger count, goes on from there. docs/testing.md says what came out.
"""
import argparse
import collections
import difflib
import fnmatch
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import mutants

root = pathlib.Path(__file__).resolve().parent.parent

# what is changed where --only does not say otherwise: kernels, closure, importer
groups = {
    "kernels": ["lib/kernel/*/*.[ch]", "lib/model/tree.h"],
    "closure": ["lib/load/%s" % name for name in (
        "clusters.c", "coupling.c", "declared.c", "limits.c", "linear_closure.c", "loop*.[ch]",
        "mimic.c", "reduced_pattern.c", "registered_closure.c", "slider.c")],
    "importer": ["urdf/*.c", "lib/base/diagnostic_codes.h"],
}

# tests that are not quick, or not of the library; all of packaging
left_out = {"undefined", "compare", "docs"}

# The last -O counts: code that is better optimized takes longer to compile than the tests take less.
# Pointers to something else are faults that a compiler finds. By sections, programs hold only what
# they call: one that is as it was need not run.
compiler = """#!/bin/sh
exec {launcher} gcc "$@" -O1 -Werror=incompatible-pointer-types -Werror=int-conversion \\
    -ffunction-sections -fdata-sections -Wl,--gc-sections
"""

options = ["-Dbuildtype=plain", "-Davx512=false", "-Dtests=enabled", "-Dtools=enabled",
           "-Dpeers=disabled"]

# a slow machine and code that is not optimized are no faults; MALLOC_PERTURB_ as by meson
surroundings = {"CK_TIMEOUT_MULTIPLIER": "4", "OPENBLAS_NUM_THREADS": "1", "MALLOC_PERTURB_": "85"}

killed, survived, replaced = "killed", "survived", "replaced"


# ---- the copy ------------------------------------------------------------------------------------

def tracked_files():
    """Paths of the project's files, as they are now, relative to its root."""
    try:
        listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], check=True,
                                capture_output=True, text=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):
        listed = [str(p.relative_to(root)) for p in root.rglob("*")
                  if not p.relative_to(root).parts[0].startswith(("build", "."))]
    return sorted(f for f in listed if f and (root / f).is_file())


class Copy:
    """A copy of the project, built, with at most one fault in it."""

    def __init__(self, scratch, jobs, data):
        self.source, self.build, self.jobs = scratch / "source", scratch / "build", jobs
        self.data = data
        self.compiler = scratch / "cc"
        self.fault = None

    def prepare(self):
        self.synchronize()
        text = compiler.format(launcher="ccache" if shutil.which("ccache") else "")
        self.compiler.write_text(text)
        self.compiler.chmod(0o755)
        if not (self.build / "build.ninja").exists():
            subprocess.run(["meson", "setup", self.build, self.source, f"-Ddata={self.data}"] + options,
                           check=True, stdout=subprocess.DEVNULL,
                           env=dict(os.environ, CC=str(self.compiler)))
        if not self.ninja("all"):
            sys.exit(f"mutate: {self.build} does not build")
        introspected = subprocess.run(["meson", "introspect", "--tests", "--targets", self.build],
                                      check=True, capture_output=True, text=True).stdout
        self.described = json.loads(introspected)
        self.library = next(pathlib.Path(f).relative_to(self.build) for t in self.described["targets"]
                            for f in t["filename"] if f.endswith("libtandem.a"))
        commands = json.loads((self.build / "compile_commands.json").read_text())
        self.objects = [self.build / c["output"] for c in commands
                        if not c["output"].startswith(("test/", "tools/", "bench/"))]
        self.original = self.code_of(self.objects)

    def synchronize(self):
        """Makes the copy like the project, and touches only what differs."""
        files = tracked_files()
        for file in files:
            there, text = self.source / file, (root / file).read_bytes()
            if not there.exists() or there.read_bytes() != text:
                there.parent.mkdir(parents=True, exist_ok=True)
                there.write_bytes(text)
                there.chmod((root / file).stat().st_mode)
        for there in list(self.source.rglob("*")):
            if there.is_file() and str(there.relative_to(self.source)) not in files:
                there.unlink()

    def ninja(self, *targets, limit=900):
        try:
            return subprocess.run(["ninja", "-C", self.build, f"-j{self.jobs}", *map(str, targets)],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  timeout=limit).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def code_of(self, files):
        return [hashlib.sha256(f.read_bytes()).digest() if f.exists() else None for f in files]

    def put(self, mutant):
        """The file as it was but for the mutant's line; None: as it was."""
        if self.fault:
            shutil.copyfile(root_text(self.fault.file), self.source / self.fault.file)
        self.fault = mutant
        if mutant:
            lines = root_text(mutant.file).read_text().split("\n")
            assert lines[mutant.line - 1] == mutant.before
            lines[mutant.line - 1] = mutant.after
            (self.source / mutant.file).write_text("\n".join(lines))

    def tests(self):
        """{name: Test} of the tests that count."""
        files = {t["id"]: t["filename"] for t in self.described["targets"]}
        found = {}
        for t in self.described["tests"]:
            if t["name"] not in left_out and not any("packaging" in s for s in t["suite"]):
                targets = [pathlib.Path(f) for d in t["depends"] for f in files[d]]
                test = Test(t["name"], t["cmd"], t["workdir"] or self.build, dict(t["env"], **surroundings), targets)
                test.original = self.code_of(targets)
                found[t["name"]] = test
        return found


snapshot = {}  # the files as they were when this began, so that edits meanwhile do no harm


def root_text(file):
    return snapshot[file]


# ---- the tests -----------------------------------------------------------------------------------

class Test:
    def __init__(self, name, command, directory, environment, targets):
        self.name, self.command, self.targets = name, command, targets
        self.directory = directory
        self.environment = dict(os.environ, **environment)
        self.seconds = None  # that it takes where nothing is wrong

    def run(self, limit):
        """What fails first, "time" where it does not end; None where all passes."""
        process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   stdin=subprocess.DEVNULL, cwd=self.directory,
                                   env=self.environment, text=True,
                                   errors="replace", start_new_session=True)
        late = threading.Event()
        timer = threading.Timer(limit, lambda: (late.set(), stop(process)))
        timer.start()
        failed = None
        for line in process.stdout:
            if line.startswith("not ok"):
                failed = (line.split(":") + ["", line.strip()])[2]  # file:case:test: message
                stop(process)
                break
        process.stdout.close()
        code = process.wait()
        timer.cancel()
        if late.is_set():
            return "time"
        if failed is None and code not in (0, 77):
            failed = f"signal {-code}" if code < 0 else f"exit code {code}"
        return failed


def stop(process):
    """Check ends the programs that it has forked when it is asked to end; then all that is left."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, how)
            process.wait(3)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            pass


def ordered(tests, file, log):
    """The tests, those that have found most for their time first: in this file, then in its group."""
    found, spent, tries = collections.Counter(), collections.Counter(), collections.Counter()
    near = group_of(file)
    for entry in log:
        if group_of(entry["file"]) != near:
            continue
        for name, seconds in entry.get("ran", {}).items():
            spent[name] += seconds
            tries[name] += 1
        if entry.get("by"):
            found[entry["by"]] += 6 if entry["file"] == file else 1

    def worth(test):
        seconds = (2 * (test.seconds + 0.3) + spent[test.name]) / (2 + tries[test.name])
        return (0.3 + found[test.name]) / (3 + tries[test.name]) / seconds
    return sorted(tests.values(), key=worth, reverse=True)


# ---- one mutant ----------------------------------------------------------------------------------

def judge(copy, tests, mutant, log):
    """What becomes of a mutant, as an entry of the log."""
    begin, ran = time.monotonic(), {}
    entry = dict(mutant._asdict(), result=survived, by=None, how=None, ran=ran)
    copy.put(mutant)
    if not copy.ninja(copy.library):
        entry.update(result=replaced, how="does not compile")
    elif copy.code_of(copy.objects) == copy.original:
        entry.update(result=replaced, how="same object code")
    else:
        for test in ordered(tests, mutant.file, log):
            started = time.monotonic()
            if not copy.ninja(*[t.relative_to(copy.build) for t in test.targets]):
                entry.update(result=replaced, how="does not compile")
                break
            if copy.code_of(test.targets) == test.original:
                continue
            how = test.run(10 + 8 * test.seconds)
            ran[test.name] = round(time.monotonic() - started, 2)
            if how:
                entry.update(result=killed, by=test.name, how=how)
                break
    entry["seconds"] = round(time.monotonic() - begin, 1)
    return entry


# ---- reports -------------------------------------------------------------------------------------

def group_of(file):
    for group, patterns in groups.items():
        if any(fnmatch.fnmatch(file, p) for p in patterns):
            return group
    return file.rpartition("/")[0]


def difference(before, after):
    """"a + b → a − b", with a few characters around what differs."""
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
    names = sorted({group_of(e["file"]) for e in judged})
    for name in names + (["all"] if len(names) > 1 else []):
        part = [e for e in judged if name in ("all", group_of(e["file"]))]
        dead = sum(e["result"] == killed for e in part)
        print(f"{name:12}{len(part):8}{dead:8}{len(part) - dead:10}{100 * dead / len(part):8.1f} %")
    by = collections.Counter(e["by"] for e in judged if e["by"])
    print("\nkilled by   " + ", ".join(f"{name} {n}" for name, n in by.most_common()))


def key_of(entry):
    return entry["file"], entry["before"].strip(), entry["after"].strip(), entry["occurrence"]


def read_log(path, order, retry):
    """Entries of mutants that are still there, by what they are; retry: not of survivors."""
    there = {key_of(m._asdict()): m for m in order}
    entries = {}
    if path.exists():
        for line in path.read_text().splitlines():
            entry = json.loads(line)
            if key_of(entry) in there:
                entry["line"] = there[key_of(entry)].line
                entries[key_of(entry)] = entry
    return {k: e for k, e in entries.items() if not retry or e["result"] != survived}


# ---- main ----------------------------------------------------------------------------------------

def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    temporary = pathlib.Path(tempfile.gettempdir()) / f"tandem-mutate-{os.getuid()}"
    parser.add_argument("--seed", type=int, default=1, help="of the choice (1)")
    parser.add_argument("--count", type=int, default=200, help="mutants to judge (200)")
    parser.add_argument("--only", action="append", metavar="GLOB",
                        help="files to change, as 'lib/load/*.c'; all of kernels, closure and importer else")
    parser.add_argument("--jobs", type=int, default=1, help="of ninja (1)")
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
    patterns = only or [p for group in groups.values() for p in group]
    files = [f for f in tracked_files() if f.endswith((".c", ".h"))
             and any(fnmatch.fnmatch(f, p) for p in patterns)]
    if not files:
        sys.exit("mutate: no file matches")
    return files


def time_tests(copy, tests):
    for test in tests.values():
        begin = time.monotonic()
        how = test.run(300)
        if how:
            sys.exit(f"mutate: {test.name} fails without a fault: {how}")
        test.seconds = time.monotonic() - begin
    print("# tests, in s: " + ", ".join(f"{t.name} {t.seconds:.1f}" for t in tests.values()))


def main():
    arguments = parse()
    files = chosen_files(arguments.only)
    order = mutants.choose({f: (root / f).read_text() for f in files}, arguments.seed)
    if arguments.list:
        for m in order[:arguments.count]:
            print(f"{m.file}:{m.line:<5} {m.operator}: {difference(m.before, m.after)}")
        return
    arguments.scratch.mkdir(parents=True, exist_ok=True)
    if arguments.fresh:
        arguments.log.unlink(missing_ok=True)
    for file in files:
        snapshot[file] = arguments.scratch / "original" / file
        snapshot[file].parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / file, snapshot[file])
    copy = Copy(arguments.scratch, arguments.jobs, arguments.data.resolve())
    log = read_log(arguments.log, order, arguments.retry)
    tests, judged = None, []
    with arguments.log.open("a") as out:
        for mutant in order:
            if len(judged) >= arguments.count:
                break
            key = key_of(mutant._asdict())
            if key not in log:
                if tests is None:
                    copy.prepare()
                    tests = copy.tests()
                    time_tests(copy, tests)
                log[key] = judge(copy, tests, mutant, log.values())
                out.write(json.dumps(log[key]) + "\n")
                out.flush()
            if log[key]["result"] != replaced:
                judged.append(log[key])
            print(row(log[key]), flush=True)
    summary(judged)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: MIT
"""Runs tests on a build that contains all faults. A first run without faults finds which tests reach the
location of each fault. Then the tests that reach it run with that fault, fastest first."""
import collections
import concurrent.futures
import functools
import json
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import threading
import time

# tests of other things than the library (sources, symbols, installation), or too slow for the faults that only they find
left_out = {"undefined", "compare", "documented_diagnostics", "rooms", "symbols", "operations", "page_list", "kernels_alone", "load_growth",
            "mjcf_in_mujoco", "view"}

# code with choices does not satisfy mypy: that Python test is omitted too

# allows for slow machines and unoptimized code; meson sets MALLOC_PERTURB_ to the same
surroundings = {"CK_TIMEOUT_MULTIPLIER": "30", "OPENBLAS_NUM_THREADS": "1", "MALLOC_PERTURB_": "85"}

MOST = 1 << 20  # as runtime.c

# Detects faults that change no result: leaks and reads of uninitialized memory. Takes up to a hundred times as long;
# utilities that scripts call run without it.
memcheck = ["valgrind", "--quiet", "--error-exitcode=99", "--leak-check=full", "--errors-for-leak-kinds=definite",
            "--trace-children=yes", "--trace-children-skip=/bin/*,/usr/bin/*"]
slower = 100

Outcome = collections.namedtuple("Outcome", "how seconds cpu")  # how: the failure, or None if all tests pass


class Trial:
    """A unit that can run alone: a test of a Check program, a pytest file, or a whole program."""

    def __init__(self, name, command, directory, environment):
        self.name, self.command, self.directory = name, command, directory
        self.environment = environment
        self.cpu = self.seconds = None  # without a fault
        self.reached = frozenset()

    def run(self, limits, under=(), **environment):
        """Runs the trial. limits: processor time of each process and elapsed time, in s; under: a command that runs this one."""
        begin = time.monotonic()
        process = subprocess.Popen([*under, *self.command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   stdin=subprocess.DEVNULL, cwd=self.directory, text=True, errors="replace",
                                   env=dict(os.environ, **self.environment, **environment), start_new_session=True,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limits[0], limits[0] + 1)))
        late = threading.Event()
        timer = threading.Timer(limits[1], lambda: (late.set(), stop(process)))
        timer.start()
        failed = None
        for line in process.stdout:
            if line.startswith("not ok"):
                failed = ((line.split(":", 2) + ["", ""])[2].strip() or line.strip())[:200]
                stop(process)
                break
        process.stdout.close()
        code, cpu = ended(process)
        timer.cancel()
        if late.is_set():
            failed = "time"
        elif failed is None and code not in (0, 77):
            failed = f"signal {-code}" if code < 0 else f"exit code {code}"
        return Outcome(failed, time.monotonic() - begin, cpu)

    def limits(self):
        return int(5 + 6 * self.cpu), 60 + 20 * self.seconds

    def checked(self, number):
        """Runs under memcheck with a fault; None: without a fault."""
        limits = [slower * most for most in self.limits()]
        return self.run(limits, memcheck, **({} if number is None else {"TD_MUTATION_FAULT": str(number)}))

    @functools.cached_property
    def can_be_checked(self):
        """Returns whether memcheck finds nothing without a fault. It does not support long double; Python is not checked."""
        return not self.name.startswith("python ") and self.checked(None).how is None


def ended(process):
    """Waits for a process. Returns its exit code and processor time, including child processes that it waited for."""
    try:
        _, status, used = os.wait4(process.pid, 0)
    except ChildProcessError:  # stop() has waited for it
        return process.wait(), 0.0
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, used.ru_utime + used.ru_stime


def stop(process):
    """Terminates the process group, so that Check can end its child processes, then kills it."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, how)
            process.wait(3)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            pass


def names_in(command, directory, environment):
    """Returns the tests of a Check program; empty for other programs."""
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run(command, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, env=dict(os.environ, **environment, TD_MUTATION_NAMES=file.name))
        return sorted(set(pathlib.Path(file.name).read_text().split()))


def found(described, build):
    """Returns all trials of the tests that meson describes."""
    trials = []
    for t in described:
        if t["name"] in left_out or {s.split(":")[-1] for s in t["suite"]} & {"packaging", "fuzz"}:
            continue
        directory, environment = t["workdir"] or build, dict(t["env"], **surroundings)

        def add(name, command, **more):
            trials.append(Trial(name, command, directory, dict(environment, **more)))
        if t["name"] == "python":
            for file in sorted(pathlib.Path(t["cmd"][-1]).glob("test_*.py")):
                add(f"python {file.stem}", t["cmd"][:-1] + [str(file), "-k", "not test_types_are_complete"])
        elif pathlib.Path(t["cmd"][0]).name == f"test_{t['name']}":
            for name in names_in(t["cmd"], directory, environment):
                add(f"{t['name']} {name}", t["cmd"], TD_MUTATION_TEST=name)
        else:
            add(t["name"], t["cmd"])
    return trials


def explore(trial, most):
    """Runs a trial without a fault; records its time and the faults that it reaches. Returns the failure or None."""
    with tempfile.NamedTemporaryFile() as file:
        file.truncate(MOST)
        outcome = trial.run((600, max(300, 10 * most)), TD_MUTATION_REACHED=file.name)
        trial.cpu, trial.seconds = outcome.cpu, outcome.seconds
        trial.reached = frozenset(n for n, byte in enumerate(pathlib.Path(file.name).read_bytes()) if byte)
    return outcome.how


def explored(trials, most, jobs, path, key):
    """Returns the trials that pass without a fault within `most` seconds, those that fail, and those that take longer.
    Results of earlier calls with the same key are read from a file."""
    known, lock = json.loads(path.read_text()) if path.exists() else {}, threading.Lock()
    if known.get("key") != key:
        known = {"key": key, "trials": {}}

    def one(trial):
        entry = known["trials"].get(trial.name)
        if entry is None:
            how = explore(trial, most)
            entry = {"how": how, "cpu": trial.cpu, "seconds": trial.seconds, "reached": sorted(trial.reached)}
            with lock:
                known["trials"][trial.name] = entry
                path.write_text(json.dumps(known))
        trial.cpu, trial.seconds, trial.reached = entry["cpu"], entry["seconds"], frozenset(entry["reached"])
        return "time" if not entry["how"] and trial.cpu > most else entry["how"]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        how = list(pool.map(one, trials))

    def those(wanted):
        return [t for t, h in zip(trials, how) if wanted(h)]
    return those(lambda h: not h), those(lambda h: h and h != "time"), those(lambda h: h == "time")


class Judge:
    """Runs the trials that reach a fault, beginning with those that found the most faults per time."""

    def __init__(self, trials, everywhere, most_each, most_checked):
        self.trials, self.everywhere = trials, everywhere  # faults that are not recorded as reached: tables
        self.most_each = most_each  # processor time, s, of the trials for one fault
        self.most_checked = most_checked  # and of a trial that is repeated under memcheck
        self.kills, self.runs, self.lock = collections.Counter(), collections.Counter(), threading.Lock()

    def of(self, number):
        return [t for t in self.trials if number in t.reached or number in self.everywhere]

    def worth(self, trial):
        return (0.5 + self.kills[trial.name]) / (1 + self.runs[trial.name]) / (0.05 + trial.cpu)

    def judge(self, number, tried):
        """Returns (name of the trial that detects the fault or None, its message, number of trials, seconds). tried: skips
        trials up to this processor time, which did not detect it before."""
        begin, ran, spent = time.monotonic(), 0, 0
        with self.lock:
            trials = sorted(self.of(number), key=self.worth, reverse=True)
        for trial in trials:
            if trial.cpu <= tried:
                continue
            spent += trial.cpu
            if spent > self.most_each:
                break
            outcome = trial.run(trial.limits(), TD_MUTATION_FAULT=str(number))
            ran += 1
            with self.lock:
                self.runs[trial.name] += 1
                self.kills[trial.name] += outcome.how is not None
            if outcome.how:
                return trial.name, outcome.how, ran, time.monotonic() - begin
        spent = 0
        for trial in sorted((t for t in trials if t.cpu <= self.most_checked), key=lambda t: t.cpu):
            if spent <= self.most_each and trial.can_be_checked:
                ran += 1
                outcome = trial.checked(number)
                spent += outcome.cpu
                if outcome.how:
                    return trial.name, "memcheck", ran, time.monotonic() - begin
        return None, None if trials else "no test comes to it", ran, time.monotonic() - begin

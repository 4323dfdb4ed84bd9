# SPDX-License-Identifier: MIT
"""Threads, processes, memory, and interpreter shutdown."""
import multiprocessing
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import tandem
from conftest import ROBOTS, load


def memory():
    """Returns the resident memory of this process in bytes."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_threads_do_not_disturb_each_other(hand):
    rng = np.random.default_rng(0)
    y = rng.normal(size=(8, 50, hand.nyd))
    expected = [[hand.forward_dynamics(row, row, row) for row in block] for block in y]
    wrong = []

    def work(k):
        for _ in range(20):
            for row, there in zip(y[k], expected[k]):
                if not np.array_equal(hand.forward_dynamics(row, row, row), there):
                    wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_other_threads_run_during_a_call(arm):
    """A thread counts while another one is in a long call."""
    y = np.zeros((400000, 7))
    out = np.empty_like(y)
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.0005)

    arm.forward_dynamics(y[:10], y[:10], out=out[:10])
    thread = threading.Thread(target=count)
    thread.start()
    time.sleep(0.01)
    before = counted[0]
    arm.forward_dynamics(y, y, out=out)
    during = counted[0] - before
    done.set()
    thread.join()
    assert during > 5


def in_another_process(robot):
    return robot.gravity_force(np.ones(robot.ny))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_robots_go_to_other_processes(arm, method):
    arm.gravity_force(np.zeros(7))
    with multiprocessing.get_context(method).Pool(2) as pool:
        for tau in pool.map(in_another_process, [arm] * 4):
            np.testing.assert_array_equal(tau, arm.gravity_force(np.ones(7)))


def test_workspaces_end_with_their_threads(arm):
    def use():
        robot = arm.with_gravity((0, 0, -1))
        robot.inverse_dynamics(np.zeros(7))
        arm.inverse_dynamics(np.zeros(7))

    def many(n):
        for _ in range(n):
            thread = threading.Thread(target=use)
            thread.start()
            thread.join()

    many(200)
    before = memory()
    many(500)
    assert memory() - before < 8 << 20  # a workspace needs about 80 kB


def test_loading_does_not_leak():
    text = (ROBOTS / "four_bar.urdf").read_bytes()

    def many(n):
        for _ in range(n):
            robot = tandem.load(text)
            robot.gravity_force(np.zeros(1))

    rounds = int(os.environ.get("TANDEM_LOADS", "10000"))
    many(max(rounds // 5, 100))
    before = memory()
    many(rounds)
    assert memory() - before < 8 << 20


def test_errors_do_not_leak():
    arm = load("arm7")
    bad = np.full(7, np.nan)

    def many(n):
        for _ in range(n):
            for call in (lambda: arm.inverse_dynamics(bad), lambda: arm.inverse_dynamics(bad[:3]),
                         lambda: arm.gravity_force(bad, out=bad), lambda: tandem.load("<robot/>")):
                with pytest.raises((tandem.Error, ValueError)):
                    call()

    many(500)
    before = memory()
    many(2000)
    assert memory() - before < 4 << 20


def test_calls_do_not_leak(arm):
    y, out = np.zeros(7), np.empty(7)
    wide = np.zeros((3, 14))[:, ::2]
    forces = tandem.Forces(passive=True)

    def many(n):
        for _ in range(n):
            arm.inverse_dynamics(y, y, y, out=out)
            arm.inverse_dynamics(y, y, y, forces)
        for _ in range(n // 50):
            arm.inverse_dynamics(wide)
            arm.tree_state(y)

    calls = int(os.environ.get("TANDEM_CALLS", "1000000"))
    many(20000)
    before = memory()
    many(calls // 2)
    assert memory() - before < 2 << 20


def test_references_are_given_back(arm):
    y, out = np.zeros((3, 7)), np.empty((3, 7))
    objects = (y, out, None, arm._local.__dict__.get("handle", arm._handle()))
    before = [sys.getrefcount(o) for o in objects]
    for _ in range(1000):
        arm.gravity_force(y, out=out)
        with pytest.raises(ValueError):
            arm.gravity_force(y, out=y)
        arm.gravity_force(y[:, ::1].T.copy().T)
    after = [sys.getrefcount(o) for o in objects]
    assert all(abs(a - b) < 50 for a, b in zip(after, before))


PROGRAM = """
import sys, threading, time
import numpy as np, tandem
robot = tandem.load(sys.argv[1]).with_threads(2)
kept = [robot, robot.with_payload(1, 1.0), threading.local()]
kept[2].robot = robot
y = np.zeros((20000, robot.ny))
def work():
    while True:
        robot.gravity_force(y)
threading.Thread(target=work, daemon=True).start()
class Last:
    def __del__(self):
        assert robot.gravity_force(y[0]).shape == (robot.nyd,)
last = Last()
time.sleep(0.2)
print("done")
"""


def test_the_interpreter_ends_in_peace():
    done = subprocess.run([sys.executable, "-X", "dev", "-c", PROGRAM, str(ROBOTS / "arm7.urdf")], capture_output=True, text=True,
                          timeout=60, env=os.environ, check=False)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    assert "Fatal" not in done.stderr and "Traceback" not in done.stderr, done.stderr

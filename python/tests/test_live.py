# SPDX-License-Identifier: MIT
"""robot.viewer() and live pages of notebooks, seen from their clients. view/test/live.mjs tests the pages themselves."""
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
import types

import numpy as np
import pytest

import tandem
from conftest import ROOT, load
from tandem import _native

pytestmark = pytest.mark.skipif(not _native.lib.view_page_size(),
                                reason="this build has no page")


def reply(y, n=0, held=False, begin=False, text=""):
    return {"tandem": 1, "begin": begin, "n": n, "y": np.asarray(y, dtype=float).tolist(), "held": held, "text": text}


@pytest.fixture
def viewer():
    with load("arm7").viewer(open=False) as made:
        yield made


def token(viewer):
    return viewer.url.split("/")[3]


def ask(viewer, method, path, body=None, **headers):
    """Returns status, headers and body. path: after the token."""
    connection = http.client.HTTPConnection("127.0.0.1", viewer.port, timeout=20)
    connection.request(method, path if path.startswith("/") else f"/{token(viewer)}/{path}", body, headers)
    answer = connection.getresponse()
    result = answer.status, dict(answer.getheaders()), answer.read()
    connection.close()
    return result


class Events:
    """The event stream of a page."""

    def __init__(self, viewer, page="1"):
        self.connection = http.client.HTTPConnection("127.0.0.1", viewer.port, timeout=20)
        self.connection.request("GET", f"/{token(viewer)}/events?{page}")
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200 and self.answer.headers["Content-Type"].startswith("text/event-stream")

    def __iter__(self):
        """Yields messages until the event end, or until the stream ends."""
        for line in self.answer:
            if line.startswith(b"event: end"):
                return
            if line.startswith(b"data: "):
                yield json.loads(line[6:])

    def close(self):
        self.answer.close()
        self.connection.close()


# ---- the server

def test_pages_have_the_robot_and_no_rights(viewer):
    status, headers, body = ask(viewer, "GET", "")
    assert status == 200 and b'sandbox="allow-scripts allow-downloads"' in body
    nonce = re.search(rb'<script nonce="([^"]+)"', body)[1].decode()
    assert f"script-src 'nonce-{nonce}'" in headers["Content-Security-Policy"] and "unsafe" not in headers["Content-Security-Policy"]
    assert headers["Cache-Control"] == "no-store" and headers["Referrer-Policy"] == "no-referrer"
    status, headers, body = ask(viewer, "GET", "page")
    assert status == 200 and b"tandem-data" in body and b"joint_7" in body
    assert headers["Content-Security-Policy"].startswith("sandbox allow-scripts allow-downloads;")


def test_names_are_text_in_the_page_around():
    robot = tandem.load("<robot name='&lt;/title>&lt;script>x&lt;/script>'><link name='a'/></robot>")
    with robot.viewer(open=False) as viewer:
        body = ask(viewer, "GET", "")[2]
        assert b"<script>x" not in body and b"&lt;script&gt;x" in body


@pytest.mark.parametrize("path", ["/", "/x/", "/x/state", "//state", "other", "state/", "../", "page/x"])
def test_without_the_token_there_is_nothing(viewer, path):
    for method in ("GET", "POST"):
        status, _, body = ask(viewer, method, path, body=b"{}" if method == "POST" else None)
        assert (status, body) == (404, b"")
    assert ask(viewer, "GET", f"/{token(viewer)[:-1]}/")[0] == 404 and ask(viewer, "GET", f"/{token(viewer)}x/")[0] == 404


def test_other_hosts_and_origins_are_refused(viewer):
    for host in ("evil.example", f"evil.example:{viewer.port}", "127.0.0.1", "localhost:1", ""):
        assert ask(viewer, "GET", "", Host=host)[0] == 403, host
    for origin in ("null", "http://evil.example", f"https://127.0.0.1:{viewer.port}", "http://127.0.0.1", f"http://127.0.0.1:{viewer.port}.evil.example"):
        assert ask(viewer, "POST", "state", json.dumps(reply(viewer.y)), Origin=origin)[0] == 403, origin
    good = {"Host": f"localhost:{viewer.port}", "Origin": f"http://localhost:{viewer.port}"}
    assert ask(viewer, "POST", "state", json.dumps(reply(viewer.y)), **good)[0] == 204


def test_other_methods_are_refused(viewer):
    for method, path, allowed in (("POST", "", "GET"), ("HEAD", "page", "GET"), ("GET", "state", "POST"), ("PUT", "state", "POST"),
                                  ("OPTIONS", "events", "GET"), ("STRANGE", "", "GET")):
        status, headers, _ = ask(viewer, method, path)
        assert status == 405 and headers["Allow"] == allowed


def test_what_is_no_message_changes_nothing(viewer):
    before = viewer.y
    wrong = [b"", b"{", b"[]", b"1", b"\xff", b"[" * 5000, *(json.dumps({**reply(before + 1), **change}).encode() for change in (
        {"tandem": 2}, {"n": -1}, {"n": 1.5}, {"n": True}, {"y": list(before[1:])}, {"y": None}, {"y": ["1"] * 7}, {"y": [True] * 7},
        {"y": [float("nan")] * 7}, {"y": [1e400] * 7}, {"y": [10**400] * 7}, {"held": 1}, {"begin": None}, {"text": 3}, {"text": "x" * 2000}))]
    for body in wrong:
        assert ask(viewer, "POST", "state", body)[0] == 400, body
    assert ask(viewer, "POST", "state", b" " * 20000)[0] == 413
    assert (viewer.y == before).all() and not viewer.held and not viewer.wait(0)


def test_y_goes_to_pages_and_comes_from_them(viewer):
    events = Events(viewer)
    stream = iter(events)
    assert ask(viewer, "POST", "state?1", json.dumps(reply(viewer.y, begin=True)))[0] == 204 and viewer.wait(5)
    viewer.y = np.arange(7) / 10
    first = next(stream)
    assert first["tandem"] == 1 and first["y"] == list(np.arange(7) / 10)
    # a page that has shown y, and a user who holds the robot
    for held in (True, False):
        moved = np.arange(7) / (10 + held)
        assert ask(viewer, "POST", "state?1", json.dumps(reply(moved, first["n"], held)))[0] == 204
        assert (viewer.y == moved).all() and viewer.held == held
    # values set but not yet shown have priority over motions of the page, but not over a user who holds the robot
    viewer.y = np.ones(7)
    ask(viewer, "POST", "state?1", json.dumps(reply(np.zeros(7), first["n"])))
    assert (viewer.y == 1).all()
    ask(viewer, "POST", "state?1", json.dumps(reply(np.zeros(7), first["n"], True)))
    assert (viewer.y == 0).all()
    ask(viewer, "POST", "state?1", json.dumps(reply(np.full(7, 0.1), first["n"])))
    assert (viewer.y == 0.1).all() and not viewer.held
    events.close()


def test_a_second_page_comes_to_where_the_robot_is(viewer):
    ask(viewer, "POST", "state?1", json.dumps(reply(np.full(7, 0.3), held=True)))
    second = Events(viewer, "2")
    assert next(iter(second))["y"] == [0.3] * 7
    ask(viewer, "POST", "state?2", json.dumps(reply(np.zeros(7), begin=True)))
    assert (viewer.y == 0.3).all()
    second.close()


def test_a_page_that_is_closed_holds_nothing(viewer):
    events = Events(viewer)
    ask(viewer, "POST", "state?1", json.dumps(reply(np.full(7, 0.3), held=True)))
    viewer.y = np.ones(7)
    assert viewer.held and (viewer.y == 0.3).all()
    ask(viewer, "POST", "state?2", json.dumps(reply(np.full(7, 0.3), n=1)))  # another page does not hold the robot
    assert viewer.held
    events.close()
    viewer._server.finish()
    assert not viewer.held
    viewer.y = np.ones(7)
    assert (viewer.y == 1).all()


def test_a_hold_expires_unless_the_page_repeats_it(viewer, monkeypatch):
    monkeypatch.setattr("tandem._live.HOLD", 0.4)
    for _ in range(4):
        viewer._receive(reply(np.full(7, 0.3), held=True), "1")
        time.sleep(0.2)
        assert viewer.held
    time.sleep(0.3)
    assert not viewer.held
    viewer.y = np.ones(7)
    assert (viewer.y == 1).all()


def test_a_page_that_plays_leaves_the_robot_to_the_hand_in_another(viewer):
    viewer._receive(reply(np.full(7, 0.3), held=True), "1")
    viewer._receive(reply(np.full(7, 0.5)), "2")
    assert (viewer.y == 0.3).all()
    viewer._receive(reply(np.full(7, 0.4)), "1")
    viewer._receive(reply(np.full(7, 0.5)), "2")
    assert (viewer.y == 0.5).all()


def test_wait_ends_with_the_viewer():
    viewer = load("arm7").viewer(open=False)
    threading.Timer(0.2, viewer.close).start()
    waiting = threading.Thread(target=viewer.wait, daemon=True)
    waiting.start()
    waiting.join(10)
    assert not waiting.is_alive() and not viewer.wait()


def test_a_second_page_does_not_end_that_the_first_was_stopped(viewer):
    viewer.y = np.ones(7)
    viewer._receive(reply(np.full(7, 0.5), 1, text="a loop does not close"), "1")
    version = viewer._message()[0]
    viewer._receive(reply(np.full(7, 0.5), version), "2")  # has reached the position of the first page
    assert viewer.stopped == "a loop does not close" and viewer._message()[0] == version
    viewer._receive(reply(np.full(7, 0.4), version), "2")
    assert viewer.stopped == ""


def test_what_stops_the_robot_is_known(viewer):
    viewer.y = np.ones(7)
    ask(viewer, "POST", "state?1", json.dumps(reply(np.full(7, 0.5), 1, text="a loop does not close")))
    assert viewer.stopped == "a loop does not close" and (viewer.y == 0.5).all()
    viewer.y = np.zeros(7)
    assert viewer.stopped == ""


def test_the_newest_y_arrives_and_no_queue_is_kept(viewer):
    """Of 20 000 positions, a page gets about 60 per second, including the last. A client that reads nothing blocks nobody."""
    slow = Events(viewer, "slow")
    quick, got = Events(viewer, "quick"), []
    reader = threading.Thread(target=lambda: got.extend(m["y"][0] for m in quick))
    reader.start()
    begin = time.monotonic()
    for i in range(20000):
        viewer.y = np.full(7, i + 1.0)
    seconds = time.monotonic() - begin
    while (not got or got[-1] != 20000) and time.monotonic() < begin + 30:
        time.sleep(0.01)
    assert got[-1] == 20000 and got == sorted(got) and len(got) < 60 * (seconds + 5)
    assert viewer.pages == 2
    slow.close()
    viewer.close()
    reader.join(10)
    assert not reader.is_alive()


def test_clients_that_stop_halfway_end_with_the_viewer(viewer):
    left = []
    for text in (b"", b"GET /", f"POST /{token(viewer)}/state HTTP/1.1\r\nHost: 127.0.0.1:{viewer.port}\r\nContent-Length: 100\r\n\r\n{{".encode()):
        left.append(socket.create_connection(("127.0.0.1", viewer.port)))
        left[-1].sendall(text)
    assert ask(viewer, "GET", "")[0] == 200
    begin = time.monotonic()
    viewer.close()
    viewer.close()
    assert time.monotonic() - begin < 10 and viewer.closed and not viewer._server.connections
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", viewer.port), timeout=5)
    for connection in left:
        connection.close()


def test_too_many_connections_are_closed(viewer):
    many = [socket.create_connection(("127.0.0.1", viewer.port)) for _ in range(100)]
    end = time.monotonic() + 20
    while len(viewer._server.connections) < 64 and time.monotonic() < end:
        time.sleep(0.01)
    many[-1].settimeout(20)
    assert len(viewer._server.connections) == 64 and many[-1].recv(1) == b""
    for connection in many:
        connection.close()


def test_slow_strangers_do_not_keep_pages_out(viewer, monkeypatch):
    monkeypatch.setattr("tandem._server.DEADLINE", 1.0)
    events = Events(viewer)
    slow = [socket.create_connection(("127.0.0.1", viewer.port)) for _ in range(63)]
    end = time.monotonic() + 15
    while slow and time.monotonic() < end:  # sends one byte at a time
        for connection in list(slow):
            try:
                connection.sendall(b"G")
            except OSError:
                slow.remove(connection)
        time.sleep(0.1)
    assert not slow and ask(viewer, "GET", "")[0] == 200
    viewer.y = np.ones(7)
    assert next(iter(events))["y"] == [1] * 7  # a client with the token stays connected
    events.close()


def test_close_tells_pages():
    viewer = load("arm7").viewer(open=False)
    events = Events(viewer)
    threading.Timer(0.2, viewer.close).start()
    rest = events.answer.read()
    assert rest.endswith(b"event: end\ndata:\n\n")
    assert "closed" in repr(viewer)
    viewer.y = np.ones(7)  # no page is open


def test_ports(viewer):
    with pytest.raises(OSError):
        load("arm7").viewer(open=False, port=viewer.port)


def test_the_port_of_http_is_left_out_by_browsers():
    try:
        viewer = load("arm7").viewer(open=False, port=80)
    except OSError:
        pytest.skip("port 80 is not to be had")
    with viewer:
        assert ask(viewer, "GET", "", Host="127.0.0.1")[0] == 200 and ask(viewer, "GET", "", Host="127.0.0.1:80")[0] == 200
        assert ask(viewer, "POST", "state", json.dumps(reply(viewer.y)), Host="localhost", Origin="http://localhost")[0] == 204
        assert ask(viewer, "GET", "", Host="evil.example")[0] == 403


def test_the_browser_gets_a_file_that_others_cannot_read(monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or True)
    with load("arm7").viewer() as viewer:
        path = opened[0].removeprefix("file://")
        assert token(viewer) not in path and viewer.url in open(path, encoding="utf-8").read()
        assert os.stat(path).st_mode & 0o77 == 0
    assert not os.path.exists(path)


def test_y_is_checked(viewer):
    for wrong in (np.ones(6), np.ones((1, 7)), 3.0):
        with pytest.raises(ValueError, match="ny=7"):
            viewer.y = wrong
    with pytest.raises(ValueError, match="finite"):
        viewer.y = np.full(7, np.nan)
    viewer.y[:] = 5  # a copy
    assert (viewer.y == 0).all()
    value = np.ones(7)
    viewer.y = value
    value[:] = 2
    assert (viewer.y == 1).all()


def test_a_page_begins_at_the_start_of_the_robot():
    robot = load("four_bar")
    q = robot.closure(robot.reference + 0.2).q
    with robot.with_start(q).viewer(open=False) as viewer:
        np.testing.assert_allclose(viewer.y, robot.reference + 0.2, atol=1e-12)


def test_memory_does_not_grow(viewer):
    """Over a long motion, without and with a page."""
    resource = pytest.importorskip("resource")
    events = Events(viewer)
    reader = threading.Thread(target=lambda: [None for _ in events], daemon=True)
    reader.start()
    y = np.zeros(7)

    def move(count):
        for i in range(count):
            y[0] = i
            viewer.y = y
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    before = move(20000)
    assert move(100000) - before < 2000  # kB


def test_the_example_runs():
    done = subprocess.run([sys.executable, str(ROOT / "examples" / "live.py"), "--seconds", "0.2", "--no-open"], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert float(re.search(r"at the end (\S+) from", done.stdout)[1]) < 1e-9


# ---- notebooks

class Comm:
    def __init__(self, target_name, comm_id, primary):
        assert not primary
        self.target_name, self.comm_id, self.sent, self.hear = target_name, comm_id, [], None

    def on_msg(self, hear):
        self.hear = hear

    def send(self, data):
        json.dumps(data, allow_nan=False)
        self.sent.append(data)

    def say(self, data):
        self.hear({"content": {"comm_id": self.comm_id, "data": data}})


class Manager:
    def __init__(self):
        self.comms = {}

    def register_comm(self, comm):
        self.comms[comm.comm_id] = comm

    def unregister_comm(self, comm):
        self.comms.pop(comm.comm_id)


@pytest.fixture
def kernel(monkeypatch):
    """Simulates the kernel of a notebook. Returns its comms."""
    manager = Manager()
    comm = types.SimpleNamespace(create_comm=lambda **options: Comm(**options), get_comm_manager=lambda: manager)
    shell = types.SimpleNamespace(kernel=types.SimpleNamespace(config={"IPKernelApp": {"connection_file": "/run/kernel-12-ab.json"}}))
    monkeypatch.setitem(sys.modules, "comm", comm)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setattr("tandem._notebook._shown", set())
    return manager


def settled(comm, seconds=10):
    """Returns what was sent, once nothing more arrives."""
    end, count = time.monotonic() + seconds, -1
    while count != len(comm.sent) and time.monotonic() < end:
        count = len(comm.sent)
        time.sleep(0.1)
    return comm.sent


def test_a_notebook_has_the_template_once(kernel):
    pages = [load("arm7").show(), load("gripper").show(), load("arm7").show()]
    cells = [page._repr_html_() for page in pages]
    assert [len(cell) > 500_000 for cell in cells] == [True, False, False]
    assert "joint_7" in cells[0] and "driver_joint" in cells[1] and "joint_7" not in cells[2]
    assert all(cell.startswith('<iframe id="tandem-') and "</script" not in cell[:-9] for cell in cells)
    ids = [json.loads(re.search(r"\n}\s*\)\((\{.*?\}), \{", cell)[1]) for cell in cells]
    assert ids[0]["template"] == ids[1]["template"] and ids[0]["data"] == ids[2]["data"] != ids[1]["data"]
    assert len({i["comm"] for i in ids}) == 3 and {i["kernel"] for i in ids} == {"12-ab"}
    # a reloaded window requests the data
    comm = kernel.comms[ids[1]["comm"]]
    comm.say({"need": [ids[1]["template"], ids[1]["data"], "other", 3]})
    assert [m["piece"] for m in comm.sent] == [ids[1]["template"], ids[1]["data"]] and "driver_joint" in comm.sent[1]["text"]


def test_a_notebook_moves_the_page_and_reads_it(kernel):
    page = load("arm7").show()
    page.y = np.full(7, 0.1)  # before the page is shown
    page._repr_html_()
    (comm,) = kernel.comms.values()
    comm.say(reply(np.zeros(7), begin=True))
    assert settled(comm)[-1]["y"] == [0.1] * 7 and (page.y == 0.1).all()
    begin = time.monotonic()
    for i in range(3000):
        page.y = np.full(7, i / 1000)
    seconds = time.monotonic() - begin
    assert settled(comm)[-1]["y"] == [2.999] * 7
    assert len(comm.sent) < 10 + 60 * (seconds + 1)
    comm.say(reply(np.full(7, 0.5), comm.sent[-1]["n"], True))
    assert (page.y == 0.5).all() and page.held
    comm.say({"strange": 1})
    comm.say([1])
    assert (page.y == 0.5).all()
    del page
    assert not kernel.comms


def test_outside_of_notebooks_a_page_is_whole(monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: None))
    page = load("arm7").show()
    page.y = np.ones(7)
    assert page._repr_html_().startswith('<iframe sandbox="allow-scripts allow-downloads" style=')

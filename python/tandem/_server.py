# SPDX-License-Identifier: MIT
"""Serves the page of a robot to the browsers of this machine.

http://127.0.0.1:PORT/TOKEN/ has a frame with the page and forwards messages (view/src/live.ts). Messages from Python are
server-sent events, messages from the page are POST requests. Clients without the token get nothing. The same holds for clients
that use another name for this machine, as a page from another site might. A slow client gets the newest state; there is no
queue.
"""
from __future__ import annotations

import hmac
import html
import http.server
import importlib.resources
import json
import os
import pathlib
import secrets
import socket
import tempfile
import threading
import time
import types
import weakref
import webbrowser
from typing import Any, Dict, Optional, Set, Tuple, Type

from ._arrays import Array
from ._live import Live

LEAST = 1 / 60  # s between messages
BEAT = 1.0  # s between keep-alive messages to a client
DEADLINE = 5.0  # s for a client to show that it knows the token
PATIENCE = 20.0  # s for a client to send a request, or to read part of an answer
MOST = 64  # connections
TYPES = {"": "text/html; charset=utf-8", "page": "text/html; charset=utf-8", "events": "text/event-stream; charset=utf-8"}
METHODS = {"": "GET", "page": "GET", "events": "GET", "state": "POST"}


class Viewer(Live):
    """The page of a robot in browsers of this machine: viewer.y = y moves the robot there, and viewer.y returns its position
    after sliders and mouse. Returned by Robot.viewer; close() or the end of a with statement ends it."""

    def __init__(self, page: str, name: str, y: Array, port: int) -> None:
        super().__init__(y)
        self._token = secrets.token_urlsafe(32)
        self._nonce = secrets.token_urlsafe(16)
        outer = importlib.resources.files(__package__).joinpath("_server.html").read_text(encoding="utf-8")
        self._pages = {"page": page.encode("utf-8", "replace"), "": outer.replace("NONCE", self._nonce).replace(
            "NAME", html.escape(name)).encode("utf-8", "replace")}
        self._opened: Optional[str] = None
        self._clients = 0
        self._closed: bool = False
        self._server = _Server(("127.0.0.1", port), self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), name="tandem.Viewer", daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """The port on 127.0.0.1."""
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """The address for a browser of this machine. Everybody who knows it can move the robot."""
        return f"http://127.0.0.1:{self.port}/{self._token}/"

    @property
    def pages(self) -> int:
        """Number of open pages."""
        return self._clients

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._closed

    def open(self) -> bool:
        """Opens the page in the browser and returns whether there is one. It uses a file in the folder for temporary files.
        Sandboxed browsers, such as snap packages, cannot read it; open .url there."""
        if self._opened is None:
            # passed in a file that only the user can read, because all users can see the arguments of the browser
            handle, self._opened = tempfile.mkstemp(prefix="tandem-", suffix=".html")
            self._remove = weakref.finalize(self, pathlib.Path(self._opened).unlink, missing_ok=True)  # at the end of Python, too
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(f'<!DOCTYPE html><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
                           f'<meta http-equiv="refresh" content="0; url={self.url}"><a href="{self.url}">{self.url}</a>')
        return webbrowser.open(pathlib.Path(self._opened).as_uri())

    def close(self) -> None:
        """Stops the server. Open pages report this and stop moving."""
        with self._condition:
            if self._closed:
                return
            self._closed = True
            self._condition.notify_all()
        self._server.shutdown()
        self._thread.join()
        self._server.finish()
        if self._opened:
            self._remove()

    def __enter__(self) -> "Viewer":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[types.TracebackType]) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<tandem.Viewer {'closed' if self._closed else self.url}>"


class _Server(http.server.ThreadingHTTPServer):
    request_queue_size = MOST
    daemon_threads = True
    block_on_close = False  # finish waits for the threads, once their clients have heard of the end

    def __init__(self, address: Tuple[str, int], viewer: Viewer) -> None:
        self.viewer = viewer
        self.connections: Dict[socket.socket, threading.Thread] = {}
        self.unknown: Dict[socket.socket, float] = {}  # connections that have not shown the token, and their deadlines
        self.lock = threading.Lock()
        super().__init__(address, _Handler)
        port = self.server_address[1]
        # browsers omit the default port of HTTP
        self.hosts = {name + end for name in ("127.0.0.1", "localhost") for end in ([f":{port}", ""] if port == 80 else [f":{port}"])}
        self.origins: Set[Optional[str]] = {None, *(f"http://{host}" for host in self.hosts)}

    def process_request(self, request: Any, client_address: Any) -> None:
        with self.lock:
            many = len(self.connections) >= MOST
            if not many:
                thread = threading.Thread(target=self.process_request_thread, args=(request, client_address), daemon=True)
                self.connections[request] = thread
                self.unknown[request] = time.monotonic() + DEADLINE
        if many:
            self.shutdown_request(request)
        else:
            thread.start()

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        with self.lock:
            self.connections.pop(request, None)
            self.unknown.pop(request, None)

    def know(self, request: Any) -> None:
        """Records that this connection has shown the token."""
        with self.lock:
            self.unknown.pop(request, None)

    def service_actions(self) -> None:
        """Closes connections after their deadline, ten times per second. Many slow connections could otherwise block pages."""
        now = time.monotonic()
        with self.lock:
            over = [request for request, until in self.unknown.items() if until < now]
            for request in over:
                del self.unknown[request]
        for request in over:
            try:
                request.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it is closed already

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignores errors, since clients may disconnect at any time."""

    def finish(self) -> None:
        """Closes all connections; with open pages, waits up to a second for them to end."""
        with self.lock:
            left = list(self.connections.items())
        end = time.monotonic() + 1.0
        for request, thread in left:
            thread.join(max(0.0, end - time.monotonic()) if self.viewer.pages else 0.0)
            try:
                request.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it is closed already
        for _, thread in left:
            thread.join(PATIENCE)
        self.server_close()


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "tandem", ""
    timeout = PATIENCE
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Prints nothing, to keep the program's output clean."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):
            return self.answer
        raise AttributeError(name)

    def answer(self) -> None:
        viewer = self.server.viewer
        if self.headers.get("Host") not in self.server.hosts or self.headers.get("Origin") not in self.server.origins:
            self.refuse(403)
            return
        path = self.path.partition("?")[0].split("/")
        known = len(path) == 3 and hmac.compare_digest(path[1].encode("utf-8", "replace"), viewer._token.encode())
        if known:
            self.server.know(self.connection)
        if not known or path[2] not in METHODS:
            self.refuse(404)
        elif self.command != METHODS[path[2]]:
            self.refuse(405, Allow=METHODS[path[2]])
        elif path[2] == "state":
            self.state()
        elif path[2] == "events":
            self.events()
        else:
            self.begin(200, path[2], len(viewer._pages[path[2]]))
            self.wfile.write(viewer._pages[path[2]])

    def refuse(self, code: int, **headers: str) -> None:
        self.close_connection = True  # ignores the rest of its data
        self.send_response(code)
        for name, value in {"Content-Length": "0", "Connection": "close", **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def begin(self, code: int, what: str, length: Optional[int]) -> None:
        nonce = f"'nonce-{self.server.viewer._nonce}'"
        policies = {"": f"default-src 'none'; script-src {nonce}; style-src {nonce}; img-src data:; frame-src 'self'; "
                        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
                    # the page has a separate policy; it is a frame without the origin of this server
                    "page": "sandbox allow-scripts allow-downloads; frame-ancestors 'self'"}
        self.send_response(code)
        headers = {"Content-Type": TYPES.get(what), "Content-Length": length, "Cache-Control": "no-store",
                   "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
                   "Cross-Origin-Resource-Policy": "same-origin", "Content-Security-Policy": policies.get(what)}
        for name, value in headers.items():
            if value is not None:
                self.send_header(name, str(value))
        self.end_headers()

    # ---- messages

    def state(self) -> None:
        viewer = self.server.viewer
        try:
            size = int(self.headers.get("Content-Length", ""))
        except ValueError:
            self.refuse(411)
            return
        if not 0 <= size <= 10000 + 30 * len(viewer._y):
            self.refuse(413)
            return
        try:
            viewer._receive(json.loads(self.rfile.read(size)), self.path.partition("?")[2])
        except (ValueError, RecursionError):
            self.refuse(400)
            return
        self.begin(204, "state", None)

    def events(self) -> None:
        """Sends the newest y when it changes, at most 60 times per second, until either side ends."""
        viewer, page = self.server.viewer, self.path.partition("?")[2]
        self.close_connection = True
        self.begin(200, "events", None)
        with viewer._condition:
            viewer._clients += 1
            sent = 0  # a new page shows the initial position of the robot
        try:
            while not viewer._closed:
                with viewer._condition:
                    viewer._condition.wait_for(lambda: viewer._closed or viewer._version != sent, BEAT)
                version, message = viewer._message()
                if version == sent:
                    self.wfile.write(b":\n\n")
                elif viewer._source != page:
                    self.wfile.write(b"data: " + json.dumps(message).encode() + b"\n\n")
                sent = version
                time.sleep(LEAST)
            self.wfile.write(b"event: end\ndata:\n\n")
        finally:
            with viewer._condition:
                viewer._clients -= 1
                viewer._holders.pop(page, None)

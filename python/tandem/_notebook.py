# SPDX-License-Identifier: MIT
"""Pages in a notebook: the output of a cell, and messages between its frame and the kernel.

The frame and the notebook's window communicate by postMessage (view/src/live.ts). The window and the kernel communicate by
comm_msg of Jupyter's protocol, over a socket that _notebook.js opens to the notebook's server. Both sides know the comm from
the output of the cell. So no comm has to be opened, which would wait until the kernel is idle.

The browser makes a page from its template and the data of a robot. The first cell that needs one of these contains it, and
later cells refer to it. A window that lacks it after a reload requests it from the kernel.
"""
from __future__ import annotations

import hashlib
import html
import importlib
import importlib.resources
import json
import re
import threading
import time
import uuid
import weakref
from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional, Set, Tuple

if TYPE_CHECKING:
    from ._live import Live

LEAST = 1 / 60  # s between messages

_shown: Set[str] = set()  # templates and data that this kernel has put into cells


def channel(page: "Live") -> "Optional[Channel]":
    """Returns the connection of a page to the notebook, if this process is a notebook's kernel."""
    try:
        kernel = importlib.import_module("IPython").get_ipython().kernel
        found = re.search(r"kernel-([-\w]+)\.json$", str(kernel.config["IPKernelApp"]["connection_file"]))
        try:
            comm = importlib.import_module("comm")
            create, manager = comm.create_comm, comm.get_comm_manager()
        except ImportError:  # ipykernel before 6.18
            create, manager = importlib.import_module("ipykernel.comm").Comm, kernel.comm_manager
    except (ImportError, AttributeError, KeyError, TypeError):
        return None
    return Channel(page, create, manager, found[1]) if found else None


class Channel:
    """The comm of a page. Sends at most 60 messages per second, and always the last one."""

    def __init__(self, page: "Live", create: Any, manager: Any, kernel: str) -> None:
        self._page = weakref.ref(page)
        self._kernel = kernel
        self._pieces: Dict[str, str] = {}
        self._lock = threading.Lock()
        self._next, self._waits, self._sent = 0.0, False, 0
        # primary=False: sends no comm_open, which windows that do not know its target would answer with comm_close
        self._comm = create(target_name="tandem", comm_id=uuid.uuid4().hex, primary=False)
        self._comm.on_msg(self._receive)
        manager.register_comm(self._comm)
        weakref.finalize(page, manager.unregister_comm, self._comm)

    def output(self, parts: Mapping[str, str], marks: Tuple[str, str, str], height: int, name: str) -> str:
        """Returns the output of a cell. parts: template and data."""
        keys = {part: hashlib.sha256(text.encode("utf-8", "replace")).hexdigest() for part, text in parts.items()}
        self._pieces = {keys[part]: text for part, text in parts.items()}
        new = {key: text for key, text in self._pieces.items() if key not in _shown}
        _shown.update(new)
        script = importlib.resources.files(__package__).joinpath("_notebook.js").read_text(encoding="utf-8")
        options = {"id": f"tandem-{uuid.uuid4().hex}", "comm": self._comm.comm_id, "kernel": self._kernel, **keys, "marks": marks}
        given = ", ".join(json.dumps(value).replace("<", "\\u003c") for value in (options, new))
        return (f'<iframe id="{options["id"]}" sandbox="allow-scripts allow-downloads" title="{html.escape(name)}" '
                f'style="width: 100%; height: {height}px; border: 0"></iframe>\n<script>({script})({given});</script>')

    def announce(self) -> None:
        """Sends y now, or when the minimum time between messages has passed."""
        with self._lock:
            if self._waits:
                return
            wait = self._next - time.monotonic()
            if wait > 0:
                self._waits = True
                timer = threading.Timer(wait, self._send)
                timer.daemon = True
                timer.start()
                return
        self._send()

    def _send(self) -> None:
        with self._lock:
            self._next, self._waits = time.monotonic() + LEAST, False
        page = self._page()
        if page is not None:
            self._comm.send(page._message()[1])

    def _receive(self, message: Any) -> None:
        data, page = message["content"]["data"], self._page()
        if isinstance(data, dict) and isinstance(data.get("need"), list):
            for key in data["need"]:
                if isinstance(key, str) and key in self._pieces:
                    self._comm.send({"piece": key, "text": self._pieces[key]})
        elif page is not None:
            try:
                page._receive(data, self)
            except ValueError:
                pass  # message from a page of another version

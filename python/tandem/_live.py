# SPDX-License-Identifier: MIT
"""The state shared by Python and the pages of a robot, over any transport. view/src/live.ts documents the messages."""
from __future__ import annotations

import math
import threading
import time
from typing import Any, Dict, Optional, Tuple

import numpy as np
import numpy.typing as npt

from ._arrays import Array, as_double

HOLD = 3.0  # s until a hold expires; a page renews it twice per second


class Live:
    """y as last set here or moved in a page. Only the last of several updates is kept. Any thread can use it."""

    def __init__(self, y: Array) -> None:
        self._y = y
        self._condition = threading.Condition()
        self._version = 0  # of y
        self._set = 0  # the last version set here; 0: none
        self._source: object = None  # the page that moved the robot to y, which needs no message about it
        self._holders: Dict[object, float] = {}  # pages in which a user holds the robot, and when each hold expires
        self._stopped, self._heard = "", False
        self._closed = False

    @property
    def y(self) -> Array:
        """(ny,) current positions (rad, m), as last set here or moved by sliders, mouse or a motion of a page. Setting it
        moves the robot in all pages. Pages show the newest value once per frame, unless a user holds the robot there."""
        with self._condition:
            return self._y.copy()

    @y.setter
    def y(self, value: npt.ArrayLike) -> None:
        array = np.array(as_double("y", "y", value))
        if array.shape != self._y.shape:
            raise ValueError(f"y has shape {array.shape}, expected (ny={len(self._y)},)")
        if not np.isfinite(array).all():
            raise ValueError("y is not finite")
        with self._condition:
            if self._is_held():
                return
            self._y, self._source, self._stopped = array, None, ""
            self._version += 1
            self._set = self._version
            self._condition.notify_all()
        self._announce()

    @property
    def held(self) -> bool:
        """True while a user holds the robot in a page with the mouse or a slider. y then follows the user, and values set
        here are dropped."""
        with self._condition:
            return self._is_held()

    @property
    def stopped(self) -> str:
        """The reason if the robot in the page could not move to y, such as a loop that does not close; else an empty text."""
        return self._stopped

    def wait(self, timeout: Optional[float] = None) -> bool:
        """Waits until a page shows the robot, the timeout (s) has passed, or the viewer is closed. Returns whether a page
        has shown it."""
        with self._condition:
            self._condition.wait_for(lambda: self._heard or self._closed, timeout)
            return self._heard

    def _is_held(self, but: object = None) -> bool:
        """Returns true if another page holds the robot. The hold of a page that disappeared expires after HOLD."""
        now = time.monotonic()
        return any(now < until for page, until in self._holders.items() if but is None or page != but)

    def _announce(self) -> None:
        """Called when y was set, or a page does not have it yet."""

    def _message(self) -> Tuple[int, Dict[str, Any]]:
        with self._condition:
            return self._version, {"tandem": 1, "n": self._version, "y": self._y.tolist()}

    def _receive(self, message: Any, source: object = None) -> None:
        """Processes a reply of a page. Raises ValueError if it is invalid."""
        n, y, held, text, begin = _reply(message, len(self._y))
        with self._condition:
            behind = self._version > 0 if begin else n < self._set
            # values set here but not yet shown have priority over the page's own position, and so has a user who holds the robot in
            # another page; a user who holds it in this page has priority over both
            dropped = not held and (behind or self._is_held(source))
            # a page that reached the position where another one was stopped does not clear the reason
            if not dropped and (text or not np.array_equal(y, self._y)):
                self._y, self._source = np.array(y, dtype=float), source
                self._version += 1
                self._stopped = text
            if not dropped:
                self._set = min(self._set, n)
            self._holders.pop(source, None)
            if held:
                self._holders[source] = time.monotonic() + HOLD
            self._heard = True
            self._condition.notify_all()
        if dropped or behind:
            self._announce()


def _reply(message: Any, ny: int) -> Tuple[int, Any, bool, str, bool]:
    if not isinstance(message, dict) or message.get("tandem") != 1:
        raise ValueError("no message of a page")
    n, y, held, text, begin = (message.get(name) for name in ("n", "y", "held", "text", "begin"))
    if type(n) is not int or n < 0 or type(held) is not bool or type(begin) is not bool or type(text) is not str or len(text) > 1000:
        raise ValueError("no message of a page")
    try:
        good = isinstance(y, list) and len(y) == ny and all(type(x) in (int, float) and math.isfinite(x) for x in y)
    except OverflowError:  # an integer too large for a double
        good = False
    if not good:
        raise ValueError("no message of a page of this robot")
    return n, y, held, text, begin

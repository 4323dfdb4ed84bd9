# SPDX-License-Identifier: MIT
"""The state shared by Python and pages of a robot, over any channel for messages (view/src/live.ts documents them)."""
from __future__ import annotations

import math
import threading
import time
from typing import Any, Dict, Optional, Tuple

import numpy as np
import numpy.typing as npt

from ._arrays import Array, as_double

HOLD = 3.0  # s that a drag stays valid after a message of the page, which sends two per second


class Live:
    """y as last set in Python or moved in a page. Only the newest value is kept. Any thread may use it."""

    def __init__(self, y: Array) -> None:
        self._y = y
        self._condition = threading.Condition()
        self._version = 0  # of y
        self._set = 0  # the version last set in Python; 0: none
        self._source: object = None  # the page that moved the robot to y; it needs no message about it
        self._holders: Dict[object, float] = {}  # pages in which a user is dragging the robot, and the end of this state
        self._stopped, self._heard = "", False
        self._closed = False

    @property
    def y(self) -> Array:
        """The position of the robot (ny,; rad, m): as last set, or as moved since by sliders, the mouse or a motion of a page.
        Setting it moves the robot in all pages. They show the newest value once per frame, unless a user is dragging the robot
        there."""
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
        """Whether a user is dragging the robot in a page, with the mouse or a slider. y follows the user, and values set in the
        meantime are dropped."""
        with self._condition:
            return self._is_held()

    @property
    def stopped(self) -> str:
        """The reason why the robot in the page is not at the position that was set, such as a loop that does not close there;
        otherwise an empty text."""
        return self._stopped

    def wait(self, timeout: Optional[float] = None) -> bool:
        """Waits until a page shows the robot, the time (s) is over, or the viewer is closed. Returns whether a page shows it."""
        with self._condition:
            self._condition.wait_for(lambda: self._heard or self._closed, timeout)
            return self._heard

    def _is_held(self, but: object = None) -> bool:
        """Tells whether another page than this one is dragging the robot. A page that disappeared without a message counts for
        HOLD at most."""
        now = time.monotonic()
        return any(now < until for page, until in self._holders.items() if but is None or page != but)

    def _announce(self) -> None:
        """Called when y was set, or when a page has not received it yet."""

    def _message(self) -> Tuple[int, Dict[str, Any]]:
        with self._condition:
            return self._version, {"tandem": 1, "n": self._version, "y": self._y.tolist()}

    def _receive(self, message: Any, source: object = None) -> None:
        """Handles a reply of a page; ValueError if it is invalid."""
        n, y, held, text, begin = _reply(message, len(self._y))
        with self._condition:
            behind = self._version > 0 if begin else n < self._set
            # what was set here and has not been shown yet counts more than where the page is, and so does the user's hand in
            # another page, but not more than the hand in this one
            dropped = not held and (behind or self._is_held(source))
            # a page that has come to where another was stopped tells nothing new, and does not end that it was
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
        raise ValueError("not a message from a page")
    n, y, held, text, begin = (message.get(name) for name in ("n", "y", "held", "text", "begin"))
    if type(n) is not int or n < 0 or type(held) is not bool or type(begin) is not bool or type(text) is not str or len(text) > 1000:
        raise ValueError("not a message from a page")
    try:
        good = isinstance(y, list) and len(y) == ny and all(type(x) in (int, float) and math.isfinite(x) for x in y)
    except OverflowError:  # an integer too large for a double
        good = False
    if not good:
        raise ValueError("not a message from a page of this robot")
    return n, y, held, text, begin

# SPDX-License-Identifier: MIT
"""The state that Python and pages of a robot share, over whatever carries messages (view/src/live.ts has what they are)."""
from __future__ import annotations

import math
import threading
import time
from typing import Any, Dict, Optional, Tuple

import numpy as np
import numpy.typing as npt

from ._arrays import Array, as_double

HOLD = 3.0  # s for which a page has hold of the robot after it has said so, which it does twice a second


class Live:
    """y as it was last set here, or moved in a page. Of all that was set only the last is kept. Any thread may use it."""

    def __init__(self, y: Array) -> None:
        self._y = y
        self._condition = threading.Condition()
        self._version = 0  # of y
        self._set = 0  # the version that was set here last; 0: none was
        self._source: object = None  # the page that has moved the robot to y, which needs no message of it
        self._holders: Dict[object, float] = {}  # pages in which a user has hold of the robot, and until when
        self._stopped, self._heard = "", False
        self._closed = False

    @property
    def y(self) -> Array:
        """(ny,) where the robot is: as it was last set, or as sliders, the mouse or a motion of a page have moved it since.
        Setting it moves the robot in all pages, which show the newest of what is set, once a frame, unless a user has hold of
        it there. (rad, m)"""
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
        """Whether a user has hold of the robot in a page, by the mouse or a slider: y is where, and what it is set to
        meanwhile is dropped."""
        with self._condition:
            return self._is_held()

    @property
    def stopped(self) -> str:
        """Why the robot in the page is not where it was set to, such as a loop that does not close there, else an empty text."""
        return self._stopped

    def wait(self, timeout: Optional[float] = None) -> bool:
        """Until a page shows the robot, or so many seconds have passed, or the viewer is closed; whether one has shown it."""
        with self._condition:
            self._condition.wait_for(lambda: self._heard or self._closed, timeout)
            return self._heard

    def _is_held(self, but: object = None) -> bool:
        """By another page than that. One that has gone without a word holds it no longer than HOLD."""
        now = time.monotonic()
        return any(now < until for page, until in self._holders.items() if but is None or page != but)

    def _announce(self) -> None:
        """y has been set, or a page has not had it yet."""

    def _message(self) -> Tuple[int, Dict[str, Any]]:
        with self._condition:
            return self._version, {"tandem": 1, "n": self._version, "y": self._y.tolist()}

    def _receive(self, message: Any, source: object = None) -> None:
        """A reply of a page; ValueError where it is none."""
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
        raise ValueError("no message of a page")
    n, y, held, text, begin = (message.get(name) for name in ("n", "y", "held", "text", "begin"))
    if type(n) is not int or n < 0 or type(held) is not bool or type(begin) is not bool or type(text) is not str or len(text) > 1000:
        raise ValueError("no message of a page")
    try:
        good = isinstance(y, list) and len(y) == ny and all(type(x) in (int, float) and math.isfinite(x) for x in y)
    except OverflowError:  # an integer beyond all doubles
        good = False
    if not good:
        raise ValueError("no message of a page of this robot")
    return n, y, held, text, begin

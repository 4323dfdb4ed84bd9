# SPDX-License-Identifier: MIT
"""Values with units, with the syntax of the command (tools/input/units.c and value.c): "90deg", "-pi/2", "5mm", "10deg/s"."""
from __future__ import annotations

import math
import re
from typing import Dict, List, Optional, Sequence, Tuple

FORCE = 3  # the order of units of forces, after the derivatives of motion
# by word, in the order of tools/input/units.c: size in s, rad, m and N, order of the derivative (-1: a time), and whether it is a rotation (None: either)
UNITS: Dict[str, Tuple[float, int, Optional[bool]]] = {
    "s": (1.0, -1, None), "ms": (1e-3, -1, None), "us": (1e-6, -1, None), "ns": (1e-9, -1, None),
    "rad": (1.0, 0, True), "mrad": (1e-3, 0, True), "deg": (math.pi / 180, 0, True), "°": (math.pi / 180, 0, True), "rev": (2 * math.pi, 0, True),
    "m": (1.0, 0, False), "cm": (1e-2, 0, False), "mm": (1e-3, 0, False), "in": (0.0254, 0, False),
    "rad/s": (1.0, 1, True), "deg/s": (math.pi / 180, 1, True), "°/s": (math.pi / 180, 1, True), "rpm": (math.pi / 30, 1, True),
    "m/s": (1.0, 1, False), "mm/s": (1e-3, 1, False)}
UNITS.update({unit + end: (UNITS[unit][0], 2, UNITS[unit][2]) for unit in ("rad", "deg", "m", "mm") for end in ("/s2", "/s²", "/s^2")})
UNITS.update({"N m": (1.0, FORCE, True), "Nm": (1.0, FORCE, True), "N·m": (1.0, FORCE, True), "N": (1.0, FORCE, False), "kN": (1e3, FORCE, False)})

_NUMBER = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_FACTOR = rf"(?:{_NUMBER}(?:pi)?|pi)"
_VALUE = re.compile(rf"([-+]?)({_FACTOR}(?:[*/]{_FACTOR})*) *(.*)", re.DOTALL)
_QUANTITIES = ("positions", "velocities", "accelerations")


def _factor(text: str) -> float:
    digits = text.removesuffix("pi")
    return (float(digits) if digits else 1.0) * (math.pi if text.endswith("pi") else 1.0)


def _known(turns: bool, orders: Sequence[int]) -> str:
    """Returns the units of a quantity for messages: "rad, mrad, deg or rev"."""
    words: List[str] = []
    sizes = set()
    for word, (size, order, of_turns) in UNITS.items():
        if order in orders and of_turns == turns and (size, order) not in sizes:
            words.append(word)
            sizes.add((size, order))
    return ", ".join(words[:-1]) + " or " + words[-1]


def quantity(text: str, name: str, domain: str, orders: Sequence[int]) -> float:
    """Converts a text to SI units and radians. domain: the unit of the coordinate, "rad", "m", or "" for a quaternion
    component. orders: allowed orders of derivatives. A ValueError names the coordinate."""
    found = _VALUE.fullmatch(text)
    word = found[3] if found else ""
    if found is None or (word and word not in UNITS):
        raise ValueError(f"{name!r}: {text!r} is not a value; expected a number, perhaps with pi and a unit, such as '0.3', 'pi/2' or "
                         + ("'90deg'" if domain != "m" else "'5mm'"))
    size, order, turns = UNITS.get(word, (1.0, orders[0], None))
    if word and (not domain or order not in orders or turns != (domain == "rad")):
        what = _QUANTITIES[orders[0]]
        if not domain:
            raise ValueError(f"{name!r} is part of a quaternion, which has no unit, not {word}")
        raise ValueError(f"{name!r} is {'an angle' if domain == 'rad' else 'a length'}: its {what} are in {_known(domain == 'rad', orders)}, "
                         f"not {word}")
    factors = re.split("([*/])", found[2])
    value = _factor(factors[0])
    try:
        for sign, factor in zip(factors[1::2], factors[2::2]):
            value = value * _factor(factor) if sign == "*" else value / _factor(factor)
    except ZeroDivisionError:
        value = math.inf
    value = (-value if found[1] == "-" else value) * size
    if not math.isfinite(value):
        raise ValueError(f"{name!r}: {text!r} is not finite")
    return value

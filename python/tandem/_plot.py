# SPDX-License-Identifier: MIT
"""Plots of motions with matplotlib, an optional dependency."""
from __future__ import annotations

import importlib
from typing import Any, Mapping, Sequence

LABELS = {"q": "position (rad, m)", "qd": "velocity (rad/s, m/s)", "qdd": "acceleration (rad/s², m/s²)", "tau": "force (N m, N)",
          "z": "z"}


def figure(columns: Mapping[str, Any], events: Sequence[Any], which: Sequence[str]) -> Any:
    """Returns a figure with axes for each name in which that has columns, and a line at each event."""
    if unknown := [w for w in which if w not in LABELS]:
        raise ValueError(f"which has {unknown[0]!r}, expected some of {', '.join(LABELS)}")
    try:
        Figure = importlib.import_module("matplotlib.figure").Figure
    except ImportError:
        raise ImportError("plot needs matplotlib (Debian: python3-matplotlib)") from None
    kinds = [(kind, [name for name in columns if name.startswith(kind + ":")]) for kind in which]
    kinds = [(kind, names) for kind, names in kinds if names]
    made = Figure(figsize=(8, 1 + 2.2 * max(1, len(kinds))), layout="constrained")
    for axes, (kind, names) in zip(made.subplots(max(1, len(kinds)), 1, sharex=True, squeeze=False)[:, 0], kinds):
        for name in names:
            axes.plot(columns["t"], columns[name], label=name.partition(":")[2])
        for event in events:
            axes.axvline(event.t, color="0.8", linewidth=0.8, zorder=0)
        axes.set_ylabel(LABELS[kind])
        axes.margins(x=0)
        if len(names) <= 12:
            axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, fontsize="small")
    made.axes[-1].set_xlabel("t (s)")
    return made

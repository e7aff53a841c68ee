"""Where what stands in the arrays of ``FeatureObservation``.

>>> CANDIDATE["tool"], CANDIDATE["past"].stop
(slice(4, 68, None), 240)
"""

from __future__ import annotations

import numpy as np

from lifegym.services import catalogue

__all__ = ["CANDIDATE", "DEADLINES", "FIXED", "KINDS", "STATE"]

KINDS = ("user_message", "notification", "world", "reminder", "alert", "result", "error", "end")
DEADLINES = 3
"""So many of the next dates that were seen."""


def _layout(**sizes: int) -> dict[str, slice]:
    ends = np.cumsum(list(sizes.values())).tolist()
    return {name: slice(end - size, end) for (name, size), end in zip(sizes.items(), ends, strict=True)}


STATE = _layout(
    stage=64, turn=192, kind=len(KINDS), progress=3, clock=4, deadlines=DEADLINES, unread=2,
    changed=len(catalogue.SERVICES), opening=64, text=64,
)  # fmt: skip
"""Where what stands in ``state``: the task's stage, and the number of the turn in it (hashed), the kind of the
observation, how far turn and period are, hour and weekday (on circles), time to the next dates that were seen
(1 / (1 + days); 0 for none), unread mails and notifications (logarithms), services in which something has changed since
the last call there, the words that opened the turn and those of the last text (hashed)."""

CANDIDATE = _layout(sort=4, tool=64, arguments=160, seen=8, past=4)
"""Where what stands in a row of ``candidates``: read, write, wait or reply; the tool (hashed); the arguments (hashed);
which of them were seen and when; whether and how often the call and its tool were used."""

FIXED = CANDIDATE["arguments"].stop
"""So many features of a call depend on nothing but the call; they come first."""

"""How an agent behaves, whatever it scores: the probes of LiveClawBench (arXiv 2604.13072), from an episode's calls."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import orjson

from lifegym.statistics.tallies import Numbers

__all__ = ["Call", "Probes", "mean_probes", "probe"]


@dataclass(frozen=True)
class Call:
    """A step of an episode, as far as probes look.

    Attributes:
        tool: Name of the tool; "" where what was sent names none.
        arguments: As canonical JSON.
        ok: Whether it was accepted.
        write: Whether the tool writes.
        turn: Number of the turn.
        named: Ids and paths in the arguments.
        shown: Ids and paths in what came back.
    """

    tool: str
    arguments: str
    ok: bool
    write: bool
    turn: int
    named: frozenset[str]
    shown: frozenset[str]

    @staticmethod
    def of(action: Any, ok: bool, write: bool, text: str, turn: int) -> Call:
        """From what was sent and the text that came back."""
        tool, arguments = "", action
        if isinstance(action, Mapping):
            tool = str(action.get("tool", "")).replace("__", ".", 1)
            arguments = action.get("arguments") or {}
        sent = orjson.dumps(arguments, option=_CANONICAL, default=repr).decode()
        return Call(tool, sent, ok, write, turn, frozenset(_ID.findall(sent)), frozenset(_ID.findall(text)))

    @property
    def touched(self) -> frozenset[str]:
        """The records that a write is about: those that it names and those that it gives back."""
        return self.named | self.shown


_CANONICAL = orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS
_ID = re.compile(r'"(?:id|path|[a-z_]+_id)": ?"([^"]+)"')
"""Fields of JSON that name a record or a file."""


@dataclass(frozen=True)
class Probes:
    """The behaviour in an episode. A share of nothing is None.

    Attributes:
        steps: Steps in the episode (effort).
        calls_per_turn: Tool calls a turn, ends of turns aside (effort).
        longest_repeat: The longest run of identical calls in a row (looping).
        repeated_share: Share of calls that stand in such a run of two or more (looping).
        duplicate_share: Share of calls that were made before in the same turn, word for word (looping).
        tool_entropy: Shannon entropy of the tools called, in bits (diversity).
        errors_per_call: Refused calls over calls (error handling).
        recovered_share: Share of errors after which the same tool was called otherwise, in the same turn, and accepted.
        read_back_share: Share of accepted writes whose record a later accepted read names (state awareness).
        blind_write_share: Share of accepted writes that name a record which no call before had shown or named.
        ended_by_agent: Whether the last step ended a turn, rather than being cut off (termination).
        claims_completion: Whether the last reply says that something is done (termination).
    """

    steps: int
    calls_per_turn: float | None
    longest_repeat: int
    repeated_share: float | None
    duplicate_share: float | None
    tool_entropy: float
    errors_per_call: float | None
    recovered_share: float | None
    read_back_share: float | None
    blind_write_share: float | None
    ended_by_agent: bool
    claims_completion: bool

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)


_DONE = ("done", "completed", "complete", "finished", "all set", "taken care of", "settled", "sorted out")


def probe(calls: Sequence[Call], last_reply: str = "") -> Probes:
    """The probes of an episode.

    Args:
        calls: Its steps in order.
        last_reply: Text of the last reply.
    """
    acts = [call for call in calls if not call.tool.startswith("assistant.")]
    turns = len({call.turn for call in calls})
    runs = _runs(acts)
    errors, recovered = _recovered(acts)
    writes, read_back, blind = _writes(calls)
    reply = last_reply.lower()
    return Probes(
        steps=len(calls),
        calls_per_turn=len(acts) / turns if turns else None,
        longest_repeat=max(runs, default=0),
        repeated_share=_share(sum(size for size in runs if size > 1), len(acts)),
        duplicate_share=_share(len(acts) - len({(call.turn, call.tool, call.arguments) for call in acts}), len(acts)),
        tool_entropy=_entropy(call.tool for call in acts),
        errors_per_call=_share(errors, len(acts)),
        recovered_share=_share(recovered, errors),
        read_back_share=_share(read_back, writes),
        blind_write_share=_share(blind, writes),
        ended_by_agent=bool(calls) and calls[-1].ok and calls[-1].tool.startswith("assistant."),
        claims_completion=any(word in reply for word in _DONE),
    )


def mean_probes(probes: Iterable[Mapping[str, Any]]) -> dict[str, float | None]:
    """The mean of each probe over episodes, as JSON rows; what is None in an episode is left out of its mean."""
    numbers = Numbers(Probes.__dataclass_fields__)
    for row in probes:
        numbers.add(row)
    return numbers.means()


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _runs(calls: Sequence[Call]) -> list[int]:
    """Lengths of the runs of identical calls."""
    lengths: list[int] = []
    last = None
    for call in calls:
        key = (call.tool, call.arguments)
        if key == last:
            lengths[-1] += 1
        else:
            lengths.append(1)
        last = key
    return lengths


def _entropy(names: Iterable[str]) -> float:
    counts = Counter(names)
    total = sum(counts.values())
    return max(0.0, -sum(n / total * math.log2(n / total) for n in counts.values())) if total else 0.0


def _recovered(calls: Sequence[Call]) -> tuple[int, int]:
    """Errors, and how many of them were followed by a changed and accepted call of the same tool in their turn."""
    errors = recovered = 0
    for i, call in enumerate(calls):
        if call.ok:
            continue
        errors += 1
        for later in calls[i + 1 :]:
            if later.turn != call.turn:
                break
            if later.tool == call.tool and later.arguments != call.arguments and later.ok:
                recovered += 1
                break
    return errors, recovered


def _writes(calls: Sequence[Call]) -> tuple[int, int, int]:
    """Accepted writes of a record; those that a later read names or shows; those of one that nothing had shown."""
    later: set[str] = set()
    read_back: list[bool] = []
    for call in reversed(calls):
        read_back.append(bool(call.touched & later))
        if call.ok and not call.write:
            later |= call.touched
    known: set[str] = set()
    writes = again = blind = 0
    for call, looked in zip(calls, reversed(read_back), strict=True):
        if call.write and call.ok and call.touched and not call.tool.startswith("assistant."):
            writes += 1
            again += looked
            blind += bool(call.named) and not call.named & known
        known |= call.touched
    return writes, again, blind

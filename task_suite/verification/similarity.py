"""No two tasks are the same one twice: how many of their checks and events they share, what storylines bring aside."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from lifegym.task_suite.schema import EffectModel
from lifegym.task_suite.task import Task

__all__ = ["ALIKE", "SHARED_AT_MOST", "Likeness", "similarity"]

SHARED_AT_MOST = 0.25
"""The greatest share of a task's checks, or of its events, that another task may have too."""

ALIKE = 0.6
"""From which share of common word triples on two texts count as the same."""

_WORD = re.compile(r"[^\W\d_]+")


class Likeness(NamedTuple):
    """What two tasks have in common.

    Attributes:
        first: Id of a task.
        second: Id of the other.
        kind: ``checks`` or ``events``.
        share: The shared texts over the texts of the task that has fewer.
        pairs: Ids of the first's and the second's texts that are alike.
    """

    first: str
    second: str
    kind: str
    share: float
    pairs: list[tuple[str, str]]


def similarity(tasks: Sequence[Task]) -> list[Likeness]:
    """Every pair of tasks, for checks and for events, the likest first.

    Two texts are alike if they share most of their word triples; numbers and ids count for nothing, so that another
    amount or hotel does not make another check. What a storyline brings does not count.
    """
    texts = {task.id: {"checks": _checks(task), "events": _events(task)} for task in tasks}
    found = []
    for first, second in combinations(texts, 2):
        for kind in ("checks", "events"):
            pairs = _alike(texts[first][kind], texts[second][kind])
            fewer = min(len(texts[first][kind]), len(texts[second][kind]))
            found.append(Likeness(first, second, kind, len(pairs) / fewer if fewer else 0.0, pairs))
    return sorted(found, key=lambda like: (-like.share, like.first, like.second, like.kind))


def _alike(ones: dict[str, frozenset[Any]], others: dict[str, frozenset[Any]]) -> list[tuple[str, str]]:
    """Pairs of alike texts, each text in one pair at most."""
    pairs, left = [], dict(others)
    for name, triples in ones.items():
        likest = max(left, key=lambda other: _share(triples, left[other]), default=None)
        if likest is not None and _share(triples, left[likest]) >= ALIKE:
            pairs.append((name, likest))
            del left[likest]
    return pairs


def _share(one: frozenset[Any], other: frozenset[Any]) -> float:
    return len(one & other) / len(one | other) if one or other else 0.0


def _triples(parts: Iterable[Any]) -> frozenset[Any]:
    words = [word.lower() for part in parts if part for word in _WORD.findall(str(part))]
    return frozenset(zip(["", *words], words, [*words[1:], ""], strict=False))


def _checks(task: Task) -> dict[str, frozenset[Any]]:
    return {
        check.id: _triples([check.what, *check.let.values(), *check.gate, *check.all, *check.never])
        for i, check in enumerate(task.bundle.checks.checks)
        if not task.bundle.storyline("checks.yaml", "checks", i)
    }


def _events(task: Task) -> dict[str, frozenset[Any]]:
    return {
        event.id: _triples([event.text, event.otherwise and event.otherwise.text, *_said(event.effects)])
        for i, event in enumerate(task.bundle.timeline.events)
        if not task.bundle.storyline("timeline.yaml", "events", i)
    }


def _said(effects: Iterable[EffectModel]) -> Iterable[str]:
    """What effects do, and the sentences in their arguments."""
    for effect in effects:
        yield effect.do
        for value in effect.with_.values():
            if isinstance(value, str) and " " in value:
                yield value

"""A task: its bundle compiled once, and the scenarios that its variants are."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from typing import Any

from lifegym.garbage import collecting_seldom
from lifegym.task_suite.builder import Builder
from lifegym.task_suite.bundle import Bundle, read_bundle
from lifegym.task_suite.compilation import CompiledBundle
from lifegym.task_suite.variants import effective_seed
from lifegym.timeline import Scenario
from lifegym.world.frozen import FrozenDict

__all__ = ["Task", "load_task"]

_KEPT_SCENARIOS = 64


class Task:
    """A compiled bundle.

    Args:
        bundle: What was read.
        source: How to load the same task again: its id or its folder.

    Attributes:
        compiled: The bundle with its expressions compiled.
        builder: What builds its scenarios.
        solution: The compiled reference solution; None before its first use.

    Raises:
        BundleError: An expression, a reference or a time is wrong.
    """

    def __init__(self, bundle: Bundle, source: str) -> None:
        self.bundle = bundle
        self.source = source
        meta = bundle.task
        self.id = meta.id
        self.title = meta.title
        self.domain = meta.domain
        self.compiled = CompiledBundle(bundle)
        self.services = self.compiled.services
        self.start = self.compiled.start
        self.builder = Builder(self.compiled, source)
        self.solution: Any = None  # set by lifegym.task_suite.solution, which imports this module
        self._scenarios: OrderedDict[tuple[str, int], Scenario] = OrderedDict()

    def scenario(self, variant: str = "canonical", seed: int = 0) -> Scenario:
        """One variant of the task, built once and kept.

        Args:
            variant: ``canonical``, ``train`` or ``test``.
            seed: Which of the variant's draws; ignored for canonical.

        Raises:
            ValueError: An unknown variant or a seed out of range.
            BundleError: A record or an expression does not work out for these params.
        """
        effective_seed(variant, seed)
        key = (variant, 0 if variant == "canonical" else int(seed))
        found = self._scenarios.get(key)
        if found is None:
            found = self._scenarios[key] = self.builder.build(*key)
            if len(self._scenarios) > _KEPT_SCENARIOS:
                self._scenarios.popitem(last=False)
        else:
            self._scenarios.move_to_end(key)
        return found

    def params(self, variant: str = "canonical", seed: int = 0) -> FrozenDict:
        """The params of a variant.

        Raises:
            ValueError: An unknown variant or a seed out of range.
            BundleError: One of them does not work out.
        """
        return self.builder.params(variant, seed)


_loaded: dict[str, Task] = {}


def load_task(source: str | Path) -> Task:
    """The task of this id or in this folder, compiled once per process.

    Raises:
        BundleError: The bundle is malformed.
        KeyError: There is no task of this id; the message names the nearest.
    """
    key = str(source)
    task = _loaded.get(key)
    if task is None:
        from lifegym.task_suite.suite import task_path

        path = Path(source) if isinstance(source, Path) or "/" in key else task_path(key)
        with collecting_seldom():
            task = _loaded[key] = Task(read_bundle(path), key)
    return task

"""Ray for as long as it is needed: a cluster that is there, or one of this machine's own."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager

import ray

__all__ = ["connected"]

OBJECT_STORE = 256 * 1024 * 1024
"""Bytes of shared memory for a Ray of our own: it holds the results under way, a few hundred KB each."""


@contextmanager
def connected(workers: int | None, address: str | None) -> Iterator[int]:
    """Connect to Ray; what was not connected before is disconnected afterwards. Gives the number of workers.

    Args:
        workers: How many are wanted; None for one a core.
        address: Of a cluster, or ``auto``; None for this machine.
    """
    if ray.is_initialized():
        yield workers or _cpus()
        return
    if address is not None:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    else:
        # Nothing of this leaves the machine; usage statistics would.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        ray.init(
            num_cpus=workers or _cores(),
            include_dashboard=False,
            log_to_driver=False,
            logging_level=logging.ERROR,
            object_store_memory=OBJECT_STORE,
        )
    try:
        yield workers or _cpus()
    finally:
        ray.shutdown()


def _cpus() -> int:
    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    return max(1, int(resources.get("CPU", 1)))


def _cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

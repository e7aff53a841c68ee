"""Ray for as long as it is needed: a cluster that is there, or one of this machine's own."""

from __future__ import annotations

import logging
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import ray

__all__ = ["connected"]

OBJECT_STORE = 256 * 1024 * 1024
"""Bytes of shared memory for a Ray of our own: it holds the results under way, a few hundred KB each."""

REACH_TIMEOUT = 10.0
"""Seconds in which a cluster's head answers."""


@contextmanager
def connected(workers: int | None, address: str | None) -> Iterator[int]:
    """Connect to Ray; what was not connected before is disconnected afterwards. Gives the number of workers.

    Args:
        workers: How many are wanted; None for one a core.
        address: Of a cluster, or ``auto``; None for this machine.

    Raises:
        OSError: Nobody answers at the address.
    """
    if ray.is_initialized():
        yield workers or _cpus()
        return
    if address is not None:
        _reach(address)
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    else:
        # Nothing of this leaves the machine; usage statistics would.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        ray.init(
            address="local",  # whatever cluster there may be besides
            num_cpus=workers or _cores(),
            include_dashboard=False,
            log_to_driver=False,
            logging_level=logging.ERROR,
            object_store_memory=OBJECT_STORE,
        )
    try:
        yield workers or _cpus()
    finally:
        if not sys.is_finalizing():  # where a script ends without closing what it made, Ray has ended by itself
            ray.shutdown()


def _reach(address: str) -> None:
    """See that somebody listens at an address: Ray itself would try for a minute, or without end where a name is wrong.

    Raises:
        ConnectionError: Nobody does.
    """
    if address == "auto":
        return
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not (host and port.isdecimal()):
        raise ConnectionError(f"{address!r} is no address of a Ray cluster; give host:port, or auto")
    try:
        socket.create_connection((host.strip("[]"), int(port)), REACH_TIMEOUT).close()
    except (OSError, OverflowError) as error:
        raise ConnectionError(
            f"there is no Ray at {address}: {error}; `ray status` on its head node tells of it"
        ) from None


def _cpus() -> int:
    resources: dict[str, float] = ray.cluster_resources()
    return max(1, int(resources.get("CPU", 1)))


def _cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

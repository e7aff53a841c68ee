"""A million random calls over all services: ``python benchmarks/fuzz.py --calls 1000000 [--workers 2] [--json]``.

The calls go to worlds that the services' generators filled, between clock advances and happenings. There must be no
exception and no broken invariant; every tool must have been accepted often. What is drawn depends on the seed alone,
not on the number of workers. Exit code 1 where something is broken or a bound is missed.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from episodes import Tally, play_chunk

from lifegym.services import catalogue

__all__ = ["Report", "fuzz", "main"]

CHUNK = 10_000
"""Calls that are drawn from one seed on one household."""
LEAST_SHARE = 0.30
"""Share of the calls that must be accepted."""
PER_TOOL = 1000
"""One call in so many must be an accepted one of each tool; it counts from ``TOOLS_FROM`` calls on."""
TOOLS_FROM = 100_000


class Report(NamedTuple):
    """What came of a fuzz.

    Attributes:
        tally: The counts.
        skipped: Services that could not be imported, and why.
        seconds: How long it took.
    """

    tally: Tally
    skipped: dict[str, str]
    seconds: float

    @property
    def share(self) -> float:
        """Share of the calls that were accepted."""
        return self.tally.accepted.total() / max(1, self.tally.calls.total())

    @property
    def broken(self) -> list[str]:
        """What was violated, once each."""
        return [text for text, count in self.tally.violations.items() if count]

    def missed(self, services: tuple[str, ...]) -> list[str]:
        """The bounds that were missed."""
        calls = self.tally.calls.total()
        found = [f"{name} could not be imported: {why}" for name, why in self.skipped.items()]
        if self.share < LEAST_SHARE:
            found.append(f"{self.share:.1%} of the calls were accepted, not {LEAST_SHARE:.0%}")
        if calls >= TOOLS_FROM:
            for tool in tools(services):
                if self.tally.accepted[tool] < calls // PER_TOOL:
                    found.append(f"{tool} was accepted {self.tally.accepted[tool]} times, not {calls // PER_TOOL}")
        return found


def tools(services: tuple[str, ...]) -> list[str]:
    """The full names of all tools of these services."""
    return [spec.name for name in services for spec in catalogue.tools_of(name).values()]


def importable(names: list[str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """Those of the services that can be imported, and why the others cannot."""
    found, skipped = [], {}
    for name in names:
        try:
            catalogue.service_class(name)
        except (ImportError, AttributeError, SyntaxError) as error:
            skipped[name] = f"{type(error).__name__}: {error}"
        else:
            found.append(name)
    return tuple(found), skipped


def fuzz(calls: int, seed: int = 0, workers: int = 1, services: tuple[str, ...] = (), loud: bool = False) -> Report:
    """Make random calls and look at what comes of them.

    Args:
        calls: How many.
        seed: Decides what is drawn.
        workers: Processes to share the chunks.
        services: Whose tools are called; all if empty. Their world has every service that can be imported.
        loud: Print progress to stderr.
    """
    _, skipped = importable([*catalogue.SERVICES, *catalogue.ALWAYS])
    wanted = [name for name in services or (*catalogue.SERVICES, *catalogue.ALWAYS) if name not in skipped]
    begin = time.perf_counter()
    jobs = [
        (seed, chunk, min(CHUNK, calls - chunk * CHUNK), tuple(wanted), tuple(skipped))
        for chunk in range(-(-calls // CHUNK))
    ]
    tally = Tally.empty()
    for done, part in enumerate(_played(jobs, workers), 1):
        tally.add(part)
        if loud:
            rate = tally.calls.total() / (time.perf_counter() - begin)
            print(f"{done} of {len(jobs)} chunks, {rate:,.0f} calls/s", file=sys.stderr)
    return Report(tally, skipped, time.perf_counter() - begin)


def _played(jobs: list[tuple[Any, ...]], workers: int) -> Iterator[Tally]:
    """What came of the chunks, in their order."""
    if workers == 1:
        yield from map(_play, jobs)
        return
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        yield from pool.imap(_play, jobs)


def _play(job: tuple[Any, ...]) -> Tally:
    return play_chunk(*job)


def main() -> int:
    """Fuzz and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--calls", type=int, default=1_000_000, help="how many calls")
    parser.add_argument("--seed", type=int, default=0, help="what is drawn depends on it alone")
    parser.add_argument("--workers", type=int, default=2, help="processes to share the work")
    parser.add_argument("--services", default="", help="names with commas between; all if left out")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    if options.calls < 1 or options.workers < 1:
        parser.error("--calls and --workers are at least 1")
    services = tuple(filter(None, options.services.split(",")))
    unknown = [name for name in services if name not in catalogue.SERVICES and name not in catalogue.ALWAYS]
    if unknown:
        parser.error(f"there is no service {unknown[0]!r}")
    report = fuzz(options.calls, options.seed, options.workers, services, loud=sys.stderr.isatty())
    called = tuple(name for name in services or (*catalogue.SERVICES, *catalogue.ALWAYS) if name not in report.skipped)
    missed, tally = report.missed(called), report.tally
    counts = {name: [tally.accepted[name], tally.calls[name]] for name in tools(called)}
    if options.json:
        results = {
            "calls": tally.calls.total(),
            "accepted": tally.accepted.total(),
            "share": report.share,
            "calls_per_second": tally.calls.total() / report.seconds,
            "seconds": report.seconds,
            "seed": options.seed,
            "workers": options.workers,
            "other": dict(tally.other),
            "tools": counts,
            "refusals": dict(sorted(tally.refused.items())),
            "violations": dict(tally.violations),
            "missed": missed,
            "skipped": report.skipped,
        }
        print(orjson.dumps(results, option=orjson.OPT_INDENT_2).decode())
    else:
        print(f"{'tool':48}{'accepted':>10}{'calls':>10}")
        for name, (accepted, made) in counts.items():
            print(f"{name:48}{accepted:>10,}{made:>10,}")
        print()
        for text, count in tally.violations.items():
            print(f"BROKEN {count} times: {text}" if count else f"  {text}")
        for text in missed:
            print(f"MISSED: {text}")
        print(", ".join(f"{count:,} {what}" for what, count in tally.other.items()))
        print(
            f"{tally.calls.total():,} calls in {report.seconds:,.0f} s, "
            f"{tally.calls.total() / report.seconds:,.0f} per second; {report.share:.1%} accepted, "
            f"{len(report.broken)} different violations, {len(missed)} bounds missed"
        )
    return 1 if report.broken or missed else 0


if __name__ == "__main__":
    sys.exit(main())

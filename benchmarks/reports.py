"""What a report costs: ``python benchmarks/reports.py [--sizes 60 600] [--workers 2] [--json]``.

Runs of so many episodes over the whole suite, by an agent whose every episode goes another way, so that nothing is
spared by episodes that are alike. Then the report of each: seconds, seconds of processor time, bytes of the page, and
how long a browser takes to open it, where there is one.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path

import orjson
from figures import Figure, report

from lifegym.reports.report import write_report
from lifegym.rollouts import evaluate
from lifegym.task_suite import task_ids

PLAYERS = Path(__file__).parents[1] / "tests" / "reports" / "players"
BOUNDS = {60: 5.0, 600: 40.0}
PAGE, OPENS = 3e6, 1.0
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")


def played(episodes: int, folder: Path) -> Path:
    """A run of about so many episodes: every task equally often."""
    runs = max(1, round(episodes / len(task_ids())))
    evaluate("napping:Napping", "*", runs=runs, workers=0, out=folder)
    return folder


def processor() -> float:
    """Seconds of processor time of this process and of those it has waited for."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(usage.ru_utime + usage.ru_stime for usage in map(resource.getrusage, kinds))


def measured(episodes: int, workers: int, root: Path) -> list[Figure]:
    """The report of a run of so many episodes."""
    run = played(episodes, root / str(episodes))
    begin, used = time.perf_counter(), processor()
    made = write_report(run, workers=workers)
    seconds, busy = time.perf_counter() - begin, processor() - used
    files = [file.stat().st_size for file in (run / "report_files").rglob("*.js")]
    name = f"report of {made.episodes} episodes"
    figures = [
        Figure(name, seconds, "s", BOUNDS.get(episodes), f"{workers} processes"),
        Figure(f"{name}, processor", busy, "s", None, f"{1000 * busy / made.episodes:.0f} ms an episode"),
        Figure(f"{name}, page", made.size, "bytes", PAGE, "without the episodes"),
        Figure(f"{name}, an episode's file", sum(files) / len(files), "bytes"),
    ]
    opening = opens(made.path)
    return figures + ([Figure(f"{name}, opens in", opening, "s", OPENS)] if opening is not None else [])


def opens(page: Path) -> float | None:
    """Seconds until a browser has loaded a page, the second time; None without a browser."""
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if browser is None or driver is None:
        return None
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = browser
    with tempfile.TemporaryDirectory() as profile:
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        made = webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=driver))
        try:
            for _ in range(2):
                made.get("about:blank")
                made.get(page.resolve().as_uri())
            timing = "const [t] = performance.getEntriesByType('navigation'); return t.loadEventEnd - t.startTime"
            return float(made.execute_script(timing)) / 1000
        finally:
            made.quit()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[60, 600], help="episodes of each run")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    sys.path.insert(0, str(PLAYERS))
    with tempfile.TemporaryDirectory() as root:
        figures = [figure for size in options.sizes for figure in measured(size, options.workers, Path(root))]
    if options.json:
        rows = [{**figure._asdict(), "ok": figure.ok} for figure in figures]
        print(orjson.dumps({"cores": os.cpu_count(), "figures": rows}, option=orjson.OPT_INDENT_2).decode())
        return
    print(f"{os.cpu_count()} cores, {options.workers} processes\n")
    report(figures)


if __name__ == "__main__":
    main()

"""What every tool costs, in one run: ``python benchmarks/services.py [--json]``.

Medians of single timings of accepted calls, through the env as ``gym.make`` returns it (validation, call, result,
observation), on the household's canonical world: some 500 mails, 400 flight offers, 200 products, 6,000 records. They
are given as multiples of a step of gymnasium's Taxi-v4, which is timed in turns with them. A call that can be made
again is timed again and again; one that can be made only once is timed after a return to a snapshot, so that its time
includes the copy of the tables that it writes to. Exit code 1 where a bound is missed.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import statistics
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
import orjson

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from engine import life, taxi_steps
from figures import Figure, median, report, timed
from fuzz import importable
from recipes import RECIPES, Scene, Unplayable
from steering import Steering
from worlds import household

import lifegym  # noqa: F401  registers the tasks
from lifegym.envs import LifeEnv
from lifegym.episode import Episode
from lifegym.services import ToolError, ToolSpec, catalogue, dispatch
from lifegym.services.dispatch import Call
from lifegym.services.search import Index, rank

VARIANTS = 4
"""Different calls of each tool."""
AGAIN = 6
"""Timings of each call in a round."""
SETTLING = 3
"""Calls of each writing tool before anything is timed."""
TRIES = 80
"""Draws of arguments until one is accepted."""
USUAL = 100
"""No tool takes more steps of Taxi-v4 than this."""
BOUNDS = {
    "banking.list_accounts": 4,
    "calendar.create_event": 5,
    "delivery_logistics.track_package": 12,
    "ecommerce.get_order": 24,
    "ecommerce.get_product": 24,
    "email.get_emails": 10,
    "flight_booking.search_flights": 15,
    "maps.directions": 8,
}
TEN = (
    "banking", "calendar", "email", "flight_booking", "health_tracker", "hotel_booking", "maps", "notification_hub",
    "notion", "rail_booking",
)  # fmt: skip
"""The services of the fresh world that is timed."""
FRESH = 0.150
CITIES = ("Kyoto", "Tokyo", "Osaka", "Narita")


class Prepared(NamedTuple):
    """A call that is accepted at a snapshot.

    Attributes:
        spec: The tool.
        arguments: Of the call.
        snapshot: Where it is made.
        again: Whether it can be made over and over.
    """

    spec: ToolSpec
    arguments: dict[str, Any]
    snapshot: Episode
    again: bool


class Bench:
    """The household's env, and a call of every tool.

    Args:
        without: Services that cannot be imported.
        rounds: How often each batch is repeated.
    """

    def __init__(self, without: tuple[str, ...], rounds: int) -> None:
        task = household(without)
        gym.register(
            "LifeBench/household-v0", entry_point="lifegym.envs.life_env:LifeEnv", kwargs={"task": task.source}
        )
        self.env = gym.make("LifeBench/household-v0")
        self.env.reset(seed=0)
        self.life: LifeEnv = life(self.env)
        self.rounds = rounds
        self.services = (*self.life.episode.world.services, *catalogue.ALWAYS)
        self.idle: list[str] = []
        self._settle_in()
        self.start = self.life.snapshot()

    def _settle_in(self) -> None:
        """Make some calls of every writing tool, so that there are bookings, carts and drafts to work with."""
        steering = Steering(self.life.episode.world, 0)
        scene = Scene(steering.world, steering.random, RECIPES, self._call, self._happen, _stand_still)
        for name in self.services:
            for spec in catalogue.tools_of(name).values():
                for _ in range(SETTLING if spec.write and spec.name in RECIPES else 0):
                    with contextlib.suppress(Unplayable):
                        self._call(spec, RECIPES[spec.name](scene))

    def tools(self) -> list[Figure]:
        """Every tool, with Taxi-v4 in between."""
        calls: list[Prepared] = []
        for name in self.services:
            for spec in catalogue.tools_of(name).values():
                found = list(self._prepared(spec))
                calls += found
                if not found:
                    self.idle.append(spec.name)
        taxi = gym.make("Taxi-v4")
        taxi.reset(seed=0)
        taxi.action_space.seed(0)
        bases: list[float] = []
        times: dict[str, list[float]] = {call.spec.name: [] for call in calls}
        for _ in range(self.rounds):
            for number, call in enumerate(calls):
                if number % 25 == 0:
                    bases += taxi_steps(taxi)
                times[call.spec.name] += self._timings(call)
        base = statistics.median(bases)
        figures = [Figure("step of Taxi-v4 (gym.make)", base)]
        for name, timings in times.items():
            middle = statistics.median(timings)
            ends = name.startswith("assistant.")  # what it costs is the life until the next turn
            bound = None if ends else BOUNDS.get(name, USUAL) * base
            figures.append(Figure(name, middle, "s", bound, f"{middle / base:.1f} x Taxi"))
        return figures

    def _timings(self, call: Prepared) -> Iterator[float]:
        action = {"tool": call.spec.name, "arguments": call.arguments}
        for number in range(AGAIN):
            if number == 0 or not call.again:
                self.life.restore(call.snapshot)
            if number == 0:  # untimed: what is worked out on first use
                self.env.step(action)
                if not call.again:
                    self.life.restore(call.snapshot)
            yield timed(lambda: self.env.step(action))

    # -- calls ---------------------------------------------------------------------------------------------------

    def _prepared(self, spec: ToolSpec) -> Iterator[Prepared]:
        """Some calls of a tool that are accepted, each at a snapshot of its own."""
        made = 0
        for number in range(TRIES):
            self.life.restore(self.start)
            steering = Steering(self.life.episode.world, number)
            arguments = self._arguments(spec, self._scene(steering), steering, number)
            if arguments is None:
                continue
            snapshot = self.life.snapshot()
            seen, *_ = self.env.step({"tool": spec.name, "arguments": arguments})
            if seen["kind"] == "error":
                continue
            again = spec.service != "assistant" and self._repeats(spec, arguments)
            yield Prepared(spec, arguments, snapshot, again)
            made += 1
            if made == VARIANTS:
                return

    def _scene(self, steering: Steering) -> Scene:
        return Scene(self.life.episode.world, steering.random, RECIPES, self._call, self._happen, self._advance)

    def _repeats(self, spec: ToolSpec, arguments: dict[str, Any]) -> bool:
        action = {"tool": spec.name, "arguments": arguments}
        return all(self.env.step(action)[0]["kind"] == "result" for _ in range(AGAIN + 1))

    def _arguments(self, spec: ToolSpec, scene: Scene, steering: Steering, number: int) -> dict[str, Any] | None:
        stated = STATED.get(spec.name)
        if stated is not None:
            return stated(scene)
        recipe = RECIPES.get(spec.name)
        if recipe is None or number % 8 == 7:
            return steering.arguments(spec)
        try:
            return recipe(scene)
        except Unplayable:
            return None

    def _call(self, spec: ToolSpec, arguments: dict[str, Any]) -> Any:
        world = self.life.episode.world
        call = dispatch.parse({"tool": spec.name, "arguments": arguments}, world.services)
        outcome = dispatch.execute(world, call) if isinstance(call, Call) else call
        return outcome.result if outcome.ok else None

    def _happen(self, verb: str, arguments: dict[str, Any]) -> list[str]:
        service, _, name = verb.partition(".")
        try:
            given = catalogue.happening_arguments(service, name).validate(arguments)
            touched: list[str] = getattr(self.life.episode.world.service(service), name)(**given)
        except (ToolError, ValueError):
            return []
        return touched

    def _advance(self, seconds: int) -> None:
        world = self.life.episode.world
        world.run_to(world.now + seconds, lambda entry: None)
        world.openings.clear()


def _stand_still(seconds: int) -> None:
    raise Unplayable


def _flights(scene: Scene) -> dict[str, Any]:
    """The day and return with the most offers."""
    return {
        "origin": "PVG",
        "destination": "NRT",
        "departure_date": scene.choose(("2026-05-01", "2026-05-02", "2026-05-03")),
        "return_date": scene.choose(("2026-05-20", "2026-05-21", "2026-05-22")),
        "max_results": 20,
    }


STATED: dict[str, Callable[[Scene], dict[str, Any]]] = {
    "banking.list_accounts": lambda scene: {"user_id": scene.owner},
    "email.get_emails": lambda scene: {"folder": "INBOX", "page": scene.number(1, 5), "page_size": 20},
    "flight_booking.search_flights": _flights,
}
"""Calls of a stated size."""


def fresh_world(without: tuple[str, ...], rounds: int) -> list[Figure]:
    """A world of ten services, generated anew."""
    others = tuple(name for name in catalogue.SERVICES if name not in TEN or name in without)
    task = household(others, large=True)
    seeds = iter(random.Random(0).sample(range(10**6), rounds + 2))
    task.scenario("train", next(seeds))
    times, records = [], 0
    for _ in range(rounds + 1):
        seed = next(seeds)
        times.append(timed(lambda seed=seed: task.scenario("train", seed)))  # type: ignore[misc]
        records = task.scenario("train", seed).world.store.record_count()
    note = f"{len(task.services)} services, {records} records"
    return [Figure("a fresh world of ten services", statistics.median(times), "s", FRESH, note)]


def searches() -> list[Figure]:
    """Searches over some hundred texts, each without an index and with one, and misspelt."""
    made = [
        ("Kanazawa Garden Inn", "Quiet inn next to a garden"),
        ("Sakura Ryokan", "Inn with an open-air bath, Kyoto"),
    ]
    made += [(f"{city} {kind}", f"{kind} in {city} with breakfast") for city in CITIES for kind in ("Hotel", "Hostel")]
    docs = [(f"{title} {n}", f"{text} {n}") for n in range(50) for title, text in made]
    index = Index(docs[: 40 * len(made)], _weighed)
    right, wrong = "quiet kanazawa garden", "quiett kanazzawa gardn"
    return [
        Figure("rank", median(lambda: rank(right, docs, _weighed), 15), "s", 5e-3, f"{len(docs)} texts"),
        Figure("Index.rank", median(lambda: index.rank(right), 15), "s", 1.5e-3, f"{40 * len(made)} texts"),
        Figure("Index.rank, misspelt", median(lambda: index.rank(wrong), 15), "s", 2.5e-3, f"{40 * len(made)} texts"),
    ]


def _weighed(place: tuple[str, str]) -> tuple[tuple[str, float], ...]:
    return (place[0], 3.0), (place[1], 1.0)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=6, help="how often each batch of calls is repeated")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds is at least 1")
    _, skipped = importable([*catalogue.SERVICES])
    bench = Bench(tuple(skipped), options.rounds)
    others = [*fresh_world(tuple(skipped), options.rounds), *searches()]
    figures = [*bench.tools(), *others]
    world = bench.start.world
    counts = {name: len(world.table(name)) for name in sorted(world.store.tables())}
    problems = [f"{name} could not be imported: {why}" for name, why in skipped.items()]
    problems += [f"no call of {name} was accepted in {TRIES} tries" for name in bench.idle]
    problems += [f"{figure.name}: {figure.note}" for figure in figures if figure.ok is False]
    if options.json:
        results = {
            "taxi": figures[0].value,
            "records": counts,
            "figures": [{**figure._asdict(), "ok": figure.ok} for figure in figures],
            "problems": problems,
        }
        print(orjson.dumps(results, option=orjson.OPT_INDENT_2).decode())
    else:
        print(f"{sum(counts.values())} records of {world.iso()[:10]}, Python {sys.version.split()[0]}\n")
        report(figures)
        print(f"\n{len(figures) - 1 - len(others)} tools, {len(problems)} problems")
        for problem in problems:
            print(f"- {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

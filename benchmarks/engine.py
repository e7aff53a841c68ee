"""What the engine costs, in one run: ``python benchmarks/engine.py [--task ID] [--json]``.

Everything is measured in one process on one world: the task's, at stage 12 (or its last) of the reference solution,
with its generated inventory. Calls go through the env as ``gym.make`` returns it. Figures are medians of single timings
after a warm-up, with the garbage collector on; steps are timed in turns, so that a busy machine slows all alike.
Beside them stand a step of gymnasium's Taxi-v4, ``copy.deepcopy`` of the same world, and stock TinyDB doing the same
update.
"""

from __future__ import annotations

import argparse
import copy
import datetime as dt
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium as gym
import orjson
from figures import WARM_UP, Figure, held, median, report, timed
from tinydb import TinyDB, where
from tinydb.storages import MemoryStorage

import lifegym  # noqa: F401  registers the tasks
from lifegym.baselines import Agent, EpisodeInfo, IdleAgent, ReferenceAgent
from lifegym.envs import LifeEnv
from lifegym.task_suite import BundleError, Task, load_task

STAGE = 12
BATCH = 40  # steps after each return to the snapshot: below the cap of calls in a turn

Call = dict[str, Any]
Record = dict[str, Any]
Change = tuple[str, str, Record | None, Record]  # table, name of its key, the record before and after


class Bench:
    """The task's env at the moment of measuring, and everything that is timed on it.

    Args:
        task: What is measured.
        rounds: How often each batch is repeated.
    """

    def __init__(self, task: Task, rounds: int) -> None:
        self.task = task
        self.rounds = rounds
        self.id = f"LifeBench/{task.id}-v0"
        if self.id not in gym.registry:
            gym.register(self.id, entry_point="lifegym.envs.life_env:LifeEnv", kwargs={"task": task.source})
        self.env = gym.make(self.id)
        self.life = life(self.env)
        stages = len(task.bundle.task.stages)
        self.stage = min(STAGE, stages)
        play(self.env, ReferenceAgent(), task, lambda: self.life.episode.stage >= self.stage - 1)
        self.snapshot = self.life.snapshot()
        self.read = self._first_accepted(reads(self.life))
        self.search = self._first_accepted(searches(self.life))
        self.write = self._first_accepted(writes(self.life))

    def _first_accepted(self, calls: Iterator[Call]) -> Call:
        """The first call that this world accepts."""
        for call in calls:
            env = self.life.fork()
            seen, *_ = env.step(call)
            if seen["kind"] == "result":
                return call
        raise SystemExit("engine: no call of a kind is accepted; name another task with --task")

    def back(self) -> None:
        """Return to the moment of measuring."""
        self.life.restore(self.snapshot)

    # -- steps ---------------------------------------------------------------------------------------------------

    def steps(self) -> list[Figure]:
        """A read, a search and a write, and a step of Taxi-v4 between them."""
        kinds = {"read": self.read, "search": self.search, "write": self.write}
        times: dict[str, list[float]] = {"taxi": [], **{kind: [] for kind in kinds}}
        first_writes = []
        taxi = gym.make("Taxi-v4")
        taxi.reset(seed=0)
        taxi.action_space.seed(0)
        for _ in range(self.rounds):
            times["taxi"] += taxi_steps(taxi)
            for kind, call in kinds.items():
                self.back()
                timings = [timed(lambda call=call: self.env.step(call)) for _ in range(WARM_UP + BATCH)]  # type: ignore[misc]
                times[kind] += timings[WARM_UP:]
                if kind == "write":
                    first_writes.append(timings[0])
        base = statistics.median(times["taxi"])
        figures = [Figure("step of Taxi-v4 (gym.make)", base)]
        for kind, times_taxi in (("read", 4), ("search", None), ("write", 6)):
            middle = statistics.median(times[kind])
            note = f"{middle / base:.1f} x Taxi; {kinds[kind]['tool']}"
            figures.append(Figure(f"step: {kind}", middle, "s", times_taxi * base if times_taxi else None, note))
        note = "the first after a fork copies the tables that it writes to"
        return [*figures, Figure("step: first write after a fork", statistics.median(first_writes), "s", None, note)]

    # -- the store -----------------------------------------------------------------------------------------------

    def store(self) -> list[Figure]:
        """The records that the write changes, put into this store and into stock TinyDB with the same records."""
        self.back()
        before = contents(self.life)
        self.env.step(self.write)
        after = contents(self.life)
        self.back()
        store = self.life.episode.world.store
        stock = TinyDB(storage=MemoryStorage)
        for name, rows in before.items():
            stock.table(name).insert_multiple(rows)
        changes: list[Change] = []
        for name, rows in after.items():
            key = store.table(name).key
            old = {row[key]: row for row in before.get(name, [])}
            changes += [(name, key, old.get(row[key]), row) for row in rows if row != old.get(row[key])]
        if not changes:  # a write to a file
            return []
        ours, theirs = [], []
        for number in range(self.rounds + WARM_UP):
            mine = timed(lambda: [store.table(name).put(row) for name, _, _, row in changes])
            other = timed(lambda: stock_put(stock, changes))
            if number >= WARM_UP:
                ours.append(mine)
                theirs.append(other)
            for name, key, old_row, row in changes:  # untimed: undo
                if old_row is None:
                    store.table(name).drop(row[key])
                    stock.table(name).remove(where(key) == row[key])
        note = "the records of " + ", ".join(sorted({name for name, *_ in changes}))
        mine, other = statistics.median(ours), statistics.median(theirs)
        return [
            Figure("store: records of the write", mine, "s", None, note),
            Figure("stock TinyDB: the same", other, "s", None, f"{other / mine:.0f} x"),
        ]

    # -- forks ---------------------------------------------------------------------------------------------------

    def forks(self) -> list[Figure]:
        """Forks of the env, against deep copies of its world."""
        self.back()
        world = self.life.episode.world
        plain = contents(self.life)
        forked = median(self.life.fork, 200)
        copied = median(lambda: copy.deepcopy(world), 7)
        plainly = median(lambda: copy.deepcopy(plain), 7)
        return [
            Figure("env.fork()", forked),
            Figure("env.snapshot()", median(self.life.snapshot, 200)),
            Figure("copy.deepcopy of the world", copied),
            Figure("copy.deepcopy of its records as plain dicts", plainly, note=f"{plainly / forked:.0f} x env.fork()"),
            Figure("deepcopy of the world / env.fork()", copied / forked, "times", 200),
        ]

    # -- episodes ------------------------------------------------------------------------------------------------

    def episodes(self) -> list[Figure]:
        """Resets and whole episodes."""
        env = gym.make(self.id)
        drawn = gym.make(self.id, variant="train")
        seeds = iter(range(10**6, 10**7))

        def whole(agent: Agent) -> None:
            play(env, agent, self.task)
            life(env).score()

        def fresh() -> None:
            drawn.reset(options={"variant_seed": next(seeds)})

        return [
            Figure("warm reset", median(env.reset, 200), "s", 1e-3),
            Figure("reset to a fresh variant", median(fresh, 15), "s", 0.150),
            Figure("idle episode with its score", median(lambda: whole(IdleAgent()), 30), "s", 10e-3),
            Figure("reference episode with its score", median(lambda: whole(ReferenceAgent()), 30), "s", 50e-3),
        ]

    # -- memory --------------------------------------------------------------------------------------------------

    def memory(self) -> list[Figure]:
        """What a further env of the task holds: as forked here and written to, and as made anew and reset."""
        self.back()
        path = "benchmark/notes.md"
        note = {"tool": "workspace.write_file", "arguments": {"path": path, "text": "A line that is kept.\n" * 50}}

        def fork() -> gym.Env[Any, Any]:
            env = self.life.fork()
            for call in (self.write, self.write, self.write, note):
                env.step(call)
            return env

        def make() -> gym.Env[Any, Any]:
            env = gym.make(self.id)
            env.reset()
            return env

        return [
            Figure("memory per forked env after 4 writes", held(fork), "bytes", 1e6),
            Figure("memory per env made and reset", held(make), "bytes", 1e6),
        ]


# -- what is called ----------------------------------------------------------------------------------------------


def life(env: gym.Env[Any, Any]) -> LifeEnv:
    """The LifeEnv under gymnasium's wrappers."""
    unwrapped = env.unwrapped
    assert isinstance(unwrapped, LifeEnv)
    return unwrapped


def play(env: gym.Env[Any, Any], agent: Agent, task: Task, until: Callable[[], bool] = lambda: False) -> None:
    """Play an episode of the canonical variant with an agent, to its end or until something holds."""
    seen, _ = env.reset(seed=0)
    agent.reset(EpisodeInfo(task.id, task.source, "canonical", 0, task.services))
    over = False
    while not over and not until():
        seen, _, terminated, truncated, _ = env.step(agent.act(seen))
        over = terminated or truncated


def reads(env: LifeEnv) -> Iterator[Call]:
    """Cheap reads, with ids found in the world."""
    world = env.episode.world
    for tool, table, parameter in (
        ("hotel_booking.get_reservation", "hotel_booking.reservations", "reservation_id"),
        ("flight_booking.get_booking", "flight_booking.bookings", "booking_id"),
        ("banking.get_account", "banking.accounts", "account_id"),
    ):
        if world.has(tool.partition(".")[0]):
            for row in list(world.table(table).rows()):
                yield {"tool": tool, "arguments": {parameter: row[parameter]}}
    yield {"tool": "calendar.list_events", "arguments": {}}
    for path in world.workspace.paths():
        yield {"tool": "workspace.read_file", "arguments": {"path": path}}


def searches(env: LifeEnv) -> Iterator[Call]:
    """Searches; flights between places that have offers."""
    world = env.episode.world
    if world.has("flight_booking"):
        flights = world.table("flight_booking.flights")
        for offer in list(world.table("flight_booking.offers").rows()):
            out: list[Any] = [flights.find(id) for id in offer["outbound"]]
            back: list[Any] = [flights.find(id) for id in offer["inbound"]]
            arguments = {
                "origin": out[0]["origin"],
                "destination": out[-1]["destination"],
                "departure_date": out[0]["flight_id"].rpartition("@")[2],
                "cabin": offer["cabin"],
                "currency": offer["currency"],
            }
            if back:
                arguments["return_date"] = back[0]["flight_id"].rpartition("@")[2]
            yield {"tool": "flight_booking.search_flights", "arguments": arguments}
    yield {"tool": "workspace.search_files", "arguments": {"query": world.owner_name.split()[0]}}


def writes(env: LifeEnv) -> Iterator[Call]:
    """Writes."""
    world = env.episode.world
    day = (world.today() + dt.timedelta(days=1)).isoformat()
    event = {"summary": "Collect the parcel", "start": f"{day}T15:00:00", "end": f"{day}T16:00:00"}
    yield {"tool": "calendar.create_event", "arguments": event}
    yield {"tool": "workspace.write_file", "arguments": {"path": "benchmark.md", "text": "- Collect the parcel\n"}}


def taxi_steps(taxi: gym.Env[Any, Any]) -> list[float]:
    """A batch of steps of Taxi-v4; where an episode ends, the next begins outside the timing."""
    times = []
    for number in range(WARM_UP + BATCH):
        action = taxi.action_space.sample()
        begin = time.perf_counter_ns()
        _, _, terminated, truncated, _ = taxi.step(action)
        elapsed = (time.perf_counter_ns() - begin) / 1e9
        if number >= WARM_UP:
            times.append(elapsed)
        if terminated or truncated:
            taxi.reset()
    return times


def stock_put(stock: TinyDB, changes: list[Change]) -> None:
    """What stock TinyDB does for records that are new or changed."""
    for name, key, old, row in changes:
        if old is None:
            stock.table(name).insert(row)
        else:
            stock.table(name).update(row, where(key) == row[key])


def contents(env: LifeEnv) -> dict[str, list[Record]]:
    """All records of the env's world as plain dicts, by table."""
    tables: dict[str, list[Record]] = orjson.loads(env.episode.world.store.dump())
    return tables


def import_time() -> list[Figure]:
    """``import lifegym`` in fresh processes."""
    code = (
        "import sys, time; begin = time.perf_counter(); import lifegym; print(time.perf_counter() - begin);"
        " print('ray' in sys.modules)"
    )
    times, ray = [], False
    for _ in range(5):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        seconds, loaded = done.stdout.split()
        times.append(float(seconds))
        ray = ray or loaded == "True"
    note = "imports ray, which it must not" if ray else "without ray"
    return [Figure("import lifegym", statistics.median(times), "s", 0.0 if ray else 0.5, note)]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--task", default="japan-trip", help="id of a task, or the folder of a bundle (with a slash)")
    parser.add_argument("--rounds", type=int, default=60, help="how often each batch of steps is repeated")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds is at least 1")
    try:
        task = load_task(options.task)
    except (BundleError, KeyError) as error:
        parser.error(str(error.args[0]))
    bench = Bench(task, options.rounds)
    figures = [
        *bench.steps(),
        *bench.store(),
        *bench.forks(),
        *bench.episodes(),
        *bench.memory(),
        *import_time(),
    ]
    bench.back()
    counts = {name: len(rows) for name, rows in contents(bench.life).items()}
    if not options.json:
        print(f"{task.id} at stage {bench.stage}, Python {sys.version.split()[0]}, gymnasium {gym.__version__}")
        print(f"{sum(counts.values())} records: " + ", ".join(f"{name} {n}" for name, n in counts.items()) + "\n")
        report(figures)
        return
    results = {
        "task": task.id,
        "content_hash": task.bundle.content_hash,
        "stage": bench.stage,
        "records": counts,
        "figures": [{**figure._asdict(), "ok": figure.ok} for figure in figures],
    }
    print(orjson.dumps(results, option=orjson.OPT_INDENT_2).decode())


if __name__ == "__main__":
    main()

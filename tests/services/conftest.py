"""A world with one or more services, and a short way to call them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest

from lifegym.services import dispatch
from lifegym.services.dispatch import Call
from lifegym.world import World, clock


class Desk:
    """A world and the calls on it. The clock starts at 09:00 of Friday 2026-04-17 in Shanghai."""

    def __init__(self, *services: str, start: str = "2026-04-17", zone: str = "Asia/Shanghai") -> None:
        self.world = World(services, dt.date.fromisoformat(start), zone, "u_ann", "test", "Ann Lee", "ann@mail.example")
        self.world.now += 9 * clock.HOUR

    def service(self, name: str) -> Any:
        return self.world.service(name)

    def put(self, table: str, **fields: Any) -> dict[str, Any]:
        """Insert a record that must fit its model."""
        service, _, kind = table.partition(".")
        record = self.service(service).put(kind, **fields)
        self.service(service).records[kind].model_validate(dict(record))
        return record

    def start(self) -> None:
        for name in self.world.services:
            self.service(name).start()

    def call(self, tool: str, **arguments: Any) -> Any:
        """The result of an accepted call."""
        outcome = self.outcome(tool, **arguments)
        assert outcome.ok, outcome.text
        return outcome.result

    def refused(self, tool: str, **arguments: Any) -> str:
        """The code of a refused call, which must leave the world as it was."""
        before = self.world.dump()
        outcome = self.outcome(tool, **arguments)
        assert not outcome.ok, f"accepted: {outcome.text[:200]}"
        assert not outcome.fault, outcome.fault
        assert self.world.dump() == before
        return outcome.code

    def outcome(self, tool: str, **arguments: Any) -> dispatch.Outcome:
        call = dispatch.parse({"tool": tool, "arguments": arguments}, self.world.services)
        outcome = dispatch.execute(self.world, call) if isinstance(call, Call) else call
        assert not outcome.fault, outcome.fault
        return outcome

    def happen(self, verb: str, **arguments: Any) -> list[str]:
        """What a happening ``service.verb`` touches."""
        service, _, name = verb.partition(".")
        return getattr(self.service(service), name)(**arguments)

    def until(self, when: str) -> None:
        """Let time pass to an ISO date-time in the world's zone."""
        self.world.run_to(clock.parse_instant(when, self.world.zone))

    def check(self) -> None:
        for name in self.world.services:
            service = self.service(name)
            service.check_invariants()
            for kind, model in service.records.items():
                for row in service.rows(kind):
                    model.model_validate(dict(row))


@pytest.fixture
def desk() -> Callable[..., Desk]:
    return Desk

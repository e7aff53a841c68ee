"""The one loop: turns, the agenda between them, stages that close, and what they pay."""

from __future__ import annotations

import traceback
from typing import Any, NamedTuple

from lifegym.checks.check import Check, Verdict
from lifegym.checks.evidence import Evidence
from lifegym.checks.expressions import evaluate_value
from lifegym.effects import apply, holds
from lifegym.history import Fired, History, LoggedCall, Turn
from lifegym.judge import Judge
from lifegym.scoring import Score, score
from lifegym.services import dispatch
from lifegym.timeline import Event, Scenario
from lifegym.world.agenda import Entry
from lifegym.world.clock import iso, local, shown
from lifegym.world.frozen import freeze_dict
from lifegym.world.world import Opening

__all__ = ["Episode", "EpisodeOver", "NotOver", "Step"]

TURN_SECONDS = 300
"""A turn's calls take a second each, up to this many; the clock never depends on what is pending."""

AGENT_TURNS_A_DAY = 3
"""Turns that the agent's own reminders and alerts may open in a day; further ones wait in the notification hub."""


class EpisodeOver(RuntimeError):
    """A step after the end."""


class NotOver(RuntimeError):
    """The evaluation was asked for before the end."""


class Step(NamedTuple):
    """What came of a step.

    Attributes:
        text: What the agent sees: JSON of a tool's result, or the text of what happened next.
        kind: ``result``, ``error``, an opening's kind (``user_message``, ``notification``, ``world``, ``reminder``,
            ``alert``), or ``end``.
        reward: Share of the total weight that was paid in this step.
        terminated: The timeline has ended.
        truncated: The step cap was reached.
        code: "" or the error's code.
        result: The tool's result as a value; None where something else is shown.
    """

    text: str
    kind: str
    reward: float
    terminated: bool
    truncated: bool
    code: str
    result: Any


class Episode:
    """One run of a scenario.

    Args:
        scenario: What is played.
        max_calls_per_turn: Calls beyond it in one turn are refused.
        max_steps: The episode is truncated when it has had this many steps.

    Attributes:
        judge: Decides the checks.
    """

    __slots__ = (
        "_owed", "_turn_calls", "_turn_ticks", "_turn_writes", "agent_turns", "calls_cap", "faults", "history", "judge",
        "max_steps", "over", "refused", "scenario", "stage", "steps", "truncated", "world",
    )  # fmt: skip

    def __init__(self, scenario: Scenario, max_calls_per_turn: int = 100, max_steps: int = 5000) -> None:
        self.scenario = scenario
        self.calls_cap = max_calls_per_turn
        self.max_steps = max_steps
        self.world = scenario.world.fork()
        self.history = History()
        self.faults: list[str] = []
        self.steps = 0
        self.refused = 0
        self.stage = 0
        self.over = False
        self.truncated = False
        self.agent_turns: dict[str, int] = {}
        self.judge = Judge(scenario, self.faults)
        self._turn_calls = self._turn_ticks = 0
        self._turn_writes = False
        self._owed = 0.0  # what stages paid that closed before the first turn; the first turn's end pays it

    # -- playing -------------------------------------------------------------------------------------------------

    def begin(self) -> Step:
        """Run to the first turn; its text begins with the briefing."""
        step = self._advance()
        self._owed = step.reward
        if self.over:
            self.faults.append("no entry of the timeline opened a turn")
        return step._replace(text=f"{self.scenario.briefing}\n\n{step.text}", reward=0.0)

    def step(self, action: Any) -> Step:
        """Carry out one action, a tool call; ``assistant.reply`` and ``assistant.wait`` end the turn.

        Raises:
            EpisodeOver: The episode has ended; nothing more can happen in it.
        """
        if self.over:
            raise EpisodeOver("this episode has ended; call reset() to begin another")
        self.steps += 1
        call = dispatch.parse(action, self.world.services)
        if isinstance(call, dispatch.Outcome):
            self.refused += 1
            self._turn_calls += 1
            return self._shown(call)
        if call.spec.service == "assistant":
            return self._end_turn(call)
        if self.capped:
            self.refused += 1
            return self._shown(
                dispatch.refusal("turn_limit", f"a turn has at most {self.calls_cap} calls; end it with reply or wait")
            )
        self._turn_calls += 1
        self._tick()
        outcome = dispatch.execute(self.world, call)
        if outcome.fault:
            self.faults.append(f"{call.spec.name}: {outcome.fault}")
        write = call.spec.write
        self._log(call, outcome.ok, outcome.code, write)
        if write and outcome.ok:
            self._turn_writes = True
        return self._shown(outcome)

    def _log(self, call: dispatch.Call, ok: bool, code: str, write: bool) -> None:
        history = self.history
        history.log(
            LoggedCall(
                len(history.turns) - 1, self.world.now, call.spec.name, freeze_dict(call.arguments), ok, code, write
            )
        )

    @property
    def capped(self) -> bool:
        """Whether the turn has had all its calls, so that it can only be ended."""
        return self._turn_calls >= self.calls_cap

    def next_tick(self) -> int:
        """The instant to which the next call takes the clock, in seconds."""
        return self.history.turns[-1].opened + min(self._turn_ticks + 1, TURN_SECONDS)

    def _tick(self) -> None:
        due = self.next_tick()
        self._turn_ticks += 1
        self._run_to(due)

    def _run_to(self, instant: int) -> None:
        """Let everything happen that is due. What raises is a defect of the environment; the rest happens still."""
        while True:
            try:
                self.world.run_to(instant, self._handle)
                return
            except Exception:  # the entry that raised has left the agenda
                self.faults.append(f"agenda: {traceback.format_exc()}")

    def _shown(self, outcome: dispatch.Outcome) -> Step:
        reward = 0.0
        if self.steps >= self.max_steps:
            self.over = self.truncated = True
            reward, self._owed = self._owed, 0.0
        kind = "result" if outcome.ok else "error"
        return Step(outcome.text, kind, reward, False, self.truncated, outcome.code, outcome.result)

    def _end_turn(self, call: dispatch.Call) -> Step:
        self._tick()
        self._log(call, True, "", True)
        reply = call.arguments.get("text", "")
        turns = self.history.turns
        turns[-1] = turns[-1]._replace(closed=self.world.now, ended_by=call.spec.tool, reply=reply)
        self._judge_turn(self._turn_writes or bool(reply))
        step = self._advance()
        if self._owed:
            step = step._replace(reward=step.reward + self._owed)
            self._owed = 0.0
        if self.steps >= self.max_steps and not self.over:
            self.over = self.truncated = True
            step = step._replace(truncated=True)
        return step

    def observation(self, step: Step) -> dict[str, str]:
        """What an agent sees of a step: ``kind``, ``stage``, ``text`` and ``time``."""
        stages = self.scenario.stages
        return {
            "kind": step.kind,
            "stage": stages[min(self.stage, len(stages) - 1)].id,
            "text": step.text,
            "time": iso(self.world.now, self.world.zone),
        }

    # -- between turns -------------------------------------------------------------------------------------------

    def _advance(self) -> Step:
        """Let time run to the next turn, or to the end."""
        world, scenario = self.world, self.scenario
        agenda = world.agenda
        earned = 0.0
        while True:
            due = agenda.next_time()
            if world.openings and (due is None or due > max(world.now, world.openings[0].time)):
                earned += self._close_stages(max(world.now, world.openings[0].time))
                opened = self._open_turn()
                if opened is not None:
                    return Step(opened.text, opened.kind, self._share(earned), False, False, "", None)
                continue
            if due is None or due > scenario.end:
                return self._finish(earned)
            earned += self._close_stages(due)
            self._run_to(due)

    def _open_turn(self) -> Turn | None:
        """Open the next turn: everything that is due at the same instant. None if only surplus alerts were."""
        world = self.world
        at = world.openings[0].time
        group = [opening for opening in world.openings if opening.time == at]
        world.openings = world.openings[len(group) :]
        now = world.now = max(world.now, at)
        if not any(opening.event for opening in group):
            day = local(now, world.zone).date().isoformat()
            if self.agent_turns.get(day, 0) >= AGENT_TURNS_A_DAY:
                return None
            self.agent_turns[day] = self.agent_turns.get(day, 0) + 1
        leading = next((opening for opening in group if opening.event), group[0])
        text = f"[{shown(now, world.zone)}] " + "\n\n".join(opening.text for opening in group)
        turn = Turn(
            number=len(self.history.turns),
            kind=leading.kind,
            events=tuple(opening.event for opening in group if opening.event),
            stage=self.scenario.stages[min(self.stage, len(self.scenario.stages) - 1)].id,
            opened=now,
            first_call=len(self.history.calls),
            text=text,
        )
        self.history.turns.append(turn)
        self._turn_calls = self._turn_ticks = 0
        self._turn_writes = False
        return turn

    def _finish(self, earned: float) -> Step:
        earned += self._close_stages(None)
        earned += self.judge.finish(self.world, self.history)
        self.world.unbind()
        self.over = True
        text = f"[{shown(self.world.now, self.world.zone)}] The period has ended."
        return Step(text, "end", self._share(earned), True, False, "", None)

    def _share(self, weight: float) -> float:
        return weight / self.scenario.total_weight if weight else 0.0

    # -- the timeline --------------------------------------------------------------------------------------------

    def _handle(self, entry: Entry) -> None:
        if entry.owner == "sample":
            check = self.scenario.checks[entry.data["check"]]
            self.judge.sample(check, entry.verb, entry.time, self.world, self.history)
        else:
            self._fire(self.scenario.events[entry.verb])

    def _fire(self, event: Event) -> None:
        world = self.world
        before, world._cause = world._cause, "timeline"
        evidence = Evidence(self.scenario, world, self.history)
        held, touched = True, []
        try:
            held = holds(event, evidence)
            chosen: Any = event if held else event.otherwise
            if chosen is not None:
                for effect in chosen.effects:
                    touched.extend(apply(effect, evidence))
                if event.kind != "mutation" and chosen.text is not None:
                    text = str(evaluate_value(chosen.text, evidence.scope()))
                    world.openings.append(Opening(world.now, event.kind, text, event.id))
        except Exception as error:
            self.faults.append(f"event {event.id}: {type(error).__name__}: {error}")
        finally:
            world._cause = before
        self.history.fired[event.id] = Fired(world.now, held, tuple(touched))

    # -- checks --------------------------------------------------------------------------------------------------

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """What was decided for good, by check."""
        return self.judge.verdicts

    def tripped(self) -> list[str]:
        """The checks whose never-rule was tripped so far, in the order in which it happened."""
        return list(self.judge.latched)

    def may_hold(self, check: Check) -> bool:
        """Whether an open check can still pass: nothing of it was tripped, and its samples so far hold."""
        return self.judge.may_hold(check)

    def evidence(self) -> Evidence:
        """This moment, as checks see it. It shares the world: do not step while using it."""
        return self.judge.evidence(self.world, self.history)

    def _close_stages(self, until: int | None) -> float:
        """Close the stages that end by an instant (all for None). Returns the weight they earned."""
        earned = 0.0
        stages = self.scenario.stages
        while self.stage < len(stages) and (until is None or stages[self.stage].end <= until):
            stage = stages[self.stage]
            self.world.now = max(self.world.now, min(stage.end, self.scenario.end) - 1)
            earned += self.judge.close(stage, self.world, self.history)
            self.stage += 1
        return earned

    def _judge_turn(self, acted: bool) -> None:
        """Look at what the agent did in a turn."""
        self.judge.end_turn(acted, self.world, self.history)

    # -- results -------------------------------------------------------------------------------------------------

    def score(self) -> Score:
        """The score so far: after truncation, what was paid until then.

        Raises:
            NotOver: The episode goes on; scores stay sealed until it ends.
        """
        if not self.over:
            raise NotOver("the score is sealed until the episode ends")
        return score(self)

    def evaluation(self) -> list[dict[str, Any]]:
        """Every check with its verdict and what it read, expected and found.

        Raises:
            NotOver: The episode goes on.
        """
        if not self.over:
            raise NotOver("the evaluation is sealed until the episode ends")
        return self.judge.explain(self.world)

    # -- forks ---------------------------------------------------------------------------------------------------

    def fork(self) -> Episode:
        """An independent episode in the same state; neither sees what the other does afterwards."""
        other = Episode.__new__(Episode)
        for name in self.__slots__:
            setattr(other, name, getattr(self, name))
        other.world = self.world.fork()
        other.history = self.history.fork()
        other.faults = self.faults.copy()
        other.agent_turns = self.agent_turns.copy()
        other.judge = self.judge.fork(other.faults)
        return other

    def ahead(self, instant: int) -> Episode:
        """A fork at a later instant, with everything that is due by then, as if no turn opened on the way."""
        other = self.fork()
        other._run_to(instant)
        return other

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)

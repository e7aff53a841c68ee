"""Turns: what opens them, how time passes in them, and what ends them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from lifegym.episode import Episode, EpisodeOver, NotOver

MORNINGS = """\
  - {id: one, stage: S1, at: D+0 09:00, kind: user_message, text: Good morning.}
  - {id: two, stage: S1, at: D+2 09:00, kind: notification, text: It is Wednesday.}
"""


def listing() -> dict[str, Any]:
    return {"tool": "workspace.list_files", "arguments": {}}


# -- the beginning ---------------------------------------------------------------------------------------------------


def test_the_first_step_has_the_briefing_and_the_first_event(make_task: Callable[..., Any]) -> None:
    scenario = make_task(MORNINGS).scenario()
    step = Episode(scenario).begin()
    assert step.text == f"{scenario.briefing}\n\n[Mon 2026-03-02 09:00] Good morning."
    assert (step.kind, step.reward, step.terminated, step.truncated) == ("user_message", 0.0, False, False)
    for name in ("Ann likes tests.", "calendar", "USER.md", "Thursday 2026-03-05", "u_ann"):
        assert name in scenario.briefing


def test_what_an_agent_sees_of_a_step(make_task: Callable[..., Any], sit: Callable[..., Any]) -> None:
    sitting = sit(make_task(MORNINGS))
    step = sitting.send(listing())
    seen = sitting.episode.observation(step)
    assert seen == {"kind": "result", "stage": "S1", "text": step.text, "time": "2026-03-02T09:00:01+01:00"}
    assert orjson.loads(step.text) == step.result


# -- time ------------------------------------------------------------------------------------------------------------


def test_a_call_takes_a_second(make_task: Callable[..., Any], sit: Callable[..., Any]) -> None:
    sitting = sit(make_task(MORNINGS))
    for second in (1, 2, 3):
        sitting.send(listing())
        assert sitting.time == f"03-02T09:00:0{second}"
    sitting.wait()
    assert sitting.episode.history.turns[0].closed - sitting.episode.history.turns[0].opened == 4


def test_a_turn_takes_five_minutes_at_most(make_task: Callable[..., Any], sit: Callable[..., Any]) -> None:
    sitting = sit(make_task(MORNINGS), max_calls_per_turn=400)
    times = [sitting.send(listing()) and sitting.time for _ in range(302)]
    assert times[298:] == ["03-02T09:04:59", "03-02T09:05:00", "03-02T09:05:00", "03-02T09:05:00"]
    sitting.wait()
    first = sitting.episode.history.turns[0]
    assert first.closed - first.opened == 300
    sitting.send(listing())
    assert sitting.time == "03-04T09:00:01", "the count begins anew with each turn"


@pytest.mark.parametrize(
    "action", [None, {"tool": "no.tool"}, {"tool": "workspace.read_file", "arguments": {"file": 5}}, "wait"]
)
def test_a_malformed_call_takes_no_time_and_counts_as_a_step(
    make_task: Callable[..., Any], sit: Callable[..., Any], action: Any
) -> None:
    sitting = sit(make_task(MORNINGS))
    before = sitting.episode.world.dump()
    step = sitting.send(action)
    assert (step.kind, step.reward, step.result["error"]["code"]) == ("error", 0.0, step.code)
    assert sitting.episode.world.dump() == before
    assert (sitting.episode.steps, len(sitting.episode.history.calls)) == (1, 0)
    sitting.send(listing())
    assert sitting.time == "03-02T09:00:01"


def test_a_call_that_a_service_refuses_takes_its_second(make_task: Callable[..., Any], sit: Callable[..., Any]) -> None:
    sitting = sit(make_task(MORNINGS))
    step = sitting.send({"tool": "workspace.read_file", "arguments": {"path": "none.md"}})
    assert (step.kind, step.code, sitting.time) == ("error", "not_found", "03-02T09:00:01")
    [call] = sitting.episode.history.calls
    assert (call.tool, call.ok, call.code, call.write) == ("workspace.read_file", False, "not_found", False)


def test_calls_over_the_turns_cap(make_task: Callable[..., Any], sit: Callable[..., Any]) -> None:
    sitting = sit(make_task(MORNINGS), max_calls_per_turn=2)
    sitting.send(listing())
    sitting.send({"tool": "nonsense"})
    before = sitting.episode.world.dump()
    for _ in range(2):
        step = sitting.send({"tool": "workspace.write_file", "arguments": {"path": "x.md", "text": "x"}})
        assert (step.kind, step.code) == ("error", "turn_limit")
        assert "at most 2 calls; end it with reply or wait" in step.text
    assert sitting.episode.world.dump() == before
    assert (sitting.episode.steps, len(sitting.episode.history.calls)) == (4, 1)
    assert sitting.reply("Done.").kind == "notification", "ending the turn is always possible"
    assert sitting.send(listing()).kind == "result", "the next turn has its own calls"
    sitting.wait_for_the_end()
    assert sitting.episode.score().refused == 3


# -- silent entries --------------------------------------------------------------------------------------------------


def test_what_is_due_happens_before_the_call_is_carried_out(
    small_debts_with: Callable[..., Any], sit: Callable[..., Any]
) -> None:
    """The fee is silent and comes five seconds into the turn: the fourth look misses it, the fifth sees it."""
    sitting = sit(small_debts_with(("timeline.yaml", "at: D+0 15:00", "at: D+0 09:00:05")))
    balances = [sitting.call("banking.get_account", account_id="main")["balance_minor"] for _ in range(6)]
    assert [balance - balances[0] for balance in balances] == [0, 0, 0, 0, -1000, -1000]


def test_silent_entries_open_no_turn(small_debts: Any, sit: Callable[..., Any]) -> None:
    sitting = sit(small_debts)
    step = sitting.wait()
    assert step.text == "[Tue 2026-03-03 09:00] Harbour: your statement is ready."
    assert sitting.episode.history.fired["dearer"].touched, "yet the fee of the day before was taken"
    assert [turn.events for turn in sitting.episode.history.turns] == [("ask",), ("nudge",)]


# -- several openings ------------------------------------------------------------------------------------------------

TOGETHER = """\
  - {id: one, stage: S1, at: D+0 09:00, kind: world, text: The door opens.}
  - {id: other, stage: S1, at: D+0 09:00, kind: user_message, text: Hello.}
  - {id: third, stage: S1, at: D+0 09:00:30, kind: notification, text: A parcel came.}
  - {id: fourth, stage: S1, at: D+0 09:01, kind: user_message, text: Still there?}
"""


def test_openings_at_the_same_instant_are_one_turn(make_task: Callable[..., Any], sit: Callable[..., Any]) -> None:
    sitting = sit(make_task(TOGETHER))
    assert sitting.first.text.endswith("\n\n[Mon 2026-03-02 09:00] The door opens.\n\nHello.")
    assert sitting.first.kind == "world", "the first one's kind"
    assert sitting.episode.history.turns[0].events == ("one", "other")


def test_openings_that_come_during_a_turn_wait_and_have_a_turn_each(
    make_task: Callable[..., Any], sit: Callable[..., Any]
) -> None:
    sitting = sit(make_task(TOGETHER))
    for _ in range(80):
        assert sitting.send(listing()).kind == "result"
    step = sitting.wait()
    assert (step.kind, step.text) == ("notification", "[Mon 2026-03-02 09:01] A parcel came.")
    assert sitting.time == "03-02T09:01:21"
    sitting.send(listing())
    assert sitting.time == "03-02T09:01:22", "a turn that had to wait begins when the one before it ended"
    assert sitting.wait().text == "[Mon 2026-03-02 09:01] Still there?"
    assert [turn.events for turn in sitting.episode.history.turns] == [("one", "other"), ("third",), ("fourth",)]
    assert sitting.wait().kind == "end"


# -- what agents set for themselves ----------------------------------------------------------------------------------


def test_an_agents_reminder_opens_a_turn_of_no_event(make_task: Callable[..., Any], sit: Callable[..., Any]) -> None:
    sitting = sit(make_task(MORNINGS))
    sitting.remind("03 10:00", "Water the plants")
    step = sitting.wait()
    assert step.kind == "reminder"
    assert step.text.startswith("[Tue 2026-03-03 10:00] Reminder: Water the plants")
    turn = sitting.episode.history.turns[1]
    assert (turn.events, turn.kind, turn.stage) == ((), "reminder", "S1")
    assert sitting.wait().text == "[Wed 2026-03-04 09:00] It is Wednesday."


def test_at_most_three_such_turns_a_day_and_the_rest_waits_in_the_hub(
    make_task: Callable[..., Any], sit: Callable[..., Any]
) -> None:
    sitting = sit(make_task(MORNINGS))
    for hour in range(10, 15):
        sitting.remind(f"03 {hour}:00", f"At {hour}")
    sitting.remind("04 10:00", "Next day")
    turns = [sitting.wait() for _ in range(5)]
    assert [step.text[:22] for step in turns] == [
        "[Tue 2026-03-03 10:00]",
        "[Tue 2026-03-03 11:00]",
        "[Tue 2026-03-03 12:00]",
        "[Wed 2026-03-04 09:00]",
        "[Wed 2026-03-04 10:00]",
    ]
    assert [step.kind for step in turns] == ["reminder"] * 3 + ["notification", "reminder"]
    hub = sitting.call("notification_hub.list_notifications", user_id="u_ann", source="calendar")["notifications"]
    assert [row["title"] for row in reversed(hub)] == [f"Reminder: At {h}" for h in range(10, 15)] + [
        "Reminder: Next day"
    ]


def test_the_count_is_of_the_worlds_days_and_of_turns(make_task: Callable[..., Any], sit: Callable[..., Any]) -> None:
    """Two at one instant are one turn, and so 23:59 and 00:00 are of different days."""
    sitting = sit(make_task(MORNINGS))
    for at in ("03 10:00", "03 10:00", "03 11:00", "03 23:59", "04 00:00", "03 12:00"):
        sitting.remind(at, at)
    texts = [sitting.wait().text for _ in range(5)]
    assert [text[5:22] for text in texts] == [
        "2026-03-03 10:00]",
        "2026-03-03 11:00]",
        "2026-03-03 12:00]",
        "2026-03-04 00:00]",
        "2026-03-04 09:00]",
    ]
    assert texts[0].count("Reminder:") == 2


def test_a_reminder_at_the_instant_of_an_event_is_told_in_its_turn(
    make_task: Callable[..., Any], sit: Callable[..., Any]
) -> None:
    sitting = sit(make_task(MORNINGS))
    for at in ("04 09:00", "04 10:00", "04 11:00", "04 12:00"):
        sitting.remind(at, f"Mine of {at}")
    step = sitting.wait()
    assert step.kind == "notification", "the event leads"
    assert "It is Wednesday." in step.text
    assert "Reminder: Mine of 04 09:00" in step.text
    assert sitting.episode.history.turns[1].events == ("two",)
    assert [sitting.wait().kind for _ in range(4)] == ["reminder"] * 3 + ["end"], "it is none of the agent's three"


def test_checks_see_a_reminders_turn_as_no_events(make_task: Callable[..., Any], sit: Callable[..., Any]) -> None:
    checks = """\
checks:
  - {id: C1, tier: final, weight: 1, axis: accuracy, what: Said., all: ["replies(event='two') == ['To it']"]}
  - {id: C2, tier: final, weight: 1, axis: accuracy, what: Silent., all: ["turn('one').ended_by == 'wait'"]}
  - {id: C3, tier: final, weight: 1, axis: accuracy, what: It was a turn., all: ["len(turns()) == 3"]}
"""
    sitting = sit(make_task(MORNINGS, checks))
    sitting.remind("03 10:00", "x")
    sitting.wait()
    sitting.reply("To nobody's event")
    sitting.reply("To it")
    assert sitting.episode.score().checks == {"C1": True, "C2": True, "C3": True}


# -- the end ---------------------------------------------------------------------------------------------------------


def test_the_end_is_the_windows(make_task: Callable[..., Any], sit: Callable[..., Any]) -> None:
    sitting = sit(make_task(MORNINGS))
    sitting.wait()
    step = sitting.wait()
    assert (step.kind, step.terminated, step.truncated) == ("end", True, False)
    assert step.text == "[Thu 2026-03-05 23:59] The period has ended."
    assert sitting.time == "03-05T23:59:59"


def test_a_turn_may_still_come_after_the_last_event_but_not_after_the_window(
    make_task: Callable[..., Any], sit: Callable[..., Any]
) -> None:
    sitting = sit(make_task(MORNINGS))
    sitting.remind("05 23:50", "Last call")
    sitting.remind("06 08:00", "Too late")
    assert [sitting.wait().kind for _ in range(3)] == ["notification", "reminder", "end"]


@pytest.mark.parametrize("action", [{"tool": "assistant.wait"}, None, {"tool": "workspace.list_files"}])
def test_a_step_after_the_end_raises(make_task: Callable[..., Any], sit: Callable[..., Any], action: Any) -> None:
    sitting = sit(make_task(MORNINGS))
    sitting.wait_for_the_end()
    steps = sitting.episode.steps
    with pytest.raises(EpisodeOver, match=r"call reset\(\)"):
        sitting.episode.step(action)
    assert sitting.episode.steps == steps


def test_score_and_evaluation_are_sealed_until_the_end(make_task: Callable[..., Any], sit: Callable[..., Any]) -> None:
    sitting = sit(make_task(MORNINGS))
    for _ in range(2):
        for ask in (sitting.episode.score, sitting.episode.evaluation):
            with pytest.raises(NotOver, match="sealed"):
                ask()
        sitting.wait()
    assert sitting.episode.score().score == 100.0
    assert [row["id"] for row in sitting.episode.evaluation()] == ["C1"]


# -- forks -----------------------------------------------------------------------------------------------------------


def test_a_fork_in_the_middle_of_a_turn_goes_its_own_way(
    make_task: Callable[..., Any], sit: Callable[..., Any]
) -> None:
    sitting = sit(make_task(MORNINGS), max_calls_per_turn=3)
    sitting.remind("03 10:00", "Both know")
    sitting.send(listing())
    other = sitting.episode.fork()
    before = sitting.episode.world.dump()
    other.step({"tool": "workspace.write_file", "arguments": {"path": "x.md", "text": "x"}})
    assert other.step(listing()).code == "turn_limit", "the fork remembers the turn's calls"
    assert other.step({"tool": "assistant.reply", "arguments": {"text": "x"}}).kind == "reminder"
    assert other.step({"tool": "assistant.wait"}).kind == "notification"
    assert sitting.episode.world.dump() == before
    assert (sitting.episode.steps, len(sitting.episode.history.turns), sitting.episode.agent_turns) == (2, 1, {})
    assert sitting.call("workspace.list_files")["files"][0]["path"] == "USER.md"
    assert sitting.send(listing()).code == "turn_limit"

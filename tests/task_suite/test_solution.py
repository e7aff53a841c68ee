"""Playing a solution: values come from what was seen, and what cannot be played is dropped or raised."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lifegym.baselines import ReferenceAgent
from lifegym.checks.expressions import ExpressionError, Macro, compile_value
from lifegym.rollouts.rollout import play
from lifegym.task_suite import BundleError, Task, load_task, read_bundle
from lifegym.task_suite.player import Player, SolutionError
from lifegym.task_suite.schema import StepModel
from lifegym.task_suite.solution import SOLUTION_NAMES, CompiledStep, compiled_solution

Change = Callable[..., Path]


def step(known: Any = SOLUTION_NAMES, **fields: Any) -> CompiledStep:
    model = StepModel.model_validate({"id": "s", **fields})
    return CompiledStep(model, "turn/s", known)


def seen(text: Any, kind: str = "result") -> dict[str, str]:
    return {"kind": kind, "stage": "S1", "text": json.dumps(text), "time": "2026-03-02T09:00:05+01:00"}


@pytest.fixture
def player(folder: Path) -> Player:
    player = Player(load_task(folder))
    player.observe(seen({}))
    return player


def test_the_small_solution_scores_100_on_every_variant(folder: Path) -> None:
    task = load_task(folder)
    for variant, seed in (("canonical", 0), *(("train", n) for n in range(4)), *(("test", n) for n in range(4))):
        rollout = play(task.scenario(variant, seed), ReferenceAgent())
        assert rollout.score.score == 100
        assert sum(rollout.rewards) * 100 == pytest.approx(100, abs=1e-9)


def test_results_are_seen_and_used(player: Player) -> None:
    look = step(do="banking.list_payees", **{"with": {"user_id": "u_ann"}, "as": "box"})
    assert player.action(look) == {"tool": "banking.list_payees", "arguments": {"user_id": "u_ann"}}
    player.result(look, seen({"payees": [{"id": "x", "n": 3}]}))
    use = step(
        do="a.b",
        **{"with": {"id": "${first(seen.box.payees).id}", "n": "${seen.box.payees[0].n + 1}", "d": "${today()}"}},
    )
    assert player.action(use) == {"tool": "a.b", "arguments": {"id": "x", "n": 4, "d": "2026-03-02"}}


def test_again_replaces_what_was_seen(player: Player) -> None:
    for value in (1, 2):
        player.result(step(do="a.b", again="box"), seen({"n": value}))
    assert player.seen["box"] == {"n": 2}


def test_see_reads_openings_and_results(player: Player) -> None:
    player.opened(["ask"], "[Mon] Please pay 72,000 to Bo, please.")
    player.result(step(do="a.b", **{"as": "mail"}), seen({"body": "code: 55"}))
    assert player.action(step(see={"from": "ask", "pattern": "pay <total:amount> to <who:word>"})) is None
    assert player.action(step(see={"from": "mail.body", "pattern": "code: <code:int>"})) is None
    assert (player.seen["total"], player.seen["who"], player.seen["code"]) == (72000, "Bo", 55)


def test_bind_computes_plain_values(player: Player) -> None:
    player.see({"rows": [{"n": 1}, {"n": 2}]})
    assert player.action(step(bind={"total": "sum([r.n for r in seen.rows])", "next": "${today() + days(1)}"})) is None
    assert (player.seen["total"], player.seen["next"]) == (3, "2026-03-03")


def test_write_makes_the_artifact(player: Player) -> None:
    rows = (
        "[{'who': 'a, b', 'amount_minor': 5, 'status': 'paid'}, "
        "{'who': 'c', 'amount_minor': None, 'status': 'open', 'more': 1}]"
    )
    write = step(write="debts.csv", rows=rows, **{"as": "book"})
    assert player.action(write) == {
        "tool": "workspace.write_file",
        "arguments": {"path": "debts.csv", "text": 'who,amount_minor,status\n"a, b",5,paid\nc,,open\n'},
    }
    player.result(write, seen({"written": True}))
    assert player.seen["book"][0]["who"] == "a, b"


def test_write_makes_yaml_where_the_artifact_is(change: Change) -> None:
    folder = change("checks.yaml", "    key: who", "    format: yaml\n    key: who")
    action = Player(load_task(folder)).action(
        step(write="debts.csv", rows="[{'who': 'é', 'amount_minor': 5, 'status': 'paid'}]")
    )
    assert action is not None
    assert action["arguments"]["text"] == "- who: é\n  amount_minor: 5\n  status: paid\n"


def test_replies_and_silence(player: Player) -> None:
    player.see({"n": 3})
    assert player.reply(None) == {"tool": "assistant.wait", "arguments": {}}
    assert player.reply(compile_value("Paid ${seen.n}.")) == {
        "tool": "assistant.reply",
        "arguments": {"text": "Paid 3."},
    }
    assert player.reply("Done.") == {"tool": "assistant.reply", "arguments": {"text": "Done."}}


UNPLAYABLE = [
    {"do": "a.b", "with": {"x": "${seen.nothing}"}},
    {"do": "a.b", "with": {"x": "${one([])}"}},
    {"bind": {"a": "1 / 0"}},
    {"bind": {"a": "yaml_value('[')"}},
    {"bind": {"a": "json_value('{')"}},
    {"see": {"from": "nothing", "pattern": "<a:int>"}},
    {"see": {"from": "number", "pattern": "<a:int>"}},
    {"see": {"from": "text", "pattern": "<a:int>"}},
    {"see": {"from": "text", "pattern": "no slot"}},
    {"write": "nowhere.csv", "rows": "[]"},
    {"write": "debts.csv", "rows": "seen.nothing"},
]


@pytest.mark.parametrize("fields", UNPLAYABLE)
def test_a_step_that_cannot_be_played_is_raised_or_dropped(folder: Path, fields: dict[str, Any]) -> None:
    for strict in (True, False):
        player = Player(load_task(folder), strict)
        player.observe(seen({}))
        player.seen |= {"number": 5, "text": "words"}
        actions = player.actions([step(**fields), step(do="c.d")])
        if strict:
            with pytest.raises(SolutionError, match=r"^turn/s: "):
                next(actions)
        else:
            assert [action["tool"] for _, action in actions] == ["c.d"]
            assert player.dropped == ["turn/s"]


def test_calls_come_out_as_declared(folder: Path) -> None:
    error = {"error": {"code": "not_found", "message": "x"}}
    for strict in (True, False):
        player = Player(load_task(folder), strict)
        player.result(step(do="a.b", refused="not_found"), seen(error, "error"))
        player.result(step(do="a.b"), seen({"n": 1}))
        for wrong, answer, kind in (
            (step(do="a.b"), error, "error"),
            (step(do="a.b", refused="other"), error, "error"),
            (step(do="a.b", refused="not_found"), {"n": 1}, "result"),
        ):
            if strict:
                with pytest.raises(SolutionError, match="refused"):
                    player.result(wrong, seen(answer, kind))
            else:
                player.result(wrong, seen(answer, kind))


def test_a_solution_cannot_look_behind_the_scenes() -> None:
    for name in ("p", "records", "file", "event", "t", "replies", "mails", "history", "world"):
        assert name not in SOLUTION_NAMES
        with pytest.raises(Exception, match=f"unknown name '{name}'"):
            step(do="a.b", **{"with": {"x": f"${{{name}('x')}}"}})


def test_shared_functions_of_a_solution(change: Change) -> None:
    folder = change("solution.yaml", "turns:", "shared:\n  plus(a, b): a + b + seen.k\n  half: seen.k / 2\nturns:")
    player = Player(load_task(folder))
    player.see({"k": 10})
    known = compiled_solution(player.task).known
    player.action(step(known, bind={"x": "plus(1, 2)", "y": "half()"}))
    assert (player.seen["x"], player.seen["y"]) == (13, 5)


def test_a_shared_function_may_be_given_all_that_was_seen(change: Change) -> None:
    folder = change("solution.yaml", "turns:", "shared:\n  k_of(all): all.k\n  through: k_of(first([seen]))\nturns:")
    player = Player(load_task(folder))
    known = compiled_solution(player.task).known
    look = step(known, bind={"x": "k_of(seen)", "y": "through()"})
    for k in (10, 20):
        player.see({"k": k})
        player = player.fork(strict=True)
        player.action(look)
        assert (player.seen["x"], player.seen["y"]) == (k, k)
        player.see({"k": -k})
        player.action(look)
        assert (player.seen["x"], player.seen["y"]) == (-k, -k)


YAML_BOMBS = {
    "aliases": "a: &a [1]\nb: [*a, *a]",
    "itself": "&a [*a]",
    "merged": "a: &a {x: 1}\nb: {<<: *a}",
    "tag": "!!set {a, b}",
    "sixties": "a: " + ":".join(["59"] * 100_000),
    "deep": "- " * 50_000 + "1",
    "brackets": "[" * 50_000,
    "digits": "a: 0x" + "f" * 50_000,
}


@pytest.mark.parametrize("text", YAML_BOMBS.values(), ids=YAML_BOMBS.keys())
def test_texts_that_make_much_of_little_are_no_values(player: Player, text: str) -> None:
    player.see({"text": text})
    try:
        player.action(step(bind={"x": "yaml_value(seen.text)"}))
    except ExpressionError:
        return
    assert player.seen["x"] == {"a": text.removeprefix("a: ")}


@pytest.mark.parametrize(
    "text",
    [",".join(f"x{n}" for n in range(20_000)) + "\n" + "1\n" * 100_000, "a\n" + "1\n" * 190_000],
    ids=["short rows under many headings", "many rows"],
)
def test_rows_are_made_within_the_budget(player: Player, text: str) -> None:
    player.see({"text": text})
    tracemalloc.start()
    try:
        with pytest.raises(ExpressionError, match="steps"):
            player.action(step(bind={"x": "[csv_rows(seen.text) for a in range(5)]"}))
        assert tracemalloc.get_traced_memory()[1] < 120_000_000
    finally:
        tracemalloc.stop()


def test_results_are_kept_in_bounded_memory(change: Change) -> None:
    folder = change("solution.yaml", "turns:", 'shared:\n  many(k): "[[k] for n in range(9999)]"\nturns:')
    player = Player(load_task(folder))
    known = compiled_solution(player.task).known
    tracemalloc.start()
    try:
        for k in range(60):
            player.see({"k": k})
            player.action(step(known, bind={"x": "len(many(seen.k))"}))
            assert player.seen["x"] == 9999
        assert tracemalloc.get_traced_memory()[0] < 30_000_000
    finally:
        tracemalloc.stop()


def test_a_shared_function_reads_what_is_known_now(change: Change) -> None:
    """Its results are kept, but no longer than what they were made of."""
    folder = change(
        "solution.yaml", "turns:", 'shared:\n  both(a): "[a, seen.k, str(now())[:10]]"\n  most: seen.k + 1\nturns:'
    )
    player = Player(load_task(folder))
    known = compiled_solution(player.task).known
    look = step(known, bind={"x": "both(1)", "y": "most()"})

    def looked() -> tuple[Any, Any]:
        player.action(look)
        return player.seen["x"], player.seen["y"]

    player.observe(seen({}))
    player.see({"k": 10})
    assert looked() == ([1, 10, "2026-03-02"], 11)
    player.result(step(do="a.b", again="k"), seen(20))
    assert looked() == ([1, 20, "2026-03-02"], 21)
    player.observe({**seen({}), "time": "2026-03-03T09:00:00+01:00"})
    assert looked() == ([1, 20, "2026-03-03"], 21)
    other = player.fork(strict=True)
    other.see({"k": 30})
    assert looked() == ([1, 20, "2026-03-03"], 21)
    assert player.forget("k") == 20
    with pytest.raises(Exception, match="k"):
        looked()


def test_a_shared_function_is_worked_out_anew_only_when_it_may_give_something_else(
    change: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = """shared:
  box(x): seen.box.n + x
  twice(row): 2 * box(row.n)
  any_of(name): get(seen, name)
  day(x): str(today()) + x
  tick(x): str(now()) + x
turns:"""
    player = Player(load_task(change("solution.yaml", "turns:", shared)))
    solution = compiled_solution(player.task)
    worked: list[str] = []
    names = {id(expression): name for name, (_, expression) in solution.shared.items()}
    plainly = Macro.__call__
    monkeypatch.setattr(
        Macro, "__call__", lambda self, *args: (worked.append(names[id(self.expression)]), plainly(self, *args))[1]
    )
    asks = ["box(1)", "twice(seen.row)", "any_of('row')", "day('!')", "tick('!')"]
    look = step(solution.known, bind={f"v{i}": source for i, source in enumerate(asks)})

    def looked() -> set[str]:
        worked.clear()
        player.action(look)
        return set(worked)

    player.observe(seen({}))
    player.see({"box": {"n": 1}, "row": {"n": 3}})
    assert looked() == {"box", "twice", "any_of", "day", "tick"}
    assert [player.seen[f"v{i}"] for i in range(3)] == [2, 8, {"n": 3}]
    assert looked() == {"any_of"}, "what it reads cannot be told, and the first look bound names"
    player.see({"box": {"n": 2}})
    assert looked() == {"box", "twice", "any_of"}
    assert [player.seen[f"v{i}"] for i in range(2)] == [3, 10]
    player.see({"row": {"n": 3}})
    assert looked() == {"twice", "any_of"}, "another row; the same number in it"
    player.observe({**seen({}), "time": "2026-03-02T09:00:06+01:00"})
    assert looked() == {"any_of", "tick"}
    player.observe({**seen({}), "time": "2026-03-03T09:00:06+01:00"})
    assert looked() == {"any_of", "tick", "day"}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("turn: thanks", "turn: thinks", "there is no event 'thinks'"),
        ("turn: thanks", "turn: ask", "the turn of ask stands there twice"),
        ("seen.owed", "sen.owed", "unknown name 'sen'"),
        ("seen.owed", "p.debt", "unknown name 'p'"),
        ("turns:", "shared: {a: records('x')}\nturns:", "unknown name 'records'"),
        ("turns:", "shared: {words(x): x}\nturns:", "'words' has a meaning already"),
        ("turns:", "shared: {seen: '1'}\nturns:", "'seen' has a meaning already"),
    ],
)
def test_complaints_about_a_solution_name_the_line(change: Change, old: str, new: str, message: str) -> None:
    folder = change("solution.yaml", old, new)
    with pytest.raises(BundleError, match=rf"^small-debts/solution.yaml:\d+: .*{message}"):
        compiled_solution(Task(read_bundle(folder), str(folder)))

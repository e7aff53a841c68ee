"""What a person reads of an episode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from lifegym.envs import LifeEnv

WAIT = {"tool": "assistant.wait", "arguments": {}}
PAY = {"tool": "banking.pay_payee", "arguments": {"account_id": "main", "payee_id": "friend", "amount_minor": 5000}}


def test_ansi_gives_what_happened_since_the_last_call(small_env: Callable[..., LifeEnv]) -> None:
    env = small_env(render_mode="ansi")
    env.reset()
    begin = env.render()
    assert begin is not None
    assert "Two small debts" in begin
    assert "Please pay Bo Berg what I owe" in begin
    assert env.render() == ""
    env.step(PAY)
    env.step({"tool": "banking.get_account", "arguments": {"account_id": "none"}})
    shown = env.render() or ""
    assert '09:00:01 > {"tool":"banking.pay_payee"' in shown
    assert '"not_found"' in shown
    env.step(WAIT)
    shown = env.render() or ""
    assert "[Tue 2026-03-03 09:00] Harbour: your statement is ready." in shown
    assert "+30.00" in shown, "what the stage paid"
    assert "\x1b" not in shown


def test_human_prints_at_once(small_env: Callable[..., LifeEnv], capsys: pytest.CaptureFixture[str]) -> None:
    env = small_env(render_mode="human")
    env.reset()
    assert "Please pay Bo Berg" in capsys.readouterr().out
    env.step(WAIT)
    assert "your statement is ready" in capsys.readouterr().out
    assert env.render() is None
    assert capsys.readouterr().out == ""


def test_nothing_is_shown_where_nobody_looks(
    small_env: Callable[..., LifeEnv], capsys: pytest.CaptureFixture[str]
) -> None:
    env = small_env()
    env.reset()
    env.step(PAY)
    assert env.render() is None
    assert capsys.readouterr() == ("", "")


def test_rendering_changes_nothing(small_env: Callable[..., LifeEnv]) -> None:
    seen: list[Any] = []
    for mode in (None, "ansi"):
        env = small_env(render_mode=mode)
        seen.append([env.reset(), env.step(PAY), env.step(None), env.step(WAIT), env.episode.world.dump()])
    assert seen[0] == seen[1]


def test_long_results_and_calls_are_cut_and_markup_is_text(small_env: Callable[..., LifeEnv]) -> None:
    env = small_env(render_mode="ansi")
    env.reset()
    env.render()
    text = "[bold]x[/bold] [/] \x1b[31m" + "y" * 5000
    env.step({"tool": "workspace.write_file", "arguments": {"path": "a.md", "text": text}})
    env.step({"tool": "workspace.read_file", "arguments": {"path": "a.md"}})
    shown = env.render() or ""
    assert "[bold]x[/bold] [/]" in shown
    assert shown.count("y") < 1200
    assert "\x1b[31m" not in shown

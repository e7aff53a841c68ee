"""A small env to wrap, and wrappers with arguments for the tests that all of them share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lifegym.envs import LifeEnv

SMALL_DEBTS = str(Path(__file__).parents[1] / "bundles" / "small-debts")
WAIT: dict[str, Any] = {"tool": "assistant.wait", "arguments": {}}
LOOK: dict[str, Any] = {"tool": "banking.get_account", "arguments": {"account_id": "main"}}
PAY: dict[str, Any] = {
    "tool": "banking.pay_payee", "arguments": {"account_id": "main", "payee_id": "friend", "amount_minor": 5000},
}  # fmt: skip


@pytest.fixture
def small() -> LifeEnv:
    return LifeEnv(SMALL_DEBTS)

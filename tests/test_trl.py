"""The class in docs/training.md is one that TRL's ``environment_factory`` takes.

TRL itself needs torch. What it does with the class is done here: it lists the public methods of the class, wants
``reset``, and has transformers make a schema of every other method (trl 1.16, ``GRPOTrainer.__init__``).
"""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any

import pytest

from lifegym.envs import LifeEnv

DOCS = Path(__file__).parents[1] / "docs"
SMALL_DEBTS = str(Path(__file__).parent / "bundles" / "small-debts")


@pytest.fixture
def factory() -> Any:
    text = (DOCS / "training.md").read_text(encoding="utf-8")
    block = next(
        b for b in re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE) if "class LifeTask" in b
    )
    names: dict[str, Any] = {"TASK": SMALL_DEBTS, "LifeEnv": LifeEnv}
    exec(compile(block, "training.md", "exec"), names)
    return names["LifeTask"]


def public(factory: Any) -> dict[str, Any]:
    """The methods that become tools, as TRL finds them."""
    instance = factory()
    found = [name for name, _ in inspect.getmembers(type(instance), predicate=inspect.isfunction)]
    assert {"reset", "get_reward"} <= set(found)
    return {name: getattr(instance, name) for name in found if name[0] != "_" and name not in ("reset", "get_reward")}


def test_its_methods_play_an_episode(factory: Any) -> None:
    task = factory()
    task.reset(world=0, prompt=[{"role": "user", "content": ""}])
    listed = json.loads(task.tools("banking"))
    assert "banking.pay_payee" in [tool["name"] for tool in listed]
    assert "bad_action" in task.call("banking.pay_payee", "{"), "what is no JSON is answered and raises nothing"
    while "The period has ended" not in task.call("assistant.wait", ""):
        pass
    assert task.get_reward() == task._env.score().score / 100
    assert sorted(public(factory)) == ["call", "tools"]


def test_transformers_makes_schemas_of_its_methods(factory: Any) -> None:
    reason = "transformers makes TRL's schemas; it is not installed (it needs no torch for it)"
    schema = pytest.importorskip("transformers.utils", reason=reason).get_json_schema
    made = {name: schema(method)["function"] for name, method in public(factory).items()}
    assert made["call"]["parameters"]["required"] == ["tool", "arguments"]
    assert {p["type"] for p in made["call"]["parameters"]["properties"].values()} == {"string"}
    assert all(function["description"] for function in made.values())

"""Recorded episodes in the forms that others read: ATIF, chat messages for fine-tuning, flat lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from typing import Any, Literal

import orjson

from lifegym.rollouts.run_folder import RunFolder
from lifegym.rollouts.trajectory import Trajectory
from lifegym.rollouts.units import Key
from lifegym.services import catalogue
from lifegym.task_suite import load_task

__all__ = ["FORMATS", "Format", "atif", "chosen", "export", "flat", "messages"]

Format = Literal["atif", "messages", "jsonl"]
FORMATS: tuple[str, ...] = ("atif", "messages", "jsonl")

ATIF = "ATIF-v1.8"
"""Version of the Agent Trajectory Interchange Format that is written."""


def chosen(
    folder: RunFolder, tasks: str = "*", runs: set[int] | None = None, low: float = 0.0, high: float = 100.0
) -> Iterator[tuple[dict[str, Any], Trajectory]]:
    """The recorded episodes with a score in a range, of some tasks and runs.

    Args:
        folder: The run.
        tasks: Pattern of task ids.
        runs: Numbers of runs; None for all.
        low: Least score.
        high: Greatest score.

    Raises:
        RunError: A trajectory is missing or damaged.
    """
    for row in folder.stored():
        scored = row["score"] is not None and low <= row["score"] <= high
        if (
            scored
            and row.get("trajectory")
            and fnmatchcase(row["task"], tasks)
            and (runs is None or row["run"] in runs)
        ):
            yield row, folder.trajectory(Key(*(row[name] for name in Key._fields)))


def export(form: Format, episodes: Iterator[tuple[dict[str, Any], Trajectory]]) -> Iterator[bytes]:
    """Lines of JSON: one an episode, for ``jsonl`` one a step.

    Raises:
        ValueError: There is no such form.
    """
    writers: dict[str, Callable[[dict[str, Any], Trajectory], Any]] = {"atif": atif, "messages": messages}
    if form not in FORMATS:
        raise ValueError(f"unknown form {form!r}; there are: {', '.join(FORMATS)}")
    for row, trajectory in episodes:
        made = flat(row, trajectory) if form == "jsonl" else [writers[form](row, trajectory)]
        for line in made:
            yield orjson.dumps(line, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_APPEND_NEWLINE)


def _name(action: Any) -> str:
    """The tool's name as function names are written."""
    name = action.get("tool") if isinstance(action, dict) else None
    return name.replace(".", "__", 1) if isinstance(name, str) and name else "malformed"


def _arguments(action: Any) -> dict[str, Any]:
    if isinstance(action, dict) and isinstance(action.get("arguments"), dict):
        arguments: dict[str, Any] = action["arguments"]
        return arguments
    if isinstance(action, dict) and action.get("arguments") is None:
        return {}
    return {"sent": action}


def _is_reply(action: Any) -> bool:
    return _name(action) == "assistant__reply" and isinstance(_arguments(action).get("text"), str)


def _tools(trajectory: Trajectory) -> list[dict[str, Any]]:
    return catalogue.render_tools(load_task(trajectory.source).services, "openai")


def messages(row: dict[str, Any], trajectory: Trajectory) -> dict[str, Any]:
    """An episode as a chat with tool calls, as supervised fine-tuning takes it: ``messages``, ``tools`` and what it is.

    What opens a turn is a user message; each call is an assistant message with its result after it; a reply to the
    user is the assistant's own text, ``assistant.wait`` stays a call.
    """
    chat: list[dict[str, Any]] = [{"role": "user", "content": trajectory.observations[0]["text"]}]
    for i, action in enumerate(trajectory.actions):
        after = trajectory.observations[i + 1]
        call_id = f"call_{i + 1}"
        ends = after["kind"] not in ("result", "error")
        if _is_reply(action) and ends:
            chat.append({"role": "assistant", "content": _arguments(action)["text"]})
        else:
            function = {"name": _name(action), "arguments": orjson.dumps(_arguments(action)).decode()}
            call = {"id": call_id, "type": "function", "function": function}
            chat.append({"role": "assistant", "content": None, "tool_calls": [call]})
            content = "The turn has ended." if ends else after["text"]
            chat.append({"role": "tool", "tool_call_id": call_id, "content": content})
        if ends:
            chat.append({"role": "user", "content": after["text"]})
    return {"messages": chat, "tools": _tools(trajectory), **trajectory.key._asdict(), "score": row["score"]}


def atif(row: dict[str, Any], trajectory: Trajectory) -> dict[str, Any]:
    """An episode as an ATIF document (Agent Trajectory Interchange Format, version 1.8)."""
    steps: list[dict[str, Any]] = []

    def add(step: dict[str, Any]) -> None:
        steps.append({"step_id": len(steps) + 1, **step})

    def opened(observation: dict[str, str]) -> None:
        source = "system" if observation["kind"] == "end" else "user"
        extra = {"kind": observation["kind"], "stage": observation["stage"]}
        add({"source": source, "timestamp": observation["time"], "message": observation["text"], "extra": extra})

    opened(trajectory.observations[0])
    for i, action in enumerate(trajectory.actions):
        seen, after = trajectory.observations[i], trajectory.observations[i + 1]
        call_id = f"call_{i + 1}"
        ends = after["kind"] not in ("result", "error")
        step: dict[str, Any] = {
            "source": "agent",
            "timestamp": seen["time"],
            "message": _arguments(action)["text"] if _is_reply(action) else "",
            "tool_calls": [{"tool_call_id": call_id, "function_name": _name(action), "arguments": _arguments(action)}],
            "extra": {"reward": trajectory.rewards[i], "error": trajectory.codes[i]},
        }
        if not ends:
            step["observation"] = {"results": [{"source_call_id": call_id, "content": after["text"]}]}
        add(step)
        if ends:
            opened(after)
    usage = trajectory.usage
    final = {
        "total_prompt_tokens": usage.get("input_tokens"),
        "total_completion_tokens": usage.get("output_tokens"),
        "total_cached_tokens": usage.get("cached_tokens"),
        "total_cost_usd": usage.get("cost_usd"),
        "total_steps": len(steps),
        "extra": {"score": row["score"], "earned": row["earned"], "total": row["total"]},
    }
    agent: dict[str, Any] = {"name": trajectory.agent, "version": str(usage.get("version", "unknown"))}
    if isinstance(usage.get("model"), str):
        agent["model_name"] = usage["model"]
    return {
        "schema_version": ATIF,
        "session_id": "/".join(str(part) for part in trajectory.key),
        "agent": {**agent, "tool_definitions": _tools(trajectory)},
        "steps": steps,
        "final_metrics": {name: value for name, value in final.items() if value is not None},
        "extra": {**trajectory.key._asdict(), "content_hash": trajectory.content_hash},
    }


def flat(row: dict[str, Any], trajectory: Trajectory) -> Iterator[dict[str, Any]]:
    """An episode step by step: what was seen, what was sent, what it paid, and what is left to come."""
    left = sum(trajectory.rewards)
    for i, action in enumerate(trajectory.actions):
        yield {
            **trajectory.key._asdict(),
            "step": i,
            "observation": trajectory.observations[i],
            "action": action,
            "reward": trajectory.rewards[i],
            "return_to_go": round(left, 12),
            "error": trajectory.codes[i],
            "score": row["score"],
        }
        left -= trajectory.rewards[i]

"""Which tools there are, and how they are called."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

import gymnasium as gym
import orjson
from gymnasium.utils import RecordConstructorArgs

from lifegym.services import catalogue

__all__ = ["RenamedTools", "ToolSubset"]


class ToolSubset(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Leaves some tools only; others are answered ``tool_unavailable``, which counts as a malformed call does.

    ``assistant.reply`` and ``assistant.wait`` are always there, since a turn could not end without them.

    Args:
        env: A ``LifeEnv``, wrapped or not.
        tools: Names, or patterns such as ``email.*``.

    Raises:
        ValueError: A name or pattern fits no tool of the env.

    >>> import gymnasium as gym, lifegym
    >>> env = ToolSubset(gym.make("LifeBench/japan-trip-v0"), ["workspace.*", "email.get_*"])
    >>> _ = env.reset()
    >>> env.step({"tool": "calendar.list_calendars", "arguments": {}})[4]["error"]
    'tool_unavailable'
    """

    def __init__(self, env: gym.Env[Any, Any], tools: Iterable[str]) -> None:
        patterns = list(tools)
        RecordConstructorArgs.__init__(self, tools=patterns)
        gym.Wrapper.__init__(self, env)
        known = catalogue.tool_names(env.action_space.services)  # type: ignore[attr-defined]
        for pattern in patterns:
            if not any(fnmatchcase(name, pattern) for name in known):
                raise ValueError(f"{pattern!r} fits no tool of this env")
        self.allowed = {
            name
            for name in known
            if name.startswith("assistant.") or any(fnmatchcase(name, pattern) for pattern in patterns)
        }

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Carry out a call of a tool that is there."""
        name = action.get("tool") if isinstance(action, Mapping) else None
        spec = catalogue.find_tool(name) if isinstance(name, str) else None
        if spec is None or spec.name in self.allowed:
            return self.env.step(action)
        observation, reward, terminated, truncated, info = self.env.step(None)
        near = sorted(tool for tool in self.allowed if tool.startswith(f"{spec.service}."))
        hint = f"; of {spec.service} there are: {', '.join(near)}" if near else f"; {spec.service} has no tools here"
        message = f"{spec.name} is not available{hint}"
        text = orjson.dumps({"error": {"code": "tool_unavailable", "message": message}}).decode()
        shown = {**observation, "text": text}
        return shown, reward, terminated, truncated, {**info, "error": "tool_unavailable"}

    def tools(self, format: str = "openai") -> list[dict[str, Any]]:
        """The tools that are there, in a model provider's form."""
        rendered: list[dict[str, Any]] = self.env.unwrapped.tools(format)  # type: ignore[attr-defined]
        return [tool for tool in rendered if _name(tool) in self.allowed]


class RenamedTools(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """The same tools under other names, with other names and another order of their parameters.

    An agent that understands descriptions does as well; one that has learnt names by heart does not. The names are
    drawn from a seed, so that the same seed gives the same names everywhere; ``tools()`` tells them.

    Args:
        env: A ``LifeEnv``, wrapped or not.
        seed: Which names.

    >>> import gymnasium as gym, lifegym
    >>> env = RenamedTools(gym.make("LifeBench/japan-trip-v0"), seed=1)
    >>> _ = env.reset()
    >>> action = env.renamed({"tool": "workspace.read_file", "arguments": {"path": "USER.md"}})
    >>> action["tool"] != "workspace.read_file", env.step(action)[0]["kind"]
    (True, 'result')
    """

    def __init__(self, env: gym.Env[Any, Any], seed: int = 0) -> None:
        RecordConstructorArgs.__init__(self, seed=seed)
        gym.Wrapper.__init__(self, env)
        rng = random.Random(seed)
        self._names: dict[str, str] = {}
        self._parameters: dict[str, dict[str, str]] = {}
        for name in catalogue.tool_names(env.action_space.services):  # type: ignore[attr-defined]
            spec = catalogue.find_tool(name)
            assert spec is not None
            service, _, verb = name.partition(".")
            self._names[name] = f"{service}.{_other(verb, rng)}"
            given = list(spec.arguments.names)
            others = [_other(parameter, rng) for parameter in given]
            self._parameters[name] = dict(zip(given, others if len(set(others)) == len(others) else given, strict=True))
        taken: dict[str, str] = {}
        for name, other in self._names.items():  # two tools of one name would be one
            self._names[name] = other if other not in taken.values() else f"{other}_{len(taken)}"
            taken[name] = self._names[name]
        self._back = {other: name for name, other in self._names.items()}
        self._order = rng.random()

    def renamed(self, action: Mapping[str, Any]) -> dict[str, Any]:
        """A call by its usual names as this env takes it.

        Raises:
            KeyError: There is no such tool.
        """
        name = str(action["tool"]).replace("__", ".", 1)
        parameters = self._parameters[name]
        arguments = {parameters.get(key, key): value for key, value in (action.get("arguments") or {}).items()}
        return {"tool": self._names[name], "arguments": arguments}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Carry out a call by this env's names."""
        return self.env.step(self._usual(action))

    def _usual(self, action: Any) -> Any:
        if not isinstance(action, Mapping) or not isinstance(action.get("tool"), str):
            return action
        name = self._back.get(action["tool"].replace("__", ".", 1))
        if name is None:
            # A tool's usual name is none here, unless another tool has it.
            return {**action, "tool": f"no.{action['tool']}"} if action["tool"] in self._names else action
        back = {other: key for key, other in self._parameters[name].items()}
        given = action.get("arguments")
        if isinstance(given, Mapping):
            given = {back.get(key, f"no_{key}" if key in back.values() else key): value for key, value in given.items()}
        return {**action, "tool": name, "arguments": given}

    def tools(self, format: str = "openai") -> list[dict[str, Any]]:
        """The tools by this env's names, in a model provider's form."""
        rendered = copy.deepcopy(self.env.unwrapped.tools(format))  # type: ignore[attr-defined]
        for tool in rendered:
            name = _name(tool)
            body = tool.get("function", tool)
            other = self._names[name]
            body["name"] = other if format == "json-schema" else other.replace(".", "__", 1)
            schema = next(body[key] for key in ("parameters", "input_schema", "inputSchema", "schema") if key in body)
            parameters = self._parameters[name]
            renamed = [(parameters[key], value) for key, value in schema["properties"].items()]
            random.Random(f"{self._order}{name}").shuffle(renamed)
            schema["properties"] = dict(renamed)
            schema["required"] = [parameters[key] for key in schema["required"]]
        return list(rendered)


def _name(tool: Mapping[str, Any]) -> str:
    """The usual name of a rendered tool."""
    body = tool.get("function", tool)
    return str(body["name"]).replace("__", ".", 1)


_WORDS = {
    "add": ("append", "insert", "attach"),
    "amount": ("sum", "total"),
    "body": ("content", "message_text"),
    "book": ("order", "take"),
    "cancel": ("call_off", "revoke", "annul"),
    "change": ("modify", "amend"),
    "create": ("make", "set_up", "open"),
    "date": ("day", "on_date"),
    "delete": ("drop", "discard", "erase"),
    "end": ("finish", "to_time"),
    "file": ("document", "doc"),
    "get": ("fetch", "show", "look_up"),
    "id": ("key", "ref"),
    "limit": ("at_most", "max_items"),
    "list": ("enumerate", "show_all", "browse"),
    "name": ("label", "called"),
    "page": ("sheet", "part"),
    "path": ("place", "location_path"),
    "query": ("terms", "text"),
    "read": ("open", "view", "load"),
    "remove": ("take_out", "strip"),
    "reply": ("answer",),
    "request": ("ask_for", "demand"),
    "search": ("find", "query", "seek"),
    "send": ("dispatch", "submit", "issue"),
    "start": ("begin", "from_time"),
    "subject": ("headline", "topic"),
    "subscribe": ("follow", "watch"),
    "to": ("recipient",),
    "update": ("alter", "revise", "edit"),
    "wait": ("pause", "say_nothing"),
    "write": ("put", "store"),
}
"""Other words for what names of tools and parameters are made of."""


def _other(name: str, rng: random.Random) -> str:
    """A name in other words; one without known words gets a word in front."""
    parts = name.split("_")
    words = [rng.choice(_WORDS[part]) if part in _WORDS else part for part in parts]
    return "_".join(words) if words != parts else f"the_{name}"

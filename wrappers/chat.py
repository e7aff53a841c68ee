"""Observations as a chat: the message list that language models take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils import RecordConstructorArgs

from lifegym.chat import Chat, Conversation
from lifegym.tool_calls import ModelCall, Unreadable, read_calls
from lifegym.wrappers.text_actions import CallResults

__all__ = ["Chat", "ChatObservation", "Messages"]

PAPERS = ("USER.md", "POLICY.md", "HANDBOOK.md")
"""Files of the workspace that the system prompt quotes, where they are there."""


class Messages(gym.Space[Any]):
    """A list of chat messages in OpenAI's form: ``role``, ``content``, and ``tool_calls`` or ``tool_call_id``."""

    def __init__(self, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(None, None, seed)

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def sample(self, mask: Any | None = None, probability: Any | None = None) -> Chat:
        """A chat of a system prompt and a user message; masks are not supported."""
        if mask is not None or probability is not None:
            raise ValueError("Messages.sample takes no mask")
        said = [("system", "You are an assistant."), ("user", "Good morning.")]
        return Chat([{"role": role, "content": content} for role, content in said])

    def contains(self, x: Any) -> bool:
        if not isinstance(x, (Chat, list, tuple)):
            return False
        return all(isinstance(message, dict) and "role" in message for message in x)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Messages)

    def __repr__(self) -> str:
        return "Messages()"


class ChatObservation(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """The observation is the whole chat so far, as a ``Chat`` of messages in OpenAI's form.

    The system prompt has the rules, the person, and the files USER.md, POLICY.md and HANDBOOK.md as they are at the
    beginning; what opens a turn is a user message; each call is an assistant message with its result under its id; a
    reply is the assistant's own text. Put it around ``TextActions`` for actions that a model writes, or around the env
    for single calls.

    With a ``budget`` the chat is shortened where it grows beyond it, as ``lifegym.chat.Conversation`` tells: oldest
    results first, the current turn never. By default nothing is dropped.

    Args:
        env: A ``LifeEnv``, wrapped or not.
        budget: Greatest size of the chat, in what ``count`` counts; None for no limit.
        count: The size of a text, such as its number of tokens; by default its characters.

    Raises:
        ValueError: The budget is below 1.

    >>> import gymnasium as gym, lifegym
    >>> from lifegym.wrappers import TextActions
    >>> env = ChatObservation(TextActions(gym.make("LifeBench/japan-trip-v0")))
    >>> chat, _ = env.reset()
    >>> [message["role"] for message in chat]
    ['system', 'user']
    >>> chat, *_ = env.step('{"tool": "workspace.list_files"}')
    >>> [message["role"] for message in chat]
    ['system', 'user', 'assistant', 'tool']
    """

    def __init__(self, env: gym.Env[Any, Any], budget: int | None = None, count: Callable[[str], int] = len) -> None:
        if budget is not None and budget < 1:
            raise ValueError("a budget is at least 1")
        RecordConstructorArgs.__init__(self, budget=budget, count=count)
        gym.Wrapper.__init__(self, env)
        self.budget, self.count = budget, count
        self.observation_space = Messages()
        self._talk = Conversation("", "")

    def reset(self, **kwargs: Any) -> tuple[Any, dict[str, Any]]:
        """Begin an episode with a new chat."""
        observation, info = self.env.reset(**kwargs)
        briefing = self.unwrapped.episode.scenario.briefing  # type: ignore[attr-defined]
        opening = observation["text"].removeprefix(briefing).lstrip()
        system = "\n\n".join([briefing, *self._papers()])
        self._talk = Conversation(system, opening, self.budget, self.count)
        return self._talk.chat(), info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Take a step, and write what was said and seen into the chat."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._write(action, observation, info.get("calls"))
        return self._talk.chat(), reward, terminated, truncated, info

    def _papers(self) -> list[str]:
        files = self.unwrapped.episode.world.workspace  # type: ignore[attr-defined]
        texts = {path: file.text for path, file in files.files()}
        return [f"# {path}\n{texts[path]}" for path in PAPERS if path in texts]

    def _write(self, action: Any, observation: dict[str, str], done: Any) -> None:
        made = _made(action, observation, done)
        ended = observation["kind"] not in ("result", "error")
        if not made:  # nothing could be read: what was written stands there, and the answer to it
            self._talk.said(action if isinstance(action, str) else repr(action))
            self._talk.told(observation["text"])
            return
        calls = [(call, seen) for call, seen in made if not (ended and _is_reply(call))]
        if calls:
            ids = self._talk.asked([call for call, _ in calls])
            for number, (id, (_, seen)) in enumerate(zip(ids, calls, strict=True)):
                told = "The turn has ended." if ended and number == len(calls) - 1 else ""
                self._talk.answered(id, told or (seen["text"] if seen else "Not carried out: the turn had ended."))
        for call, seen in made:
            if ended and _is_reply(call) and seen is not None:
                self._talk.said(str(call.action["arguments"].get("text", "")))
        if ended:
            self._talk.opened(observation["text"])


def _made(action: Any, observation: dict[str, str], done: Any) -> list[tuple[ModelCall, dict[str, str] | None]]:
    """The calls of an action with what was seen after each."""
    if isinstance(done, CallResults):
        return [(result.call, result.observation) for result in done]
    try:
        return [(call, observation) for call in read_calls(action)[:1]]
    except Unreadable:
        return []


def _is_reply(call: ModelCall) -> bool:
    return str(call.action["tool"]).replace("__", ".", 1) == "assistant.reply"

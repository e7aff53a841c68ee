"""Observations as a chat: the message list that language models take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, overload

import gymnasium as gym
import numpy as np
import orjson
from gymnasium.utils import RecordConstructorArgs

from lifegym.tool_calls import ModelCall, Unreadable, read_calls
from lifegym.wrappers.text_actions import CallResults

__all__ = ["Chat", "ChatObservation", "Messages"]

PAPERS = ("USER.md", "POLICY.md", "HANDBOOK.md")
"""Files of the workspace that the system prompt quotes, where they are there."""

Message = dict[str, Any]


class Chat(Sequence[Message]):
    """The messages of a chat up to a moment. It stays as it is when the chat goes on; each look at a message is a copy.

    ``list(chat)`` is what model clients take. That messages are shared, not copied at every step, keeps a step's cost
    from growing with the chat.
    """

    __slots__ = ("_length", "_messages")

    def __init__(self, messages: list[Message], length: int | None = None) -> None:
        self._messages = messages
        self._length = len(messages) if length is None else length

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> Chat: ...
    def __getitem__(self, index: int | slice) -> Message | Chat:
        if isinstance(index, slice):
            return Chat(self._messages[: self._length][index])
        if not -self._length <= index < self._length:
            raise IndexError(f"the chat has {self._length} messages")
        return _copied(self._messages[index % self._length])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(self._length)

    def __repr__(self) -> str:
        return f"Chat({list(self)!r})"


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

    With a ``budget`` the chat is shortened where it grows beyond it: first the oldest tool results, each replaced by a
    line that says how long it was, then the oldest messages after the system prompt. What belongs to the current turn
    is kept, whatever it costs. By default nothing is dropped.

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
        self._chat: list[Message] = []
        self._sizes: list[int] = []
        self._turn = 0  # where the current turn begins
        self._calls = 0

    def reset(self, **kwargs: Any) -> tuple[Any, dict[str, Any]]:
        """Begin an episode with a new chat."""
        observation, info = self.env.reset(**kwargs)
        self._chat, self._sizes, self._calls = [], [], 0
        briefing = self.unwrapped.episode.scenario.briefing  # type: ignore[attr-defined]
        opening = observation["text"].removeprefix(briefing).lstrip()
        self._add({"role": "system", "content": "\n\n".join([briefing, *self._papers()])})
        self._turn = 1
        self._add({"role": "user", "content": opening})
        return self._shown(), info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Take a step, and write what was said and seen into the chat."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._write(action, observation, info.get("calls"))
        return self._shown(), reward, terminated, truncated, info

    # -- writing -------------------------------------------------------------------------------------------------

    def _papers(self) -> list[str]:
        files = self.unwrapped.episode.world.workspace  # type: ignore[attr-defined]
        texts = {path: file.text for path, file in files.files()}
        return [f"# {path}\n{texts[path]}" for path in PAPERS if path in texts]

    def _write(self, action: Any, observation: dict[str, str], done: Any) -> None:
        if isinstance(done, CallResults):
            made = [(result.call, result.observation) for result in done]
        else:
            try:
                made = [(call, observation) for call in read_calls(action)[:1]]
            except Unreadable:
                made = []
        ended = observation["kind"] not in ("result", "error")
        if not made:  # nothing could be read: what was written stands there, and the answer to it
            self._add({"role": "assistant", "content": action if isinstance(action, str) else repr(action)})
            self._add({"role": "user", "content": observation["text"]})
            return
        calls = [(call, seen) for call, seen in made if not (ended and _is_reply(call))]
        if calls:
            self._add(self._asked([call for call, _ in calls]))
            for number, (_, seen) in enumerate(calls):
                told = "The turn has ended." if ended and number == len(calls) - 1 else ""
                content = told or (seen["text"] if seen else "Not carried out: the turn had ended.")
                self._add({"role": "tool", "tool_call_id": self._ids[number], "content": content})
        for call, seen in made:
            if ended and _is_reply(call) and seen is not None:
                self._add({"role": "assistant", "content": str(call.action["arguments"].get("text", ""))})
        if ended:
            self._turn = len(self._chat)
            self._add({"role": "user", "content": observation["text"]})

    def _asked(self, calls: list[ModelCall]) -> Message:
        self._ids = []
        written = []
        for call in calls:
            self._calls += 1
            self._ids.append(call.id or f"call_{self._calls}")
            name = str(call.action["tool"]).replace(".", "__", 1)
            function = {"name": name, "arguments": orjson.dumps(call.action["arguments"], default=repr).decode()}
            written.append({"id": self._ids[-1], "type": "function", "function": function})
        return {"role": "assistant", "content": None, "tool_calls": written}

    def _add(self, message: Message) -> None:
        self._chat.append(message)
        if self.budget is not None:
            self._sizes.append(self._size(message))

    def _size(self, message: Message) -> int:
        size = self.count(message["content"] or "")
        return size + sum(self.count(call["function"]["arguments"]) for call in message.get("tool_calls", ()))

    # -- showing -------------------------------------------------------------------------------------------------

    def _shown(self) -> Chat:
        if self.budget is not None and sum(self._sizes) > self.budget:
            self._chat = list(self._chat)  # earlier observations keep what they show
            self._shorten(self.budget)
        return Chat(self._chat)

    def _shorten(self, budget: int) -> None:
        """Make the chat fit, oldest things first. What was shortened stays so."""
        total = sum(self._sizes)
        for i in range(1, self._turn):
            if total <= budget:
                return
            message = self._chat[i]
            if message["role"] == "tool" and not message["content"].startswith(_DROPPED):
                new = {**message, "content": f"{_DROPPED}: {len(message['content'])} characters]"}
                if (size := self._size(new)) < self._sizes[i]:
                    total += size - self._sizes[i]
                    self._chat[i], self._sizes[i] = new, size
        gone = 1
        while total > budget and gone < self._turn:
            total -= self._sizes[gone]
            gone += 1
        while gone < self._turn and self._chat[gone]["role"] == "tool":  # a result needs its call
            gone += 1
        del self._chat[1:gone], self._sizes[1:gone]
        self._turn -= gone - 1


_DROPPED = "[an older result was dropped"


def _copied(message: Message) -> Message:
    calls = message.get("tool_calls")
    if calls is None:
        return message.copy()
    return {**message, "tool_calls": [{**call, "function": call["function"].copy()} for call in calls]}


def _is_reply(call: ModelCall) -> bool:
    return str(call.action["tool"]).replace("__", ".", 1) == "assistant.reply"

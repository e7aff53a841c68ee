"""An episode as a chat: the message list that language models take, shortened where it grows beyond a budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, overload

import orjson

from lifegym.tool_calls import ModelCall

__all__ = ["Chat", "Conversation", "Message"]

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


class Conversation:
    """A chat that is being written.

    With a budget it is shortened where it grows beyond it: first the oldest tool results, each replaced by a line that
    says how long it was, then the oldest messages after the system prompt. What belongs to the current turn is kept,
    whatever it costs.

    Args:
        system: The system prompt.
        opening: What opened the first turn.
        budget: Greatest size of the chat, in what ``count`` counts; None for no limit.
        count: The size of a text, such as its number of tokens; by default its characters.
    """

    def __init__(self, system: str, opening: str, budget: int | None = None, count: Callable[[str], int] = len) -> None:
        self.budget, self.count = budget, count
        self._chat: list[Message] = []
        self._sizes: list[int] = []
        self._calls = 0
        self._add({"role": "system", "content": system})
        self._turn = 1  # where the current turn begins
        self._add({"role": "user", "content": opening})

    # -- writing -------------------------------------------------------------------------------------------------

    def asked(self, calls: Sequence[ModelCall], thought: str | None = None) -> list[str]:
        """The assistant made calls, with what it said beside them. Gives their ids."""
        ids = []
        written = []
        for call in calls:
            self._calls += 1
            ids.append(call.id or f"call_{self._calls}")
            name = str(call.action["tool"]).replace(".", "__", 1)
            function = {"name": name, "arguments": orjson.dumps(call.action["arguments"], default=repr).decode()}
            written.append({"id": ids[-1], "type": "function", "function": function})
        self._add({"role": "assistant", "content": thought, "tool_calls": written})
        return ids

    def answered(self, id: str, text: str) -> None:
        """What came of a call."""
        self._add({"role": "tool", "tool_call_id": id, "content": text})

    def said(self, text: str) -> None:
        """The assistant spoke."""
        self._add({"role": "assistant", "content": text})

    def told(self, text: str) -> None:
        """Something reached the assistant in its turn."""
        self._add({"role": "user", "content": text})

    def opened(self, text: str) -> None:
        """A new turn begins with this."""
        self._turn = len(self._chat)
        self.told(text)

    def _add(self, message: Message) -> None:
        self._chat.append(message)
        if self.budget is not None:
            self._sizes.append(self._size(message))

    def _size(self, message: Message) -> int:
        size = self.count(message["content"] or "")
        return size + sum(self.count(call["function"]["arguments"]) for call in message.get("tool_calls", ()))

    # -- reading -------------------------------------------------------------------------------------------------

    def chat(self) -> Chat:
        """The chat as it stands."""
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

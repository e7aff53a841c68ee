"""A language model as an agent: it is asked, its calls are carried out, and what they give is told to it."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from lifegym.baselines.agent import EpisodeInfo
from lifegym.baselines.llm.toolbox import FIND, Toolbox
from lifegym.chat import Conversation
from lifegym.tool_calls import ModelCall, Unreadable, read_calls

if TYPE_CHECKING:
    from openai import OpenAI

__all__ = ["LLMAgent"]

SEARCHES = 8
"""How often in a row a model may look for tools before it has to act."""

CUT_OFF = "Your last message was cut off before it was complete. Be shorter: one call, or one short text."


class LLMAgent:
    """Asks a model behind any endpoint that speaks OpenAI's chat completions.

    The key comes from the environment (``OPENAI_API_KEY``), never from a setting, since settings are recorded. Requests
    that fail for a while (rate limits, time-outs, errors of the server) are tried again with growing pauses by the
    client library. A message with several calls is carried out call by call; prose is a reply to the user.

    ``usage`` has ``model``, ``requests``, ``input_tokens``, ``output_tokens``, ``cached_tokens`` and, with prices,
    ``cost_usd``.

    Args:
        model: Name of the model.
        base_url: Of the endpoint; by default the client library's, or ``OPENAI_BASE_URL``.
        max_tools: How many tools a request may have; beyond it the model gets a search over them.
        context: Greatest size of the chat in characters; the oldest results are dropped beyond it. None for no limit.
        stream: Whether answers are streamed.
        timeout: Seconds a request may take.
        retries: How often a request is tried again.
        prices: Dollars for a million tokens: ``{"input": .., "output": .., "cached": ..}``.
        options: Further arguments of the request, such as ``{"temperature": 0}``.
        transcripts: A folder in which each episode's requests and answers are written, a line each.

    Raises:
        ImportError: The extra ``[llm]`` is not installed.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        max_tools: int = 128,
        context: int | None = None,
        stream: bool = False,
        timeout: float = 120.0,
        retries: int = 5,
        prices: Mapping[str, float] | None = None,
        options: Mapping[str, Any] | None = None,
        transcripts: str | None = None,
    ) -> None:
        try:
            from openai import OpenAI
        except ImportError as error:
            raise ImportError("this agent needs the extra: pip install 'lifegym[llm]'") from error
        key = os.environ.get("OPENAI_API_KEY", "none")  # endpoints of one's own often want none
        self._client: OpenAI = OpenAI(base_url=base_url, api_key=key, timeout=timeout, max_retries=retries)
        self.model, self.max_tools, self.context, self.stream = model, max_tools, context, stream
        self.prices, self.options = dict(prices or {}), dict(options or {})
        self.transcripts = Path(transcripts) if transcripts else None
        self.usage: dict[str, Any] = {}

    def reset(self, info: EpisodeInfo) -> None:
        """Begin an episode: an empty chat and the tools of its world."""
        self._toolbox = Toolbox(info.services, self.max_tools)
        self._talk: Conversation | None = None
        self._queue: deque[tuple[ModelCall, str]] = deque()
        self._waiting: tuple[ModelCall, str] | None = None
        self.usage = {"model": self.model, "requests": 0, "input_tokens": 0, "output_tokens": 0, "cached_tokens": 0}
        self._file = None
        if self.transcripts is not None:
            self.transcripts.mkdir(parents=True, exist_ok=True)
            name = f"{info.task}-{info.variant}-{info.variant_seed}-{info.seed}.jsonl"
            self._file = self.transcripts / name
            self._file.write_bytes(b"")

    def act(self, observation: Mapping[str, str]) -> dict[str, Any]:
        """The model's next call.

        Raises:
            openai.OpenAIError: The endpoint cannot be reached, or refuses.
        """
        self._hear(observation)
        if not self._queue:
            self._ask()
        call, id = self._queue.popleft()
        self._waiting = (call, id)
        self._toolbox.used(str(call.action["tool"]))
        return call.action

    # -- inside --------------------------------------------------------------------------------------------------

    def _hear(self, observation: Mapping[str, str]) -> None:
        """Write what came of the last call, or what opened a turn."""
        text = observation["text"]
        if self._talk is None:
            briefing, _, opening = text.rpartition("\n\n[")
            self._talk = Conversation(briefing or text, f"[{opening}" if briefing else "Begin.", self.context)
            return
        assert self._waiting is not None
        id = self._waiting[1]
        if observation["kind"] in ("result", "error"):
            if id:
                self._talk.answered(id, text)
            else:
                self._talk.told(text)
            return
        if id:
            self._talk.answered(id, "The turn has ended.")
        for _, left in self._queue:
            if left:
                self._talk.answered(left, "Not carried out: the turn had ended.")
        self._queue.clear()
        self._talk.opened(text)

    def _ask(self) -> None:
        """Ask the model until it acts: what it looks up among the tools is answered here."""
        assert self._talk is not None
        for attempt in range(SEARCHES + 1):
            message, reason = self._request()
            calls = message.get("tool_calls") or []
            if reason == "length" and not calls and attempt < SEARCHES:
                self._talk.said(message.get("content") or "")
                self._talk.told(CUT_OFF)
                continue
            if not calls:
                self._spoken(message.get("content") or "")
                return
            made = [_call(call) for call in calls]
            ids = self._talk.asked(made, message.get("content"))
            left = []
            for call, id in zip(made, ids, strict=True):
                if call.action["tool"] == FIND:
                    arguments = call.action["arguments"]
                    query = arguments.get("query") if isinstance(arguments, Mapping) else None
                    self._talk.answered(id, self._toolbox.find(str(query or "")))
                else:
                    left.append((call, id))
            if left:
                self._queue.extend(left)
                return
        self._queue.append((ModelCall({"tool": "assistant.wait", "arguments": {}}), ""))

    def _spoken(self, content: str) -> None:
        """Text without native calls: it may hold calls all the same, as some models write them; else it is a reply."""
        assert self._talk is not None
        self._talk.said(content)
        try:
            calls = read_calls(content)
        except Unreadable:
            # Sent as it is, so that the env says what is wrong with it and it counts as a step.
            calls = [ModelCall({"tool": "", "arguments": content})] if content else [_WAIT]
        self._queue.extend((call, "") for call in calls)

    def _request(self) -> tuple[dict[str, Any], str]:
        """One request. The answer's message and why it ended."""
        assert self._talk is not None
        chat = list(self._talk.chat())
        asked = {
            "model": self.model,
            "messages": chat,
            "tools": self._toolbox.offered(),
            **self.options,
        }
        if self.stream:
            answer = self._streamed(asked)
        else:
            answer = self._client.chat.completions.create(**asked).model_dump(mode="json")
        self._count(answer.get("usage") or {})
        choice = (answer.get("choices") or [{}])[0]
        if self._file is not None:
            with self._file.open("ab") as file:
                file.write(orjson.dumps({"asked": chat[-1], "answer": answer}, default=repr) + b"\n")
        return choice.get("message") or {}, choice.get("finish_reason") or ""

    def _streamed(self, asked: dict[str, Any]) -> dict[str, Any]:
        """A streamed answer put together."""
        content, reason = "", ""
        usage: dict[str, Any] = {}
        calls: dict[int, dict[str, Any]] = {}
        for chunk in self._client.chat.completions.create(**asked, stream=True, stream_options={"include_usage": True}):
            part = chunk.model_dump(mode="json")
            usage = part.get("usage") or usage
            for choice in part.get("choices") or []:
                delta = choice.get("delta") or {}
                content += delta.get("content") or ""
                reason = choice.get("finish_reason") or reason
                for piece in delta.get("tool_calls") or []:
                    call = calls.setdefault(piece["index"], {"id": "", "function": {"name": "", "arguments": ""}})
                    call["id"] = piece.get("id") or call["id"]
                    for name in ("name", "arguments"):
                        call["function"][name] += (piece.get("function") or {}).get(name) or ""
        message = {"content": content or None, "tool_calls": [calls[i] for i in sorted(calls)]}
        return {"choices": [{"message": message, "finish_reason": reason}], "usage": usage}

    def _count(self, usage: Mapping[str, Any]) -> None:
        cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
        counts = (usage.get("prompt_tokens") or 0, usage.get("completion_tokens") or 0, cached)
        self.usage["requests"] += 1
        for name, count in zip(("input_tokens", "output_tokens", "cached_tokens"), counts, strict=True):
            self.usage[name] += count
        if self.prices:
            used = {**self.prices, "cached": self.prices.get("cached", self.prices.get("input", 0.0))}
            fresh = self.usage["input_tokens"] - self.usage["cached_tokens"]
            paid = fresh * used.get("input", 0.0) + self.usage["cached_tokens"] * used["cached"]
            self.usage["cost_usd"] = round((paid + self.usage["output_tokens"] * used.get("output", 0.0)) / 1e6, 6)


_WAIT = ModelCall({"tool": "assistant.wait", "arguments": {}})


def _call(call: Mapping[str, Any]) -> ModelCall:
    """A native call; one whose arguments are no JSON is sent as it is, for the env to answer."""
    try:
        return read_calls(call)[0]
    except Unreadable:
        function = call.get("function") or {}
        sent = {"tool": str(function.get("name") or ""), "arguments": function.get("arguments")}
        return ModelCall(sent, str(call.get("id") or ""))

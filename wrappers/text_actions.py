"""Actions as a language model writes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
from gymnasium.utils import RecordConstructorArgs

from lifegym.tool_calls import ModelCall, Unreadable, read_calls

__all__ = ["CallResult", "CallResults", "ModelOutput", "TextActions"]


class CallResult(NamedTuple):
    """A call of an action, and what came of it.

    Attributes:
        call: The call, with the model's id for it.
        observation: What was seen after it; None where it was not carried out, since a call before it ended the turn.
    """

    call: ModelCall
    observation: dict[str, str] | None


class CallResults:
    """The calls of one action with their results: ``info["calls"]``. An object, so that vector envs keep it whole."""

    __slots__ = ("results",)

    def __init__(self, results: tuple[CallResult, ...] = ()) -> None:
        self.results = results

    def __iter__(self) -> Iterator[CallResult]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CallResults) and other.results == self.results

    def __hash__(self) -> int:
        return hash(repr(self.results))

    def __repr__(self) -> str:
        return f"CallResults({list(self.results)!r})"


class ModelOutput(gym.Space[Any]):
    """What a language model writes: text, a message, its content, or its calls."""

    def __init__(self, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(None, None, seed)

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def sample(self, mask: Any | None = None, probability: Any | None = None) -> str:
        """A short reply or a call that waits; masks are not supported."""
        if mask is not None or probability is not None:
            raise ValueError("ModelOutput.sample takes no mask")
        outputs = ("Noted.", '{"tool": "assistant.wait", "arguments": {}}', '{"tool": "workspace.list_files"}')
        return outputs[int(self.np_random.integers(len(outputs)))]

    def contains(self, x: Any) -> bool:
        return isinstance(x, (str, dict, list))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ModelOutput)

    def __repr__(self) -> str:
        return "ModelOutput()"


class TextActions(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """The action is what a language model writes; ``lifegym.tool_calls`` reads it.

    The calls of one output are carried out one after the other, up to one that ends the turn; rewards add up, and the
    observation's text has all results, each under its tool's name where there are several. What cannot be read is
    answered with an error (``unreadable``) that shows the expected form; like any malformed call it counts as a step.

    ``info["calls"]`` has each call with its result.

    Args:
        env: A ``LifeEnv``, wrapped or not.
        max_calls: Calls carried out of one output; further ones are answered ``too_many_calls``.

    Raises:
        ValueError: max_calls is below 1.

    >>> import gymnasium as gym, lifegym
    >>> env = TextActions(gym.make("LifeBench/japan-trip-v0"))
    >>> _ = env.reset()
    >>> written = '<tool_call>{"name": "workspace.read_file", "arguments": {"path": "POLICY.md"}}</tool_call>'
    >>> env.step(written)[0]["kind"]
    'result'
    >>> env.step("I will look into it.")[0]["kind"]  # prose is a reply, and ends the turn
    'notification'
    """

    def __init__(self, env: gym.Env[Any, Any], max_calls: int = 20) -> None:
        if max_calls < 1:
            raise ValueError("max_calls is at least 1")
        RecordConstructorArgs.__init__(self, max_calls=max_calls)
        gym.Wrapper.__init__(self, env)
        self.max_calls = max_calls
        self.action_space = ModelOutput()

    def reset(self, **kwargs: Any) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        observation, info = self.env.reset(**kwargs)
        return observation, {**info, "calls": CallResults()}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Carry out what the model wrote."""
        try:
            calls = read_calls(action)
        except Unreadable as error:
            return self._refused(str(error), "unreadable", ())
        if len(calls) > self.max_calls:
            problem = f"one message has at most {self.max_calls} calls, not {len(calls)}; none was carried out"
            return self._refused(problem, "too_many_calls", tuple(calls))
        results: list[CallResult] = []
        total = 0.0
        for number, call in enumerate(calls):
            observation, reward, terminated, truncated, info = self.env.step(call.action)
            total += float(reward)
            results.append(CallResult(call, observation))
            if observation["kind"] not in ("result", "error") or terminated or truncated:
                results.extend(CallResult(left, None) for left in calls[number + 1 :])
                break
        if len(results) > 1:
            observation = {**observation, "text": _joined(results)}
        return observation, total, terminated, truncated, {**info, "calls": CallResults(tuple(results))}

    def _refused(
        self, problem: str, code: str, calls: tuple[ModelCall, ...]
    ) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        # Malformed: it counts and changes nothing.
        observation, reward, terminated, truncated, info = self.env.step(None)
        observation = {**observation, "text": problem}
        results = CallResults(tuple(CallResult(call, observation) for call in calls))
        return observation, float(reward), terminated, truncated, {**info, "error": code, "calls": results}


def _joined(results: list[CallResult]) -> str:
    parts = []
    for call, observation in results:
        text = observation["text"] if observation else "not carried out: the turn had ended"
        parts.append(f"{call.action['tool']}: {text}")
    return "\n".join(parts)

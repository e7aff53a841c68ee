"""An agent that writes what a page must not act on: markup, control codes, marks of direction, and very long texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifegym.baselines.agent import EpisodeInfo

MARKUP = "</script></template><script>window.pwned = 1</script><img src=x onerror='window.pwned = 2'>"
CODES = "\x1b[31mred\x1b[0m \x07 \u202etxt.exe\u202c \u2066left\u2069 \u2028 {{ 7 * 7 }} ${7 * 7}"
LONG = "<b>" + "long " * 200_000
PATH = "<img src=x onerror=window.pwned=3>.csv"


class Hostile:
    """Tries everything once in its first turns. ``rough`` lets it raise at the end."""

    def __init__(self, rough: bool = False) -> None:
        self.rough = rough
        self.usage = {"input_tokens": MARKUP, "cost_usd": 0.1}

    def reset(self, info: EpisodeInfo) -> None:
        """Write down what to try."""
        self._calls: list[Any] = [
            {
                "tool": "workspace.write_file",
                "arguments": {"path": PATH, "text": f"{MARKUP}\n{CODES}\n" + "x,y\n" * 4000},
            },
            {"tool": "workspace.write_file", "arguments": {"path": "big.txt", "text": LONG}},
            {"tool": MARKUP, "arguments": {MARKUP: CODES}},
            {"tool": "workspace.read_file", "arguments": {"path": PATH}},
            MARKUP,
            {"tool": "assistant.reply", "arguments": {"text": f"{MARKUP} {CODES}"}},
            {"tool": "workspace.edit_file", "arguments": {"path": PATH, "old": "window", "new": CODES}},
            {"tool": "workspace.delete_file", "arguments": {"path": "USER.md"}},
        ]

    def act(self, observation: Mapping[str, str]) -> Any:
        """The next of them, then silence."""
        if self._calls:
            return self._calls.pop(0)
        if self.rough:
            raise RuntimeError(MARKUP + CODES)
        return {"tool": "assistant.wait", "arguments": {}}

"""Rich text: runs of text, given in any of the ways in which people write it, kept in one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lifegym.services.tools import ToolError

__all__ = ["TEXT_LIMIT", "plain", "rich_text", "run", "shown"]

TEXT_LIMIT = 4000
RUNS = 100
_STYLES = ("bold", "italic", "strikethrough", "underline", "code")
_FORM = '[{"type": "text", "text": {"content": "..."}}], or simply "..."'


def run(content: str) -> dict[str, Any]:
    """One run of unstyled text."""
    return {"type": "text", "text": {"content": content}, "plain_text": content}


def rich_text(value: Any, where: str, code: str) -> list[dict[str, Any]]:
    """Runs of text from a string, one run, or a list of strings and runs.

    Args:
        value: What was given.
        where: Names it in an error.
        code: The error's code.

    Raises:
        ToolError: The value has another form, or is too long.
    """
    items = value if isinstance(value, list) else [value]
    runs = [_run(item, where, code) for item in items]
    if len(runs) > RUNS or sum(len(one["plain_text"]) for one in runs) > TEXT_LIMIT:
        raise ToolError(code, f"{where}: at most {TEXT_LIMIT} characters and {RUNS} runs; split it into several blocks")
    return [one for one in runs if one["plain_text"]]


def _run(item: Any, where: str, code: str) -> dict[str, Any]:
    if isinstance(item, str):
        return run(item)
    if isinstance(item, dict):
        text = item.get("text", item)
        equation = item.get("equation")
        if isinstance(text, str):
            content: Any = text
        elif isinstance(text, dict) and "content" in text:
            content = text["content"]
        elif isinstance(equation, dict):
            content = equation.get("expression")
        else:
            content = item.get("plain_text")
        if isinstance(content, str):
            return _styled(run(content), text if isinstance(text, dict) else {}, item.get("annotations"))
    raise ToolError(code, f"{where}: text is given as {_FORM}")


def _styled(made: dict[str, Any], text: Mapping[str, Any], annotations: Any) -> dict[str, Any]:
    """The run with its link and with those styles that are on."""
    link = text.get("link")
    url = link.get("url") if isinstance(link, dict) else link
    if isinstance(url, str) and url:
        made["text"] = {**made["text"], "link": {"url": url}}
    styles = annotations if isinstance(annotations, dict) else {}
    on: dict[str, Any] = {style: True for style in _STYLES if styles.get(style) is True}
    if isinstance(styles.get("color"), str) and styles["color"] != "default":
        on["color"] = styles["color"]
    if on:
        made["annotations"] = on
    return made


def plain(runs: Iterable[Mapping[str, Any]]) -> str:
    """The text of some runs without styles."""
    return "".join([one["plain_text"] for one in runs])


def shown(runs: Iterable[Mapping[str, Any]]) -> str:
    """The text of some runs with ``~~`` around what is struck out."""
    return "".join(
        f"~~{one['plain_text']}~~" if one.get("annotations", {}).get("strikethrough") else one["plain_text"]
        for one in runs
    )

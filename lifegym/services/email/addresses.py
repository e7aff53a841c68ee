"""Mail addresses as people write them, and the subjects of answers."""

from __future__ import annotations

import re

from lifegym.services.tools import ToolError

__all__ = ["bare_subject", "domain", "parse_addresses"]

_LENGTH_LIMIT = 8000
_ADDRESS = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_DISPLAY = re.compile(r"[^<>]*<([^<>]*)>")
_ANSWER = re.compile(r"(?:\s*(?:re|fw|fwd|aw|wg|sv|tr|antw)\s*:\s*)+", re.IGNORECASE)


def parse_addresses(text: str, name: str) -> list[str]:
    """The addresses in ``a@x.example, "Sato, Ken" <ken@y.example>``, in lower case, each once.

    Raises:
        ToolError: ``bad_address``, naming the part that is none.
    """
    if len(text) > _LENGTH_LIMIT:
        raise ToolError("bad_address", f"{name} has more than {_LENGTH_LIMIT} characters; write to fewer people")
    found: dict[str, None] = {}
    for part in _split(text):
        display = _DISPLAY.fullmatch(part)
        address = (display[1] if display else part).strip()
        if not _ADDRESS.fullmatch(address):
            raise ToolError(
                "bad_address",
                f"{name}: {part[:60]!r} is no mail address; write ann@mail.example or Ann Lee <ann@mail.example>, "
                "several separated by commas",
            )
        found[address.lower()] = None
    return list(found)


def _split(text: str) -> list[str]:
    """The parts between commas and semicolons that stand outside quotation marks, empty ones left out."""
    parts: list[str] = []
    part: list[str] = []
    quoted = False
    for ch in text:
        if ch == '"':
            quoted = not quoted
        if ch in ",;\n" and not quoted:
            parts.append("".join(part).strip())
            part = []
        else:
            part.append(ch)
    parts.append("".join(part).strip())
    return [part for part in parts if part]


def domain(address: str) -> str:
    """What stands after the @."""
    return address.rpartition("@")[2]


def bare_subject(subject: str) -> str:
    """A subject without the ``Re:`` and ``Fwd:`` before it."""
    match = _ANSWER.match(subject)
    return (subject[match.end() :] if match else subject).strip()

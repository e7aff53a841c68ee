"""Templates to pages. Everything that a template prints is escaped, and a name that it misspells is an error."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files
from typing import Any

import orjson
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from lifegym.counting import counted

__all__ = ["as_json", "environment", "page", "style", "text_file", "visible"]

TEMPLATES = "templates"


@cache
def environment() -> Environment:
    """The one Jinja environment. Templates extend ``base.html``.

    Filters beside Jinja's own: ``points`` (a score out of 100), ``number`` (with thousands apart), ``minute`` (an ISO
    time without seconds), ``day``, ``signed``, ``words`` (``user_message`` -> ``user message``), ``counted``
    (``1 | counted("task")`` -> ``1 task``).
    """
    made = Environment(
        loader=PackageLoader("lifegym.reports", TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        points=points, number=number, minute=minute, day=day, words=words, signed=signed, counted=counted
    )
    made.globals.update(style=style)
    return made


_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


def visible(text: str) -> str:
    """A text with control characters and marks of direction made visible: they would hide or reorder what is said."""

    def mark(found: re.Match[str]) -> str:
        code = ord(found[0])
        return chr(0x2400 + code) if code < 0x20 else f"‹U+{code:04X}›"

    return _HIDDEN.sub(mark, text.replace("\r\n", "\n"))


def _shown(value: Any) -> Any:
    return visible(value) if type(value) is str else value


def page(template: str, /, scripts: tuple[str, ...] = (), **values: Any) -> str:
    """A whole page.

    Args:
        template: Name of a template that extends ``base.html``.
        scripts: Names of JavaScript files among the templates; they become one inline script. The page's policy lets
            no other inline script run, so that text which got past the escaping would still do nothing.
        values: What the template shows.
    """
    script = "\n".join(text_file(name) for name in scripts)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return environment().get_template(template).render(script=Markup(script), script_hash=digest, **values)


@cache
def text_file(name: str) -> str:
    """A file that lies among the templates, as it is."""
    return files("lifegym.reports").joinpath(TEMPLATES, name).read_text(encoding="utf-8")


def style(*names: str) -> Markup:
    """Style sheets among the templates, for a ``<style>`` element."""
    return Markup("\n".join(text_file(name) for name in names))


def as_json(value: Any) -> Markup:
    """A value as JSON that is safe inside any element, ``<script type="application/json">`` included."""
    text = orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def points(value: float | None) -> str:
    """A score, 0 to 100; a dash where there is none."""
    return "–" if value is None else f"{value:.1f}"


def number(value: float | None, digits: int = 0) -> str:
    """A number with its thousands apart (a thin space); a dash where there is none."""
    return "–" if value is None else f"{value:,.{digits}f}".replace(",", "\u202f")


def signed(value: float, digits: int = 1) -> str:
    """A difference with its sign."""
    return f"{value:+.{digits}f}".replace("-", "\u2212")


def minute(stamp: str | None) -> str:
    """``2026-03-02T09:30:00+01:00`` as ``2026-03-02 09:30``."""
    return (stamp or "–")[:16].replace("T", " ")


def day(stamp: str | None) -> str:
    """The date of an ISO time."""
    return (stamp or "–")[:10]


def words(name: str) -> str:
    """An identifier as words."""
    return name.replace("_", " ")

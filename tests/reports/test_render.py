"""Templates become pages in which nothing that is shown can act."""

from __future__ import annotations

import json
import re

import pytest
from jinja2 import UndefinedError

from lifegym.reports import render

SCRIPT = "</script><script>alert(1)</script><!--\u2028"


def test_what_a_template_prints_is_escaped() -> None:
    template = render.environment().from_string("<p title='{{ text }}'>{{ text }}</p>")
    assert "<script>" not in template.render(text=SCRIPT)


def test_a_name_that_is_not_given_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        render.environment().from_string("{{ nowhere }}").render()


def test_json_inside_a_page_ends_no_element_and_reads_back() -> None:
    text = str(render.as_json({"text": SCRIPT}))
    assert not re.search("[<>&\u2028]", text)
    assert json.loads(text) == {"text": SCRIPT}


def test_a_page_stands_alone_and_lets_only_its_own_script_run() -> None:
    made = render.page("base.html")
    assert "script-src 'sha256-" in made
    assert not re.search(r"""(src|href)=["']?https?:""", made)


def test_numbers_and_times_for_people() -> None:
    assert render.points(None) == "–"
    assert render.points(66.666) == "66.7"
    assert render.number(1234567.8) == "1\u202f234\u202f568"
    assert render.minute("2026-03-02T09:30:00+01:00") == "2026-03-02 09:30"
    assert render.words("user_message") == "user message"

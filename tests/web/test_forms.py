"""Each tool has a form, and a filled form means the arguments that the tool takes."""

from __future__ import annotations

import pytest

from lifegym.services import catalogue
from lifegym.web.forms import PREFIX, fields, read


def spec(name: str):
    found = catalogue.find_tool(name)
    assert found is not None
    return found


def filled(name: str, **typed: str):
    return read(spec(name), {PREFIX + field: text for field, text in typed.items()})


def controls(name: str) -> dict[str, str]:
    return {field.name: field.control for field in fields(spec(name))}


def test_every_tool_has_a_form_with_a_field_for_each_parameter():
    number = 0
    for service in [*catalogue.SERVICES, "workspace"]:
        for tool in catalogue.tools_of(service).values():
            made = fields(tool, "u_ann")
            assert [field.name for field in made if field.required] == tool.schema["required"]
            assert {field.name for field in made} == set(tool.schema["properties"])
            assert all(field.form and field.description for field in made), tool.name
            assert all(field.choices for field in made if field.control == "choice"), tool.name
            number += 1
    assert number >= 289


def test_the_control_fits_what_a_parameter_takes():
    assert controls("email.send_email")["body"] == "area"
    assert controls("email.send_email")["subject"] == "line"
    assert controls("banking.pay_payee")["amount_minor"] == "number"
    assert controls("banking.schedule_recurring")["freq"] == "choice"
    assert controls("email.move_emails")["email_ids"] == "lines"
    assert controls("notion.post_page")["parent"] == "json"
    assert next(f for f in fields(spec("calendar.list_calendars"), "u_ann") if f.name == "user_id").value == "u_ann"


def test_values_have_the_types_of_their_parameters():
    made = filled(
        "banking.pay_payee", account_id="main", payee_id="friend", amount_minor=" 5000 ", memo="", scheduled_for=""
    )
    assert made.arguments == {"account_id": "main", "payee_id": "friend", "amount_minor": 5000}
    assert made.problems == {}
    assert filled("email.move_emails", email_ids="a\r\n b \r\n\r\n", target_folder="X").arguments["email_ids"] == [
        "a",
        "b",
    ]
    assert filled("email.move_emails", email_ids='["a", "b"]', target_folder="X").arguments["email_ids"] == ["a", "b"]
    notes = filled("workspace.write_file", path="a.md", text="one\r\ntwo\r\n")
    assert notes.arguments["text"] == "one\ntwo\n"
    assert filled("notion.post_page", parent='{"type": "workspace"}').arguments["parent"] == {"type": "workspace"}


def test_what_a_field_cannot_be_is_told_beside_it():
    made = filled("banking.pay_payee", account_id="main", payee_id="friend", amount_minor="fifty")
    assert set(made.problems) == {"amount_minor"}
    assert "whole number" in made.problems["amount_minor"]
    assert made.typed["amount_minor"] == "fifty"
    assert "amount_minor" in filled("banking.pay_payee", account_id="main").problems
    assert "parent" in filled("notion.post_page", parent="{oh").problems
    assert "freq" in filled("banking.schedule_recurring", freq="hourly").problems


@pytest.mark.parametrize(
    "text", ["\x00", "\ud7ff", "<b>", "9" * 400, "{" * 500, "[" * 500, "1e999", "NaN", "null", '"']
)
def test_whatever_is_typed_a_form_can_be_read(text):
    for name in ("banking.pay_payee", "notion.post_page", "email.move_emails", "calendar.create_event"):
        tool = spec(name)
        read(tool, {PREFIX + field.name: text for field in fields(tool)})

"""What a text says, in the forms that people use, and in those that only look like them."""

from __future__ import annotations

import datetime as dt
from importlib import resources

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from lifegym.checks import wording
from lifegym.checks.expressions import ExpressionError

LEXICON: dict[str, list[str]] = yaml.safe_load(
    resources.files("lifegym.checks").joinpath("lexicon.en.yaml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize(
    "text",
    ["on 2026-09-02.", "2026/09/02", "2026.9.2", "2026-09-02T10:00:00+08:00", "2 September", "2nd of September 2026",
     "the 2nd September",
     "Sep 2", "Sept. 2nd, 2026", "September 2, 2026", "SEPTEMBER 2", "on 09-02 and", "02.09.2026", "2/9/2026",
     "2 Sep.", "(09/02)"],
)  # fmt: skip
def test_forms_of_a_date(text: str) -> None:
    if text.startswith("2026-09-02T"):
        text = text.replace("T", " ")
    assert wording.names_date(text, dt.date(2026, 9, 2)), text
    assert wording.names_date(text, "2026-09-02T23:00:00+08:00")
    assert not wording.names_date(text, "2026-09-03")


@pytest.mark.parametrize(
    "text",
    ["", "2", "September", "2025-09-02", "2 September 2025", "12 September", "22 September", "Sep 22", "Sep 20",
     "2 December", "9-2",
     "version 1.09-02", "2026-09-021", "phone 555-09-02", "12:09-02", "02.09.2025", "20926", "Septembers 2", "2 Septe"],
)  # fmt: skip
def test_false_friends_of_a_date(text: str) -> None:
    assert not wording.names_date(text, "2026-09-02"), text


@pytest.mark.parametrize(
    ("text", "time"),
    [("at 19:05", "19:05"), ("7:05 pm", "19:05"), ("7.05 p.m.", "19:05"), ("19h05", "19:05"), ("7pm", "19:00"),
     ("12 am", "00:00"),
     ("12:30 PM", "12:30"), ("09:00-10:00", "09:00"), ("9:00", "09:00"), ("2026-03-02 19:05", "19:05"),
     ("19:05: at the gate", "19:05"), ("2026-03-02T19:05:00-05:00", "19:05"), ("7:05: pm or so", "07:05")],
)  # fmt: skip
def test_forms_of_a_time(text: str, time: str) -> None:
    assert wording.names_time(text, time)
    assert wording.names_time(text, dt.time.fromisoformat(time))


@pytest.mark.parametrize(
    "text",
    ["", "19", "7:05", "7:05 am", "119:05", "19:055", "1,19:05", "7 apples", "19:50", "room 1905", "05:19:05",
     "19:05:7", "19:05:001"],
)  # fmt: skip
def test_false_friends_of_a_time(text: str) -> None:
    assert not wording.names_time(text, "19:05")


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("72,000", [72000]), ("72 000.50", [72000.5]), ("CNY 1,234,567", [1234567]), ("¥8880", [8880]),
        ("8,880.00 EUR", [8880]),
        ("-5 and −6", [-5, -6]), ("8’880", [8880]), ("2026-09-02 cost 5", [5]), ("at 19:05 paid 7", [7]),
        ("3 Sep: 12", [12]),
        ("seat 12A", [12]), ("A12", []), ("1.2.3", []), ("none", []), ("1,23", []), ("5 apples, 6 pears", [5, 6]),
    ],
)  # fmt: skip
def test_amounts(text: str, amounts: list[float]) -> None:
    assert wording.amounts(text) == amounts


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("The total is 68,400.", True),
        ("It is 68400.00 now.", True),
        ("It is 68,400, not 72,000.", True),
        ("It was 72,000; now it is 68,400.", True),
        ("Instead of 72,000 it costs 68,400.", True),
        ("The old price 72000 no longer holds: 68,400.", True),
        ("The total is 72,000.", False),
        ("The total is 68,400 or 72,000.", False),
        ("It is 72,000, formerly 68,400.", False),
        ("That was long ago. It is 72,000 beside 68,400.", False),
        ("The total is 684,00 or 6,840.", False),
        ("168,400", False),
        ("68,400.5", False),
        ("", False),
    ],
)
def test_decoys_may_be_named_as_wrong_only(text: str, passes: bool) -> None:
    assert wording.names_amount(text, 68400, [72000]) is passes


def test_an_amount_behind_a_month_is_no_day() -> None:
    text = "Deposit 7,950, August 4,616.13, September 12.50; signed August 4, 2026, or May 5,2026."
    assert wording.names_amount(text, 4616.13)
    assert wording.names_amount(text, 12.5)
    assert wording.names_date(text, dt.date(2026, 8, 4))
    assert wording.names_date(text, dt.date(2026, 5, 5))
    assert not wording.names_date("August 4,616.13", dt.date(2026, 8, 4))


def test_the_cents_of_an_amount_before_a_month_are_no_day() -> None:
    text = "The 111.21 of April is open; please pay until 12 April."
    assert wording.names_amount(text, 111.21)
    assert wording.names_date(text, "2026-04-12")
    assert not wording.names_date(text, "2026-04-21")


def test_the_right_amount_is_no_decoy_of_itself() -> None:
    assert wording.names_amount("It is 68,400.", 68400, [68400, 72000])


def test_a_long_text_of_decoys_takes_work_in_proportion_to_its_length(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = []

    class Counting:
        def search(self, text: str, start: int = 0, end: int | None = None) -> object:
            looked_at.append((len(text) if end is None else end) - start)
            return True

    monkeypatch.setattr(wording, "_REFUTED", Counting())
    assert wording.names_amount("5 " + "not 7 " * 2000, 5, [7])
    assert len(looked_at) == 2000
    assert sum(looked_at) <= 2000 * 60


FORMS = ["{:,}", "{}", "{:,}.00", "CNY {:,}", "{:,} CNY", "({:,})", "**{:,}**", "R{:,}", "R{:,}.00", "ZAR{}", "-R{:,}"]
FORMS += ["RM{:,}", "RM{:,}.00", "MYR{}", "-RM{:,}"]


@pytest.mark.parametrize("text", ["KG350", "AR350", "EXTRA350", "X-EURO350", "ARM350"])
def test_a_number_inside_a_code_is_no_amount(text: str) -> None:
    assert not wording.amounts(text)


@given(st.integers(1, 10**7), st.sampled_from(FORMS))
def test_an_amount_is_found_in_every_usual_form(amount: int, form: str) -> None:
    text = f"On 2026-09-02 at 19:05 it came to {form.format(amount)} in all."
    assert wording.names_amount(text, amount)
    assert not wording.names_amount(text, amount + 1)


@given(st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1)), st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1)))
def test_a_full_date_names_itself_alone(day: dt.date, other: dt.date) -> None:
    for text in (
        day.isoformat(),
        f"{day.day} {day:%B} {day.year}",
        f"{day:%b} {day.day}, {day.year}",
        f"{day:%d.%m.%Y}",
    ):
        assert wording.names_date(f"on {text} at noon", day)
        if day.day > 12 or "." not in text:
            assert wording.names_date(f"on {text} at noon", other) is (day == other)


@pytest.mark.parametrize(
    ("text", "thing", "found"),
    [("Seat 12A it is", "12a", True), ("Seat 12AB", "12A", False), ("a112A", "12A", False),
     ("Café Zoë", "cafe zoe", True), ("x", "", False),
     ("no_12A", "12A", False), ("12A_", "12A", False), ("x12Ax 12A", "12A", True), ("C++ (new)", "c++", True),
     ("京都駅", "京都", False),
     ("東京-京都", "京都", True), ("a.b", "a?b", False)],
)  # fmt: skip
def test_names_are_whole_words(text: str, thing: str, found: bool) -> None:
    assert wording.names(text, thing) is found
    assert wording.names_any(text, "zzz", thing) is found
    assert not wording.names(text, thing, "zzz")


@pytest.mark.parametrize(("phrase", "form"), [(phrase, form) for phrase, forms in LEXICON.items() for form in forms])
def test_each_form_of_each_phrase(phrase: str, form: str) -> None:
    for ending in ("", "xyz") if form.endswith("*") else ("",):
        word = form.rstrip("*") + ending
        assert wording.says(f"Well, {word}.", phrase)
        assert wording.says(word.upper().replace(" ", "\n "), phrase)
        assert not wording.says(f"Well, qq{word}.", phrase) or any(
            f != form for f in LEXICON[phrase] if wording.says(f"qq{word}", phrase)
        )
    if not form.endswith("*"):
        assert not any(wording.says(f"{form}qq", phrase) and LEXICON[phrase] == [form] for _ in [0])


@pytest.mark.parametrize(
    ("phrase", "text"),
    [("scam", "The scan is ready; a genuine bank."), ("refused", "I paid it."), ("asks_yes", "Booked."),
     ("emergency", "It costs 1190."),
     ("insulin", "The suspense."), ("customs", "It is customary."), ("too_short", "There is enough time."),
     ("cabin", "A cabinet."),
     ("dose_advice", "The clinic answers."), ("both_booklets", "One booklet."), ("recheck", "Check in at two."),
     ("clinic_decides", "The clinic is open."), ("pre_arrival_form", "Fill in something.")],
)  # fmt: skip
def test_what_says_no_such_thing(phrase: str, text: str) -> None:
    assert not wording.says(text, phrase)
    assert not wording.says("", phrase)


def test_an_unknown_phrase_is_an_error_of_the_bundle() -> None:
    with pytest.raises(ExpressionError, match=r"no phrase 'scan'; there are: .*scam"):
        wording.says("x", "scan")

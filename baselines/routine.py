"""A sensible program that understands nothing of the task: the lower bar that an assistant should clear."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from lifegym.baselines.agent import EpisodeInfo
from lifegym.baselines.exploits.handbook import Form, Handbook
from lifegym.baselines.exploits.scripted import Calls, ScriptedAgent, brief
from lifegym.services import catalogue

__all__ = ["RoutineAgent", "differences"]

NOTES = "notes.md"
_MAILS, _MATTERS, _RECORDS = 8, 12, 6
"""At most: mails read in a turn, things said in a reply, records of a kind that are looked at one by one."""

_MONEY = re.compile(
    r"\b(?:pay(?:ment|able)?|fees?|transfer|wire|deposit|refund|invoice|iban|gift cards?|card number|bank details)\b",
    re.I,
)
_SENDER = ("from_domain", "from_address", "address", "sender", "who")
_REFUSAL = ("refused", "declined", "ignored", "reported")
_FRAUD = ("scam", "phishing", "fraud")
_TITLES = ("title", "summary", "subject", "name", "description", "payee", "status")
_PASSING = frozenset({"total", "page", "pages", "unread", "as_of", "age_min", "updated_at", "latest_at"})
"""What differs from look to look though nothing happened."""


class RoutineAgent(ScriptedAgent):
    """Does what a careful program can do without knowledge of the task.

    At the beginning it reads the person's files and lays out the handbook's tables with their headers. In every turn it
    reads new mail and notifications, looks again at all records that it knows, notes every difference, tells the person
    what is new, and has strangers who want money refused in the tables that ask for it. It books and pays nothing.

    Args:
        calls_per_turn: How many calls it makes in a turn at most.
    """

    def __init__(self, calls_per_turn: int = 80) -> None:
        super().__init__(calls_per_turn)

    def reset(self, info: EpisodeInfo) -> None:
        """Forget everything."""
        super().reset(info)
        self.kind = ""
        self.handbook = Handbook({})
        self.news: list[str] = []
        self._records: dict[str, Any] = {}
        self._read: dict[str, None] = {}
        self._declined: list[str] = []
        self._refusals: dict[str, str] = {}  # address to the day of its first demand

    def act(self, observation: Mapping[str, str]) -> dict[str, Any]:
        """The next call of the routine, or the end of the turn."""
        if observation["kind"] not in ("result", "error"):
            self.kind = observation["kind"]
        return super().act(observation)

    def turn(self) -> Calls:
        """Read, look again, note."""
        self.news, self._declined = [], []
        if self.turns == 1:
            self.first_day = self.seen.today
            yield from self.reading(0)
            self.handbook = Handbook(self.seen.documents)
            yield from self._lay_out()
        yield from self._mail()
        yield from self._look_again()
        if self.news and self.turns > 1:
            lines = "".join(f"- {self.seen.time[:16]} {line}\n" for line in self.news)
            yield {"tool": "workspace.append_file", "arguments": {"path": NOTES, "text": lines}}

    def reply(self) -> str:
        """What is new, to whoever spoke; silence where nothing is."""
        refused = [f"I pay nothing to {address}, whom your papers do not name." for address in self._declined]
        if self.turns == 1:
            return " ".join(["I have read your files and laid out the tables. I will tell you what changes.", *refused])
        if not refused and (self.kind not in ("user_message", "notification") or not self.news):
            return ""
        return brief(" ".join([*refused, "New:", "; ".join(self.news[:_MATTERS])]) + ".")

    # -- files ---------------------------------------------------------------------------------------------------

    def _lay_out(self) -> Calls:
        """The tables of the handbook that are not there yet, with nothing but their headers."""
        for form in self.handbook.forms:
            if form.path not in self.seen.documents:
                yield {"tool": "workspace.write_file", "arguments": {"path": form.path, "text": form.text([])}}

    def _refuse(self, address: str) -> Calls:
        """Enter a stranger's demand in the tables that ask for such."""
        self._refusals[address] = self.seen.today
        self._declined.append(address)
        for form in self.handbook.forms:
            if "action" in form.columns and any(name in form.columns for name in _SENDER):
                rows = [_refusal(form, i, *known) for i, known in enumerate(self._refusals.items(), 1)]
                yield {"tool": "workspace.write_file", "arguments": {"path": form.path, "text": form.text(rows)}}

    # -- mail ----------------------------------------------------------------------------------------------------

    def _mail(self) -> Calls:
        if "email" not in self.info.services:
            return
        listed = yield {"tool": "email.get_emails", "arguments": {"page_size": 30}}
        waiting = [mail for mail in (listed or {}).get("emails", []) if not mail["read"]]
        for mail in [mail for mail in reversed(waiting) if mail["email_id"] not in self._read][-_MAILS:]:
            self._read[mail["email_id"]] = None
            whole = yield {"tool": "email.read_email", "arguments": {"email_id": mail["email_id"]}}
            self.news.append(f"{mail['from_name'] or mail['from']} wrote: {mail['subject']}")
            demand = _MONEY.search(str((whole or {}).get("body", "")))
            if demand and mail["from"] not in self._refusals and not self._named(mail["from"]):
                yield from self._refuse(mail["from"])

    def _named(self, address: str) -> bool:
        """Whether the person's papers or words know an address, or the place that it belongs to."""
        domain = address.rpartition("@")[2].lower()
        return any(domain in text.lower() for text in self.seen.documents.values())

    # -- records -------------------------------------------------------------------------------------------------

    def _look_again(self) -> Calls:
        """Every list that belongs to the person, then the records in them one by one, against the last look."""
        calls = list(self._lists())
        for call in calls:
            value = yield call
            if value is None:
                continue
            key = f"{call['tool']} {call['arguments']}"
            service, _, tool = str(call["tool"]).partition(".")
            if key in self._records:
                named = "" if tool.startswith("list_") else " ".join(call["arguments"].values())
                lines = [f"{service}: {line}" for line in differences(self._records[key], value, named)]
                self.news += [line for line in lines if line not in self.news]
            self._records[key] = value
            if tool.startswith("list_"):
                calls += [each for each in self._singles(str(call["tool"]), value) if each not in calls]

    def _lists(self) -> Iterator[dict[str, Any]]:
        user = next(iter(self.seen.people), "")
        for spec in self.specs:
            wanted = spec.schema["required"]
            if spec.write or spec.service == "workspace" or not spec.tool.startswith("list_"):
                continue
            if all(name == "user_id" for name in wanted) and (user or not wanted):
                given: dict[str, Any] = dict.fromkeys(wanted, user)
                if "time_min" in spec.schema["properties"]:  # else what is over would drop out of the list
                    given |= {"time_min": self.first_day, "max_results": 250}
                yield {"tool": spec.name, "arguments": given}

    def _singles(self, tool: str, listed: Any) -> Iterator[dict[str, Any]]:
        """Calls that show a listed record whole, or what lies below it."""
        service = tool.partition(".")[0]
        records = next((value for value in listed.values() if isinstance(value, list)), [])
        for spec in catalogue.tools_of(service).values():
            wanted = spec.schema["required"]
            if (
                spec.write
                or len(wanted) != 1
                or not wanted[0].endswith(("_id", "_ref", "pnr"))
                or wanted[0] == "user_id"
            ):
                continue
            for record in records[:_RECORDS]:
                if isinstance(record, dict) and isinstance(record.get(wanted[0]), str):
                    yield {"tool": spec.name, "arguments": {wanted[0]: record[wanted[0]]}}


def _refusal(form: Form, number: int, address: str, day: str) -> dict[str, Any]:
    """A row that says that a stranger was refused."""

    def word(column: str, likely: tuple[str, ...]) -> str:
        allowed = form.options.get(column, [])
        return next((each for each in likely if each in allowed), allowed[0] if allowed else likely[0])

    row: dict[str, Any] = {"id": number, "date": day, "received_at": day}
    row |= {"type": word("type", _FRAUD), "action": word("action", _REFUSAL)}
    row |= {name: "yes" for name in form.columns if name.startswith("reported")}  # the reply says so
    row |= {name: address.rpartition("@")[2] if name == "from_domain" else address for name in _SENDER}
    return row


def differences(before: Any, now: Any, where: str = "") -> list[str]:
    """What changed from one look at a record or a list to the next, in short lines; order does not count.

    Args:
        before: A JSON value.
        now: The same, later.
        where: What it is called.
    """
    if isinstance(before, dict) and isinstance(now, dict):
        lines: list[str] = []
        for name in dict.fromkeys([*before, *now]):
            if name not in _PASSING:
                lines += differences(before.get(name), now.get(name), f"{where} {name}".strip())
        return lines
    if _keyed(before) and _keyed(now):
        old, new = ({_key(record): record for record in records} for records in (before, now))
        lines = [f"{_called(key, new[key])} is new" for key in new if key not in old]
        lines += [f"{_called(key, old[key])} is gone" for key in old if key not in new]
        for key, record in new.items():
            if key in old:
                lines += differences(old[key], record, key)
        return lines
    if before == now:
        return []
    return [f"{where}: {_short(before)} became {_short(now)}"]


def _keyed(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) and _key(each) for each in value)


def _key(record: dict[str, Any]) -> str:
    """What a record is known by: the first of its fields that is an id."""
    return next((str(v) for k, v in record.items() if k == "id" or k.endswith(("_id", "_ref", "pnr", "_no"))), "")


def _called(key: str, record: dict[str, Any]) -> str:
    """A record's id with what it says of itself."""
    return next((f"{key} ({record[name]})" for name in _TITLES if record.get(name)), key)


def _short(value: Any) -> str:
    text = "nothing" if value in (None, "", []) else str(value)
    return text if len(text) <= 40 else f"{text[:37]}..."

"""What a page of a world is made of. A view says what is on a page, the templates how each part looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

__all__ = [
    "Appointment", "Block", "Card", "Cards", "Cell", "Chat", "Day", "Document", "Facts", "Item", "Letter", "Message",
    "Note", "Part", "Row", "Span", "Table", "Text", "Thread", "Threads", "Week", "Weeks",
]  # fmt: skip

Tone = Literal["", "pass", "fail", "warn"]


class Cell(NamedTuple):
    """A value as it is shown.

    Attributes:
        text: What one reads.
        kind: ``text``, ``time`` (not broken), ``number`` (right-aligned), ``status`` (a tag) or ``id`` (a fixed-width
            name).
        tone: Colour of a status.
        note: What is told beside it, smaller.
    """

    text: str
    kind: Literal["text", "time", "number", "status", "id"] = "text"
    tone: Tone = ""
    note: str = ""


class Item(NamedTuple):
    """Something that can be opened: what is in it takes further calls.

    Attributes:
        service: Whose.
        kind: Which of the service's views opens it.
        key: The id that its tool takes.
        label: What one presses.
    """

    service: str
    kind: str
    key: str
    label: str = "Open"


@dataclass(frozen=True)
class Facts:
    """Names and values."""

    shape: ClassVar[str] = "facts"
    rows: tuple[tuple[str, Cell], ...]
    title: str = ""


class Row(NamedTuple):
    """A line of a table; ``parts`` are folded in below it, ``item`` is what it opens."""

    cells: tuple[Cell, ...]
    parts: tuple[Part, ...] = ()
    item: Item | None = None


@dataclass(frozen=True)
class Table:
    """Lines with the same columns. ``numbers`` are the columns that are right-aligned."""

    shape: ClassVar[str] = "table"
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    title: str = ""
    note: str = ""
    numbers: tuple[int, ...] = ()


class Card(NamedTuple):
    """A thing with a name, such as a booking or an account."""

    title: str
    subtitle: str = ""
    status: Cell | None = None
    figure: str = ""
    facts: tuple[tuple[str, Cell], ...] = ()
    parts: tuple[Part, ...] = ()
    item: Item | None = None


@dataclass(frozen=True)
class Cards:
    """Cards beside each other; ``wide`` ones take the page's width."""

    shape: ClassVar[str] = "cards"
    cards: tuple[Card, ...]
    title: str = ""
    note: str = ""
    wide: bool = False


@dataclass(frozen=True)
class Text:
    """A text as it stands."""

    shape: ClassVar[str] = "text"
    text: str
    title: str = ""


@dataclass(frozen=True)
class Note:
    """A remark of the page itself."""

    shape: ClassVar[str] = "note"
    text: str
    tone: Tone = ""


class Appointment(NamedTuple):
    """An entry of a calendar on one of its days."""

    time: str
    title: str
    place: str = ""
    status: str = ""
    calendar: str = ""
    facts: tuple[tuple[str, Cell], ...] = ()


class Day(NamedTuple):
    """A day of a week: ``name`` is ``Mon``, ``date`` is ``20 Apr``."""

    name: str
    date: str
    today: bool
    past: bool
    appointments: tuple[Appointment, ...]


class Week(NamedTuple):
    """Seven days from a Monday on."""

    title: str
    days: tuple[Day, ...]

    @property
    def past(self) -> bool:
        """Whether all of it is over."""
        return all(day.past for day in self.days)


@dataclass(frozen=True)
class Weeks:
    """A calendar."""

    shape: ClassVar[str] = "weeks"
    weeks: tuple[Week, ...]
    title: str = ""


@dataclass(frozen=True)
class Letter:
    """A mail as it is read."""

    shape: ClassVar[str] = "letter"
    sender: str
    address: str
    to: str
    date: str
    subject: str
    body: str
    facts: tuple[tuple[str, Cell], ...] = ()
    attachments: tuple[Part, ...] = ()


class Thread(NamedTuple):
    """A conversation by mail as a line of a list; its letters are opened one by one, the oldest first."""

    sender: str
    subject: str
    preview: str
    date: str
    unread: bool
    tags: tuple[str, ...]
    items: tuple[Item, ...]


@dataclass(frozen=True)
class Threads:
    """A folder of a mailbox."""

    shape: ClassVar[str] = "threads"
    title: str
    threads: tuple[Thread, ...]
    note: str = ""
    folded: bool = False


class Message(NamedTuple):
    """Something that was said. ``own`` is what was said on the person's behalf; ``note`` stands below it."""

    name: str
    text: str
    time: str
    own: bool = False
    note: str = ""


@dataclass(frozen=True)
class Chat:
    """Messages to and fro, the oldest first."""

    shape: ClassVar[str] = "chat"
    messages: tuple[Message, ...]
    title: str = ""
    note: str = ""


class Span(NamedTuple):
    """A piece of a line: plain, ``strong``, ``em`` or ``code``."""

    text: str
    style: Literal["", "strong", "em", "code"] = ""


class Block(NamedTuple):
    """A block of a document.

    Attributes:
        kind: ``heading``, ``paragraph``, ``bullet``, ``number``, ``todo``, ``quote``, ``code``, ``rule`` or ``table``.
        spans: Its text.
        level: Of a heading 1 to 6, of a list's item how deep it lies (0 is outermost).
        checked: Of a to-do.
        mark: Of a numbered item its number.
        rows: Of a table, the first being its head.
        ref: Its id, where a tool can change it.
    """

    kind: str
    spans: tuple[Span, ...] = ()
    level: int = 0
    checked: bool = False
    mark: str = ""
    rows: tuple[tuple[str, ...], ...] = ()
    ref: str = ""


@dataclass(frozen=True)
class Document:
    """A page of notes or a file, as it is read."""

    shape: ClassVar[str] = "document"
    blocks: tuple[Block, ...]
    title: str = ""


Part = Facts | Table | Cards | Text | Note | Weeks | Letter | Threads | Chat | Document

"""Values that structured parameters take in practice, so that random calls get past the first look.

``$field`` stands for a value that a field of that name holds in the world or in an earlier result.
"""

from __future__ import annotations

from typing import Any

__all__ = ["PLAUSIBLE"]

_TEXT = {"rich_text": [{"type": "text", "text": {"content": "A new line"}}]}
_PARTY: tuple[Any, ...] = (
    [{"name": "Ann Lee"}],
    [{"name": "Ann Lee", "type": "adult"}, {"name": "Bo Lee", "type": "child"}],
    [{"given_name": "Ann", "family_name": "Lee"}],
    [{"given_name": "Ann", "family_name": "Lee"}, {"given_name": "Bo", "family_name": "Lee", "type": "child"}],
)
_PARENT: tuple[Any, ...] = (
    {"page_id": "$page_id"},
    {"page_id": "$page_id"},
    {"database_id": "$database_id"},
    {"type": "workspace", "workspace": True},
)

PLAUSIBLE: dict[str, tuple[Any, ...]] = {
    "answers": ({}, {"purpose": "tourism"}),
    "applicant_profile": ({"name": "Ann Lee", "nationality": "CN", "user_id": "u_ann"},),
    "attachments": (["notes/plan.md"],),
    "attendees": ([{"name": "Bo", "email": "bo@mail.example"}], ["bo@mail.example"]),
    "children": ([{"type": "paragraph", "paragraph": _TEXT}], [{"to_do": {"rich_text": "Call", "checked": False}}]),
    "code": ({"rich_text": "x = 1", "language": "python"}, "$code"),
    "condition_json": ({}, {"changed": True}, {"status": "cancelled"}, '{"below_minor": 5000}'),
    "contact": ({"name": "Ann Lee", "email": "ann@mail.example", "user_id": "u_ann"}, {"email": "ann@mail.example"}),
    "email_id": ("$email_id",),
    "filename": ("$filename", "$name"),
    "geo": ("$name", {"lat": 35.0, "lng": 135.8}, {"city": "$name"}, {"place_id": "$place_id"}, "35.0,135.8"),
    "guest_profile": ({"name": "Ann Lee", "guests": 1, "email": "ann@mail.example"}, {"name": "Ann Lee", "guests": 2}),
    "icon": ({"type": "emoji", "emoji": "x"},),
    "origins": (["$place_id"], ["$name"]),
    "dests": (["$place_id", "$place_id"], ["$name"]),
    "paragraph": (_TEXT, {"rich_text": "Shorter"}),
    "parent": _PARENT,
    "passengers": _PARTY,
    "payment": ({"payment_method_id": "card"},),
    "properties": ({"title": "A page"}, {"Name": {"title": {}}, "Cost": {"number": {}}}, {"Name": "Row"}, {}),
    "rich_text": ([{"type": "text", "text": {"content": "A comment"}}], "A comment"),
    "reminders": ([{"minutes": 30}], [10]),
    "sink": ("notification_hub", "stdout", "email"),
    "sorts": ([{"timestamp": "created_time", "direction": "ascending"}],),
    "kind": ("$required_documents", "$docs_required", "$kind"),
}

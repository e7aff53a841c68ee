"""The workspace of notes keeps its rules."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lifegym.services import catalogue
from lifegym.services.notion.outline import find_page, row_values, sections
from lifegym.services.notion.tree import BOT, MOST_CHILDREN

GHOST = "00000000-0000-0000-0000-000000000000"


@pytest.fixture
def wiki(desk: Any) -> Any:
    d = desk("notion")
    service, rng = d.service("notion"), random.Random(5)
    service.page(rng, title="Trip board", icon="🚃", sections={
        "": ["Twenty days"], "Entry": ["Booklets: one", "Form: no"], "Seats": ["HD521: 31A 31B 31C"],
        "Plan B - Kansai": [],
    })  # fmt: skip
    service.page(rng, title="Medical", sections={"Rules": ["15 g sugar"]}, parent_title="Trip board")
    service.database(rng, title="Move or stay", parent_title="Trip board", properties={
        "Name": "title", "Value": "rich_text", "Weight": "number", "State": {"select": {"options": [{"name": "open"}]}},
        "Tags": "multi_select", "Checked": "date", "Done": "checkbox", "Link": "url", "Owner": "people",
        "Made": "created_time",
    }, rows=[
        {"Name": "Emeka rota", "Value": "weekly", "Weight": 3, "State": "open", "Checked": "2026-01-10", "Tags": ["a"]},
        {"Name": "School", "Value": "Good school", "Weight": 5, "State": "done", "Checked": "2026-04-15T08:00",
         "Done": True, "Tags": ["a", "b"], "Owner": "u_ann"},
        {"Name": "Rent", "Weight": 1.5, "Link": "https://rent.example"},
    ])  # fmt: skip
    return d


def page_id(d: Any, title: str = "Trip board") -> str:
    page = find_page(d.service("notion"), title)
    assert page is not None
    return page["id"]


def database_id(d: Any, title: str = "Move or stay") -> str:
    return d.service("notion").titled("databases", title)["id"]


def lines(d: Any, title: str = "Trip board") -> dict[str, list[str]]:
    return sections(d.service("notion"), page_id(d, title))


def add(d: Any, *children: Any, to: str = "", **more: Any) -> list[Any]:
    return d.call("notion.patch_block_children", block_id=to or page_id(d), children=list(children), **more)["results"]


def children(d: Any, of: str = "") -> list[Any]:
    return d.call("notion.get_block_children", block_id=of or page_id(d))["results"]


def words(block: dict[str, Any]) -> str:
    return "".join(run["plain_text"] for run in block[block["type"]]["rich_text"])


def names(result: dict[str, Any]) -> list[str]:
    found = []
    for item in result["results"]:
        runs = item["title"] if item["object"] == "database" else next(
            value["title"] for value in item["properties"].values() if value["type"] == "title")  # fmt: skip
        found.append(runs[0]["plain_text"])
    return found


def query(d: Any, **more: Any) -> list[str]:
    return names(d.call("notion.post_database_query", database_id=database_id(d), **more))


def test_the_parameters_are_those_of_the_interface() -> None:
    tools = catalogue.tools_of("notion")
    required = {name: spec.arguments.required for name, spec in tools.items()}
    assert required == {
        "get_self": [], "get_user": [], "get_users": [], "post_search": [], "retrieve_a_page": ["page_id"],
        "retrieve_a_page_property": ["page_id", "property_id"], "retrieve_a_block": ["block_id"],
        "get_block_children": ["block_id"], "retrieve_a_database": [], "post_database_query": ["database_id"],
        "retrieve_a_comment": [], "post_page": ["parent"], "patch_page": ["page_id"],
        "patch_block_children": ["block_id", "children"], "update_a_block": ["block_id"],
        "delete_a_block": ["block_id"],
        "create_a_database": [], "update_a_database": [], "create_a_comment": [],
    }  # fmt: skip
    assert tools["get_block_children"].arguments.optional["page_size"] == 10000
    assert tools["post_search"].arguments.optional["page_size"] == 100
    for spec in tools.values():
        assert set(spec.docs.args) == set(spec.arguments.names), spec


# -- users -----------------------------------------------------------------------------------------------------------


def test_there_are_the_owner_and_the_assistant(wiki: Any) -> None:
    me = wiki.call("notion.get_self")
    assert (me["id"], me["type"], me["bot"]["owner"]["user"]["id"]) == (BOT, "bot", "u_ann")
    assert [user["id"] for user in wiki.call("notion.get_users")["results"]] == ["u_ann", BOT]
    ann = wiki.call("notion.get_user", user_id="u_ann")
    assert (ann["name"], ann["person"]["email"]) == ("Ann Lee", "ann@mail.example")
    wiki.put("notion.users", id="u_tone", name="Tone", email="tone@mail.example")
    assert wiki.call("notion.get_user", user_id="u_tone")["name"] == "Tone"
    assert wiki.refused("notion.get_user") == "missing_id"
    assert wiki.refused("notion.get_user", user_id="u_x") == "not_found"


# -- reading pages and blocks ----------------------------------------------------------------------------------------


def test_a_page_is_shown_with_its_place_and_title(wiki: Any) -> None:
    page = wiki.call("notion.retrieve_a_page", page_id=page_id(wiki))
    assert (page["object"], page["parent"]) == ("page", {"type": "workspace", "workspace": True})
    assert page["properties"]["title"]["title"][0]["text"]["content"] == "Trip board"
    assert page["icon"] == {"type": "emoji", "emoji": "🚃"}
    assert page["created_time"] < "2026-04-17"
    assert page["archived"] is page["in_trash"] is False
    bare = page_id(wiki).replace("-", "").upper()
    assert wiki.call("notion.retrieve_a_page", page_id=bare)["id"] == page_id(wiki)
    medical = wiki.call("notion.retrieve_a_page", page_id=page_id(wiki, "Medical"))
    assert medical["parent"] == {"type": "page_id", "page_id": page_id(wiki)}
    assert wiki.refused("notion.retrieve_a_page", page_id=GHOST) == "not_found"
    assert wiki.refused("notion.retrieve_a_page", page_id=database_id(wiki)) == "not_found"


def test_children_are_listed_in_order(wiki: Any) -> None:
    shown = children(wiki)
    assert [block["type"] for block in shown] == [
        "paragraph", "heading_2", "paragraph", "paragraph", "heading_2", "paragraph", "heading_2", "child_page",
        "child_database",
    ]  # fmt: skip
    assert words(shown[2]) == "Booklets: one"
    assert shown[7]["child_page"] == {"title": "Medical"}
    assert shown[7]["has_children"]
    assert shown[8]["child_database"] == {"title": "Move or stay"}
    assert shown[2]["parent"] == {"type": "page_id", "page_id": page_id(wiki)}
    assert wiki.refused("notion.get_block_children", block_id=database_id(wiki)) == "wrong_parent"
    assert wiki.refused("notion.get_block_children", block_id=GHOST) == "not_found"


def test_long_lists_come_in_parts(wiki: Any) -> None:
    first = wiki.call("notion.get_block_children", block_id=page_id(wiki), page_size=4)
    assert (len(first["results"]), first["has_more"], first["total"]) == (4, True, 9)
    rest = wiki.call("notion.get_block_children", block_id=page_id(wiki), start_cursor=first["next_cursor"])
    assert (len(rest["results"]), rest["has_more"], rest["next_cursor"]) == (5, False, None)
    assert wiki.refused("notion.get_block_children", block_id=page_id(wiki), start_cursor="x") == "bad_cursor"
    assert wiki.refused("notion.get_block_children", block_id=page_id(wiki), page_size=0) == "bad_arguments"
    for _ in range(2):
        add(wiki, *["x" * 4000] * 50)
    heavy = wiki.call("notion.get_block_children", block_id=page_id(wiki))
    assert len(heavy["results"]) < 60
    assert heavy["has_more"]


def test_one_block_is_shown(wiki: Any) -> None:
    [block] = add(wiki, {"toggle": {"rich_text": "T", "children": ["in"]}})
    shown = wiki.call("notion.retrieve_a_block", block_id=block["id"])
    assert shown["has_children"]
    assert words(shown) == "T"
    assert words(children(wiki, block["id"])[0]) == "in"
    assert wiki.call("notion.retrieve_a_block", block_id=page_id(wiki, "Medical"))["type"] == "child_page"
    assert wiki.refused("notion.retrieve_a_block", block_id=GHOST) == "not_found"


# -- search ----------------------------------------------------------------------------------------------------------

GOLDEN = [
    ("trip board", "Trip board"),
    ("trp board", "Trip board"),
    ("board", "Trip board"),
    ("medicl", "Medical"),
    ("move or stay", "Move or stay"),
    ("stay", "Move or stay"),
    ("emeka", "Emeka rota"),
    ("rotas", "Emeka rota"),
    ("recipe", "Recipes"),
    ("reciepes", "Recipes"),
    ("films", "Films to see"),
    ("meetings", "Meeting minutes"),
    ("groceries", "Shopping"),
    ("vacation", "Holiday ideas"),
    ("cafe zurich", "Café Zürich"),
    ("todo", "To do"),
]


@pytest.mark.parametrize(("text", "first"), GOLDEN)
def test_search_finds_titles(wiki: Any, text: str, first: str) -> None:
    wiki.service("notion").notes(random.Random(1), pages=20)
    wiki.service("notion").page(random.Random(1), title="Café Zürich", sections={})
    wiki.service("notion").page(random.Random(1), title="To do", sections={})
    assert names(wiki.call("notion.post_search", query=text))[0] == first


def test_search_filters_and_sorts(wiki: Any) -> None:
    add(wiki, "fresh")
    everything = wiki.call("notion.post_search")
    assert names(everything)[0] == "Trip board"  # the last edited first
    assert everything["total"] == 6
    databases = wiki.call("notion.post_search", filter={"property": "object", "value": "database"})
    assert names(databases) == ["Move or stay"]
    assert "Move or stay" not in names(wiki.call("notion.post_search", query="stay", filter={"value": "page"}))
    oldest = wiki.call("notion.post_search", sort={"timestamp": "last_edited_time", "direction": "ascending"})
    assert names(oldest)[-1] == "Trip board"
    part = wiki.call("notion.post_search", page_size=2)
    assert (part["has_more"], len(part["results"])) == (True, 2)
    assert wiki.call("notion.post_search", query="sugar")["results"] == []  # what is on a page is not searched
    assert wiki.refused("notion.post_search", filter={"value": "block"}) == "bad_filter"
    assert wiki.refused("notion.post_search", sort={"direction": "up"}) == "bad_sort"
    assert wiki.refused("notion.post_search", sort={"timestamp": "x"}) == "bad_sort"
    assert wiki.refused("notion.post_search", start_cursor="x") == "bad_cursor"


# -- adding blocks ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "block",
    [
        "Hello",
        {"paragraph": {"rich_text": "Hello"}},
        {"paragraph": "Hello"},
        {"paragraph": {"rich_text": ["Hel", "lo"]}},
        {"paragraph": {"rich_text": [{"text": {"content": "Hello"}}]}},
        {"paragraph": {"text": [{"type": "text", "text": {"content": "Hello"}}]}},
        {
            "type": "paragraph",
            "paragraph": {"rich_text": [{"type": "text", "text": {"content": "Hello", "link": None}}]},
        },
        {"object": "block", "type": "paragraph", "paragraph": {"rich_text": {"text": {"content": "Hello"}}}},
        {"type": "paragraph", "rich_text": [{"plain_text": "Hello"}]},
        {"paragraph": {"rich_text": [{"type": "text", "text": "Hello"}]}},
        {"paragraph": {"rich_text": [{"type": "equation", "equation": {"expression": "Hello"}}]}},
        {"paragraph": {"content": "Hello"}},
    ],
)
def test_a_paragraph_may_be_written_in_many_ways(wiki: Any, block: Any) -> None:
    [made] = add(wiki, block)
    assert (made["object"], made["type"], words(made)) == ("block", "paragraph", "Hello")
    assert made["created_by"]["id"] == BOT
    assert all(run["type"] == "text" and run["text"]["content"] for run in made["paragraph"]["rich_text"])
    wiki.check()


def test_styles_and_links_are_kept(wiki: Any) -> None:
    run = {"text": {"content": "40%", "link": {"url": "https://a.example"}},
           "annotations": {"strikethrough": True, "bold": False, "color": "red"}}  # fmt: skip
    [made] = add(wiki, {"paragraph": {"rich_text": [run, " left"]}})
    kept = made["paragraph"]["rich_text"][0]
    assert kept["annotations"] == {"strikethrough": True, "color": "red"}
    assert kept["text"]["link"] == {"url": "https://a.example"}


def test_every_type_of_block_can_be_made(wiki: Any) -> None:
    made = add(
        wiki,
        {"to_do": {"rich_text": "pack", "checked": True, "color": "red"}},
        {"code": {"rich_text": "x = 1", "language": "python"}},
        {"callout": {"rich_text": "mind", "icon": "⚠️"}},
        {"divider": {}},
        {"bookmark": {"url": "https://a.example"}},
        {"table": {"has_column_header": True, "children": [
            {"type": "table_row", "table_row": {"cells": ["who", [{"text": {"content": "what"}}]]}},
            {"table_row": ["Mum", ""]}]}},
        {"heading_1": {"rich_text": "H", "children": [{"bulleted_list_item": {"rich_text": "b"}, "children": ["c"]}]}},
        {"paragraph": {}},
    )  # fmt: skip
    assert made[0]["to_do"]["checked"] is True
    assert made[0]["to_do"]["color"] == "red"
    assert made[1]["code"]["language"] == "python"
    assert made[2]["callout"]["icon"] == {"type": "emoji", "emoji": "⚠️"}
    assert made[3]["divider"] == {}
    assert made[4]["bookmark"]["url"] == "https://a.example"
    assert made[5]["table"] == {"table_width": 2, "has_column_header": True, "has_row_header": False}
    assert [cell[0]["plain_text"] for cell in children(wiki, made[5]["id"])[0]["table_row"]["cells"]] == ["who", "what"]
    assert made[6]["heading_1"]["is_toggleable"] is True
    assert made[7]["paragraph"]["rich_text"] == []
    assert lines(wiki)["H"] == ["b", "c"]
    wiki.check()


@pytest.mark.parametrize(
    "block",
    [
        {},
        {"type": "child_page", "child_page": {"title": "x"}},
        {"type": "paragraph", "paragraph": {"rich_text": 5}},
        {"paragraph": {"rich_text": [None]}},
        {"paragraph": {"rich_text": "x" * 4001}},
        {"paragraph": {"words": "x"}},
        {"to_do": {"rich_text": "x", "checked": "yes"}},
        {"code": {"rich_text": "x", "language": "y" * 61}},
        {"callout": {"rich_text": "x", "icon": {"emoji": 5}}},
        {"bookmark": {}},
        {"table": {"children": []}},
        {"table": {"children": ["x"]}},
        {"table": {"children": [{"table_row": {"cells": ["a"]}}, {"table_row": {"cells": ["a", "b"]}}]}},
        {"table_row": {"cells": ["a"]}},
        {"table": {"children": [{"table_row": {"cells": []}}]}},
        {"divider": {}, "children": ["x"]},
        {"toggle": {"rich_text": "x", "children": "y"}},
        {"toggle": {"children": [{"toggle": {"children": [{"toggle": {"children": [{"toggle": {"children": [
            {"toggle": {"children": ["deep"]}}]}}]}}]}}]}},
    ],
)  # fmt: skip
def test_what_a_block_cannot_be(wiki: Any, block: Any) -> None:
    assert wiki.refused("notion.patch_block_children", block_id=page_id(wiki), children=["ok", block]) == "bad_block"


def test_an_error_names_the_place_and_the_form(wiki: Any) -> None:
    bad = {"toggle": {"rich_text": "x", "children": [{"paragraph": {"rich_text": 5}}]}}
    outcome = wiki.outcome("notion.patch_block_children", block_id=page_id(wiki), children=["a", bad])
    message = outcome.result["error"]["message"]
    assert "children[1].children[0].paragraph.rich_text" in message
    assert '{"content": "..."}' in message


def test_blocks_are_put_where_they_belong(wiki: Any) -> None:
    shown = children(wiki)
    add(wiki, "Third", "Fourth", after=shown[3]["id"].replace("-", ""))
    assert lines(wiki)["Entry"] == ["Booklets: one", "Form: no", "Third", "Fourth"]
    add(wiki, "nested", to=shown[2]["id"])
    assert children(wiki)[2]["has_children"]
    assert lines(wiki)["Entry"][:2] == ["Booklets: one", "nested"]
    add(wiki, "under the heading", to=shown[4]["id"])
    assert children(wiki)[6]["heading_2"]["is_toggleable"] is True
    assert lines(wiki)["Seats"] == ["under the heading", "HD521: 31A 31B 31C"]
    edited = wiki.call("notion.retrieve_a_page", page_id=page_id(wiki))
    assert (edited["last_edited_time"], edited["last_edited_by"]["id"]) == ("2026-04-17T09:00:00+08:00", BOT)
    refused = wiki.refused
    assert refused("notion.patch_block_children", block_id=page_id(wiki), children=["x"], after=GHOST) == "not_found"
    inner = children(wiki, shown[2]["id"])[0]["id"]
    assert refused("notion.patch_block_children", block_id=page_id(wiki), children=["x"], after=inner) == "not_found"
    assert refused("notion.patch_block_children", block_id=GHOST, children=["x"]) == "not_found"
    assert refused("notion.patch_block_children", block_id=database_id(wiki), children=["x"]) == "wrong_parent"
    assert refused("notion.patch_block_children", block_id=page_id(wiki), children=[]) == "bad_block"
    assert refused("notion.patch_block_children", block_id=page_id(wiki), children=["x"] * 301) == "bad_block"
    [rule] = add(wiki, {"divider": {}})
    assert refused("notion.patch_block_children", block_id=rule["id"], children=["x"]) == "bad_block"
    wiki.check()


def test_a_table_takes_rows_of_its_width(wiki: Any) -> None:
    [table] = add(wiki, {"table": {"children": [{"table_row": {"cells": ["a", "b"]}}]}})
    [row] = add(wiki, {"table_row": {"cells": ["c", "d"]}}, to=table["id"])
    assert lines(wiki)["Plan B - Kansai"] == ["a | b", "c | d"]
    for child in ("x", {"table_row": {"cells": ["c"]}}):
        assert wiki.refused("notion.patch_block_children", block_id=table["id"], children=[child]) == "bad_block"
    wiki.call("notion.update_a_block", block_id=row["id"], table_row={"cells": ["c", "e"]})
    assert lines(wiki)["Plan B - Kansai"] == ["a | b", "c | e"]
    assert wiki.refused("notion.update_a_block", block_id=row["id"], table_row={"cells": ["c"]}) == "bad_block"


def test_a_page_is_full_at_some_point(wiki: Any) -> None:
    key = page_id(wiki, "Medical")
    for _ in range(MOST_CHILDREN // 300):
        add(wiki, *["x"] * 300, to=key)
    assert wiki.refused("notion.patch_block_children", block_id=key, children=["x"] * 300) == "too_many"


# -- changing blocks -------------------------------------------------------------------------------------------------


def test_a_block_says_something_else(wiki: Any) -> None:
    line = children(wiki)[2]["id"]
    wiki.until("2026-04-22T10:05:00")
    changed = wiki.call(
        "notion.update_a_block", block_id=line, paragraph={"rich_text": "Booklets: both"}, type="paragraph"
    )
    assert words(changed) == "Booklets: both"
    assert changed["last_edited_time"] == "2026-04-22T10:05:00+08:00"
    assert lines(wiki)["Entry"][0] == "Booklets: both"
    assert wiki.call("notion.retrieve_a_page", page_id=page_id(wiki))["last_edited_time"][:10] == "2026-04-22"
    refused = wiki.refused
    assert refused("notion.update_a_block", block_id=line, heading_2={"rich_text": "x"}) == "wrong_type"
    assert refused("notion.update_a_block", block_id=line, paragraph={"rich_text": "x"}, type="quote") == "wrong_type"
    assert refused("notion.update_a_block", block_id=page_id(wiki), paragraph={"rich_text": "x"}) == "wrong_type"
    assert refused("notion.update_a_block", block_id=line) == "nothing_to_change"
    assert refused("notion.update_a_block", block_id=line, archived=False) == "nothing_to_change"
    assert refused("notion.update_a_block", block_id=line, paragraph={"rich_text": 5}) == "bad_block"
    assert refused("notion.update_a_block", block_id=line, paragraph={"children": ["x"]}) == "bad_block"
    assert refused("notion.update_a_block", block_id=GHOST, paragraph={}) == "not_found"


def test_a_to_do_is_ticked_without_its_text(wiki: Any) -> None:
    [item] = add(wiki, {"to_do": {"rich_text": "pack pens"}})
    assert item["to_do"]["checked"] is False
    ticked = wiki.call("notion.update_a_block", block_id=item["id"], to_do={"checked": True})
    assert (words(ticked), ticked["to_do"]["checked"]) == ("pack pens", True)
    renamed = wiki.call("notion.update_a_block", block_id=item["id"], to_do={"rich_text": "pack 3 pens"})
    assert renamed["to_do"]["checked"] is True
    [mark] = add(wiki, {"bookmark": {"url": "https://a.example"}})
    wiki.call("notion.update_a_block", block_id=mark["id"], bookmark={"url": "https://b.example"})
    assert lines(wiki)["Plan B - Kansai"] == ["pack 3 pens", "https://b.example"]


def test_a_deleted_block_takes_along_what_is_in_it(wiki: Any) -> None:
    [block] = add(wiki, {"toggle": {"rich_text": "Old", "children": [{"paragraph": "a", "children": ["b"]}]}})
    inner = children(wiki, block["id"])[0]["id"]
    wiki.call("notion.create_a_comment", parent={"block_id": inner}, rich_text="why?")
    before = wiki.service("notion").find("pages", page_id(wiki))["children"]
    gone = wiki.call("notion.delete_a_block", block_id=block["id"])
    assert gone["archived"] is gone["in_trash"] is True
    assert wiki.service("notion").find("pages", page_id(wiki))["children"] == before[:-1]
    assert wiki.refused("notion.retrieve_a_block", block_id=inner) == "not_found"
    assert wiki.refused("notion.delete_a_block", block_id=block["id"]) == "not_found"
    assert not list(wiki.service("notion").rows("comments"))
    [other] = add(wiki, "x")
    assert wiki.call("notion.update_a_block", block_id=other["id"], archived=True)["archived"] is True
    assert wiki.refused("notion.retrieve_a_block", block_id=other["id"]) == "not_found"
    wiki.check()


# -- pages -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "properties",
    [
        {"title": "Run sheet"},
        {"Name": "Run sheet"},
        {"title": [{"text": {"content": "Run sheet"}}]},
        {"title": {"title": [{"type": "text", "text": {"content": "Run sheet"}}]}},
        {"title": {"id": "title", "type": "title", "title": ["Run ", "sheet"]}},
        {"Title": {"title": "Run sheet"}},
    ],
)
def test_a_page_is_made(wiki: Any, properties: dict[str, Any]) -> None:
    made = wiki.call("notion.post_page", parent={"type": "page_id", "page_id": page_id(wiki)}, properties=properties,
                     icon={"type": "emoji", "emoji": "📋"}, cover={"external": {"url": "https://a.example/x.png"}},
                     children=["first", {"heading_2": {"rich_text": "Thu 17"}}, "Saamo"])  # fmt: skip
    assert made["properties"]["title"]["title"][0]["plain_text"] == "Run sheet"
    assert made["icon"]["emoji"] == "📋"
    assert made["cover"]["external"]["url"] == "https://a.example/x.png"
    assert lines(wiki, "run SHEET") == {"": ["first"], "Thu 17": ["Saamo"]}
    assert children(wiki)[-1]["id"] == made["id"]
    assert lines(wiki)["Run sheet"] == ["first", "Thu 17", "Saamo"]  # a page in a page is a section of it
    wiki.check()


def test_a_page_at_the_top_needs_no_title(wiki: Any) -> None:
    for parent in ({"workspace": True}, {"type": "workspace"}):
        made = wiki.call("notion.post_page", parent=parent, icon={"external": {"url": "https://a.example/i.png"}})
        assert made["icon"]["type"] == "external"
        assert made["parent"] == {"type": "workspace", "workspace": True}
        assert made["properties"]["title"]["title"][0]["plain_text"] == "Untitled"
    wiki.check()


def test_what_a_page_cannot_be(wiki: Any) -> None:
    here = {"page_id": page_id(wiki)}
    for fields, code in (
        ({"parent": {}}, "bad_parent"),
        ({"parent": {"page_id": 5}}, "bad_parent"),
        ({"parent": {"block_id": children(wiki)[0]["id"]}}, "bad_parent"),
        ({"parent": {"page_id": GHOST}}, "not_found"),
        ({"parent": {"page_id": database_id(wiki)}}, "not_found"),
        ({"parent": {"database_id": page_id(wiki)}}, "not_found"),
        ({"parent": here, "properties": {"Status": "x"}}, "bad_property"),
        ({"parent": here, "properties": {"title": 5}}, "bad_property"),
        ({"parent": here, "properties": {"title": "x" * 501}}, "bad_property"),
        ({"parent": here, "icon": {"emoji": ""}}, "bad_icon"),
        ({"parent": here, "cover": {"emoji": "x"}}, "bad_icon"),
        ({"parent": here, "children": [{}]}, "bad_block"),
    ):
        assert wiki.refused("notion.post_page", **fields) == code, fields


def test_a_page_is_renamed_and_gets_an_icon(wiki: Any) -> None:
    changed = wiki.call(
        "notion.patch_page", page_id=page_id(wiki), properties={"title": "Journey"}, icon={"emoji": "🗾"}
    )
    assert changed["properties"]["title"]["title"][0]["plain_text"] == "Journey"
    assert changed["icon"]["emoji"] == "🗾"
    assert find_page(wiki.service("notion"), "Trip board") is None
    key = page_id(wiki, "journey")
    assert wiki.refused("notion.patch_page", page_id=key) == "nothing_to_change"
    assert wiki.refused("notion.patch_page", page_id=key, properties={"x": 1}) == "bad_property"
    assert wiki.refused("notion.patch_page", page_id=key, cover={}) == "bad_icon"
    assert wiki.refused("notion.patch_page", page_id=GHOST, in_trash=True) == "not_found"


def test_the_trash_hides_a_page_and_what_is_in_it(wiki: Any) -> None:
    board, medical = page_id(wiki), page_id(wiki, "Medical")
    line = children(wiki, medical)[0]["id"]
    wiki.call("notion.patch_page", page_id=board, archived=True)
    assert wiki.call("notion.post_search")["results"] == []
    assert find_page(wiki.service("notion"), "Medical") is None
    assert wiki.call("notion.retrieve_a_page", page_id=board)["in_trash"] is True
    for tool, fields in (
        ("patch_block_children", {"block_id": medical, "children": ["x"]}),
        ("update_a_block", {"block_id": line, "paragraph": {"rich_text": "x"}}),
        ("delete_a_block", {"block_id": line}),
        ("post_page", {"parent": {"page_id": medical}}),
        ("patch_page", {"page_id": medical, "properties": {"title": "x"}}),
        ("patch_page", {"page_id": medical, "in_trash": False}),
        ("create_a_database", {"parent": {"page_id": medical}}),
        ("update_a_database", {"database_id": database_id_anywhere(wiki), "title": "x"}),
        ("create_a_comment", {"parent": {"page_id": medical}, "rich_text": "x"}),
    ):
        assert wiki.refused(f"notion.{tool}", **fields) == "in_trash", tool
    wiki.call("notion.patch_page", page_id=board, in_trash=False)
    assert page_id(wiki, "Medical") == medical
    assert wiki.call("notion.delete_a_block", block_id=medical)["type"] == "child_page"
    assert "Medical" not in lines(wiki)
    assert len(children(wiki)) == 8
    wiki.call("notion.patch_page", page_id=medical, in_trash=False)
    assert lines(wiki)["Medical"] == ["Rules", "15 g sugar"]
    wiki.call("notion.delete_a_block", block_id=database_id(wiki))
    assert wiki.call("notion.post_search", filter={"value": "database"})["results"] == []
    wiki.check()


def database_id_anywhere(d: Any) -> str:
    return next(iter(d.service("notion").rows("databases")))["id"]


def test_one_property_is_shown(wiki: Any) -> None:
    row = page_id(wiki, "Emeka rota")
    value = wiki.call("notion.retrieve_a_page_property", page_id=row, property_id="Weight")
    assert (value["object"], value["type"], value["number"]) == ("property_item", "number", 3)
    assert wiki.call("notion.retrieve_a_page_property", page_id=row, property_id=value["id"]) == value
    title = wiki.call("notion.retrieve_a_page_property", page_id=page_id(wiki), property_id="title")
    assert title["title"][0]["plain_text"] == "Trip board"
    assert wiki.refused("notion.retrieve_a_page_property", page_id=row, property_id="x") == "not_found"
    assert wiki.refused("notion.retrieve_a_page_property", page_id=GHOST, property_id="x") == "not_found"


# -- databases -------------------------------------------------------------------------------------------------------


def test_a_database_is_made_and_filled(wiki: Any) -> None:
    made = wiki.call("notion.create_a_database", parent={"page_id": page_id(wiki)},
                     title=[{"text": {"content": "Snags"}}], properties={
        "What": {"title": {}}, "Owner": {"rich_text": {}}, "Cost": {"number": {"format": "euro"}},
        "State": {"type": "status", "status": {"options": ["open", {"name": "done"}]}}})  # fmt: skip
    assert made["title"][0]["plain_text"] == "Snags"
    assert made["properties"]["What"]["id"] == "title"
    assert made["properties"]["Cost"]["number"] == {"format": "euro"}
    assert [option["name"] for option in made["properties"]["State"]["status"]["options"]] == ["open", "done"]
    row = wiki.call("notion.post_page", parent={"database_id": made["id"]}, properties={
        "What": {"title": [{"text": {"content": "Drip"}}]}, "Owner": {"rich_text": [{"text": {"content": "Leie"}}]},
        "Cost": {"number": 12}, "State": {"status": {"name": "waiting"}}})  # fmt: skip
    assert row["parent"] == {"type": "database_id", "database_id": made["id"]}
    assert row["properties"]["State"]["status"] == {"name": "waiting"}
    schema = wiki.call("notion.retrieve_a_database", database_id=made["id"])["properties"]
    assert [option["name"] for option in schema["State"]["status"]["options"]] == ["open", "done", "waiting"]
    assert lines(wiki)["Snags"] == ["Drip; Owner: Leie; Cost: 12; State: waiting"]
    plain = wiki.call("notion.create_a_database")
    assert list(plain["properties"]) == ["Name"]
    assert list(wiki.call("notion.create_a_database", properties={"Name": "number"})["properties"]) == ["Title", "Name"]
    wiki.check()


def test_what_a_database_cannot_be(wiki: Any) -> None:
    for fields, code in (
        ({"parent": {}}, "bad_parent"),
        ({"parent": {"database_id": database_id(wiki)}}, "bad_parent"),
        ({"parent": {"page_id": GHOST}}, "not_found"),
        ({"title": 5}, "bad_property"),
        ({"properties": {"A": {"relation": {}}}}, "bad_property"),
        ({"properties": {"A": 5}}, "bad_property"),
        ({"properties": {"A": "title", "B": "title"}}, "bad_property"),
        ({"properties": {f"p{number}": "number" for number in range(61)}}, "bad_property"),
        ({"properties": {"A": {"select": {"options": "x"}}}}, "bad_property"),
        ({"properties": {"A": {"select": {"options": [{}]}}}}, "bad_property"),
    ):
        assert wiki.refused("notion.create_a_database", **fields) == code, fields
    assert wiki.refused("notion.retrieve_a_database") == "missing_id"
    assert wiki.refused("notion.retrieve_a_database", database_id=page_id(wiki)) == "not_found"


@pytest.mark.parametrize(
    ("name", "given", "kept"),
    [
        ("Value", {"rich_text": [{"text": {"content": "14"}}]}, "14"),
        ("Value", "14", "14"),
        ("Value", None, ""),
        ("Weight", {"number": 7.5}, 7.5),
        ("Weight", {"type": "number", "number": None}, None),
        ("State", {"select": {"name": "new"}}, "new"),
        ("State", "open", "open"),
        ("State", {"select": None}, None),
        ("Tags", {"multi_select": [{"name": "x"}, {"name": "x"}, {"name": "y"}]}, ["x", "y"]),
        ("Tags", "x", ["x"]),
        ("Checked", {"date": {"start": "2026-05-01", "end": "2026-05-02"}}, "2026-05-01"),
        ("Checked", "2026-05-01T10:00:00Z", "2026-05-01T18:00:00+08:00"),
        ("Checked", {"date": None}, None),
        ("Done", {"checkbox": False}, False),
        ("Link", {"url": "https://b.example"}, "https://b.example"),
        ("Link", None, None),
        ("Owner", {"people": [{"object": "user", "id": "u_ann"}]}, ["u_ann"]),
        ("Owner", [], []),
    ],
)
def test_values_may_be_written_in_many_ways(wiki: Any, name: str, given: Any, kept: Any) -> None:
    row = page_id(wiki, "School")
    wiki.call("notion.patch_page", page_id=row, properties={name: given})
    assert row_values(wiki.service("notion"), row)[name] == kept
    assert row_values(wiki.service("notion"), row)["Name"] == "School"
    wiki.check()


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("Nope", "x"), ("Value", 5), ("Weight", "5"), ("Weight", True), ("State", {"select": {}}), ("State", "x" * 101),
        ("State", {"type": "number", "number": 5}), ("Tags", [5]), ("Checked", "soon"), ("Checked", 5),
        ("Checked", {"date": {"start": "2026-05-02", "end": "2026-05-01"}}), ("Checked", "2026-02-30"),
        ("Checked", "9999-12-31T23:00-12:00"), ("Done", "yes"), ("Link", 5), ("Link", "x" * 2001),
        ("Owner", ["u_nobody"]),
        ("Made", "2026-05-01"), ("Name", {"title": 5}),
    ],
)  # fmt: skip
def test_what_a_value_cannot_be(wiki: Any, name: str, given: Any) -> None:
    assert (
        wiki.refused("notion.patch_page", page_id=page_id(wiki, "School"), properties={name: given}) == "bad_property"
    )


@pytest.mark.parametrize(
    ("filter", "found"),
    [
        ({"property": "Name", "title": {"equals": "rent"}}, ["Rent"]),
        ({"property": "Name", "rich_text": {"contains": "o"}}, ["Emeka rota", "School"]),
        ({"property": "Value", "rich_text": {"does_not_contain": "school"}}, ["Emeka rota", "Rent"]),
        ({"property": "Value", "text": {"starts_with": "good"}}, ["School"]),
        ({"property": "Value", "rich_text": {"ends_with": "LY"}}, ["Emeka rota"]),
        ({"property": "Value", "rich_text": {"is_empty": True}}, ["Rent"]),
        ({"property": "Value", "rich_text": {"does_not_equal": "weekly"}}, ["School", "Rent"]),
        ({"property": "Link", "url": {"is_not_empty": True}}, ["Rent"]),
        ({"property": "Weight", "number": {"greater_than": 3}}, ["School"]),
        ({"property": "Weight", "number": {"greater_than_or_equal_to": 3}}, ["Emeka rota", "School"]),
        ({"property": "Weight", "number": {"less_than": 3}}, ["Rent"]),
        ({"property": "Weight", "number": {"less_than_or_equal_to": 3}}, ["Emeka rota", "Rent"]),
        ({"property": "Weight", "number": {"equals": 3}}, ["Emeka rota"]),
        ({"property": "Weight", "number": {"does_not_equal": 3}}, ["School", "Rent"]),
        ({"property": "Done", "checkbox": {"equals": True}}, ["School"]),
        ({"property": "Done", "checkbox": {"does_not_equal": True}}, ["Emeka rota", "Rent"]),
        ({"property": "State", "select": {"equals": "Open"}}, ["Emeka rota"]),
        ({"property": "State", "select": {"does_not_equal": "open"}}, ["School", "Rent"]),
        ({"property": "State", "select": {"is_empty": True}}, ["Rent"]),
        ({"property": "Tags", "multi_select": {"contains": "b"}}, ["School"]),
        ({"property": "Tags", "multi_select": {"does_not_contain": "a"}}, ["Rent"]),
        ({"property": "Tags", "multi_select": {"is_empty": True}}, ["Rent"]),
        ({"property": "Owner", "people": {"contains": "u_ann"}}, ["School"]),
        ({"property": "Checked", "date": {"equals": "2026-04-15"}}, ["School"]),
        ({"property": "Checked", "date": {"before": "2026-04-15"}}, ["Emeka rota"]),
        ({"property": "Checked", "date": {"on_or_before": "2026-04-15"}}, ["Emeka rota", "School"]),
        ({"property": "Checked", "date": {"after": "2026-01-10"}}, ["School"]),
        ({"property": "Checked", "date": {"on_or_after": "2026-01-10"}}, ["Emeka rota", "School"]),
        ({"property": "Checked", "date": {"after": "2026-04-15T07:59:00+08:00"}}, ["School"]),
        ({"property": "Checked", "date": {"past_week": {}}}, ["School"]),
        ({"property": "Checked", "date": {"this_week": {}}}, ["School"]),
        ({"property": "Checked", "date": {"past_year": {}}}, ["Emeka rota", "School"]),
        ({"property": "Checked", "date": {"next_month": {}}}, []),
        ({"property": "Checked", "date": {"is_empty": True}}, ["Rent"]),
        ({"property": "Made", "created_time": {"before": "2026-04-17"}}, ["Emeka rota", "School", "Rent"]),
        ({"timestamp": "created_time", "created_time": {"on_or_after": "2026-04-17"}}, []),
        ({"timestamp": "last_edited_time", "date": {"past_week": {}}}, []),
        ({"and": [{"property": "Weight", "number": {"greater_than": 1}},
                  {"or": [{"property": "Name", "title": {"equals": "Rent"}},
                          {"property": "Done", "checkbox": {"equals": True}}]}]}, ["School", "Rent"]),
        ({"or": []}, []),
        ({}, ["Emeka rota", "School", "Rent"]),
    ],
)  # fmt: skip
def test_a_query_filters(wiki: Any, filter: dict[str, Any], found: list[str]) -> None:
    assert query(wiki, filter=filter) == found


@pytest.mark.parametrize(
    "filter",
    [
        {"property": "Nope", "number": {"equals": 1}},
        {"property": "Weight"},
        {"property": "Weight", "select": {"equals": "x"}},
        {"property": "Weight", "number": {"equals": 1, "is_empty": True}},
        {"property": "Weight", "number": {"contains": 1}},
        {"property": "Weight", "number": {"equals": "1"}},
        {"property": "Done", "checkbox": {"equals": "true"}},
        {"property": "Name", "title": {"equals": 5}},
        {"property": "Checked", "date": {"before": "soon"}},
        {"and": "x"},
        {"and": [5]},
        {"and": [{"and": [{"and": [{"and": []}]}]}]},
    ],
)
def test_what_a_filter_cannot_be(wiki: Any, filter: dict[str, Any]) -> None:
    key = database_id(wiki)
    if filter == {"and": [{"and": [{"and": [{"and": []}]}]}]}:
        assert query(wiki, filter=filter) == ["Emeka rota", "School", "Rent"]  # four deep is still allowed
        filter = {"and": [filter]}
    assert wiki.refused("notion.post_database_query", database_id=key, filter=filter) == "bad_filter"


def test_a_query_sorts(wiki: Any) -> None:
    def by(*sorts: dict[str, str]) -> list[str]:
        return query(wiki, sorts=list(sorts))

    assert by({"property": "Weight", "direction": "descending"}) == ["School", "Emeka rota", "Rent"]
    assert by({"property": "Name"}) == ["Emeka rota", "Rent", "School"]
    assert by({"property": "Checked", "direction": "descending"}) == ["School", "Emeka rota", "Rent"]  # empty ones last
    assert by({"property": "Tags"}, {"property": "Name"}) == ["Emeka rota", "School", "Rent"]
    assert by({"property": "Done", "direction": "descending"}, {"property": "Weight"}) == [
        "School",
        "Rent",
        "Emeka rota",
    ]
    wiki.happen("notion.set_properties", row_title="Rent", properties={"Weight": 2})
    assert by({"timestamp": "last_edited_time", "direction": "descending"})[0] == "Rent"
    key = database_id(wiki)
    for sort, code in (
        ({"property": "Nope"}, "bad_filter"), ({"property": "Name", "direction": "up"}, "bad_sort"), ({}, "bad_sort"),
    ):  # fmt: skip
        assert wiki.refused("notion.post_database_query", database_id=key, sorts=[sort]) == code
    assert wiki.refused("notion.post_database_query", database_id=GHOST) == "not_found"
    assert wiki.refused("notion.post_database_query", database_id=key, start_cursor="x") == "bad_cursor"
    part = wiki.call("notion.post_database_query", database_id=key, page_size=2)
    rest = wiki.call("notion.post_database_query", database_id=key, page_size=2, start_cursor=part["next_cursor"])
    assert names(part) + names(rest) == ["Emeka rota", "School", "Rent"]


def test_a_row_in_the_trash_is_not_queried(wiki: Any) -> None:
    wiki.call("notion.patch_page", page_id=page_id(wiki, "Rent"), in_trash=True)
    assert query(wiki) == ["Emeka rota", "School"]
    wiki.check()


def test_a_database_changes(wiki: Any) -> None:
    key = database_id(wiki)
    ids = {
        name: spec["id"]
        for name, spec in wiki.call("notion.retrieve_a_database", database_id=key)["properties"].items()
    }
    changed = wiki.call("notion.update_a_database", database_id=key, title="Criteria", properties={
        "Value": {"name": "Finding"}, ids["Link"]: None, "Rank": {"number": {}}, "Name": {"name": "Criterion"},
        "State": {"select": {"options": [{"name": "late"}]}}, "Weight": {"number": {"format": "percent"}},
    })  # fmt: skip
    assert changed["title"][0]["plain_text"] == "Criteria"
    assert list(changed["properties"])[:3] == ["Criterion", "Finding", "Weight"]
    assert "Link" not in changed["properties"]
    assert changed["properties"]["Finding"]["id"] == ids["Value"]
    assert [option["name"] for option in changed["properties"]["State"]["select"]["options"]] == [
        "open",
        "done",
        "late",
    ]
    values = row_values(wiki.service("notion"), page_id(wiki, "Emeka rota"))
    assert (values["Finding"], values["Weight"], values["Rank"]) == ("weekly", 3, None)
    assert "Link" not in wiki.service("notion").find("pages", page_id(wiki, "Rent"))["properties"]
    wiki.check()
    for fields, code in (
        ({}, "nothing_to_change"),
        ({"properties": {"Nope": None}}, "bad_property"),
        ({"properties": {"Criterion": None}}, "bad_property"),
        ({"properties": {"Other": "title"}}, "bad_property"),
        ({"properties": {"Weight": "select"}}, "bad_property"),
        ({"properties": {"Weight": {"name": "Finding"}}}, "bad_property"),
        ({"properties": {"Weight": {"name": 5}}}, "bad_property"),
        ({"title": 5}, "bad_property"),
    ):
        assert wiki.refused("notion.update_a_database", database_id=key, **fields) == code, fields
    assert wiki.refused("notion.update_a_database", title="x") == "missing_id"
    assert wiki.refused("notion.update_a_database", database_id=GHOST, title="x") == "not_found"


# -- comments --------------------------------------------------------------------------------------------------------


def test_comments_are_made_and_answered(wiki: Any) -> None:
    line = children(wiki)[0]["id"]
    first = wiki.call("notion.create_a_comment", parent={"page_id": page_id(wiki)}, rich_text="Which seats?")
    wiki.call("notion.create_a_comment", parent={"block_id": page_id(wiki)}, rich_text=[{"text": {"content": "22D"}}])
    wiki.call("notion.create_a_comment", parent={"block_id": line}, rich_text="on the line")
    answer = wiki.call("notion.create_a_comment", discussion_id=first["discussion_id"], rich_text="E and F")
    assert answer["discussion_id"] == first["discussion_id"]
    shown = wiki.call("notion.retrieve_a_comment", block_id=page_id(wiki))
    assert [item["rich_text"][0]["plain_text"] for item in shown["results"]] == ["Which seats?", "22D", "E and F"]
    assert shown["results"][0]["created_by"] == {"object": "user", "id": BOT, "name": "Assistant"}
    assert wiki.call("notion.retrieve_a_comment", block_id=line)["total"] == 1
    for fields, code in (
        ({"rich_text": "x"}, "bad_parent"),
        ({"parent": {}, "rich_text": "x"}, "bad_parent"),
        ({"parent": {"workspace": True}, "rich_text": "x"}, "bad_parent"),
        ({"parent": {"page_id": page_id(wiki)}, "discussion_id": "d", "rich_text": "x"}, "bad_parent"),
        ({"parent": {"page_id": GHOST}, "rich_text": "x"}, "not_found"),
        ({"discussion_id": "d", "rich_text": "x"}, "not_found"),
        ({"parent": {"page_id": page_id(wiki)}}, "bad_rich_text"),
        ({"parent": {"page_id": page_id(wiki)}, "rich_text": 5}, "bad_rich_text"),
        ({"parent": {"page_id": page_id(wiki)}, "rich_text": ["x"] * 101}, "bad_rich_text"),
    ):
        assert wiki.refused("notion.create_a_comment", **fields) == code, fields
    assert wiki.refused("notion.retrieve_a_comment") == "missing_id"
    assert wiki.refused("notion.retrieve_a_comment", block_id=GHOST) == "not_found"
    wiki.check()


# -- the outline -----------------------------------------------------------------------------------------------------


def test_sections_are_headings_toggles_pages_and_databases(wiki: Any) -> None:
    made = wiki.call("notion.post_page", parent={"workspace": True}, properties={"title": "Board"}, children=[
        "before\n\n two lines ",
        {"heading_1": {"rich_text": "Big"}},
        "a",
        {"heading_2": {"rich_text": "Small:"}},
        {"to_do": {"rich_text": "b", "children": ["c"]}},
        {"toggle": {"rich_text": "Fold", "children": [{"heading_2": {"rich_text": "Inside"}}, "d"]}},
        {"paragraph": {"rich_text": ["keep ", {"text": {"content": "40%"}, "annotations": {"strikethrough": True}}]}},
        {"divider": {}},
        {"heading_1": {"rich_text": "Big 2"}},
        {"heading_3": {"rich_text": "Small"}},
        "e",
    ])  # fmt: skip
    wiki.call("notion.post_page", parent={"page_id": made["id"]}, properties={"title": "Entry"}, children=["f"])
    assert lines(wiki, "Board") == {
        "": ["before", "two lines"],
        "Big": ["a", "Small:", "b", "c", "Fold", "Inside", "d", "keep ~~40%~~"],
        "Small": ["b", "c", "Fold", "Inside", "d", "keep ~~40%~~", "e"],
        "Fold": ["Inside", "d"],
        "Inside": ["d"],
        "Big 2": ["Small", "e"],
        "Entry": ["f"],
    }
    assert sections(wiki.service("notion"), GHOST) == {}
    assert row_values(wiki.service("notion"), made["id"]) == {}
    assert lines(wiki)["Move or stay"][1] == (
        "School; Value: Good school; Weight: 5; State: done; Tags: a, b; Checked: 2026-04-15T08:00:00+08:00; "
        "Done: True; Owner: u_ann; Made: "
        + wiki.call("notion.retrieve_a_page", page_id=page_id(wiki, "School"))["created_time"]
    )


def test_the_first_page_of_a_title_is_found(wiki: Any) -> None:
    first = page_id(wiki)
    second = wiki.call("notion.post_page", parent={"workspace": True}, properties={"title": " TRIP board "})["id"]
    assert page_id(wiki) == first
    wiki.call("notion.patch_page", page_id=first, in_trash=True)
    assert page_id(wiki) == second
    assert find_page(wiki.service("notion"), "nothing") is None


# -- happenings ------------------------------------------------------------------------------------------------------


def test_somebody_edits_a_line(wiki: Any) -> None:
    [touched] = wiki.happen(
        "notion.edit_block", page_title="trip board", old_text="31A 31B 31C", new_text="22D 22E 22F"
    )
    assert lines(wiki)["Seats"] == ["HD521: 22D 22E 22F"]
    block = wiki.call("notion.retrieve_a_block", block_id=touched)
    assert (block["last_edited_by"]["id"], block["last_edited_time"]) == ("u_ann", "2026-04-17T09:00:00+08:00")
    half = {"text": {"content": "00.00"}, "annotations": {"bold": True}}
    add(wiki, {"paragraph": {"rich_text": ["limit 2,0", half]}},
        {"table": {"children": [{"table_row": {"cells": ["relief", "2,000.00"]}}]}})  # fmt: skip
    assert len(wiki.happen("notion.edit_block", page_title="Trip board", old_text="2,000.00", new_text="1,900.00")) == 2
    assert lines(wiki)["Plan B - Kansai"] == ["limit 1,900.00", "relief | 1,900.00"]
    [gone] = wiki.happen("notion.edit_block", page_title="Trip board", old_text="Form: no", new_text="", author="Tone")
    assert lines(wiki)["Entry"] == ["Booklets: one"]
    assert wiki.refused("notion.retrieve_a_block", block_id=gone) == "not_found"
    page = wiki.call("notion.retrieve_a_page", page_id=page_id(wiki))
    assert wiki.call("notion.get_user", user_id=page["last_edited_by"]["id"])["name"] == "Tone"
    before = wiki.world.dump()
    assert wiki.happen("notion.edit_block", page_title="Trip board", old_text="zzz", new_text="y", author="New") == []
    assert wiki.happen("notion.edit_block", page_title="None", old_text="a", new_text="b") == []
    assert wiki.happen("notion.edit_block", page_title="Trip board", old_text="", new_text="b") == []
    assert wiki.world.dump() == before
    wiki.check()


def test_somebody_adds_lines(wiki: Any) -> None:
    wiki.happen("notion.add_lines", page_title="Trip board", lines=["Visa: yes"], section="Entry", author="u_ann")
    wiki.happen("notion.add_lines", page_title="Trip board", lines=["at the end"])
    assert lines(wiki)["Entry"] == ["Booklets: one", "Form: no", "Visa: yes"]
    assert words(children(wiki)[-1]) == "at the end"
    assert wiki.happen("notion.add_lines", page_title="Trip board", lines=["x"], section="None") == []
    assert wiki.happen("notion.add_lines", page_title="None", lines=["x"]) == []
    before = wiki.world.dump()
    assert wiki.happen("notion.add_lines", page_title="Trip board", lines=[], author="Somebody new") == []
    assert wiki.world.dump() == before
    wiki.check()


def test_somebody_comments(wiki: Any) -> None:
    [key] = wiki.happen("notion.comment", page_title="Trip board", author="Tone", text="see the rules")
    wiki.happen("notion.comment", page_title="Trip board", author="Tone", text="again")
    shown = wiki.call("notion.retrieve_a_comment", block_id=page_id(wiki))["results"]
    assert shown[0]["id"] == key
    assert [item["created_by"]["name"] for item in shown] == ["Tone", "Tone"]
    assert len(wiki.call("notion.get_users")["results"]) == 3
    assert wiki.happen("notion.comment", page_title="None", author="Tone", text="x") == []
    assert wiki.world.openings == []


def test_somebody_shares_and_trashes_a_page(wiki: Any) -> None:
    blocks = ["band 90-110", {"heading_2": "Walks"}, "daily"]
    [key] = wiki.happen("notion.share_page", title="Exercise plan", blocks=blocks, author="Clinic", icon="🏃")
    assert lines(wiki, "Exercise plan") == {"": ["band 90-110"], "Walks": ["daily"]}
    assert wiki.call("notion.retrieve_a_page", page_id=key)["icon"]["emoji"] == "🏃"
    [inner] = wiki.happen("notion.share_page", title="Version 3", blocks=[], parent_title="Exercise plan")
    assert wiki.call("notion.retrieve_a_page", page_id=inner)["parent"]["page_id"] == key
    assert wiki.happen("notion.share_page", title="x", blocks=[], parent_title="None") == []
    assert wiki.happen("notion.trash_page", page_title="Exercise plan") == [key]
    assert wiki.happen("notion.trash_page", page_title="Version 3") == []
    wiki.check()


def test_somebody_fills_in_rows(wiki: Any) -> None:
    [key] = wiki.happen("notion.add_row", database_title="Move or stay",
                        properties={"Name": "School", "Weight": 4, "State": "late"}, author="Tone")  # fmt: skip
    assert query(wiki) == ["Emeka rota", "School", "Rent", "School"]
    schema = wiki.call("notion.retrieve_a_database", database_id=database_id(wiki))["properties"]
    assert {"name": "late"} in schema["State"]["select"]["options"]
    assert wiki.happen("notion.add_row", database_title="None", properties={}) == []
    assert len(wiki.happen("notion.set_properties", row_title="School", properties={"Value": "closed"})) == 2
    assert wiki.happen("notion.set_properties", row_title="School", properties={"Name": "Schule", "State": "new"},
                       database_title="Move or stay", where={"Weight": 4}) == [key]  # fmt: skip
    values = row_values(wiki.service("notion"), key)
    assert (values["Name"], values["Value"], values["State"]) == ("Schule", "closed", "new")
    assert wiki.happen("notion.set_properties", row_title="School", properties={}, where={"Nope": 1}) == []
    assert wiki.happen("notion.set_properties", row_title="School", properties={}, database_title="None") == []
    wiki.check()


# -- inventory -------------------------------------------------------------------------------------------------------


def test_generators_leave_alone_what_exists(wiki: Any) -> None:
    service, rng = wiki.service("notion"), random.Random(9)
    before = wiki.world.dump()
    service.page(rng, title="Trip board", sections={"x": ["y"]})
    service.database(rng, title="Move or stay", properties={}, rows=[])
    assert wiki.world.dump() == before
    with pytest.raises(ValueError, match="None"):
        service.page(rng, title="x", sections={}, parent_title="None")


def test_notes_are_believable_and_repeatable(desk: Any) -> None:
    def filled(seed: int) -> Any:
        d = desk("notion")
        d.service("notion").notes(random.Random(seed), pages=30)
        d.check()
        return d.world.dump()

    assert filled(1) == filled(1) != filled(2)
    d = desk("notion")
    d.service("notion").notes(random.Random(1), pages=30)
    assert len(d.service("notion").rows("pages")) == 30
    assert all(row["created_time"] < "2026-04-17" for row in d.service("notion").rows("pages"))


# -- any sequence ----------------------------------------------------------------------------------------------------

TEXT = st.sampled_from(["a", "b", "", "Seats", "a\nb"])
BLOCK = st.recursive(
    st.one_of(
        TEXT,
        st.builds(
            lambda kind, text: {kind: {"rich_text": text}}, st.sampled_from(["quote", "heading_2", "to_do"]), TEXT
        ),
        st.just({"divider": {}}),
        st.just({"nonsense": 1}),
    ),
    lambda inner: st.builds(
        lambda text, below: {"toggle": {"rich_text": text, "children": below}}, TEXT, st.lists(inner, max_size=2)
    ),
    max_leaves=4,
)
PICK = st.integers(0, 30)
STEPS = st.one_of(
    st.tuples(st.just("patch_block_children"), PICK, st.fixed_dictionaries({"children": st.lists(BLOCK, max_size=3)})),
    st.tuples(st.just("update_a_block"), PICK, st.fixed_dictionaries({"paragraph": st.just({"rich_text": "new"})})),
    st.tuples(st.just("delete_a_block"), PICK, st.just({})),
    st.tuples(st.just("post_page"), PICK, st.fixed_dictionaries({}, optional={
        "properties": st.sampled_from([{"title": "P"}, {"Name": "row", "State": "fresh"}]),
        "children": st.lists(BLOCK, max_size=2)})),
    st.tuples(st.just("patch_page"), PICK, st.fixed_dictionaries({"in_trash": st.booleans()})),
    st.tuples(st.just("create_a_comment"), PICK, st.just({"rich_text": "hm"})),
    st.tuples(st.just("update_a_database"), PICK, st.fixed_dictionaries({"properties": st.sampled_from(
        [{"State": None}, {"State": {"name": "Phase"}}, {"State": "select"}, {"Weight": "number"}])})),
    st.tuples(st.just("edit_block"), PICK, st.fixed_dictionaries({"old_text": st.sampled_from(["a", "HD521: 31A 31B"]),
                                                                  "new_text": TEXT})),
    st.tuples(st.just("wait"), PICK, st.just({})),
)  # fmt: skip


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEPS, max_size=12))
def test_any_sequence_keeps_the_tree_whole(wiki: Any, steps: list[tuple[str, int, dict[str, Any]]]) -> None:
    from tests.services.conftest import Desk

    d = Desk("notion")
    d.world = wiki.world.fork()
    service = d.service("notion")
    for name, pick, fields in steps:
        nodes = [(kind, row["id"]) for kind in ("pages", "databases", "blocks") for row in service.rows(kind)]
        kind, key = nodes[pick % len(nodes)]
        before = d.world.dump()
        if name == "wait":
            d.world.run_to(d.world.now + 3600)
        elif name == "edit_block":
            d.happen("notion.edit_block", page_title="Trip board", **fields)
        else:
            place = {"pages": "page_id", "databases": "database_id", "blocks": "block_id"}[kind]
            own = {"post_page": {"parent": {place: key}}, "create_a_comment": {"parent": {place: key}},
                   "patch_page": {"page_id": key}, "update_a_database": {"database_id": key}}  # fmt: skip
            outcome = d.outcome(f"notion.{name}", **own.get(name, {"block_id": key}), **fields)
            assert outcome.ok or d.world.dump() == before
        d.check()
        for page in service.rows("pages"):
            sections(service, page["id"])

"""Search as people expect it."""

from __future__ import annotations

import timeit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifegym.services.search import fold, matches_word, rank, resolve, words

# -- words -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Café", "cafe"),
        ("ŌSAKA", "osaka"),
        ("Zürich", "zurich"),
        ("東京駅", "東京駅"),
        ("Ｈｏｔｅｌ", "hotel"),
        ("", ""),
    ],
)
def test_folding_drops_case_and_accents(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Hotel Sakura, Ueno", ("hotel", "sakura", "ueno")),
        ("room 12 and room 12", ("room", "12", "and")),
        ("Ann's café", ("ann's", "cafe")),
        ("re:invoice_7", ("re", "invoice", "7")),
        ("東京 hotel", ("東京", "hotel")),
        (" -- ", ()),
    ],
)
def test_words_come_once_and_in_order(text: str, found: tuple[str, ...]) -> None:
    assert words(text) == found


@pytest.mark.parametrize(
    ("query", "word", "grade"),
    [
        ("hotel", "hotel", 1.0),
        ("hotels", "hotel", 0.9),
        ("city", "cities", 0.9),
        ("boxes", "box", 0.9),
        ("kana", "kanazawa", 0.7),
        ("ka", "kanazawa", 0.0),
        ("kanazwa", "kanazawa", 0.5),
        ("kanazzawa", "kanazawa", 0.5),
        ("kanizawa", "kanazawa", 0.5),
        ("kanaazwa", "kanazawa", 0.5),
        ("kyto", "kyoto", 0.5),
        ("tokio", "kyoto", 0.0),
        ("art", "cart", 0.0),
        ("bus", "bug", 0.0),
        ("hotel", "hostel", 0.5),
        ("museum", "music", 0.0),
    ],
)
def test_grades_of_likeness(query: str, word: str, grade: float) -> None:
    assert matches_word(query, word) == grade


@given(st.text("abc", min_size=1, max_size=7), st.text("abc", min_size=1, max_size=7))
def test_likeness_is_a_grade_and_full_only_for_the_same(first: str, second: str) -> None:
    grade = matches_word(first, second)
    assert grade in (0.0, 0.5, 0.7, 0.9, 1.0)
    assert (grade == 1.0) == (first == second)


# -- ranking ---------------------------------------------------------------------------------------------------------

PLACES = [
    ("Kyoto Station Hotel", "Business hotel beside Kyoto station with breakfast"),
    ("Sakura Ryokan", "Traditional inn near Gion, Kyoto, with an open-air bath"),
    ("Kanazawa Garden Inn", "Quiet inn next to Kenrokuen garden"),
    ("Kanazawa Sky Hotel", "High rooms over the fish market"),
    ("Tokyo Bay Hostel", "Dormitories and a shared kitchen"),
    ("Ueno Park Hotel", "Hotel near museums in Tokyo"),
    ("Osaka Castle Suites", "Apartments with kitchens for families"),
    ("Narita Airport Lodge", "Shuttle buses to both terminals"),
    ("Hotel Lotus", "A hotel in Osaka with a garden"),
    ("Café Gion", "Coffee and cakes"),
]
ALIASES = {"nrt": "narita airport", "bed and breakfast": "inn", "jugendherberge": "hostel", "castle town": "osaka"}


def hits(query: str, need_all: bool = False) -> list[str]:
    found = rank(query, PLACES, lambda place: ((place[0], 3.0), (place[1], 1.0)), ALIASES, need_all)
    return [title for title, _ in found]


GOLDEN = [
    ("Kyoto", ["Kyoto Station Hotel", "Sakura Ryokan"]),
    ("ryokan in Kyoto", ["Sakura Ryokan"]),
    ("kanazawa", ["Kanazawa Garden Inn", "Kanazawa Sky Hotel"]),
    ("Kanazwa", ["Kanazawa Garden Inn", "Kanazawa Sky Hotel"]),
    ("kanazawa hotel", ["Kanazawa Sky Hotel"]),
    ("garden", ["Kanazawa Garden Inn", "Hotel Lotus"]),
    ("a hotel with a garden", ["Hotel Lotus"]),
    ("museum", ["Ueno Park Hotel"]),
    ("kitchen", ["Tokyo Bay Hostel"]),
    ("kitchens", ["Osaka Castle Suites"]),
    ("cafe", ["Café Gion"]),
    ("CAFÉ GION", ["Café Gion", "Sakura Ryokan"]),
    ("NRT", ["Narita Airport Lodge"]),
    ("jugendherberge", ["Tokyo Bay Hostel"]),
    ("bed and breakfast kanazawa", ["Kanazawa Garden Inn"]),
    ("castle town", ["Osaka Castle Suites", "Hotel Lotus"]),
    ("breakfst", ["Kyoto Station Hotel"]),
    ("dorm", ["Tokyo Bay Hostel"]),
    ("zzz", []),
]


@pytest.mark.parametrize(("query", "expected"), GOLDEN)
def test_golden_queries(query: str, expected: list[str]) -> None:
    assert hits(query)[: len(expected)] == expected
    if not expected:
        assert hits(query) == []


@pytest.mark.parametrize("query", ["", "   ", "!?"])
def test_a_query_without_words_returns_everything_as_it_came(query: str) -> None:
    assert hits(query) == [title for title, _ in PLACES]


def test_all_words_can_be_demanded() -> None:
    assert hits("kyoto hostel", need_all=True) == []
    assert hits("kyoto bath", need_all=True) == ["Sakura Ryokan"]
    assert len(hits("kyoto hostel")) > 1


def test_documents_with_more_of_the_words_come_first() -> None:
    docs = ["red", "red blue", "red blue green", "blue"]
    assert rank("red blue green", docs, lambda doc: ((doc, 1.0),)) == ["red blue green", "red blue", "red", "blue"]


def test_equals_keep_their_order_and_titles_weigh_more() -> None:
    docs = [("x", "apple"), ("apple", "x"), ("y", "apple"), ("apple", "y")]
    found = rank("apple", docs, lambda doc: ((doc[0], 3.0), (doc[1], 1.0)))
    assert found == [("apple", "x"), ("apple", "y"), ("x", "apple"), ("y", "apple")]


def test_the_same_title_comes_before_longer_ones_and_a_phrase_before_scattered_words() -> None:
    assert rank("green tea", ["green tea house", "green tea"], lambda doc: ((doc, 1.0),))[0] == "green tea"
    assert rank("green tea", ["tea in green", "a green tea"], lambda doc: ((doc, 1.0),))[0] == "a green tea"


def test_a_misspelling_counts_only_where_nobody_has_the_word() -> None:
    assert rank("hostel", ["hotel", "hostel"], lambda doc: ((doc, 1.0),)) == ["hostel"]
    assert rank("hosttel", ["hotel", "hostel"], lambda doc: ((doc, 1.0),))[0] == "hostel"
    assert rank("plan", ["plans", "plane"], lambda doc: ((doc, 1.0),)) == ["plans", "plane"]
    titled = [("bleu cheese", "dessert"), ("salad", "blues")]
    assert rank("blue", titled, lambda doc: ((doc[0], 3.0), (doc[1], 1.0))) == [("salad", "blues")]


@given(st.lists(st.text("ab ", max_size=8), max_size=8), st.text("ab ", max_size=6))
def test_ranking_selects_and_orders_only(docs: list[str], query: str) -> None:
    found = rank(query, docs, lambda doc: ((doc, 1.0),))
    assert sorted(found) == sorted(doc for doc in docs if doc in found)
    assert rank(query, docs, lambda doc: ((doc, 1.0),)) == found


# -- one name --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("Kanazawa", "Kanazawa"),
        (" kanazawa ", "Kanazawa"),
        ("Kanazwa", "Kanazawa"),
        ("KYOTO", "Kyoto"),
        ("São Paulo", "Sao Paulo"),
        ("the old capital", "Kyoto"),
        ("Osaka Castle", None),
        ("New York", "New York"),
        ("york", "New York"),
        ("zzz", None),
        ("", "Kanazawa"),
    ],
)
def test_resolving_a_name(query: str, name: str | None) -> None:
    names = ["Kanazawa", "Kyoto", "Sao Paulo", "Osaka", "New York"]
    assert resolve(query, names, {"the old capital": "Kyoto"}) == name


def test_the_same_name_wins_over_an_alias_and_a_likeness() -> None:
    assert resolve("Ueno", ["Ueno Park", "Ueno"], {"ueno": "Ueno Park"}) == "Ueno"


def test_a_search_over_some_hundred_documents_takes_well_below_a_millisecond_once_warm() -> None:
    docs = [(f"{title} {n}", f"{text} {n}") for n in range(50) for title, text in PLACES]

    def search() -> None:
        rank("quiet kanazawa garden", docs, lambda place: ((place[0], 3.0), (place[1], 1.0)))

    search()
    assert min(timeit.repeat(search, number=3, repeat=5)) / 3 < 0.005, "ten times what it takes"

"""Search as people expect it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lifegym.services.search import Index, Vocabulary, fold, matches_word, rank, resolve, words

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
        ("suites", "suite", 0.9),
        ("pages", "page", 0.9),
        ("buses", "bus", 0.9),
        ("houses", "house", 0.9),
        ("expense", "expenses", 0.9),
        ("matches", "match", 0.9),
        ("caches", "cache", 0.9),
        ("dishes", "dish", 0.9),
        ("prizes", "prize", 0.9),
        ("potatoes", "potato", 0.9),
        ("shoes", "shoe", 0.9),
        ("addresses", "address", 0.9),
        ("glasses", "glass", 0.9),
        ("movies", "movie", 0.9),
        ("suits", "suites", 0.5),
        ("glass", "glas", 0.5),
        ("gas", "ga", 0.0),
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


# -- an index --------------------------------------------------------------------------------------------------------

WORDS = st.sampled_from(
    ["kanazawa", "kanazwa", "kana", "hotel", "hotels", "hostel", "café", "city", "cities", "suite", "suites", "green"]
    + ["tea", "the", "of", "東京", "ann's", "box", "boxes", "bus", "12"]
)
TEXTS = st.builds(lambda parts, gap: gap.join(parts), st.lists(WORDS, max_size=4), st.sampled_from([" ", ", ", "\n"]))
DOCUMENTS = st.lists(
    st.lists(st.tuples(TEXTS, st.sampled_from([3.0, 2.5, 1.2, 0.8, 0.3])), max_size=4).map(tuple), max_size=12
)
MEANINGS = {"nrt": "narita", "bed and breakfast": "hotel inn", "cafe": "tea coffee", "green tea": "matcha"}


@settings(max_examples=400, deadline=None)
@given(
    DOCUMENTS,
    TEXTS | st.sampled_from(["bed and breakfast kana", "cafe", "hotl", "kanazzawa city", "!", ""]),
    st.booleans(),
    st.sampled_from([None, MEANINGS]),
    st.lists(st.integers(0, 3), min_size=12, max_size=12),
)
def test_an_index_answers_as_rank_does(
    docs: list[tuple[tuple[str, float], ...]],
    query: str,
    need_all: bool,
    aliases: dict[str, str] | None,
    classes: list[int],
) -> None:
    numbered = list(enumerate(docs))

    def fields(doc: tuple[int, tuple[tuple[str, float], ...]]) -> tuple[tuple[str, float], ...]:
        return doc[1]

    index = Index(numbered, fields)
    assert index.rank(query, aliases, need_all) == rank(query, numbered, fields, aliases, need_all)
    # Only some of them, in an order of their own: as if only these, in this order, had been searched.
    some = sorted((doc for doc in numbered if classes[doc[0]]), key=lambda doc: classes[doc[0]])
    found = index.rank(query, aliases, need_all, lambda place: classes[place] > 0, lambda place: classes[place])
    assert found == rank(query, some, fields, aliases, need_all)


@pytest.mark.parametrize(("query", "expected"), GOLDEN)
def test_golden_queries_of_an_index(query: str, expected: list[str]) -> None:
    index = Index(PLACES, lambda place: ((place[0], 3.0), (place[1], 1.0)))
    assert [title for title, _ in index.rank(query, ALIASES)] == hits(query)


@given(st.lists(st.text("abes", min_size=1, max_size=6), max_size=12), st.text("abes", min_size=1, max_size=6))
def test_a_vocabulary_knows_what_each_word_by_itself_would_say(known: list[str], query: str) -> None:
    vocabulary = Vocabulary(dict.fromkeys(known))
    grades = {word: grade for word in known if (grade := matches_word(query, word))}
    assert vocabulary.slips(query) | vocabulary.forms(query) == grades
    assert all(grade >= 0.7 for grade in vocabulary.forms(query).values())

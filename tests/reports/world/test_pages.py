"""A world's pages show what its tools show, all of it readable, and nothing else."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lifegym.baselines import make_agent
from lifegym.episode import Episode
from lifegym.reports.world import MomentError, reach, site
from lifegym.reports.world.looking import WorldLook, greatest
from lifegym.reports.world.moment import find_instant
from lifegym.reports.world.services import VIEWS, view
from lifegym.services import catalogue, dispatch
from lifegym.task_suite import load_task

NASTY = (
    "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">",
    "\x1b[31mred\x1b[0m\x07",
    "\u202egpj.exe\u2066",
    "</pre></td></table><style>*{display:none}</style>",
    "{{ 7 * 7 }}{% raw %}",
)


@pytest.fixture
def pages(tmp_path: Path) -> Callable[..., dict[str, str]]:
    """The pages of a task at a moment, by name."""

    def make(name: str, at: str = "start", agent: str = "reference") -> dict[str, str]:
        task = load_task(name)
        scenario = task.scenario()
        moment = reach(scenario, make_agent(agent), task.source, at)
        files = site.write(tmp_path / f"{name}-{at}", scenario, moment, task.title, agent)
        return {file.stem: file.read_text() for file in files}

    return make


def test_every_service_has_a_page_laid_out_by_hand():
    assert set(VIEWS) == {*catalogue.SERVICES, "workspace"}


def test_a_service_without_a_page_of_its_own_shows_what_its_tools_list(monkeypatch):
    monkeypatch.delitem(VIEWS, "banking")
    view.cache_clear()
    try:
        made = view("banking")
        task = load_task("stokvel-treasurer")
        titles = [part.title for part in made.page(WorldLook(task.scenario().world))]
    finally:
        view.cache_clear()
    assert "Accounts" in titles
    assert "Payees" in titles


def test_each_list_takes_the_most_that_it_says_it_gives():
    for service in [*catalogue.SERVICES, "workspace"]:
        for spec in catalogue.tools_of(service).values():
            for name in ("page_size", "limit", "max_results"):
                parameter = spec.schema["properties"].get(name)
                if parameter is not None and not spec.write:
                    assert greatest(parameter), spec.name


def test_the_pages_are_those_of_the_services_and_the_same_each_time(pages):
    first = pages("japan-trip", "S12")
    assert list(first) == ["index", "workspace", *load_task("japan-trip").services]
    assert first == pages("japan-trip", "S12")
    assert not re.search(r"""(src|href)=["']?https?:""", "".join(first.values()))
    assert "8,880.00 CNY" in first["flight_booking"]
    assert "Mon 27 Apr 2026 09:35" in first["flight_booking"]
    assert "Kangping Clinic" in first["email"]
    assert "What you may do" in first["workspace"]


def test_nothing_of_what_comes_later_is_shown(pages):
    task = load_task("japan-trip")
    scenario = task.scenario()
    text = "".join(pages("japan-trip").values())
    later = [turn.text.partition("] ")[2][:60] for turn in _played(task).history.turns[1:]]
    assert len(later) > 20
    assert not [line for line in later if line and line in text]
    assert not [check.what for check in scenario.checks.values() if check.what in text]
    assert "email.outgoing" not in text


def _played(task: Any) -> Episode:
    from lifegym.rollouts import play

    return play(task.scenario(), make_agent("reference"), task.source).episode


def test_looking_changes_nothing():
    world = load_task("utrecht-cargo-bike").scenario().world
    before = world.dump()
    look = WorldLook(world)
    for service in [*world.services, "workspace"]:
        view(service).page(look)
    assert world.dump() == before


@pytest.mark.parametrize(
    "name",
    ["option-window", "piano-counterclaim", "winnipeg-placement-kit", "bergen-notice-clock", "kassel-bakery-crew"],
)
def test_the_worlds_of_tasks_have_pages_at_their_end(pages, name):
    for service, text in pages(name, "end").items():
        assert "<h1>" in text, service
        assert "Undefined" not in text


@pytest.fixture
def make_rental(tmp_path, make_task) -> Path:
    """Pages of a world with cars to rent, and some that were."""
    task = make_task(
        "  - {id: a, stage: S1, at: D+0 09:00, kind: user_message, text: Hello.}\n", services=("car_rental",)
    )
    scenario = task.scenario()
    moment = reach(scenario, None, task.source)
    rental: Any = moment.world.service("car_rental")
    rng = random.Random(1)
    rental.fleet(rng, city="Bergen", currency="NOK", base_price_minor=70000)
    rental.energy_stops(rng, city="Bergen", count=8, currency="NOK", petrol_minor=2100)
    rental.put("plans", plan_id="basic", name="Basic", currency="NOK", excess_minor=1200000, price_per_day_minor=9900)
    rental.past_rentals(rng, user_id=moment.world.owner, count=4)
    site.write(tmp_path / "rental", scenario, moment, task.title)
    return tmp_path / "rental"


def test_rented_cars_are_cards_and_cars_on_offer_a_table(make_rental):
    text = (make_rental / "car_rental.html").read_text()
    assert text.count('class="card thing"') == 4
    assert "Corso" in text
    assert "NOK" in text


# -- moments


def test_a_moment_is_what_had_happened_until_then():
    task = load_task("japan-trip")
    scenario = task.scenario()
    agent = make_agent("reference")
    start, later = (reach(scenario, agent, task.source, at) for at in ("start", "S4"))
    assert (start.stage, len(start.turns), start.calls) == ("S1", 1, 0)
    assert later.stage == "S4"
    stage = next(stage for stage in scenario.stages if stage.id == "S4")
    assert later.world.now == stage.end - 1
    assert all(turn.opened < stage.end for turn in later.turns)
    end = reach(scenario, agent, task.source, "end")
    assert end.world.dump() == _played(task).world.dump()


def test_a_silent_event_after_the_last_turn_of_a_stage_is_seen_at_its_close(small_debts):
    scenario = small_debts.scenario()
    idle = make_agent("idle")
    at = {words: reach(scenario, idle, small_debts.source, words).world for words in ("D+0 14:59", "D+0 15:00", "S1")}
    fees = {words: len(world.table("banking.transactions")) for words, world in at.items()}
    assert fees["D+0 15:00"] == fees["D+0 14:59"] + 1 == fees["S1"]


def test_before_the_first_turn_nobody_was_told_anything(small_debts):
    early = reach(small_debts.scenario(), make_agent("idle"), small_debts.source, "D+0 03:00")
    assert early.turns == ()
    assert early.world.iso() == "2026-03-02T03:00:00+01:00"


@pytest.mark.parametrize("words", ["S9", "tomorrow", "", "D+99 10:00", "D+0 25:00"])
def test_words_that_name_no_moment(small_debts, words):
    with pytest.raises(MomentError, match=r"no moment|after the end"):
        find_instant(small_debts.scenario(), words)


# -- what a world may hold


@pytest.fixture
def nasty(make_task, tmp_path) -> Path:
    """Pages of a world whose mails, files, notes and events are hostile."""
    services = ("email", "calendar", "notion", "notification_hub", "banking")
    task = make_task("  - {id: a, stage: S1, at: D+0 09:00, kind: user_message, text: Hello.}\n", services=services)
    scenario = task.scenario()
    moment = reach(scenario, None, task.source)
    world = moment.world
    text = "\n".join(NASTY)
    for number, piece in enumerate((*NASTY, text + "x" * 1_000_000)):
        world.service("email").put(
            "mails", email_id=f"m{number}", folder="INBOX", to=["ann@mail.example"], subject=piece[:400], body=piece,
            at="2026-03-01T10:00:00+01:00", sender="eve@x.example", sender_name=piece[:200], thread_id=f"m{number}",
        )  # fmt: skip
        if len(piece) < 1000:
            _call(world, "workspace.write_file", path=f"f{number}.md", text=piece)
            _call(world, "workspace.write_file", path=f"f{number}.csv", text=f"a,b\n{number},{piece}\n")
            _call(world, "calendar.create_event", summary=piece, start="2026-03-03T10:00", end="2026-03-03T11:00")
            title = {"title": {"title": [{"text": {"content": piece}}]}}
            _call(world, "notion.post_page", parent={"type": "workspace", "workspace": True}, properties=title)
            world.notify("email", "promo", piece, piece)
    site.write(tmp_path / "nasty", scenario, moment, NASTY[0], "reference")
    return tmp_path / "nasty"


def _call(world: Any, tool: str, **arguments: Any) -> None:
    call = dispatch.parse({"tool": tool, "arguments": arguments}, world.services)
    assert isinstance(call, dispatch.Call), call
    outcome = dispatch.execute(world, call)
    assert outcome.ok, outcome.text


def test_what_a_world_holds_is_text_on_its_pages(nasty):
    for file in sorted(nasty.iterdir()):
        text = file.read_text()
        assert "<script>document" not in text, file
        assert "<img" not in text, file
        assert text.count("<style>") == 1, file
        assert "49{%" not in text, file
    assert (nasty / "email.html").stat().st_size > 1_000_000
    assert "&lt;script&gt;document" in (nasty / "email.html").read_text()


def test_hostile_pages_do_nothing_in_a_browser(nasty, browser):
    for file in sorted(nasty.glob("*.html")):
        browser.open(file)
        assert browser.run("document.title") != "owned"
        assert browser.run("getComputedStyle(document.querySelector('h1')).display") == "block"
        assert browser.run("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0


# -- in a browser


@pytest.fixture(scope="module")
def japan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("japan")
    task = load_task("japan-trip")
    scenario = task.scenario()
    moment = reach(scenario, make_agent("reference"), task.source, "S12")
    site.write(folder, scenario, moment, task.title, "reference")
    return folder


TASKS = ("japan-trip", "option-window", "winnipeg-placement-kit", "bergen-notice-clock", "piano-counterclaim")
"""With the listings of one more and rented cars these have every service."""


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folders = []
    for name in (*TASKS, "utrecht-cargo-bike"):
        task = load_task(name)
        scenario = task.scenario()
        moment = reach(scenario, make_agent("reference"), task.source, "end")
        folders.append(tmp_path_factory.mktemp(name))
        site.write(folders[-1], scenario, moment, task.title, "reference")
    return folders


def test_each_page_opens_without_complaint_at_any_width(worlds, make_rental, browser):
    seen = set()
    for file in sorted(file for folder in [*worlds, make_rental] for file in folder.glob("*.html")):
        if file.stem in seen and file.stem != "index":
            continue
        seen.add(file.stem)
        browser.open(file)
        for width in (1280, 390):
            browser.size(width)
            browser.run("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
            assert browser.one("h1").text
            over = browser.run("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert over <= 0, f"{file.name} is {over} px too wide at {width}"
        browser.size(1280)
    assert seen == {*catalogue.SERVICES, "workspace", "index"}


def test_one_goes_from_page_to_page(japan, browser):
    browser.open(japan / "index.html")
    assert "20 days in Japan" in browser.one(".chat").text
    for link in ("Calendar", "Flights", "Overview"):
        browser.driver.find_element("link text", link).click()
        assert browser.one(".services [aria-current]").text == link


def test_mails_files_and_bookings_unfold(japan, browser):
    browser.open(japan / "email.html")
    browser.all("summary.line")[1].click()
    assert "the travel letter is signed" in browser.one(".letter").text
    browser.open(japan / "workspace.html")
    assert not browser.all("tr.more")
    browser.all("button.fold")[1].click()
    assert "What you may do" in browser.one("tr.more").text
    assert browser.all("button.fold")[1].get_attribute("aria-expanded") == "true"
    browser.all("button.fold")[1].click()
    assert not browser.all("tr.more")
    browser.open(japan / "flight_booking.html")
    browser.one("details.inside > summary").click()
    assert "22F" in browser.one("details.inside").text


def test_a_field_filters_the_rows_below_it(japan, browser):
    browser.open(japan / "maps.html")
    rows = len(browser.all("tbody tr"))
    browser.one("[data-filter]").send_keys("lantern museum")
    left = browser.all("tbody tr")
    assert 0 < len(left) < rows
    assert all("Lantern Museum" in row.text for row in left)

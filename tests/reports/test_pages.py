"""The pages in a real browser: they open without complaints, filter, sort, fold, jump and print."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lifegym.reports.board import write_board
from lifegym.reports.comparison import compare, comparison_page
from lifegym.reports.report import write_report
from lifegym.rollouts import RunFolder, evaluate

pytestmark = pytest.mark.xdist_group("browser")

PLAYERS = str(Path(__file__).with_name("players"))
BUNDLES = Path(__file__).parents[1] / "bundles"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two runs of an agent that does well and not well enough, on a large task and a small one."""
    sys.path.insert(0, PLAYERS)
    root = tmp_path_factory.mktemp("runs")
    try:
        for name, sleepy in (("awake", 0.1), ("drowsy", 0.4)):
            options: dict[str, Any] = {"runs": 2, "workers": 0, "settings": {"share": 0.04, "sleepy": sleepy}}
            evaluate("napping:Napping", ["japan-trip", str(BUNDLES / "small-debts")], out=root / name, **options)
    finally:
        sys.path.remove(PLAYERS)
    return [root / "awake", root / "drowsy"]


@pytest.fixture(scope="module")
def report(runs: list[Path]) -> Path:
    return write_report(runs[0], workers=0).path


EPISODE = "#/episode/japan-trip/canonical-0-1"
TABS = [EPISODE, *(f"{EPISODE}/{tab}" for tab in ("checks", "written", "records"))]


def choose(browser: Any, selector: str, value: str) -> None:
    """Choose an option of a field that is seen."""
    from selenium.webdriver.support.ui import Select

    Select(browser.one(selector)).select_by_value(value)


def unfold(browser: Any) -> None:
    """Open everything, and what was made by that."""
    for _ in range(2):
        browser.run("document.querySelectorAll('details').forEach((fold) => { fold.open = true })")
        browser.run("document.querySelectorAll('[data-fold][aria-expanded=false]').forEach((button) => button.click())")


def titles(browser: Any) -> list[str]:
    return [row.text for row in browser.all("#tasks-table tbody th a")]


# -- pages -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("address", ["", "#/analysis", "#/tasks", "#/task/japan-trip", *TABS])
def test_every_page_opens_and_fits_the_screen(browser: Any, report: Path, address: str, width: int) -> None:
    browser.size(width)
    browser.open(report, address)
    assert browser.one("main h1").text
    if address.startswith(EPISODE):
        browser.one("[data-panel] > *")
    light = browser.run("getComputedStyle(document.body).backgroundColor")
    for dark in (False, True):
        browser.dark(dark)
        assert browser.run("document.documentElement.scrollWidth") <= width
    assert browser.run("getComputedStyle(document.body).backgroundColor") != light
    assert browser.run("document.querySelectorAll('[data-page]:not([hidden])').length") == 1


def test_an_unknown_address_says_so(browser: Any, report: Path) -> None:
    browser.open(report, "#/task/none")
    assert "There is no task none" in browser.one("main .note").text
    browser.open(report, "#/nowhere")
    assert browser.one("main h1").text == "napping:Napping"


def test_an_episode_whose_file_is_gone_says_what_to_do(one_browser: Any, report: Path) -> None:
    one_browser.open(report, "#/episode/japan-trip/canonical-0-9")
    assert "Keep the folder report_files" in one_browser.one("[role=alert]").text
    one_browser.complaints()  # the browser says that the file is not there


def test_the_skip_link_stays_on_its_page(browser: Any, report: Path) -> None:
    browser.open(report, "#/tasks")
    browser.press("\ue004\ue007")  # Tab, Enter
    assert browser.run("document.activeElement.id") == "main"
    assert browser.one("main h1").text == "Tasks"


def test_navigation_marks_where_one_is_and_goes_back(browser: Any, report: Path) -> None:
    browser.open(report)
    assert browser.one("[aria-current=page]").text == "Overview"
    browser.one("[data-nav=tasks]").click()
    assert browser.one("[aria-current=page]").text == "Tasks"
    assert browser.run("document.activeElement.id") == "main"  # from where the keyboard goes on
    browser.driver.back()
    assert browser.one("[aria-current=page]").text == "Overview"


# -- tables ----------------------------------------------------------------------------------------------------------


def test_tasks_sort_by_any_column(browser: Any, report: Path) -> None:
    browser.open(report, "#/tasks")
    assert len(titles(browser)) == 2
    heading = browser.one("#tasks-table thead th:nth-child(3) button")
    heading.click()
    assert titles(browser)[0].startswith("Twenty days")
    assert browser.one("[aria-sort=descending]").text.startswith("Days")
    heading.click()
    assert titles(browser)[0].startswith("Two small")
    assert browser.one("[aria-sort=ascending]").text.startswith("Days")


def test_tasks_filter_by_text_and_domain_and_come_back(browser: Any, report: Path) -> None:
    browser.open(report, "#/tasks")
    browser.press("/")
    browser.press("japan")
    assert len(titles(browser)) == 1
    browser.press(" nowhere")
    browser.one("[data-empty] [data-clear]").click()
    assert len(titles(browser)) == 2
    choose(browser, "[data-select=domain]", "testing")
    assert [title[:9] for title in titles(browser)] == ["Two small"]


def test_checks_of_a_task_filter_and_lead_to_their_episode(browser: Any, report: Path) -> None:
    browser.open(report, "#/task/japan-trip")
    rows = len(browser.all("#checks-japan-trip tbody tr"))
    assert rows == 58
    choose(browser, "[data-select=result]", "some")
    failed = browser.all("#checks-japan-trip tbody tr")
    assert 0 < len(failed) < rows
    assert all(row.find_elements("css selector", ".no") for row in failed)
    name = failed[0].find_element("css selector", "th").text
    failed[0].find_element("css selector", ".no").click()
    check = browser.one(f"#check-{name}[open]")
    assert "failed" in check.get_attribute("class")
    assert "Failed because of" in check.text


# -- an episode ------------------------------------------------------------------------------------------------------


def test_a_call_unfolds_to_its_arguments_result_and_changes(browser: Any, report: Path) -> None:
    browser.open(report, EPISODE)
    browser.one("[data-panel] > *")
    step = next(step for step in browser.all(".step.write:not(.refused)") if "workspace.write_file" in step.text)
    assert not step.find_elements("css selector", ".step-body")
    step.find_element("css selector", "summary").click()
    body = browser.one(".step[open] .step-body").text
    for heading in ("Arguments", "Result", "What it changed"):
        assert heading in body


def test_long_texts_fold_and_unfold(browser: Any, report: Path) -> None:
    browser.open(report, EPISODE)
    button = browser.one(".turn .opening [data-fold]")
    before = len(browser.one(".turn .opening pre").text)
    button.click()
    assert len(browser.one(".turn .opening pre").text) > before
    assert button.text == "Fold"
    button.click()
    assert len(browser.one(".turn .opening pre").text) == before


def test_silent_mutations_are_drawn_as_such_and_show_what_changed(browser: Any, report: Path) -> None:
    browser.open(report, EPISODE)
    card = browser.one("[data-mutation]")
    assert "silent mutation" in card.text
    assert "The agent is not told." in card.text
    assert card.find_elements("css selector", ".fields del")
    marks = browser.run("document.querySelectorAll('.timeline .mark.kind-mutation .hollow').length")
    assert marks == len(browser.all("[data-mutation]"))


@pytest.mark.parametrize(
    ("key", "back", "selector"),
    [("j", "k", "[data-turn]"), ("e", "E", "[data-event]"), ("m", "M", "[data-mutation]"), ("f", "F", ".check.failed")],
)
def test_keys_jump_from_one_to_the_next_and_back(
    browser: Any, report: Path, key: str, back: str, selector: str
) -> None:
    browser.open(report, EPISODE)
    browser.one("[data-panel] > *")
    ids = browser.run(f"[...document.querySelectorAll('{selector}')].map((place) => place.id)")
    assert len(ids) > 1
    seen = []
    for pressed in (key, key, back):
        browser.press(pressed)
        seen.append(browser.one(".here").get_attribute("id"))
        assert browser.run("document.activeElement === document.querySelector('.here')")
        top = browser.run("document.querySelector('.here').getBoundingClientRect().top")
        assert -2 <= top < 900
    first = ids.index(seen[0])
    assert seen == [ids[first], ids[first + 1], ids[first]]
    assert " of " in browser.run("document.getElementById('status').textContent")


def test_the_keys_are_told_in_a_dialog(browser: Any, report: Path) -> None:
    browser.open(report, EPISODE)
    browser.one("[data-panel] > *")
    browser.press("?")
    text = browser.one("dialog[open]").text
    for words in ("Next, previous silent mutation", "Next, previous failed check", "Story, Checks, Written, Records"):
        assert words in text
    browser.press("j")  # the page behind the dialog stays where it is
    assert not browser.all(".here")
    browser.one("dialog button").click()
    browser.one("#keys-button").click()
    browser.press("\ue00c")  # Escape
    assert not browser.all("dialog[open]")


def test_keys_change_tabs_and_episodes(browser: Any, report: Path) -> None:
    browser.open(report, EPISODE)
    for key, title in (("c", "Checks"), ("w", "Written"), ("r", "Records"), ("s", "Story")):
        browser.one("[data-panel] > *")
        browser.press(key)
        browser.until(f"document.querySelector('.tabs [aria-current]')?.textContent === '{title}'")
    browser.press("[")
    browser.until("document.querySelector('.tabs a')?.href.includes('canonical-0-0')")
    browser.press("u")
    browser.until("location.hash === '#/task/japan-trip'")
    browser.press("3")
    browser.until("location.hash === '#/tasks'")


def test_a_check_leads_to_the_step_that_earned_it(browser: Any, report: Path) -> None:
    browser.open(report, f"{EPISODE}/checks")
    browser.run("[...document.querySelectorAll('.check:not(.failed)')][0].open = true")
    link = browser.one(".check[open] .check-body a")
    number = link.text.split()[1]
    link.click()
    assert browser.one(".here").get_attribute("id") == f"step-{number}"


def test_x_unfolds_everything_of_a_turn(browser: Any, report: Path) -> None:
    browser.open(report, EPISODE)
    browser.one("[data-panel] > *")
    browser.press("j")
    browser.press("x")
    assert browser.run("[...document.querySelector('.here').querySelectorAll('details')].every((fold) => fold.open)")
    browser.press("x")
    assert browser.run("[...document.querySelector('.here').querySelectorAll('details')].every((fold) => !fold.open)")


def test_marks_of_the_timeline_lead_into_the_story(browser: Any, report: Path) -> None:
    browser.open(report, f"{EPISODE}/records")
    browser.one(".timeline .mark.kind-mutation").click()
    assert browser.one(".here").get_attribute("data-mutation") is not None


def test_files_have_versions_and_differences(browser: Any, report: Path) -> None:
    browser.open(report, f"{EPISODE}/written")
    browser.one("[data-panel] > *")
    browser.run("[...document.querySelectorAll('.file')].forEach((file) => { file.open = true })")
    browser.until("document.querySelectorAll('.file[open] pre').length > 1")
    file = next(
        found
        for found in browser.all(".file")
        if len(found.find_elements("css selector", "[role=group]:first-child button")) > 2
    )
    file.find_element("css selector", "[data-how=changes]").click()
    assert file.find_elements("css selector", ".diff ins")
    assert "Mail" in browser.one("[data-panel]").text


def test_records_filter_by_service_and_by_who_changed_them(browser: Any, report: Path) -> None:
    browser.open(report, f"{EPISODE}/records")
    everything = len(browser.all(".own"))
    choose(browser, '[aria-label="Changed by"]', "event")
    assert 0 < len(browser.all(".own")) < everything


def test_without_javascript_the_overview_stands(browser: Any, report: Path) -> None:
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.open(report)
        assert "need JavaScript" in browser.driver.page_source
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_everything_that_can_be_used_has_a_name(browser: Any, report: Path) -> None:
    for address in ("", "#/tasks", "#/task/japan-trip", EPISODE, f"{EPISODE}/written"):
        browser.open(report, address)
        browser.one("main h1")
        tree = browser.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        used = ("button", "link", "combobox", "searchbox", "textbox", "img", "group")
        nameless = [
            node
            for node in tree
            if not node.get("ignored") and node["role"]["value"] in used and not node.get("name", {}).get("value")
        ]
        assert [node for node in nameless if node["role"]["value"] != "group"] == []


def test_a_page_prints(browser: Any, report: Path) -> None:
    browser.size(700)
    browser.paper()
    for address in ("", "#/tasks", "#/task/japan-trip", EPISODE):
        browser.open(report, address)
        browser.one("main h1")
        cut = "[...document.querySelectorAll('.scroll')].filter((box) => box.scrollWidth > box.clientWidth + 1).length"
        assert browser.run(cut) == 0, address
    browser.one("[data-panel] > *")
    made = browser.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"]
    assert len(made) > 20_000


# -- comparison and board --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def comparison(runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    page = tmp_path_factory.mktemp("comparison") / "comparison.html"
    page.write_text(comparison_page(compare(*map(RunFolder.read, runs))))
    return page


@pytest.fixture(scope="module")
def site(runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("board")
    write_board([RunFolder.read(run) for run in runs], folder)
    return folder / "index.html"


@pytest.mark.parametrize("width", [1280, 390])
def test_a_comparison_opens_filters_and_sorts(browser: Any, comparison: Path, width: int) -> None:
    browser.size(width)
    browser.open(comparison)
    assert browser.run("document.documentElement.scrollWidth") <= width
    shown = len(browser.all("#flipped-table tbody tr"))
    choose(browser, "[data-select=way]", "lost")
    assert 0 < len(browser.all("#flipped-table tbody tr")) <= shown
    browser.click("#tasks thead th button")
    assert browser.one("#tasks [aria-sort=ascending]").text.startswith("Task")


@pytest.mark.parametrize("width", [1280, 390])
def test_a_board_opens_filters_and_sorts(browser: Any, site: Path, width: int) -> None:
    browser.size(width)
    browser.open(site)
    assert browser.run("document.documentElement.scrollWidth") <= width
    first = browser.one("#runs tbody th").text
    browser.click("#runs thead th.number:nth-child(3) button")
    browser.click("#runs thead th.number:nth-child(3) button")
    assert browser.one("#runs tbody th").text != first
    browser.run("document.querySelector('#runs .scroll').scrollTo(400, 0)")
    assert browser.run("document.querySelector('#runs tbody th').getBoundingClientRect().left") >= 0  # stays in sight
    browser.one("#tasks [data-search]").send_keys("japan")
    assert len(browser.all("#board-tasks tbody tr")) == 1


# -- what an agent may write -----------------------------------------------------------------------------------------


def test_nothing_that_an_agent_writes_acts(
    browser: Any, run_of: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(PLAYERS)
    run = run_of("hostile:Hostile", runs=1)
    page = write_report(run, workers=0).path
    assert page.stat().st_size < 1_000_000
    base = "#/episode/small-debts/canonical-0-0"
    tabs = [base, *(f"{base}/{tab}" for tab in ("checks", "written", "records"))]
    for address in ("", "#/analysis", "#/tasks", "#/task/small-debts", *tabs):
        browser.open(page, address)
        if address.startswith(base):
            browser.one("[data-panel] > *")
        for _ in range(2):  # what unfolds may hold more to unfold
            browser.run("document.querySelectorAll('details').forEach((fold) => { fold.open = true })")
            browser.run(
                "document.querySelectorAll('[data-fold][aria-expanded=false]').forEach((button) => button.click())"
            )
        text = browser.run("document.body.innerText")
        assert browser.run("window.pwned") is None
        assert not browser.run("document.querySelector('main script, main img, main b b')")
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert browser.run("document.documentElement.scrollWidth") <= 1280
    browser.open(page, base)
    browser.run("document.querySelectorAll('details').forEach((fold) => { fold.open = true })")
    text = browser.until("document.querySelector('.step-body') && document.body.innerText")
    assert "<script>window.pwned = 1</script>" in text
    assert "␛[31m" in text
    assert "‹U+202E›" in text
    assert "Show all 1\u202f000\u202f0" in text  # the long one stays folded

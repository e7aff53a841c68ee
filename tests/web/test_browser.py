"""A person plays in a browser: looks around, fills in forms, and ends turns."""

from __future__ import annotations

import pytest

from lifegym.task_suite import load_task


@pytest.fixture
def at(visiting, browser):
    """The start page of a session in the browser."""

    def open_(task=None, **options):
        visitor = visiting(task, **options)
        browser.driver.get(visitor.server.url)
        return visitor

    return open_


def click(browser, selector: str) -> None:
    """Press something that leads to another page, and wait until that is there."""
    browser.run("document.documentElement.dataset.old = 'yes'")
    browser.one(selector).click()
    browser.until("document.readyState === 'complete' && !document.documentElement.dataset.old")


def nav(browser, service: str) -> None:
    click(browser, f".services form:has([value='{service}']) button, .services a[href='/service/{service}']")


def fill(browser, tool: str, **typed: str) -> None:
    """Fill in a tool's form and send it."""
    form = f"form:has([value='{tool}'])"
    browser.run("document.querySelector('details.tools').open = true")
    browser.run(f"document.querySelector(\"{form}\").closest('details').open = true")
    for name, text in typed.items():
        browser.one(f"{form} [name='field.{name}']").send_keys(text)
    click(browser, f"{form} .button.main")


def test_a_whole_game(at, browser, tmp_path):
    visitor = at(out=tmp_path / "run")
    assert "Please pay Bo Berg" in browser.one(".now").text
    nav(browser, "banking")
    assert "Current" in browser.one(".thing").text or browser.all(".thing")
    click(browser, ".thing .opener button")
    assert browser.one("#opened").get_attribute("open")
    fill(browser, "banking.pay_payee", account_id="main", payee_id="friend", amount_minor="5000", memo="from Ann")
    assert "banking.pay_payee" in browser.one("#result").text
    assert "something was changed since" in browser.one(".content").text
    nav(browser, "workspace")
    click(browser, "tr:has(bdi.id) form.opener button")
    old, new = "Bo Berg,5000,open", "Bo Berg,5000,paid"
    fill(browser, "workspace.edit_file", path="debts.csv", old=old, new=new)
    click(browser, ".services a[href='/']")
    assert "banking.pay_payee" in browser.one(".done").text
    browser.one("#reply").send_keys("Paid Bo Berg.")
    click(browser, "form[action='/reply'] .button.main")
    assert "your statement is ready" in browser.one(".now").text
    click(browser, "[form='silence']")
    browser.one("#reply").send_keys("There are 340.00 EUR left.")
    click(browser, "form[action='/reply'] .button.main")
    assert browser.one("h1").text == "100.0 of 100"
    assert len(browser.all("tbody tr .tag.pass")) == 6
    assert visitor.session.row["score"] == 100.0


def test_a_refused_form_is_kept_and_told(at, browser):
    at()
    nav(browser, "banking")
    fill(browser, "banking.pay_payee", account_id="main", payee_id="nobody", amount_minor="5000")
    assert "there is no payee" in browser.one("#result").text
    assert browser.one("[id='pay_payee-payee_id']").get_attribute("value") == "nobody"
    assert [line for line in browser.complaints() if "422" not in line] == []


def test_two_tabs(at, browser):
    at()
    first = browser.driver.current_window_handle
    browser.one("#reply").send_keys("Typed in the first tab")
    url = browser.driver.current_url
    browser.driver.switch_to.new_window("tab")
    browser.driver.get(url)
    click(browser, "[form='silence']")
    browser.driver.close()
    browser.driver.switch_to.window(first)
    click(browser, "form[action='/reply'] .button.main")
    assert "This page was old" in browser.one("[role='alert']").text
    assert browser.one("#reply").get_attribute("value") == "Typed in the first tab"
    assert "your statement is ready" in browser.one(".now").text
    assert [line for line in browser.complaints() if "409" not in line] == []


def test_a_tool_is_found_by_its_words(at, browser):
    at()
    nav(browser, "banking")
    browser.one("details.tools > summary").click()
    before = len(browser.all(".tool"))
    browser.one("[data-tools]").send_keys("recurring")
    assert 0 < len(browser.all(".tool")) < before


@pytest.mark.parametrize("width", [1280, 390])
def test_each_page_of_a_real_task_fits_its_window(at, browser, width):
    visitor = at(load_task("japan-trip"))
    browser.size(width)
    for service in ("", *visitor.server.app.pages.services):
        if service:
            nav(browser, service)
        assert browser.one("h1").text
        over = browser.run("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert over <= 0, f"{service} is {over} px too wide"


def test_another_site_cannot_act(at, browser, tmp_path):
    """A page from elsewhere sends a form, and puts the session into a frame: neither comes through."""
    visitor = at()
    evil = tmp_path / "evil.html"
    evil.write_text(
        f"<iframe src='{visitor.server.url}'></iframe>"
        f"<form method=post action='{visitor.server.url}wait'><input name=token value=x><input name=step value=0>"
        "<button>Win</button></form>"
    )
    browser.open(evil)
    browser.one("button").click()
    browser.until("document.body.textContent.includes('another site')")
    assert visitor.session.steps == 0
    complaints = browser.complaints()
    assert any("frame" in line.lower() for line in complaints)
    assert any("403" in line for line in complaints)

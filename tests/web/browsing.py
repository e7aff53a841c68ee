"""A browser without a window, and short ways to look at a page and to act in it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

__all__ = ["Browser", "browser", "one_browser"]

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--force-color-profile=srgb",
)  # fmt: skip


SEEN = """
return [...document.querySelectorAll(arguments[0])].filter((found) => {
  const { width, height } = found.getBoundingClientRect();
  return width && height && found.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
});
"""


class Browser:
    """A page in a browser, with short ways to look at it and to act in it."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, page: Path, address: str = "") -> None:
        """Open a page from disk, anew."""
        self.driver.get("about:blank")
        self.driver.get(page.resolve().as_uri() + address)

    def size(self, width: int, height: int = 900) -> None:
        """The size of the window that the page sees, also below the least width of a real window."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def dark(self, wanted: bool = True) -> None:
        """Whether the reader's system is dark."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if wanted else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": [scheme]})

    def paper(self) -> None:
        """Show pages as they are printed."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})

    def all(self, selector: str) -> list[Any]:
        """The elements that fit and are seen, by one question however many there are."""
        return list(self.driver.execute_script(SEEN, selector))

    def one(self, selector: str, seconds: float = 10.0) -> Any:
        """The first element that fits and is seen, as soon as there is one."""
        from selenium.webdriver.support.ui import WebDriverWait

        return WebDriverWait(self.driver, seconds, 0.02).until(lambda _: next(iter(self.all(selector)), None), selector)

    def click(self, selector: str) -> None:
        """Click on the first element that fits, brought to where nothing covers it."""
        found = self.one(selector)
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", found)
        found.click()

    def until(self, script: str, seconds: float = 10.0) -> Any:
        """What an expression of the page gives, as soon as it is true."""
        from selenium.webdriver.support.ui import WebDriverWait

        return WebDriverWait(self.driver, seconds, 0.02).until(lambda _: self.run(script), script)

    def run(self, script: str) -> Any:
        """What an expression of the page gives."""
        return self.driver.execute_script(f"return ({script})")

    def press(self, keys: str) -> None:
        """Press keys, wherever the focus is."""
        from selenium.webdriver import ActionChains

        ActionChains(self.driver).send_keys(keys).perform()

    def complaints(self) -> list[str]:
        """What the console has to say since it was asked last."""
        return [entry["message"] for entry in self.driver.get_log("browser")]


def start_browser(profile: Path) -> Browser:
    """A browser of its own, with an empty profile."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(executable_path=shutil.which("chromedriver"))
    return Browser(webdriver.Chrome(options=options, service=service))


@pytest.fixture(scope="session")
def one_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Starts when it is first wanted."""
    if shutil.which("chromium") is None or shutil.which("chromedriver") is None:
        pytest.skip("no browser: install chromium and chromedriver to test what the pages do")
    pytest.importorskip("selenium", reason="selenium drives the browser; it comes with the extra 'test'")
    made = start_browser(tmp_path_factory.mktemp("profile"))
    yield made
    made.driver.quit()


@pytest.fixture
def browser(one_browser: Browser) -> Iterator[Browser]:
    """The browser at desktop size; a page that it complains about fails the test."""
    one_browser.size(1280)
    one_browser.dark(False)
    one_browser.complaints()
    yield one_browser
    assert one_browser.complaints() == []

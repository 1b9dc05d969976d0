"""What every view of the page keeps to: nothing moves, everything fits and is accessible, and a bad network is said."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

import pytest

pytest.importorskip("playwright", reason="the package playwright is not installed")

from playwright.sync_api import Page, expect
from tests.web.browsing import PageErrors, check_accessible, check_fits, enter_key, layout_shift, long_tasks
from tests.web.sandbox import PageService
from tests.web.test_assets import VIEWS

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

MEASURED = bool(os.environ.get("MEASURED"))
"""Whether the machine is quiet enough to measure how long a view is busy (`make bench-page`)."""

MOST_SHIFT = 0.1
WIDTHS = (390, 768, 1024, 1280)
SLOW = {"offline": False, "latency": 2_000, "downloadThroughput": -1, "uploadThroughput": -1}
"""A network on which each answer takes two seconds more."""


@dataclass(frozen=True)
class View:
    """A view as somebody opens it: its link, what is there once it is shown, and a button that asks the service."""

    route: str
    shown: str
    button: str | re.Pattern[str] = ""


SHOWN = {
    "convert": View("convert?amount=5&from=EUR&to=CHF", ".answer-card:not(.waiting) .value", "Swap the two sides"),
    "charts": View("charts?pairs=EUR/USD", "table.days tbody td", re.compile("Explain the last day")),
    "bars": View("bars?pair=EURUSD", "table.days tbody td", "Hours"),
    "board": View("board?pairs=EUR/USD,XAU/USD,BTC/USD", ".board-price:not(:empty)"),
    "alerts": View("alerts", ".empty, h2", "Watch"),
    "prices": View("prices", "textarea", "Price them"),
    "metals": View("metals?items=XAU:750", ".shop-window tbody td", "Value them"),
    "positions": View("positions", "textarea", "Value them"),
    "report": View("report?start=2026-10-01&end=2026-10-31", "[aria-label='Rates by day'] td", "Make the report"),
    "spreadsheets": View("spreadsheets?start=2026-10-01&end=2026-10-31", ".sheet-formula"),
    "sources": View("sources", "details, summary", "Refresh"),
    "coverage": View("coverage", "svg"),
    "currency": View("currency?code=CHF", "svg"),
    "try": View("try?endpoint=/convert", ".try-panel form", "Send"),
}


def opened(page: Page, service: PageService, name: str) -> None:
    page.goto(f"{service.url}#/{SHOWN[name].route}")
    enter_key(page, service.key)
    expect(page.locator(f".view-{name}").locator(SHOWN[name].shown).first).to_be_visible()


def test_the_budgets_are_those_of_every_view() -> None:
    assert list(SHOWN) == [name for name, _ in VIEWS]


@pytest.mark.long(every=3)
@pytest.mark.parametrize("name", SHOWN)
def test_a_view_is_still_and_accessible_and_fits(page: Page, page_service: PageService, name: str) -> None:
    opened(page, page_service, name)
    page.wait_for_load_state("networkidle")
    assert layout_shift(page) < MOST_SHIFT
    check_accessible(page)
    check_fits(page, *WIDTHS)


@pytest.mark.skipif(not MEASURED, reason="only a quiet machine says how long a view is busy: make bench-page")
@pytest.mark.parametrize("name", SHOWN)
def test_a_view_is_never_busy_for_long(page: Page, page_service: PageService, name: str) -> None:
    """From a click on its link; what a browser does when it opens a page for the first time is not the view's."""
    opened(page, page_service, "prices" if name != "prices" else "positions")
    page.evaluate("window.longTasks.length = 0")
    page.evaluate("route => { location.hash = route; }", f"#/{SHOWN[name].route}")
    page.wait_for_timeout(4_000)  # looking for elements would itself keep the page busy
    found = long_tasks(page)
    expect(page.locator(f".view-{name}").locator(SHOWN[name].shown).first).to_be_visible()
    assert found == []


@pytest.mark.long(every=4)
@pytest.mark.parametrize("name", [name for name, view in SHOWN.items() if view.button])
def test_a_view_without_a_network_says_so_and_stays(
    page: Page, page_service: PageService, page_errors: PageErrors, name: str
) -> None:
    page_errors.allow("ERR_FAILED|Failed to|WebSocket")
    opened(page, page_service, name)
    page.route("**/*", lambda route: route.abort())
    page.get_by_role("button", name=SHOWN[name].button).first.click()
    expect(page.locator("main")).to_contain_text(re.compile("The service cannot be reached|could not be loaded"))
    expect(page.locator(f".view-{name}")).to_be_visible()
    check_fits(page, *WIDTHS)


@pytest.mark.long(every=5)
@pytest.mark.parametrize("name", SHOWN)
def test_a_view_that_comes_slowly_shows_that_it_is_awaited(page: Page, page_service: PageService, name: str) -> None:
    other = "prices" if name != "prices" else "positions"
    opened(page, page_service, other)
    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", SLOW)
    page.evaluate("window.layoutShifts.length = 0")
    page.evaluate("route => { location.hash = route; }", f"#/{SHOWN[name].route}")
    expect(page.locator("main")).to_have_attribute("aria-busy", "true")
    assert page.locator("main").evaluate("main => getComputedStyle(main, '::before').height") == "3px"
    expect(page.locator(f".view-{name}").locator(SHOWN[name].shown).first).to_be_visible(timeout=60_000)
    expect(page.locator("main")).to_have_attribute("aria-busy", "false", timeout=60_000)
    assert layout_shift(page) < MOST_SHIFT

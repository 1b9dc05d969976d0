"""The operator's console of a live installation in a browser: its sources, and its quarantine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("playwright", reason="the package playwright is not installed")

from playwright.sync_api import Browser, Page, expect
from tests.service.processes import until
from tests.web.browsing import check_accessible, check_fits
from tests.web.live import REFUSING, LiveService, serving_live
from tests.web.operator import open_view, said, sign_in

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

PATIENCE = 30


@pytest.fixture(scope="module")
def live(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    """A live installation that the tests of this module share; it is not started where there is no browser."""
    assert browser
    with serving_live(tmp_path_factory.mktemp("live")) as service:
        yield service


@pytest.fixture
def console(page: Page, live: LiveService) -> Page:
    sign_in(page, live)
    return page


def state_of(live: LiveService, pair: str) -> str:
    """Return the line of a fixing in `cambist quarantine list --all`."""
    base, quote = pair.split("/")
    lines = live.run("quarantine", "list", "--all").splitlines()
    return next(
        line
        for line in lines
        if f" {REFUSING} " in line and f" {base} = " in line and line.split(f" {base} = ")[1].split()[1] == quote
    )


def open_quarantine(console: Page) -> None:
    """Open the quarantine of the source whose fixings the tests decide about."""
    open_view(console, "Quarantine")
    console.get_by_label("Source").select_option(REFUSING)
    expect(console.locator(".published").filter(has_text=REFUSING).first).to_be_visible()
    expect(console.locator(".published").filter(has_not_text=REFUSING)).to_have_count(0)


def decide(console: Page, pair: str, verb: str, reason: str) -> None:
    card = console.locator(".fixing").filter(has_text=pair)
    card.get_by_role("button", name=verb).click()
    dialog = console.get_by_role("dialog")
    dialog.get_by_label("Reason").fill(reason)
    check_accessible(console)
    dialog.get_by_role("button", name=f"{verb} it").click()


def test_the_overview_counts_what_waits(console):
    expect(console.locator(".verdict")).to_contain_text("wait for your decision")
    expect(console.get_by_role("navigation", name="Views").get_by_role("link", name="Quarantine")).to_contain_text(
        "waiting"
    )
    check_accessible(console)
    check_fits(console)


def test_a_fixing_is_shown_beside_its_neighbours_and_the_other_sources(console):
    open_quarantine(console)
    card = console.locator(".fixing").filter(has_text="EUR/USD")
    expect(card).to_contain_text("riksbank published 1.6123 USD for 1 EUR")
    for who in ("Same source, before", "Same source, after", "boe"):
        expect(card.get_by_role("row").filter(has_text=who)).to_contain_text("+4")
    assert card.locator(".neighbours .own-point").count() > 20
    assert card.locator(".neighbours .other-line").count() >= 1
    assert card.locator(".neighbours .refused-ring").count() == 1
    check_accessible(console)
    check_fits(console)


def test_a_fixing_is_rejected_with_a_reason(console, live):
    open_quarantine(console)
    decide(console, "EUR/GBP", "Reject", "a typo of the source")
    said(console, "was rejected")
    expect(console.locator(".fixing").filter(has_text="EUR/GBP")).to_have_count(0)
    assert "rejected" in state_of(live, "EUR/GBP")
    open_view(console, "Audit log")
    expect(console.get_by_role("row").filter(has_text="quarantine.reject").first).to_contain_text(
        "a typo of the source"
    )


def test_a_fixing_is_accepted(console, live):
    open_quarantine(console)
    decide(console, "EUR/JPY", "Accept", "confirmed by telephone")
    said(console, "was accepted")
    expect(console.locator(".fixing").filter(has_text="EUR/JPY")).to_have_count(0)
    assert "accepted" in state_of(live, "EUR/JPY")
    console.get_by_label("Show").select_option("waiting and decided")
    expect(console.locator(".fixing").filter(has_text="EUR/JPY")).to_contain_text("accepted")


def test_a_source_is_asked_now_and_its_answer_is_said(console):
    open_view(console, "Sources")
    row = console.get_by_role("row").filter(has=console.get_by_text("ecb", exact=True))
    row.get_by_role("button", name="Ask now").click()
    said(console, "European Central Bank answered")
    check_accessible(console)
    check_fits(console)


def test_sources_are_found_by_state_and_name(console):
    open_view(console, "Sources")
    console.get_by_role("button", name="off").click()
    expect(console.get_by_role("row").filter(has_text="kraken")).to_be_visible()
    expect(console.get_by_role("button", name="Ask now")).to_have_count(0)
    console.get_by_label("Search").fill("no such source")
    expect(console.get_by_text("No source matches.")).to_be_visible()


def test_a_service_that_stops_is_noticed_and_found_again(console, live, page_errors):
    page_errors.allow("ERR_|Failed to")
    console.route("**/console/api/overview", lambda route: route.abort())
    expect(console.locator("[data-key=silence]")).to_be_visible(timeout=15_000)
    console.unroute("**/console/api/overview")
    expect(console.locator("[data-key=silence]")).to_have_count(0, timeout=15_000)
    assert until(live.is_up, PATIENCE)

"""The operator's console of a live installation in a browser: its sources, and their disputes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

pytest.importorskip("playwright", reason="the package playwright is not installed")

from playwright.sync_api import Browser, Page, expect
from tests.patience import PATIENCE
from tests.service.processes import until
from tests.web.browsing import check_accessible, check_fits
from tests.web.live import DISPUTING, OTHERS, LiveService, serving_live
from tests.web.operator import open_view, said, sign_in

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]


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


def decision_about(live: LiveService, code: str) -> dict[str, Any]:
    """Return the newest decision about a code, from `cambist disputes decisions`."""
    decisions = msgspec.json.decode(live.run("disputes", "decisions", "--json"))
    return next(each for each in decisions if each["code"] == code)


def open_disputes(console: Page) -> None:
    """Open the disputes when the service has found those that the tests decide about."""
    open_view(console, "Disputes")
    expect(console.locator(".fixing").first).to_be_visible()


def decide(console: Page, code: str, verb: str, reason: str) -> None:
    """Accept or reject what the disputing source says about a code."""
    choices = console.get_by_role("region", name=f"What you can decide about {code}")
    choices.get_by_role("row").filter(has_text=DISPUTING).get_by_role("button", name=verb).click()
    dialog = console.get_by_role("dialog")
    dialog.get_by_label("Reason").fill(reason)
    check_accessible(console)
    dialog.get_by_role("button", name=f"{verb} it").click()


def test_the_overview_counts_disputes(console):
    expect(console.locator(".verdict")).to_contain_text("Sources disagree about", timeout=30_000)
    expect(console.get_by_role("navigation", name="Views").get_by_role("link", name="Disputes")).to_contain_text("open")
    check_accessible(console)
    check_fits(console)


def test_a_dispute_is_shown_with_what_each_source_says_and_each_choice_would_serve(console):
    open_disputes(console)
    said_by = console.get_by_role("region", name="What the sources say about EGP")
    expect(said_by.get_by_role("row").filter(has_text=DISPUTING)).to_contain_text("-90 %")
    choices = console.get_by_role("region", name="What you can decide about EGP")
    for sources in (DISPUTING, ", ".join(OTHERS)):
        choice = choices.get_by_role("row").filter(has=console.get_by_role("cell", name=sources, exact=True))
        expect(choice.get_by_role("button", name="Accept")).to_have_count(1)
    check_accessible(console)
    check_fits(console)


def test_a_level_is_rejected_with_a_reason(console, live):
    open_disputes(console)
    decide(console, "EGP", "Reject", "a typo of the source")
    said(console, "was rejected")
    decision = decision_about(live, "EGP")
    assert (decision["decision"], decision["reason"], decision["holds"]) == ("reject", "a typo of the source", True)
    open_view(console, "Audit log")
    expect(console.get_by_role("row").filter(has_text="dispute.reject").first).to_contain_text("a typo of the source")


def test_a_level_is_accepted_and_the_decision_taken_back(console, live):
    open_disputes(console)
    decide(console, "UAH", "Accept", "confirmed by telephone")
    said(console, "was accepted")
    made = console.get_by_role("region", name="Decisions").get_by_role("row").filter(has_text="confirmed by telephone")
    made.get_by_role("button", name="Take back").click()
    console.get_by_role("dialog").get_by_role("button", name="Take it back").click()
    said(console, "was taken back")
    assert not decision_about(live, "UAH")["holds"]


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
    expect(console.locator("[data-key=silence]")).to_be_visible(timeout=PATIENCE * 1000)
    console.unroute("**/console/api/overview")
    expect(console.locator("[data-key=silence]")).to_have_count(0, timeout=PATIENCE * 1000)
    assert until(live.is_up, PATIENCE)


def test_several_decisions_show_their_effect_before_they_are_taken(console, live):
    open_disputes(console)
    codes = ("UAH", "GEL")
    for code in codes:
        region = console.get_by_role("region", name=f"What you can decide about {code}")
        region.get_by_role("row").filter(has_text=DISPUTING).get_by_role("checkbox", name="Choose to reject").check()
    expect(console.get_by_text("2 decisions chosen")).to_be_visible()
    check_accessible(console)
    console.get_by_role("button", name="Show the effect").click()
    dialog = console.get_by_role("dialog")
    for code in codes:
        expect(dialog.get_by_role("row").filter(has_text=f"{code}: reject")).to_contain_text(f"by {OTHERS[0]}")
    check_accessible(console)
    check_fits(console)
    before = msgspec.json.decode(live.run("disputes", "decisions", "--json"))
    dialog.get_by_role("button", name="Cancel").click()
    assert msgspec.json.decode(live.run("disputes", "decisions", "--json")) == before


def test_a_source_is_left_out_until_a_day_after_the_effect_was_shown(console, live):
    open_disputes(console)
    fixings = console.get_by_role("region", name="What the sources say about GEL")
    fixings.get_by_role("row").filter(has_text=DISPUTING).get_by_role("button", name="Until").click()
    dialog = console.get_by_role("dialog")
    dialog.get_by_label("Until").fill("2999-12-31")
    dialog.get_by_label("Reason").fill("its table is broken")
    check_accessible(console)
    dialog.get_by_role("button", name="Show the effect").click()
    expect(dialog.get_by_role("row").filter(has_text=f"leave out {DISPUTING}")).to_be_visible()
    check_accessible(console)
    dialog.get_by_role("button", name="Decide").click()
    said(console, f"{DISPUTING} is left out for GEL until 2999-12-31")
    decision = decision_about(live, "GEL")
    assert (decision["source"], decision["until"], decision["reason"]) == (
        DISPUTING,
        "2999-12-31",
        "its table is broken",
    )
    row = console.get_by_role("row").filter(has_text="leave out").filter(has_text="GEL")
    row.get_by_role("button", name="Take back").click()
    console.get_by_role("dialog").get_by_role("button", name="Take it back").click()
    said(console, "was taken back")


def test_the_last_day_of_a_source_is_a_strip(console):
    open_view(console, "Sources")
    strip = console.get_by_role("img", name="Last 24 hours: ").first
    expect(strip).to_be_visible(timeout=PATIENCE * 1000)
    assert strip.locator("g").count() == 48
    check_accessible(console)
    check_fits(console)

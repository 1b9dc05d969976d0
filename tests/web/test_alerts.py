"""Alerts in a browser: one is added, tried and removed, and what is wrong is said."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("playwright", reason="the package playwright is not installed")

from playwright.sync_api import Page, expect
from tests.web.browsing import PageErrors, check_accessible, check_fits, enter_key
from tests.web.sandbox import PageService

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]


def test_an_alert_is_added_tried_and_removed(page: Page, page_service: PageService, page_errors: PageErrors) -> None:
    page_errors.allow("400")
    page.goto(f"{page_service.url}#/alerts?from=GBP&to=USD")
    enter_key(page, page_service.key)
    expect(page.get_by_text("Nothing is watched yet.")).to_be_visible()
    page.get_by_label("Tell me when").select_option("above")
    page.get_by_label("By").select_option("webhook")
    page.get_by_label("Level").fill("1,5x")
    page.get_by_label("Address").fill("https://127.0.0.1/hook")
    page.get_by_role("button", name="Watch").click()
    expect(page.get_by_role("alert").filter(has_text=re.compile("level"))).to_be_visible()
    page.get_by_label("Level").fill("99")
    page.get_by_role("button", name="Watch").click()
    expect(page.get_by_role("alert").filter(has_text="is not on the internet")).to_be_visible()
    page.get_by_label("By").select_option("stream")
    page.get_by_label("Note").fill("sell pounds")
    page.get_by_role("button", name="Watch").click()
    expect(page.get_by_role("rowheader", name="GBP/USD above 99 sell pounds")).to_be_visible()
    page.get_by_role("button", name="Test").click()
    expect(page.get_by_text("This is a test of an alert")).to_be_visible()
    expect(page.get_by_text("delivered")).to_be_visible()
    check_accessible(page)
    for width in (390, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        check_fits(page)
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_role("rowheader")).to_have_count(0)


def test_a_link_fills_in_the_form_and_the_address_keeps_what_is_filled_in(
    page: Page, page_service: PageService
) -> None:
    link = "#/alerts?when=moves&from=xau&to=EUR&change=2.5&within=P7D&deliver=stream&note=gold&repeat=1"
    page.goto(page_service.url + link)
    enter_key(page, page_service.key)
    expect(page.get_by_label("Tell me when")).to_have_value("moves")
    expect(page.get_by_role("combobox", name="From", exact=True)).to_have_value(re.compile("^XAU"))
    expect(page.get_by_role("combobox", name="To", exact=True)).to_have_value(re.compile("^EUR"))
    expect(page.get_by_label("Percent")).to_have_value("2.5")
    expect(page.get_by_label("Within")).to_have_value("P7D")
    expect(page.get_by_label("By")).to_have_value("stream")
    expect(page.get_by_label("Note")).to_have_value("gold")
    expect(page.get_by_label("Each time, not only once")).to_be_checked()
    page.get_by_label("Tell me when").select_option("above")
    page.get_by_label("Level").fill("1,234.50")
    page.get_by_label("Note").focus()
    expect(page).to_have_url(
        re.compile(r"when=above&from=XAU&to=EUR&level=1234\.50?&deliver=stream&note=gold&repeat=1$")
    )
    assert "127.0.0.1/hook" not in page.url


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ("when=soon", "It can be: above, below"),
        ("within=P1Y", "PT15M"),
        ("deliver=post", "webhook"),
        ("rate=1", "rate=1"),
    ],
)
def test_a_link_that_is_not_understood_is_refused(page: Page, page_service: PageService, link: str, words: str) -> None:
    page.goto(f"{page_service.url}#/alerts?{link}")
    enter_key(page, page_service.key)
    expect(page.get_by_role("alert").filter(has_text=words)).to_be_visible()
    expect(page.get_by_label("Tell me when")).to_have_count(0)


def test_an_alert_is_made_and_ended_by_keyboard_and_an_error_is_red(
    page: Page, page_service: PageService, page_errors: PageErrors
) -> None:
    page_errors.allow("400")
    page.goto(f"{page_service.url}#/alerts?deliver=stream&note=keys")
    enter_key(page, page_service.key)
    page.get_by_label("Level").focus()
    page.keyboard.type("nothing")
    page.keyboard.press("Enter")
    error = page.locator("form .error")
    expect(error).to_contain_text("level")
    red = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--bad')")
    assert red == "#b3261e"
    expect(error).to_have_css("color", "rgb(179, 38, 30)")
    page.keyboard.press("Control+A")
    page.keyboard.type("9")
    page.keyboard.press("Enter")
    test, remove = (page.get_by_role("button", name=f"{name} EUR/USD above 9") for name in ("Test", "Remove"))
    test.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("This is a test of an alert").first).to_be_visible()
    expect(test).to_be_focused()
    page.keyboard.press("Tab")
    expect(remove).to_be_focused()
    page.keyboard.press("Enter")
    expect(remove).to_have_count(0)
    expect(page.locator("section:focus")).to_have_count(1)


@pytest.mark.parametrize(
    ("condition", "labels"),
    [
        ("moves", ["From", "To", "Percent", "Within"]),
        ("published", ["Publisher, such as ecb"]),
        ("corrected", ["From", "To", "Day (none: any)"]),
        ("quota", ["Percent"]),
    ],
)
def test_each_condition_asks_for_what_it_needs(
    page: Page, page_service: PageService, condition: str, labels: list[str]
) -> None:
    page.goto(f"{page_service.url}#/alerts")
    enter_key(page, page_service.key)
    page.get_by_label("Tell me when").select_option(condition)
    for label in ("From", "To", "Level", "Percent", "Within", "Publisher, such as ecb", "Day (none: any)"):
        shown = page.locator(".alert-fields .field:visible label", has_text=re.compile(f"^{re.escape(label)}$"))
        expect(shown).to_have_count(1 if label in labels else 0)

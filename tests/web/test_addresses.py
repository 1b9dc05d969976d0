"""What a person chose is in the address: a reload, Back and a shared link show it; and titles say what is shown."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

pytest.importorskip("playwright", reason="the package playwright is not installed")

from playwright.sync_api import Page, expect
from tests.web.sandbox import PageService

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

Values = dict[str, str]

FORMS: dict[str, tuple[str, Values]] = {
    "prices": (
        "Price them",
        {"Your currency": "CHF", "Mark-up": "2.5%", "Rounding": "charm:0.95", "Day (none: now)": "2026-11-20"},
    ),
    "positions": (
        "Value them",
        {"Currency": "JPY", "Day (none: now)": "2026-11-20", "Compared with": "2026-01-02"},
    ),
    "metals": ("Value them", {"Margin": "3%"}),
    "report": (
        "Make the report",
        {"To": "JPY,CHF", "First day": "2026-10-05", "Means of": "week", "Rule of an authority": "de-vat"},
    ),
}


def write(page: Page, values: Values) -> None:
    for label, value in values.items():
        control = page.get_by_label(label, exact=True)
        if control.evaluate("(element) => element.tagName") == "SELECT":
            control.select_option(value)
        else:
            control.fill(value)


def expect_values(page: Page, values: Values) -> None:
    for label, value in values.items():
        expect(page.get_by_label(label, exact=True)).to_have_value(value)


@pytest.fixture
def reopen(page: Page, page_service: PageService) -> Callable[[], None]:
    from tests.web.browsing import enter_key  # noqa: PLC0415  it imports playwright

    def reload() -> None:
        page.reload()
        enter_key(page, page_service.key)

    return reload


@pytest.mark.parametrize("view", FORMS)
def test_what_was_typed_into_a_form_is_there_after_a_reload_and_after_back(open_view, reopen, view: str) -> None:
    button, values = FORMS[view]
    page = open_view(f"#/{view}")
    expect(page.get_by_role("button", name=button)).to_be_visible()
    write(page, values)
    address = page.evaluate("location.href")
    reopen()
    expect_values(page, values)
    assert page.evaluate("location.href") == address
    page.get_by_role("link", name="Sources", exact=True).click()
    expect(page.get_by_role("heading", name="Sources")).to_be_visible()
    page.go_back()
    expect_values(page, values)


def test_a_report_that_is_being_filled_in_costs_no_calls_until_it_is_made(open_view, reopen, page_errors) -> None:
    page = open_view("#/report")
    write(page, FORMS["report"][1])
    reopen()
    expect(page.get_by_label("To", exact=True)).to_have_value("JPY,CHF")
    asked = [url for url in page_errors.requests if "/receipts" in url]
    assert asked == []
    write(page, {"To": "JPY", "Rule of an authority": "", "Means of": "month"})
    page.get_by_role("button", name="Make the report").click()
    expect(page.get_by_role("region", name="Rates by day")).to_be_visible()
    expect(page).to_have_title("EUR in JPY · Cambist")
    assert "draft" not in page.evaluate("location.href")
    reopen()
    expect(page.get_by_role("region", name="Rates by day")).to_be_visible()


def test_the_board_of_metals_and_the_terms_for_pieces_are_kept_beside_each_other(open_view, reopen) -> None:
    page = open_view("#/metals?currency=CHF&items=XAU:750")
    write(page, {"Margin": "4%"})
    pieces = page.locator("#pieces-currency")
    pieces.fill("USD")
    page.get_by_role("textbox", name="Percent below").fill("2")
    page.get_by_role("button", name="Show these").click()
    expect(page).to_have_url(re.compile("buy=2"))
    reopen()
    expect(page.get_by_role("table", name="CHF for one gram")).to_be_visible()
    expect(pieces).to_have_value("USD")
    expect_values(page, {"Margin": "4%", "Percent below": "2", "Metals and purities": "XAU:750"})


@pytest.mark.parametrize(
    ("route", "label", "typed", "shown"),
    [
        ("sources", "Find a source", "simulated", "1 source"),
        ("coverage?kind=law", "Find a currency", "franc", re.compile(r"^\d+ of \d+ currencies and metals$")),
        ("currency", "Find a currency or metal", "franc", re.compile(r"^\d+ codes$")),
    ],
)
def test_a_search_is_there_after_a_reload_and_after_back(open_view, reopen, route, label, typed, shown) -> None:
    page = open_view(f"#/{route}")
    page.get_by_label(label, exact=True).fill(typed)
    found = page.get_by_role("status").filter(has_text=shown)
    text = found.inner_text()
    reopen()
    expect(page.get_by_label(label, exact=True)).to_have_value(typed)
    expect(found).to_have_text(text)
    page.get_by_role("link", name="Report", exact=True).click()
    expect(page.get_by_role("button", name="Make the report")).to_be_visible()
    page.go_back()
    expect(page.get_by_label(label, exact=True)).to_have_value(typed)
    expect(found).to_have_text(text)


def test_a_source_is_in_the_address_while_it_is_open(open_view) -> None:
    page = open_view("#/sources")
    name = page.locator("[data-source=sandbox] summary")
    name.click()
    expect(page).to_have_url(re.compile("source=sandbox"))
    expect(page).to_have_title("Simulated market · Cambist")
    name.click()
    expect(page).not_to_have_url(re.compile("source=sandbox"))
    expect(page).to_have_title("Sources · Cambist")


@pytest.mark.parametrize(
    ("route", "title"),
    [
        ("currency?code=CHF", "Swiss Franc (CHF) · Cambist"),
        ("currency?code=XAU", "Gold (XAU) · Cambist"),
        ("currency", "Currencies · Cambist"),
        ("try?endpoint=/historical", "Try /historical · Cambist"),
        ("coverage", "Coverage · Cambist"),
    ],
)
def test_a_title_says_what_is_shown(open_view, route: str, title: str) -> None:
    expect(open_view(f"#/{route}")).to_have_title(title)


def test_the_title_follows_the_endpoint_and_the_next_view(open_view) -> None:
    page = open_view("#/try?endpoint=/convert")
    page.get_by_role("navigation", name="Endpoints").get_by_role("link", name="/fetch-one", exact=True).click()
    expect(page).to_have_title("Try /fetch-one · Cambist")
    page.get_by_role("link", name="Report", exact=True).click()
    expect(page).to_have_title("Report · Cambist")

"""The field that finds an asset, in a browser: what is typed, what is offered, and what has no price now."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("playwright", reason="the package playwright is not installed")

from playwright.sync_api import Page, expect

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

NOTICE = "No network: newest rates of 30 October 2026 (European Central Bank)"


def offered(page: Page, text: str) -> list[str]:
    """Type into the first field, and return the codes that are offered."""
    page.get_by_role("combobox", name="From").fill(text)
    return page.locator(".picker-list:not([hidden]) .picker-option b").all_inner_texts()


def test_what_people_type_finds_what_they_mean(open_view) -> None:
    page = open_view("#/convert")
    expect(page.get_by_role("combobox", name="From")).to_have_value(re.compile("Euro"))
    meant = {
        "dollar": "USD",
        "doller": "USD",
        "€": "EUR",
        "penny": "GBX",
        "sterling": "GBP",
        "gold": "XAU",
        "btc": "BTC",
    }
    assert {text: offered(page, text)[0] for text in meant} == meant
    assert offered(page, "qqqqqq") == []
    expect(page.get_by_role("option", name="Nothing is found")).to_be_visible()
    assert offered(page, "switzerland") == ["CHF"]
    page.keyboard.press("Enter")
    expect(page.get_by_role("combobox", name="From")).to_have_value(re.compile("^CHF . Swiss Franc$"))


def note_of(page: Page, code: str) -> str:
    """Return what stands beside an asset that is offered."""
    option = page.locator(".picker-option").filter(has=page.locator("b", has_text=re.compile(f"^{code}$")))
    return option.locator("small").inner_text()


@pytest.mark.long
def test_what_cannot_be_priced_now_is_marked(page: Page, page_service, open_view) -> None:
    answers = {
        r"/config\.json$": page_service.json("/page/config.json") | {"notice": NOTICE},
        r"/fetch-multi\?": {"base": "USD", "results": {"AUD": 1.5, "USD": 1}},
        r"/crypto/currencies$": {"currencies": {"BTC": "Bitcoin"}},
    }
    for address, answer in answers.items():
        page.route(re.compile(address), lambda route, _request, answer=answer: route.fulfill(json=answer))
    open_view("#/convert")
    expect(page.get_by_role("combobox", name="From")).to_have_value(re.compile("Euro"))
    offered(page, "dollar")
    expect(page.locator(".picker-option").filter(has_text="Canadian")).to_contain_text("no price now")
    assert note_of(page, "USD") != "no price now"
    assert note_of(page, "AUD") == "Australia"
    offered(page, "bitcoin")
    assert (note_of(page, "BTC"), note_of(page, "BCH")) == ("coin", "no price now")

"""The page in the visitor's language: texts, numbers, days and direction."""

from __future__ import annotations

import json
import re
from importlib.resources import files

import pytest

pytest.importorskip("playwright", reason="the package playwright is not installed")

from playwright.sync_api import Page, expect
from tests.web.browsing import check_accessible, check_fits

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

LANGUAGES = ("ar", "de", "es", "fr", "ja")
VIEWS = (
    "convert?amount=1234.5&from=EUR&to=JPY&date=2024-02-29",
    "charts",
    "board",
    "metals",
    "report",
    "spreadsheets",
    "sources",
)
UNDER = {"spreadsheets": "report"}
"""Views that have no place among the links above, and under which one of these they are."""


def messages(language: str) -> dict[str, str]:
    path = files("cambist") / "web/static/page/messages" / f"{language}.json"
    return json.loads(path.read_text("utf-8"))  # type: ignore[no-any-return]


def enter(page: Page, service, language: str, route: str = "") -> None:
    """Open the page in a language and use the key."""
    page.goto(f"{service.url}?lang={language}{route}")
    page.locator("#key").fill(service.key)
    page.locator(".gate button").click()
    expect(page.locator("#key")).to_have_count(0)


@pytest.mark.long(every=5)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_view_is_in_the_language_that_the_address_asks_for(page, page_service, language):
    found = messages(language)
    enter(page, page_service, language)
    assert page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == [
        language,
        "rtl" if language == "ar" else "ltr",
    ]
    for view in VIEWS:
        page.evaluate(f"location.hash = '#/{view}'")
        name = view.partition("?")[0]
        expect(page.locator(f".view-{name}")).to_be_visible()
        expect(page.locator("nav.views a[aria-current]")).to_have_text(found[UNDER.get(name, name).capitalize()])
        if name in UNDER:
            expect(page.locator(f".view-{name} h1")).to_have_text(found[name.capitalize()])
        expect(page.locator(".waiting")).to_have_count(0)
        if name == "convert":
            expect(page.locator(".answer-card")).to_have_css("opacity", "1")
        check_accessible(page)
        check_fits(page)


def test_numbers_and_days_are_written_as_in_the_language(make_page, page_service):
    page = make_page(locale="de-CH")
    enter(page, page_service, "de", "#/convert?amount=1234.5&from=EUR&to=KWD&date=2024-02-29")
    expect(page.locator(".answer-asked")).to_contain_text(re.compile(r"1.234\.5 EUR"))
    expect(page.locator(".answer-time")).to_contain_text("29. Februar 2024")
    page = make_page(locale="fr-FR")
    enter(page, page_service, "fr", "#/convert?amount=1234.5&from=EUR&to=KWD&date=2024-02-29")
    expect(page.locator(".answer-asked")).to_contain_text("1\u202f234,5 EUR")


def test_the_language_of_the_browser_is_spoken_without_being_asked_for(make_page, page_service):
    page = make_page(locale="es-MX")
    page.goto(page_service.url)
    expect(page.locator("label[for=key]")).to_have_text(messages("es")["Your API key"])


def test_another_language_is_chosen_at_the_foot_of_the_page(page, page_service):
    enter(page, page_service, "en", "#/sources")
    page.get_by_role("combobox", name="Language").select_option("de")
    expect(page).to_have_url(re.compile(r"\?lang=de#/sources$"))
    expect(page.locator("html")).to_have_attribute("lang", "de")


def test_a_language_that_does_not_come_is_english(page, page_service, page_errors):
    page_errors.allow("ERR_FAILED|Failed to")
    page.route("**/messages/de.json", lambda route: route.abort())
    page.goto(f"{page_service.url}?lang=de")
    expect(page.get_by_label("Your API key")).to_be_visible()

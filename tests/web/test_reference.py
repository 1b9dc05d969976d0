"""The reference at /docs in a browser: open without a key, and with one its forms are sent."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import run

import pytest

pytest.importorskip("playwright", reason="the package playwright is not installed")

from playwright.sync_api import Browser, Page, expect
from tests.patience import PATIENCE
from tests.service.processes import environment
from tests.web.browsing import check_accessible, check_fits, enter_key, layout_shift
from tests.web.sandbox import PageService, serving_page

from cambist.registry.wiring.components import endpoints, posted_endpoints

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

PATHS = [
    *(endpoint.path for endpoint in endpoints()),
    *(endpoint.path for endpoint in posted_endpoints()),
    "/convert/bulk",
]
MOST_BYTES = 100_000


@pytest.fixture
def open_docs(page: Page, page_service: PageService) -> Callable[..., Page]:
    """Open the reference at an address such as `#/convert`, without a key unless `with_key`."""

    def open_route(route: str = "", *, with_key: bool = False) -> Page:
        page.goto(f"{page_service.url}docs{route}")
        expect(page.locator("#try-path")).to_be_visible()
        if with_key:
            enter_key(page, page_service.key)
        return page

    return open_route


def choose(page: Page, path: str) -> None:
    page.get_by_role("navigation", name="Endpoints").locator(f'a[href="#{path}"]').click()
    expect(page.locator("#try-path code")).to_have_text(path)


def send(page: Page) -> str:
    """Send the form, and return the status that is shown."""
    page.get_by_role("button", name="Send").click()
    status = page.locator(".try-status .badge").first
    expect(status).to_have_text(re.compile(r"^\d{3} "))
    return (status.text_content() or "")[:3]


def body(page: Page) -> str:
    return page.get_by_role("region", name="Body of the answer").text_content() or ""


def test_it_begins_with_an_introduction_and_lists_every_endpoint(open_docs):
    page = open_docs()
    expect(page).to_have_title("API reference · Cambist")
    expect(page.get_by_role("heading", name="Introduction")).to_be_visible()
    links = page.get_by_role("navigation", name="Endpoints").get_by_role("link")
    assert sorted(text.removesuffix(" POST") for text in links.all_text_contents()[1:]) == sorted(PATHS)
    assert layout_shift(page) < 0.01


@pytest.mark.long
def test_every_endpoint_has_its_text_a_cost_an_example_and_errors(open_docs):
    page = open_docs()
    for path in PATHS:
        choose(page, path)
        expect(page.locator(".try-cost")).to_contain_text(re.compile(r"Cost\s+\w"))
        expect(page.get_by_role("region", name="An example of the answer")).to_contain_text(re.compile(r"\w"))
        expect(page.get_by_role("heading", name="Errors")).to_be_visible()
        expect(page.locator(".try-details summary .badge", has_text="401")).to_be_visible()
        assert page.url.split("?")[0].endswith(f"docs#{path}")


def test_parameters_have_types_defaults_allowed_values_and_examples(open_docs):
    page = open_docs("#/convert")
    text = page.locator("#about-precision")
    for said in ("integer | string", "Default: 2", "From 0 to 20."):
        expect(text).to_contain_text(said)
    expect(page.locator("#about-to")).to_contain_text("required")
    expect(page.locator("#about-rule")).to_contain_text("Allowed: day, before")
    page.get_by_text("No data for that date and pair.").click()
    expect(page.get_by_text("no_rate_of_type")).to_be_visible()


def test_a_search_finds_endpoints_and_says_if_there_is_none(open_docs):
    page = open_docs()
    listed = page.get_by_role("navigation", name="Endpoints").get_by_role("link")
    page.get_by_label("Search the endpoints").fill("ohlc")
    expect(listed).to_have_text(["Introduction", "/fx/ohlc/time-series"])
    page.get_by_label("Search the endpoints").fill("no such words")
    expect(page.get_by_text("No endpoint has these words.")).to_be_visible()
    page.get_by_label("Search the endpoints").fill("")
    expect(listed).to_have_count(len(PATHS) + 1)


def test_without_a_key_the_refusal_is_shown(open_docs, page_errors):
    page_errors.allow("status of 401")
    page = open_docs("#/fetch-one")
    assert send(page) == "401"
    expect(page.get_by_role("button", name="Copy with your key")).to_be_hidden()


def test_a_form_is_sent_with_the_key_which_is_in_no_address_and_in_no_program(open_docs, page_service):
    page = open_docs("#/convert?from=EUR&to=CHF&amount=5", with_key=True)
    assert send(page) == "200"
    assert list(json.loads(body(page))["result"]) == ["CHF", "rate"]
    assert page_service.key not in page.content()
    assert page_service.key not in page.url
    expect(page.get_by_role("button", name="Copy with your key")).to_be_visible()
    page.get_by_role("button", name="Forget key").click()
    expect(page.get_by_label("Your API key").first).to_be_visible()


def test_the_key_can_be_copied_with_the_program(open_docs, page_service, page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_docs("#/fetch-one", with_key=True)
    page.get_by_role("button", name="Copy with your key").click()
    expect(page.get_by_text("Copied")).to_be_visible()
    assert f"X-API-Key: {page_service.key}" in page.evaluate("navigator.clipboard.readText()")


def test_a_key_that_the_tab_keeps_is_used(open_docs, page_service, page):
    open_docs("#/fetch-one")
    page.get_by_label("Keep it until this tab is closed").check()
    enter_key(page, page_service.key)
    page.reload()
    expect(page.get_by_text("Your key is sent with each request.")).to_be_visible()
    assert send(page) == "200"


@pytest.mark.long(every=2)
@pytest.mark.parametrize("path", ["/value", "/price-list/bulk", "/metals/value", "/convert/bulk"])
def test_what_is_posted_is_answered_and_its_programs_run(open_docs, page_service, path):
    page = open_docs(f"#{path}", with_key=True)
    assert send(page) == "200"
    for language in ("curl", "Python"):
        page.get_by_role("tab", name=language, exact=True).click()
        text = (page.get_by_role("tabpanel").text_content() or "").replace("YOUR_KEY", page_service.key)
        command = ["sh", "-c", text] if language == "curl" else [sys.executable, "-c", text]
        done = run(command, capture_output=True, timeout=PATIENCE, check=True, env=environment(), cwd=Path("/"))
        assert re.match(r"(HTTP/1.1 )?200\b", done.stdout.decode())


def test_back_goes_to_the_endpoint_before_and_a_reload_keeps_the_form(open_docs):
    page = open_docs("#/fetch-one")
    choose(page, "/historical")
    page.get_by_label("from", exact=True).fill("GBP")
    expect(page).to_have_url(re.compile("from=GBP"))  # the browser learns it a moment after the page
    page.reload()
    expect(page.get_by_label("from", exact=True)).to_have_value("GBP")
    page.go_back()
    expect(page.locator("#try-path code")).to_have_text("/fetch-one")
    page.go_forward()
    expect(page.get_by_label("from", exact=True)).to_have_value("GBP")


def test_a_link_that_is_not_understood_is_said(open_docs):
    page = open_docs("#/nowhere")
    expect(page.get_by_role("alert").filter(has_text="/nowhere")).to_be_visible()
    page = open_docs("#/convert?odd=1")
    expect(page.get_by_role("alert").filter(has_text="odd=1")).to_be_visible()
    expect(page.locator("#try-path code")).to_have_text("/convert")


def test_it_is_small(page, page_service):
    sizes: list[int] = []
    page.on("requestfinished", lambda request: sizes.append(request.sizes()["responseBodySize"]))
    page.goto(f"{page_service.url}docs#/convert")
    page.wait_for_load_state("networkidle")
    assert 20_000 < sum(sizes) < MOST_BYTES


@pytest.mark.long(every=3)
@pytest.mark.parametrize("route", ["#/", "#/convert", "#/value"])
def test_it_is_accessible_and_fits_every_width(open_docs, route):
    page = open_docs(route)
    check_accessible(page)
    check_fits(page, 360, 390, 820, 1024, 1440)


@pytest.mark.long
def test_on_a_narrow_screen_a_button_opens_the_list_and_another_goes_to_the_form(open_docs):
    page = open_docs("#/convert")
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.get_by_role("navigation", name="Endpoints")).to_be_hidden()
    page.get_by_role("button", name="/convert").click()
    expect(page.get_by_label("Search the endpoints")).to_be_focused()
    choose(page, "/fetch-one")
    expect(page.get_by_role("navigation", name="Endpoints")).to_be_hidden()
    check_accessible(page)
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_label("from", exact=True)).to_be_focused()
    expect(page.get_by_label("from", exact=True)).to_be_in_viewport()


@pytest.fixture(scope="module")
def under_a_prefix(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageService]:
    """A service under a prefix, with dialects and without a page."""
    assert browser
    folder = tmp_path_factory.mktemp("prefix")
    with serving_page(folder, is_sandbox=False, path_prefix="/rates/v1", page="off", dialects="fixer") as service:
        yield service


@pytest.mark.long
def test_it_works_under_a_prefix_without_a_page_and_lists_the_dialects(page, under_a_prefix):
    page.goto(f"{under_a_prefix.url}rates/v1/docs")
    page.get_by_text("Fixer", exact=False).first.click()
    expect(page.get_by_text("docs/guides/dialect-fixer.md")).to_be_visible()
    expect(page.get_by_text("/fixer/latest")).to_be_visible()
    choose(page, "/currencies")
    expect(page.get_by_role("tabpanel")).to_contain_text("/rates/v1/currencies")
    enter_key(page, under_a_prefix.key)
    assert send(page) == "200"


@pytest.mark.long
def test_it_speaks_the_languages_of_the_page(page, page_service):
    page.goto(f"{page_service.url}docs?lang=ar#/convert")
    expect(page.locator(".docs-title")).to_have_text("مرجع API")
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    expect(page.locator(".sandbox")).not_to_contain_text("simulated")
    check_accessible(page)
    check_fits(page)
    assert page.evaluate("getComputedStyle(document.querySelector('#about-to .try-facts code')).direction") == "ltr"

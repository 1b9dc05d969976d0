"""The frame of the page in a browser: the key, the banner, the navigation, and what goes wrong."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("playwright", reason="the package playwright is not installed")

from playwright.sync_api import expect
from tests.web.browsing import check_accessible, check_fits, enter_key, layout_shift
from tests.web.sandbox import missing_requirement

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

STORES = "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href])"
"""All that a page could keep."""


def test_a_machine_without_a_browser_is_told_what_is_missing():
    assert missing_requirement("") == "there is no chromium in PATH"
    assert missing_requirement("/usr/bin/chromium", "no_such_package").startswith("the package no_such_package is not")


def test_a_visitor_without_a_key_is_asked_for_one(page, page_service):
    page.goto(page_service.url)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_label("Your API key")).to_be_visible()
    check_accessible(page)
    check_fits(page)


def test_every_page_of_a_sandbox_says_that_its_prices_are_simulated(page, page_service):
    for path in ("", "docs"):
        page.goto(page_service.url + path)
        expect(page.get_by_text("simulated").first).to_be_visible()


@pytest.mark.long
def test_a_wrong_key_is_refused_in_words(page, page_service, page_errors):
    page_errors.allow("status of 401")
    page.goto(page_service.url)
    page.get_by_label("Your API key").fill("not a key")
    page.get_by_role("button", name="Use this key").click()
    expect(page.get_by_role("alert").filter(has_text="The API key is mistyped")).to_be_visible()
    check_accessible(page)


def test_a_key_is_nowhere_in_document_storage_or_address_and_gone_after_a_reload(page, page_service):
    page.goto(page_service.url)
    enter_key(page, page_service.key)
    for _ in range(2):
        assert page_service.key not in page.content()
        assert page_service.key not in page.evaluate(STORES)
        values = page.evaluate("[...document.querySelectorAll('input')].map((input) => input.value)")
        assert page_service.key not in values
        page.reload()
        expect(page.get_by_label("Your API key")).to_be_visible()
    assert page.evaluate("indexedDB.databases().then((found) => found.length)") == 0


@pytest.mark.long
def test_a_key_may_be_kept_in_the_tab_until_it_is_forgotten(page, page_service):
    page.goto(page_service.url)
    expect(page.get_by_label("Your API key")).to_be_focused()
    page.get_by_label("Keep it until this tab is closed").check()
    enter_key(page, page_service.key)
    page.reload()
    expect(page.get_by_role("textbox", name="Amount")).to_be_visible()
    page.get_by_role("button", name="Forget key").click()
    page.reload()
    expect(page.get_by_label("Your API key")).to_be_visible()
    assert page.evaluate("sessionStorage.length") == 0


@pytest.mark.long
def test_a_view_that_does_not_come_is_asked_for_again_and_the_key_is_not_lost(page, page_service, page_errors):
    page_errors.allow("ERR_FAILED|Failed to")
    page.goto(page_service.url)
    enter_key(page, page_service.key)
    expect(page.get_by_role("textbox", name="Amount")).to_be_visible()
    page.route(re.compile(r"(config\.json|views/charts\.js|charts/)"), lambda route: route.abort())
    page.get_by_role("link", name="Charts").click()
    expect(page.get_by_text("Connection lost. It is tried again")).to_be_visible()
    page.unroute_all()
    expect(page.get_by_text("Connection lost")).to_have_count(0)
    expect(page.locator(".view-charts")).to_be_visible()


def test_a_service_with_other_modules_says_that_it_was_updated(page, page_service, page_errors):
    page_errors.allow("404|Failed to")
    page.goto(page_service.url)
    enter_key(page, page_service.key)
    page.route(re.compile(r"views/charts\.js"), lambda route: route.fulfill(status=404, body="gone"))
    page.get_by_role("link", name="Charts").click()
    expect(page.get_by_text("The service was updated.")).to_be_visible()
    expect(page.get_by_role("button", name="Reload the page")).to_be_visible()


def test_on_a_phone_the_navigation_opens_from_a_button_that_names_the_view(page, page_service):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(page_service.url)
    enter_key(page, page_service.key)
    views = page.get_by_role("navigation", name="Views")
    expect(views).to_be_hidden()
    page.get_by_role("button", name="Convert").click()
    links = views.get_by_role("link")
    expect(links.last).to_be_in_viewport()
    assert links.count() == 10
    check_accessible(page)
    views.get_by_role("link", name="Sources").click()
    expect(views).to_be_hidden()
    expect(page.get_by_role("button", name="Sources")).to_have_attribute("aria-expanded", "false")


def test_on_paper_there_is_the_content_alone_and_that_it_is_simulated(page, page_service):
    page.goto(page_service.url)
    enter_key(page, page_service.key)
    expect(page.locator(".answer-number")).to_be_visible()
    page.emulate_media(media="print")
    expect(page.locator(".answer-number")).to_be_visible()
    expect(page.get_by_text("All prices on this page are simulated")).to_be_visible()
    for hidden in (page.locator("header"), page.locator("footer"), page.get_by_label("Amount")):
        expect(hidden).to_be_hidden()


def test_a_shared_link_has_a_title_and_a_picture(page, page_service):
    page.goto(page_service.url)
    properties = page.eval_on_selector_all(
        "meta[property]", "all => all.map((each) => [each.getAttribute('property'), each.content])"
    )
    shared = dict(properties)
    assert shared["og:title"] == "Cambist"
    assert shared["og:image"].startswith(page_service.url)
    for address in (shared["og:image"], page.locator("link[rel=apple-touch-icon]").evaluate("link => link.href")):
        picture = page.request.get(address)
        assert (picture.status, picture.headers["content-type"]) == (200, "image/png")


def test_a_key_can_be_forgotten(page, page_service):
    page.goto(page_service.url)
    enter_key(page, page_service.key)
    page.get_by_role("button", name="Forget key").click()
    expect(page.get_by_label("Your API key")).to_be_visible()


def test_nothing_moves_while_the_page_loads(page, page_service):
    page.goto(page_service.url)
    page.wait_for_timeout(500)
    assert layout_shift(page) < 0.01


SENTENCE = "No network: newest rates of 30 October 2026 (European Central Bank)"


def test_without_a_network_every_view_says_so_once_until_there_is_one(page, page_service):
    page.clock.install()
    config = page_service.json("/page/config.json")
    assert config["notice"] == ""
    told = [SENTENCE]
    page.route("**/page/config.json", lambda route: route.fulfill(json=config | {"notice": told[0]}))
    page.goto(page_service.url)
    notice = page.get_by_text(SENTENCE)
    expect(notice).to_be_visible()
    enter_key(page, page_service.key)
    for view in ("Charts", "Board", "Sources"):
        page.get_by_role("navigation", name="Views").get_by_role("link", name=view).click()
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        expect(notice).to_have_count(1)
    check_accessible(page)
    check_fits(page)
    told[0] = ""
    page.clock.fast_forward(20_000)
    expect(notice).to_have_count(0)


def test_a_view_that_there_is_not_is_said(page, page_service):
    page.goto(f"{page_service.url}#/nosuch?amount=5")
    enter_key(page, page_service.key)
    expect(page.get_by_role("alert").filter(has_text="No view “nosuch”.")).to_be_visible()
    page.get_by_role("link", name="Open “Convert”").click()
    expect(page.locator(".answer-card .value")).to_be_visible()


def test_the_header_has_one_row_at_every_width(page, page_service):
    page.goto(page_service.url)
    enter_key(page, page_service.key)
    forget = page.get_by_role("button", name="Forget key")
    for width in (390, 760, 768, 900, 1024, 1099, 1100, 1280, 1440):
        page.set_viewport_size({"width": width, "height": 844})
        expect(forget).to_be_visible()
        brand, button = page.locator(".brand").bounding_box(), forget.bounding_box()
        assert brand["y"] <= button["y"] + button["height"] / 2 <= brand["y"] + brand["height"], width
        nav = page.locator("nav.views")
        assert nav.evaluate("nav => nav.scrollWidth <= nav.clientWidth"), f"links are cut off at {width}"
        assert nav.is_visible() == (width >= 1100)

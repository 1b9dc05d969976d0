"""The view of formulas for spreadsheets: a form writes them, the address has what is filled in, and they are copied."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("playwright", reason="the package playwright is not installed")

from playwright.sync_api import Page, expect
from tests.web.browsing import enter_key
from tests.web.sandbox import PageService

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]


def opened(page: Page, service: PageService, route: str) -> None:
    page.goto(f"{service.url}#/spreadsheets{route}")
    enter_key(page, service.key)


def test_formulas_follow_the_form_and_are_copied(page: Page, page_service: PageService) -> None:
    page.goto(f"{page_service.url}#/report")
    enter_key(page, page_service.key)
    page.get_by_role("link", name="Formulas for spreadsheets").click()
    formulas = page.locator(".sheet-formula")
    expect(formulas).to_have_count(2)
    page.get_by_label("Program").select_option("google")
    page.get_by_label("From").fill("xau")
    page.get_by_label("To").fill("CHF")
    page.get_by_label("First day").fill("2026-10-01")
    page.get_by_label("Last day").fill("2026-10-30")
    page.get_by_label("With an API key").uncheck()
    expect(formulas).to_have_count(4)
    root = page_service.url.partition("/page")[0].rstrip("/")
    table = f'=IMPORTDATA("{root}/time-series.csv?from=XAU&to=CHF&start=2026-10-01&end=2026-10-30",",","en_US")'
    expect(formulas.nth(3)).to_have_text(table)
    route = "program=google&from=XAU&to=CHF&start=2026-10-01&end=2026-10-30&key=0"
    expect(page).to_have_url(re.compile(rf"#/spreadsheets\?{route}$"))
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy").nth(3).click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == table
    assert page_service.key not in page.content()


def test_what_is_no_code_writes_no_formula(page: Page, page_service: PageService) -> None:
    opened(page, page_service, "?from=EUR&to=CHF&program=excel")
    expect(page.locator(".sheet-formula").first).to_contain_text('TEXTAFTER(WEBSERVICE("http')
    page.get_by_label("To").fill('U"&A1')
    expect(page.get_by_role("alert").filter(has_text="A code is needed")).to_be_visible()
    expect(page.locator(".sheet-formula")).to_have_count(0)


@pytest.mark.long(every=3)
@pytest.mark.parametrize(
    ("route", "says"),
    [("program=lotus", "is no program"), ("start=yesterday", "is no day"), ("colour=red", "does not understand")],
)
def test_a_link_that_is_not_understood_is_said(page: Page, page_service: PageService, route: str, says: str) -> None:
    opened(page, page_service, f"?{route}")
    expect(page.get_by_role("alert").filter(has_text=says)).to_be_visible()

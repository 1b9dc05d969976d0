"""Alerts in a browser: one is added, tried and removed, and what is wrong is said."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("playwright", reason="the package playwright is not installed")

from playwright.sync_api import Page, expect
from tests.web.browsing import PageErrors, check_accessible, check_fits, enter_key
from tests.web.sandbox import PageService

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]


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

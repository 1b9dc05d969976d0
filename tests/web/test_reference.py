"""The interactive reference in a browser, under its content security policy."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright", reason="the package playwright is not installed")

from playwright.sync_api import expect

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]


def test_the_reference_works_and_calls_the_service(page, page_service):
    """A violation of the policy is logged by the browser, and fails the test."""
    page.goto(f"{page_service.url}docs")
    page.locator(".opblock-summary", has_text="/fetch-one").first.click()
    page.get_by_role("button", name="Execute").first.wait_for()
    page.locator(".opblock.is-open").get_by_role("button", name="Execute").click()
    expect(page.locator(".opblock.is-open .live-responses-table").first).to_contain_text("401")


@pytest.fixture(autouse=True)
def _refused(page_errors):
    page_errors.allow("status of 401")
    page_errors.allow("status of 400")

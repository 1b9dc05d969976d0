"""What the tests of the console do with a browser: sign in as an operator does, and open a view."""

from __future__ import annotations

from playwright.sync_api import Page, expect
from tests.web.sandbox import PageService


def sign_in(page: Page, service: PageService) -> None:
    """Open the link that `cambist console` prints, and press its button."""
    link = service.run("console", "--operator-port", str(service.operator_port)).strip()
    assert link.startswith(service.operator_url)
    page.goto(link)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1, name="Overview")).to_be_visible()


def open_view(page: Page, label: str) -> None:
    """Open a view by its link in the navigation, and wait until it is shown."""
    page.get_by_role("navigation", name="Views").get_by_role("link", name=label).click()
    expect(page.get_by_role("heading", level=1, name=label)).to_be_visible()


def said(page: Page, text: str) -> None:
    """Wait until the console has announced something."""
    expect(page.locator("#message")).to_contain_text(text, timeout=60_000)

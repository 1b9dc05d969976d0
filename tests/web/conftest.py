"""Fixtures of the tests in a browser. Without playwright or chromium those tests are skipped, with the reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from tests.web.sandbox import CHROMIUM, PageService, missing_requirement, serving_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page
    from tests.web.browsing import PageErrors


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The chromium of this machine, without a window."""
    missing = missing_requirement()
    if missing:
        pytest.skip(f"no browser: {missing}")
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  it is not installed everywhere

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--disable-dev-shm-usage"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def page_service(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageService]:
    """A sandbox that all tests of a session share; it is not started where there is no browser."""
    assert browser
    with serving_page(tmp_path_factory.mktemp("page")) as service:
        yield service
        log = service.log.read_text()
        assert "Traceback" not in log
        assert service.key not in log.split("\n", 12)[-1]


@pytest.fixture
def page_errors() -> Iterator[PageErrors]:
    """Fail the test if its pages logged an error, broke the policy, or asked another host."""
    from tests.web.browsing import PageErrors  # noqa: PLC0415  it imports playwright

    errors = PageErrors()
    yield errors
    assert errors.left() == []


@pytest.fixture
def make_page(browser: Browser, page_errors: PageErrors) -> Iterator[Callable[..., Page]]:
    """Open pages; options are those of a browser context, such as `viewport` and `color_scheme`."""
    from tests.web.browsing import new_page  # noqa: PLC0415  it imports playwright

    pages: list[Page] = []

    def make(**options: Any) -> Page:
        pages.append(new_page(browser, page_errors, **options))
        return pages[-1]

    yield make
    for page in pages:
        page.context.close()


@pytest.fixture
def page(make_page: Callable[..., Page]) -> Page:
    return make_page()


@pytest.fixture
def open_view(page: Page, page_service: PageService) -> Callable[[str], Page]:
    """Open a route such as `#/convert?amount=100` with the owner's key, and return the page."""
    from tests.web.browsing import enter_key  # noqa: PLC0415  it imports playwright

    def open_route(route: str) -> Page:
        page.goto(page_service.url + route)
        enter_key(page, page_service.key)
        return page

    return open_route

"""What the tests of the page do with a browser: watch for errors, enter a key, check accessibility, find long tasks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect

expect.set_options(timeout=60_000)
"""Milliseconds; five seconds, as playwright has it, are few on a busy machine."""

LONG_TASKS = """
window.longTasks = [];
new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map((entry) => entry.duration)))
  .observe({ type: "longtask", buffered: true });
window.layoutShifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.layoutShifts.push(entry.value);
}).observe({ type: "layout-shift", buffered: true });
"""


@dataclass
class PageErrors:
    """Collects console errors, uncaught errors, violations of the policy, and requests to other hosts.

    A test whose page logs an error on purpose, such as a refused call, names it: `page_errors.allow("401")`.
    """

    found: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    _allowed: list[str] = field(default_factory=list)

    def allow(self, pattern: str) -> None:
        self._allowed.append(pattern)

    def watch(self, context: BrowserContext) -> None:
        context.on("console", self._on_console)
        context.on("weberror", lambda error: self.found.append(f"uncaught: {error.error}"))
        context.on("request", self._on_request)

    def left(self) -> list[str]:
        return [text for text in self.found if not any(re.search(pattern, text) for pattern in self._allowed)]

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.found.append(f"console: {message.text}")

    def _on_request(self, request: Request) -> None:
        self.requests.append(request.url)
        address = urlsplit(request.url)
        if address.scheme not in ("data", "blob") and address.hostname != "127.0.0.1":
            self.found.append(f"request to another host: {request.url}")


def new_page(browser: Browser, errors: PageErrors, **options: object) -> Page:
    """Open a page in a context of its own, in English and in UTC unless `options` say otherwise."""
    chosen = {"locale": "en-GB", "timezone_id": "UTC", "viewport": {"width": 1280, "height": 900}, **options}
    context = browser.new_context(**chosen)  # type: ignore[arg-type]
    context.set_default_timeout(20_000)
    context.add_init_script(LONG_TASKS)
    errors.watch(context)
    return context.new_page()


def enter_key(page: Page, key: str) -> None:
    """Paste a key into the page, and wait until it is accepted."""
    page.get_by_label("Your API key").fill(key)
    page.get_by_role("button", name="Use this key").click()
    expect(page.get_by_label("Your API key")).to_have_count(0, timeout=60_000)
    expect(page.locator("main")).not_to_have_attribute("aria-busy", "true", timeout=60_000)


def violations(page: Page) -> list[str]:
    """Return what axe finds wrong with the page as it is now, as `rule: element`."""
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415  it is not installed everywhere

    found = Axe().run(page).response["violations"]
    return [f"{each['id']}: {node['html'][:200]}" for each in found for node in each["nodes"]]


def check_accessible(page: Page) -> None:
    """Assert that axe finds nothing, in the light and in the dark scheme."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        found = violations(page)
        assert found == [], f"{scheme}: {found}"


def check_fits(page: Page, *widths: int) -> None:
    """Assert that the document does not scroll sideways at any of the widths."""
    for width in widths or (360, 390, 820, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(100)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{wide} px at {width}"


def long_tasks(page: Page, at_least: float = 50) -> list[float]:
    """Return the durations, in milliseconds, of the tasks that kept the page busy for long."""
    return [duration for duration in page.evaluate("window.longTasks") if duration >= at_least]


def layout_shift(page: Page) -> float:
    """Return how much the layout has shifted since the page was loaded; 0 is not at all."""
    return float(page.evaluate("window.layoutShifts.reduce((sum, value) => sum + value, 0)"))

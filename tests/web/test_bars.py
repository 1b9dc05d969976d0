"""The bars of a pair in a browser: what is drawn, listed and downloaded is what `/fx/ohlc/time-series` answers."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

pytest.importorskip("playwright", reason="the package playwright is not installed")

from playwright.sync_api import expect
from tests.patience import PATIENCE
from tests.service.processes import until
from tests.web.browsing import check_accessible, check_fits

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

END = "2026-11-13T00:00:00Z"
ROUTE = f"#/bars?pair=EURUSD&interval=PT1H&end={END}"


@pytest.fixture(autouse=True)
def bars_are_ready(page_service):
    """A sandbox computes its first bars slowly; on a busy machine it may answer 503 until then."""
    assert until(lambda: page_service.text("/fx/ohlc/time-series?pair=EURUSD&interval=PT1H")[0] == 200, PATIENCE)


def answered(service: Any, end: str) -> list[list[str]]:
    """Return a page of bars, oldest first: time, open, high, low and close as sent."""
    status, text = service.text(f"/fx/ohlc/time-series?pair=EURUSD&interval=PT1H&end={end}&dtmfmt=ISO")
    assert status == 200, text
    rows = msgspec.json.decode(
        msgspec.json.decode(text, type=dict[str, msgspec.Raw])["results"], type=list[dict[str, msgspec.Raw]]
    )
    return [[bytes(row[name]).decode().strip('"') for name in ("dtm", "o", "h", "l", "c")] for row in reversed(rows)]


def download(page: Page) -> list[list[str]]:
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download CSV").click()
    return list(csv.reader(io.StringIO(waiting.value.path().read_bytes().decode())))


def test_bars_are_those_of_the_api_and_earlier_ones_are_loaded(open_view, page_service):
    page = open_view(ROUTE)
    newest = answered(page_service, END)
    expect(page.locator(".chart-candle")).to_have_count(100)
    assert download(page) == [["time", "open", "high", "low", "close"], *newest]
    first = page.locator(".days tbody tr").first.locator("td").all_text_contents()
    assert first == newest[-1][1:]
    page.get_by_role("button", name="Load 100 earlier bars").click()
    expect(page.get_by_text("2 calls spent on these 200 bars")).to_be_visible()
    assert download(page)[1:] == [*answered(page_service, newest[0][0]), *newest]


def test_each_bar_is_drawn_from_its_low_to_its_high(open_view, page_service):
    page = open_view(ROUTE)
    bars = answered(page_service, END)
    expect(page.locator(".chart-candle")).to_have_count(100)
    labels = page.locator(".chart-axes text[text-anchor=end]").all()
    axis = [(float(one.get_attribute("y") or ""), float(one.text_content() or "")) for one in labels]
    (bottom, lowest), (top, highest) = axis[0], axis[-1]
    of_pixel = (highest - lowest) / (top - bottom)
    for candle, (_, o, high, low, c) in zip(page.locator(".chart-candle").all(), bars, strict=True):
        start, end = (candle.locator("path").get_attribute("d") or "").split("V")
        ends = float(start.split(" ")[1]), float(end)
        for y, price in zip(ends, (float(high), float(low)), strict=True):
            assert abs(lowest + (y - bottom) * of_pixel - price) <= abs(of_pixel) * 0.06
        assert candle.get_attribute("class") == f"chart-candle {'up' if float(c) >= float(o) else 'down'}"


def test_the_keyboard_reads_a_bar(open_view, page_service):
    page = open_view(ROUTE)
    expect(page.locator(".chart-candle")).to_have_count(100)
    page.get_by_role("application", name="Chart of bars").focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    _, o, _, _, c = answered(page_service, END)[-2]
    expect(page.locator(".chart [aria-live]")).to_contain_text(f"Open {o}")
    expect(page.locator(".bar-values")).to_contain_text(c)


def test_bars_are_saved_as_a_picture(open_view):
    page = open_view(ROUTE)
    expect(page.locator(".chart-candle")).to_have_count(100)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save PNG").click()
    assert waiting.value.suggested_filename.startswith("EURUSD_PT1H_2026-11-")
    assert waiting.value.path().read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    expect(page.get_by_text("The picture is saved.")).to_be_visible()


def test_another_pair_and_another_length_are_chosen(open_view):
    page = open_view("#/charts")
    page.get_by_role("link", name="Bars").click()
    expect(page.locator(".chart-candle").first).to_be_attached()
    page.get_by_role("button", name="Minutes").click()
    expect(page.get_by_role("button", name="Minutes")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("combobox", name="From").fill("GBP")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("pair=GBPUSD&interval=PT1M"))


def test_bars_are_accessible_and_fit_every_screen(open_view):
    page = open_view(ROUTE)
    expect(page.locator(".chart-candle")).to_have_count(100)
    check_accessible(page)
    check_fits(page)

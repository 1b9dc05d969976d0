"""The live board in a browser: on a sandbox, and on a service whose prices change ten times a second.

A board on the sandbox has a coin: at weekends nothing else moves, and the board is not live.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="the package playwright is not installed")

from playwright.sync_api import Browser, Page, expect
from tests.service.processes import environment, until
from tests.web.browsing import check_accessible, check_fits, enter_key, layout_shift, long_tasks
from tests.web.sandbox import PageService, serving_page

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

MOVING = ["BTC/USD", *(f"{code}/JPY" for code in ("USD", "EUR", "GBP", "CHF", "AUD", "CAD", "NZD", "SEK", "NOK"))]
"""Pairs whose prices change in every book of the benchmarks."""

PUBLISHER = Path(__file__).parents[2] / "bench" / "moving_book.py"
PATIENCE = 20_000
MEASURED = bool(os.environ.get("MEASURED"))
"""Whether the machine is quiet enough to measure how long the page is busy (`make bench-page`)."""

COUNT_FRAMES = """
window.prices = {};
const Native = WebSocket;
window.WebSocket = class extends Native {
  constructor(...given) {
    super(...given);
    this.addEventListener("message", ({ data }) => {
      const { sym } = JSON.parse(data);
      if (sym) window.prices[sym] = (window.prices[sym] ?? 0) + 1;
    });
  }
};
"""


@pytest.fixture
def fast(browser: Browser, tmp_path: Path) -> Iterator[PageService]:
    """A service that gets ten rate books a second."""
    assert browser
    with serving_page(tmp_path, is_sandbox=False) as service:
        command = [sys.executable, PUBLISHER, service.data, "--rate", "10", "--instruments", "300"]
        # It ends with its input.
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()) as publisher:
            assert publisher.stdin
            assert publisher.stdout
            assert publisher.stdout.readline() == b"published\n"
            wait_for_stream(service)
            yield service
            publisher.stdin.close()
        assert "Traceback" not in service.log.read_text()


def wait_for_stream(service: PageService) -> None:
    """Wait until the port of the stream is open: browsers log an error for each attempt before."""

    def is_open() -> bool:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", service.stream_port), 1):
            return True
        return False

    assert until(is_open, 60), service.log.read_text()


@pytest.fixture
def open_board(open_view: Callable[[str], Page], page_service: PageService) -> Callable[[str], Page]:
    """Open a board on the sandbox, and wait until it is live."""

    def open_route(pairs: str) -> Page:
        wait_for_stream(page_service)
        page = open_view(f"#/board?pairs={pairs}")
        expect(state(page)).to_have_text("Live", timeout=60_000)
        return page

    return open_route


def state(page: Page):
    return page.locator(".board-state")


def row(page: Page, pair: str):
    """Return a row, found by an attribute: looking for roles would itself keep the page busy."""
    return page.locator(f".board-row[data-pair='{pair}']")


def bid_of(page: Page, pair: str):
    return row(page, pair).locator(".board-price").first


def wait_for_prices(page: Page, *pairs: str) -> None:
    for pair in pairs:
        expect(bid_of(page, pair)).to_have_text(re.compile(r"\d"), timeout=PATIENCE)


def stream_process(service: PageService) -> int:
    """Return the process that listens on the port of the stream."""
    wanted = f":{service.stream_port:04X}"
    listening = {
        fields[9]
        for fields in map(str.split, Path("/proc/net/tcp").read_text().splitlines()[1:])
        if fields[1].endswith(wanted) and fields[3] == "0A"
    }
    tasks = Path(f"/proc/{service.process.pid}/task")
    children = {int(number) for path in tasks.glob("*/children") for number in path.read_text().split()}
    return next(child for child in children if listening & set(_sockets(child)))


def _sockets(process: int) -> Iterator[str]:
    for descriptor in Path(f"/proc/{process}/fd").iterdir():
        found = re.fullmatch(r"socket:\[(\d+)]", str(descriptor.readlink()))
        if found:
            yield found[1]


@pytest.mark.long
def test_ten_books_a_second_keep_the_page_quick_although_the_stream_is_killed(page, fast, page_errors):
    page_errors.allow("WebSocket connection to")  # while the stream is being replaced
    page.context.add_init_script(COUNT_FRAMES)
    page.goto(f"{fast.url}#/board?pairs={','.join(MOVING)}")
    enter_key(page, fast.key)
    wait_for_prices(page, *MOVING)
    page.wait_for_timeout(1_000)
    page.evaluate("window.longTasks.length = 0")
    before = page.evaluate("window.prices.BTCUSD")
    if MEASURED:
        page.wait_for_timeout(20_000)
    assert until(lambda: page.evaluate("window.prices.BTCUSD") - before > 10, 60)
    seen = page.evaluate("window.prices.BTCUSD") - before
    killed = stream_process(fast)
    os.kill(killed, signal.SIGKILL)
    expect(state(page)).to_have_text(re.compile(r"Reconnecting in \d+ s|Connecting"), timeout=PATIENCE)
    expect(page.locator(".board-row.stale")).to_have_count(len(MOVING))
    expect(state(page)).to_have_text("Live", timeout=60_000)
    old = bid_of(page, "BTC/USD").text_content()
    expect(bid_of(page, "BTC/USD")).not_to_have_text(old, timeout=PATIENCE)
    expect(page.locator(".board-row.stale")).to_have_count(0)
    assert stream_process(fast) != killed
    if MEASURED:
        page.wait_for_timeout(15_000)
        assert seen > 150, f"{seen} prices of a pair in 20 s"
        assert long_tasks(page) == []
    assert until(lambda: page.locator(".board-spark path").first.get_attribute("d").count("L") > 30, 60)


@pytest.mark.long
def test_bid_and_ask_are_those_of_the_stream(open_board, page_service):
    page_service.run("sandbox", "fault", "stale", "BTC,ETH")
    try:
        page = open_board("BTC/USD,ETH/USD")
        wait_for_prices(page, "BTC/USD", "ETH/USD")
        page.wait_for_timeout(1_500)
        prices = page_service.json("/crypto/fetch-prices?pairs=BTC/USD,ETH/USD")["prices"]
        for pair, mid in prices.items():
            texts = row(page, pair).locator(".board-price").all_text_contents()
            bid, ask = (float(re.sub(r"[^\d.]", "", text)) for text in texts)
            assert bid <= ask
            assert (bid + ask) / 2 == pytest.approx(mid, rel=1e-6)
    finally:
        page_service.run("sandbox", "fault", "clear")


@pytest.mark.long
def test_a_price_that_stands_still_is_greyed_with_its_age(open_board, page_service):
    page_service.run("sandbox", "fault", "stale", "BTC")
    try:
        page = open_board("BTC/USD,ETH/USD")
        wait_for_prices(page, "BTC/USD", "ETH/USD")
        expect(page.locator(".board-row.stale[data-pair='BTC/USD']")).to_have_count(1, timeout=60_000)
        expect(row(page, "BTC/USD").locator("time")).to_have_text(re.compile(r"\d+ seconds old"))
        expect(row(page, "ETH/USD").locator("time")).to_have_text("Live")
        expect(page.locator(".board-row.stale")).to_have_count(1)
        for part in (".board-change", "b", ".board-time"):
            expect(row(page, "BTC/USD").locator(part)).to_have_css("color", "rgb(98, 94, 87)")
        check_accessible(page)
    finally:
        page_service.run("sandbox", "fault", "clear")


def test_pairs_are_added_and_removed_and_the_address_says_them(open_board):
    page = open_board("BTC/USD,ETH/USD")
    page.get_by_role("button", name="Remove BTC/USD").click()
    expect(row(page, "BTC/USD")).to_have_count(0)
    expect(page.get_by_role("button", name="Remove ETH/USD")).to_be_focused()
    page.get_by_role("combobox", name="Base").fill("solana")
    page.get_by_role("option", name=re.compile("^SOL")).first.click()
    page.get_by_role("button", name="Add", exact=True).click()
    wait_for_prices(page, "SOL/USD")
    assert page.url.endswith("#/board?pairs=ETH/USD,SOL/USD")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("alert").filter(has_text="Choose two assets first.")).to_be_visible()


def lines(page: Page) -> list[str]:
    return page.locator("[data-line]").evaluate_all("rows => rows.map((row) => row.dataset.line)")


@pytest.mark.long
def test_lines_are_arranged_by_buttons_and_by_dragging_and_the_address_says_it(open_board):
    page = open_board("EUR/USD,USD/JPY,BTC/USD")
    page.get_by_label("Heading above the next pairs").fill("Precious metals")
    page.get_by_role("button", name="Add heading").click()
    page.get_by_role("button", name="Arrange").click()
    up = page.get_by_role("button", name="Move BTC/USD up")
    up.press("Enter")
    up.press("Enter")
    expect(up).to_be_focused()
    assert lines(page) == ["BTC/USD", "EUR/USD", "USD/JPY", "*Precious metals"]
    expect(page.get_by_role("status").filter(has_text="Line 1 of 4")).to_have_count(1)
    up.press("Enter")
    assert lines(page)[0] == "BTC/USD"
    heading, first = (page.locator(f"[data-line='{line}']") for line in ("*Precious metals", "BTC/USD"))
    start, target = heading.bounding_box(), first.bounding_box()
    assert start
    assert target
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(target["x"] + target["width"] / 2, target["y"] + 4, steps=12)
    page.mouse.up()
    assert lines(page) == ["*Precious metals", "BTC/USD", "EUR/USD", "USD/JPY"]
    page.get_by_label("Heading Precious metals").fill("Majors")
    page.get_by_label("Heading Precious metals").press("Enter")
    expect(page.get_by_label("Heading Majors")).to_be_focused()
    page.mouse.move(0, 0)
    assert page.url.endswith("#/board?pairs=*Majors,BTC/USD,EUR/USD,USD/JPY")
    check_accessible(page)
    check_fits(page)
    page.get_by_role("button", name="Remove Majors").click()
    page.get_by_role("button", name="Arrange").click()
    expect(page.get_by_role("button", name="Move BTC/USD up")).to_be_hidden()
    assert page.url.endswith("#/board?pairs=BTC/USD,EUR/USD,USD/JPY")


@pytest.mark.long
def test_pairs_are_sorted_below_their_headings_by_name_and_by_change(open_board):
    page = open_board("USD/JPY,BTC/USD,*Metals,XPT/USD,XAU/USD&order=name")
    assert lines(page) == ["BTC/USD", "USD/JPY", "*Metals", "XAU/USD", "XPT/USD"]
    wait_for_prices(page, "BTC/USD", "USD/JPY", "XPT/USD", "XAU/USD")
    for pair in ("BTC/USD", "USD/JPY", "XPT/USD", "XAU/USD"):
        expect(row(page, pair).locator(".board-change")).to_have_text(re.compile(r"\d %was \d"), timeout=PATIENCE)
    page.get_by_label("Order").select_option("change")
    assert page.url.endswith("pairs=USD/JPY,BTC/USD,*Metals,XPT/USD,XAU/USD&order=change")

    def change(pair: str) -> float:
        text = row(page, pair).locator(".board-change > span").text_content()
        return float(re.sub(r"[^-\d.]", "", text.replace("\N{MINUS SIGN}", "-")))

    shown = lines(page)
    assert shown[2] == "*Metals"
    for first, second in (shown[:2], shown[3:]):
        assert change(first) >= change(second) - 0.2  # prices move while they are read
    page.get_by_role("button", name="Arrange").click()
    expect(page.get_by_label("Order")).to_have_value("hand")
    assert page.url.endswith(f"pairs={','.join(shown)}")


@pytest.mark.long
def test_the_change_is_from_the_open_of_the_api_and_asked_for_once(open_board, page_service):
    page = open_board("EUR/USD,USD/JPY,XAU/USD,BTC/USD")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "verbose=1" in request.url else None)
    wait_for_prices(page, "EUR/USD", "XAU/USD", "BTC/USD")
    opens = page.locator(".board-change .board-small")
    for pair in ("EUR/USD", "USD/JPY", "XAU/USD", "BTC/USD"):
        expect(row(page, pair).locator(".board-change")).to_have_text(re.compile(r"was \d"), timeout=PATIENCE)
    quotes = page_service.json("/fx/quote?pairs=EURUSD&verbose=1")["quotes"]["EURUSD"]
    shown = float(opens.first.text_content().removeprefix("was "))
    assert shown == pytest.approx(quotes["today"]["open"], rel=2e-3)
    page.get_by_label("Change since").select_option("24h")
    assert page.url.endswith("&since=24h")
    day_ago = float(opens.first.text_content().removeprefix("was "))
    assert day_ago == pytest.approx(quotes["last_24h"]["open"], rel=2e-3)
    page.get_by_label("Change since").select_option("here")
    expect(page.get_by_text("A change since the board was opened costs no calls.")).to_be_visible()
    page.wait_for_timeout(2_500)
    assert len(asked) <= 5, asked  # a pair whose price comes late is asked for alone


@pytest.mark.long
def test_only_moves_above_the_threshold_are_marked(open_board, page):
    page = open_board("BTC/USD&flash=9000")
    wait_for_prices(page, "BTC/USD")
    before = bid_of(page, "BTC/USD").text_content()
    expect(bid_of(page, "BTC/USD")).not_to_have_text(before, timeout=PATIENCE)
    expect(bid_of(page, "BTC/USD").locator(".board-digits")).to_have_text("")
    page.get_by_label("Mark moves above").fill("0")
    page.get_by_label("Mark moves above").blur()
    expect(bid_of(page, "BTC/USD").locator(".board-digits")).to_have_text(re.compile(r"\d"), timeout=PATIENCE)
    assert page.url.endswith("#/board?pairs=BTC/USD")
    page.get_by_label("Mark moves above").fill("-1")
    page.get_by_label("Mark moves above").blur()
    expect(page.get_by_role("alert").filter(has_text="from 0 to 10,000")).to_be_visible()


def test_a_row_has_its_spread_and_leads_to_an_alert_for_its_pair(open_board):
    page = open_board("EUR/CHF,BTC/USD")
    wait_for_prices(page, "EUR/CHF")
    bid, ask = (
        float(re.sub(r"[^\d.]", "", text)) for text in row(page, "EUR/CHF").locator(".board-price").all_text_contents()
    )
    shown = row(page, "EUR/CHF").locator(".board-spread > *").all_text_contents()
    assert float(shown[0]) == pytest.approx(ask - bid, rel=0.05)
    assert float(shown[1].removesuffix(" bp")) == pytest.approx((ask - bid) / bid * 10_000, abs=0.2)
    page.get_by_role("link", name="Set an alert for EUR/CHF").press("Enter")
    expect(page.get_by_role("combobox", name="From", exact=True)).to_have_value(re.compile("^EUR"))
    expect(page.get_by_role("combobox", name="To", exact=True)).to_have_value(re.compile("^CHF"))


@pytest.mark.long
def test_the_full_screen_has_the_rows_alone(open_board):
    page = open_board("EUR/USD,BTC/USD")
    wait_for_prices(page, "EUR/USD", "BTC/USD")
    small = bid_of(page, "EUR/USD").evaluate("element => parseFloat(getComputedStyle(element).fontSize)")
    page.get_by_role("button", name="Full screen").click()
    expect(page.get_by_role("button", name="Remove EUR/USD")).to_be_hidden()
    expect(page.get_by_label("Order")).to_be_hidden()
    expect(page.get_by_role("heading", name="Add a pair")).to_be_hidden()
    assert bid_of(page, "EUR/USD").evaluate("element => parseFloat(getComputedStyle(element).fontSize)") > 1.5 * small
    check_accessible(page)
    page.keyboard.press("Escape")
    page.evaluate("document.fullscreenElement && document.exitFullscreen()")  # without a window the key does nothing
    expect(page.get_by_label("Order")).to_be_visible()


def test_a_pair_that_is_not_streamed_says_so(open_board):
    page = open_board("BTC/USD,QQQ/USD")
    expect(row(page, "QQQ/USD").locator("time")).to_have_text("Not streamed here", timeout=PATIENCE)
    assert row(page, "QQQ/USD").locator(".sparkline-last").evaluate("dot => dot.getBBox().width") == 0
    wait_for_prices(page, "BTC/USD")
    expect(row(page, "BTC/USD").locator(".sparkline-last")).to_have_attribute("r", "2")


@pytest.mark.long
def test_an_empty_board_offers_the_usual_pairs(open_board):
    page = open_board("BTC/USD")
    page.get_by_role("button", name="Remove BTC/USD").click()
    expect(page.get_by_text("No pairs are chosen.")).to_be_visible()
    check_accessible(page)
    page.get_by_role("button", name="Show the usual ones").click()
    expect(page.get_by_role("row")).to_have_count(9)


@pytest.mark.long
def test_the_board_is_accessible_fits_every_width_and_does_not_move(open_board):
    page = open_board("BTC/USD,ETH/USD,EUR/USD,XAU/USD")
    wait_for_prices(page, "BTC/USD", "ETH/USD")
    page.wait_for_timeout(3_000)
    assert layout_shift(page) < 0.01
    check_accessible(page)
    check_fits(page)


def test_the_key_is_sent_in_a_message_and_is_nowhere_else(page, page_service):
    addresses, sent = [], []

    def watch(socket):
        addresses.append(socket.url)
        socket.on("framesent", lambda payload: sent.append(str(payload)))

    page.on("websocket", watch)
    page.goto(f"{page_service.url}#/board?pairs=BTC/USD")
    enter_key(page, page_service.key)
    wait_for_prices(page, "BTC/USD")
    assert page_service.key in sent[0]
    assert not any(page_service.key in text for text in [*addresses, page.url, page.content()])

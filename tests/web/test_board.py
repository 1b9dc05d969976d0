"""The live board in a browser, on a sandbox whose prices change ten times a second."""

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


def test_a_price_that_stands_still_is_greyed_with_its_age(open_board, page_service):
    page_service.run("sandbox", "fault", "stale", "BTC")
    try:
        page = open_board("BTC/USD,ETH/USD")
        wait_for_prices(page, "BTC/USD", "ETH/USD")
        expect(page.locator(".board-row.stale[data-pair='BTC/USD']")).to_have_count(1, timeout=60_000)
        expect(row(page, "BTC/USD").locator("time")).to_have_text(re.compile(r"\d+ seconds old"))
        expect(row(page, "ETH/USD").locator("time")).to_have_text("Live")
        expect(page.locator(".board-row.stale")).to_have_count(1)
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


def test_a_pair_that_is_not_streamed_says_so(open_board):
    page = open_board("BTC/USD,QQQ/USD")
    expect(row(page, "QQQ/USD").locator("time")).to_have_text("Not streamed here", timeout=PATIENCE)
    wait_for_prices(page, "BTC/USD")


def test_an_empty_board_offers_the_usual_pairs(open_board):
    page = open_board("BTC/USD")
    page.get_by_role("button", name="Remove BTC/USD").click()
    expect(page.get_by_text("No pairs are chosen.")).to_be_visible()
    check_accessible(page)
    page.get_by_role("button", name="Show the usual ones").click()
    expect(page.get_by_role("row")).to_have_count(9)


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

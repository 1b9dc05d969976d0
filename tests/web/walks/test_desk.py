"""A desk: ten pairs as it wants them, an alert for one, its bars, and a connection that is lost for a while."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("playwright", reason="the package playwright is not installed")

from playwright.sync_api import WebSocketRoute, expect

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]


def lines_of(desk) -> list[str]:
    return desk.page.locator("[data-line]").evaluate_all("rows => rows.map((row) => row.dataset.line)")


def test_a_desk_arranges_ten_pairs(arrives):
    desk = arrives("desk", viewport={"width": 1440, "height": 900})
    desk.opens()
    desk.pastes_the_key()
    desk.goes_to_the_view("Board")
    desk.picks(re.compile("^SOL"), typing="solana", into="Base")
    desk.presses("Add")
    desk.picks(re.compile("^AUD"), typing="austral", into="Base")
    desk.presses("Add")
    desk.types("Crypto", into="Heading above the next pairs")
    desk.presses("Add heading")
    desk.presses("Arrange")
    for _ in range(4):
        desk.presses("Move Crypto up")
    desk.presses("Move AUD/USD up")
    desk.presses("Arrange")
    with desk.does("has ten pairs, and a heading above the coins"):
        usual = ["EUR/USD", "GBP/USD", "USD/JPY", "USD/CHF", "XAU/USD", "XAG/USD"]
        assert lines_of(desk) == [*usual, "*Crypto", "BTC/USD", "ETH/USD", "AUD/USD", "SOL/USD"]
    with desk.does("sees a price and a spread of each"):
        for part in (".board-price", ".board-spread"):
            texts = desk.page.locator(f"[data-pair] {part}")
            expect(texts).to_have_text([re.compile(r"\d")] * texts.count())
        expect(desk.page.locator(".board-state")).to_have_text("Live")
    desk.chooses("By name", in_="Order")
    desk.chooses("Board was opened", in_="Change since")
    desk.types("5", into="Mark moves above (bp)")
    desk.sees_in_the_address("&order=name&since=here&flash=5")
    with desk.does("has the pairs by name, the coins still below their heading"):
        shown = lines_of(desk)
        assert shown[:6] == sorted(shown[:6])
        assert shown[6:] == ["*Crypto", *sorted(shown[7:])]
    desk.can_use_what_is_there()
    desk.reloads_the_page()
    with desk.does("has the same board again"):
        expect(desk.page.locator("[data-line]")).to_have_count(11)
        assert lines_of(desk) == shown
    desk.sees_in_the_field("Mark moves above (bp)", "5")


def test_a_desk_watches_one_of_its_pairs(arrives):
    desk = arrives("desk", viewport={"width": 1440, "height": 900})
    desk.opens("#/board")
    desk.pastes_the_key()
    desk.follows("Set an alert for EUR/USD")
    desk.sees_in_the_field("From", re.compile("^EUR"))
    desk.types("9", into="Level")
    desk.types("far away", into="Note")
    desk.chooses("The stream", in_="By")
    desk.presses("Watch")
    desk.sees("EUR/USD above 9")
    desk.can_use_what_is_there()
    desk.presses("Remove EUR/USD above 9")
    desk.sees_no_more("EUR/USD above 9")

    desk.goes_to_the_view("Charts")
    desk.follows("Bars")
    desk.presses("Minutes")
    desk.sees_in_the_address("pair=EURUSD&interval=PT1M")
    with desk.does("reads a bar"):
        expect(desk.page.locator("table.days tbody td").first).to_have_text(re.compile(r"\d"))
    desk.can_use_what_is_there()


def test_a_desk_loses_the_stream_and_gets_it_back(arrives):
    desk = arrives("desk")
    connections: list[WebSocketRoute] = []

    def connect(socket: WebSocketRoute) -> None:
        socket.connect_to_server()
        connections.append(socket)

    desk.page.route_web_socket(re.compile("."), connect)
    desk.opens("#/board?pairs=BTC/USD,ETH/USD")
    desk.pastes_the_key()
    live = desk.page.locator(".board-row:not(.stale)[data-pair]")
    with desk.does("sees two live prices"):
        expect(live).to_have_count(2)
    with desk.does("loses the connection"):
        connections[-1].close(code=1012, reason="restart")
        expect(desk.page.locator(".board-state")).to_have_text(re.compile(r"Reconnecting in \d+ s|Connecting"))
        expect(live).to_have_count(0)
    with desk.does("has it back without doing anything"):
        expect(desk.page.locator(".board-state")).to_have_text("Live")
        expect(live).to_have_count(2)
        assert len(connections) > 1
    desk.can_use_what_is_there()

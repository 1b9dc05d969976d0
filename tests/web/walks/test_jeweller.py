"""A jeweller: gold by the gram, a tray of rings with stones, and a board for the shop window."""

from __future__ import annotations

import pytest

pytest.importorskip("playwright", reason="the package playwright is not installed")

from playwright.sync_api import expect

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

RINGS = (
    "name,metal,weight,unit,purity,count,deduct\nring with stones,XAU,6.1,gram,750,2,1.1\nspoons,XAG,100,gram,925,1,0\n"
)


def test_a_jeweller_prices_gold_and_fills_the_shop_window(arrives):
    jeweller = arrives("jeweller")
    jeweller.opens()
    jeweller.pastes_the_key()
    jeweller.picks("XAU Gold metal", typing="gold", into="From")
    jeweller.picks("CHF Swiss Franc Switzerland", typing="franc", into="To")
    jeweller.chooses("Gram", in_="Unit")
    jeweller.chooses("18 carat (750)", in_="Purity")
    jeweller.sees("100 grams")
    jeweller.can_use_what_is_there()
    with jeweller.does("reads the price of a gram"):
        told = jeweller.page.locator(".answer-rate").inner_text()

    jeweller.goes_to_the_view("Metals")
    jeweller.types("CHF", into="Currency")
    jeweller.types("3", into="Percent below")
    jeweller.types("5", into="Percent above")
    jeweller.types("XAU:750,XAG:925", into="Metals and purities")
    jeweller.presses("Show these")
    jeweller.sees("CHF for one gram")
    jeweller.sees("Gold 750 18 carat")
    with jeweller.does(f"compares what the shop pays and asks with {told}"):
        board = jeweller.page.get_by_role("table", name="CHF for one gram").locator("tbody tr").first
        expect(board).not_to_contain_text("…")
        pays, asks = map(float, board.locator("td").all_inner_texts())
        gram = float(told.split("=")[1].split()[0])
        assert pays == pytest.approx(gram * 0.97, rel=0.02)
        assert asks == pytest.approx(gram * 1.05, rel=0.02)

    jeweller.types(RINGS, into="Pieces")
    jeweller.types("10%", into="Margin")
    jeweller.presses("Value them")
    pieces = jeweller.reads_the_table("Pieces")
    with jeweller.does("finds the gold without its stones, and the margin below it"):
        assert [row[0] for row in pieces] == ["ring with stones", "spoons", "Together"]
        assert [row[2] for row in pieces[:2]] == ["7.5", "92.5"]
        bid, buys = (float(pieces[0][place].replace(",", "")) for place in (3, 5))
        assert buys == pytest.approx(bid * 0.9, rel=1e-3)

    jeweller.presses("Full screen")
    with jeweller.does("sees the board alone in the window"):
        expect(jeweller.page.locator(".shop-window:fullscreen")).to_be_visible()
        expect(jeweller.page.get_by_text("Gold 750 18 carat")).to_be_in_viewport()
    with jeweller.does("ends the full screen"):
        jeweller.page.evaluate("document.exitFullscreen()")  # without a window Esc does nothing
        expect(jeweller.page.locator(".shop-window:fullscreen")).to_have_count(0)
    jeweller.reloads_the_page()
    jeweller.sees("CHF for one gram")
    jeweller.sees_in_the_field("Margin", "10%")
    jeweller.can_use_what_is_there()

"""A wallet: a little bitcoin in euro, a coin that is searched by name, positions from a file, and a chart."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("playwright", reason="the package playwright is not installed")

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]


def test_a_wallet_is_worth_something_in_euro(arrives, tmp_path, page_errors):
    page_errors.allow("404")  # the sandbox has run since today: there is no close
    wallet = arrives("wallet", viewport={"width": 390, "height": 844}, has_touch=True)
    wallet.opens()
    wallet.pastes_the_key()
    wallet.types("0.00320194 BTC in EUR", into="Amount")
    wallet.sees("0.00320194 BTC =")
    wallet.sees_in_the_field("Amount", "0.00320194")
    wallet.sees_in_the_address("amount=0.00320194&from=BTC&to=EUR")
    wallet.can_use_what_is_there()
    wallet.picks(re.compile("^SOL"), typing="solana", into="From")
    wallet.sees("0.00320194 SOL =")
    wallet.picks(re.compile("^BTC"), typing="bitcoin", into="From")
    wallet.sees("0.00320194 BTC =")
    wallet.follows("Its history")
    wallet.sees("BTC/EUR")
    wallet.sees("a coin has daily closes from the day on which this service first ran")
    wallet.can_use_what_is_there()

    file = tmp_path / "wallet.csv"
    file.write_text("asset;amount;cost;name\nBTC;0.00320194;250;savings\nETH;0.5;1200;\nEUR;40;;cash\n")
    wallet.presses(re.compile("^Charts"))
    wallet.goes_to_the_view("Positions")
    wallet.opens_the_file(file)
    wallet.sees_in_the_field("Positions", file.read_text())
    wallet.presses("Value them")
    rows = wallet.reads_the_table("Positions")
    with wallet.does("finds the sum of all"):
        worth = [float(row[3].replace(",", "")) for row in rows]
        assert [row[0] for row in rows] == ["savings", "ETH", "cash", "Together"]
        assert worth[-1] == pytest.approx(sum(worth[:-1]), abs=0.02)
        assert worth[2] == 40
    wallet.can_use_what_is_there()

"""Watch lists for tests."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

from tests.client.fake_stream import NOON

from cambist.cli.watch_list import WatchList


def watch_list_with(*bids: str) -> WatchList:
    watch_list = WatchList(["EURUSD"])
    for second, bid in enumerate(bids):
        as_of = NOON + timedelta(seconds=second)
        watch_list.update("EURUSD", Decimal(bid), Decimal(bid) + Decimal("0.0002"), as_of)
    return watch_list

"""A watch list: the newest price of each pair, unknown pairs, and a lost stream."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from tests.cli.watch_lists import watch_list_with
from tests.client.fake_stream import NOON

from cambist.cli.watch_list import Direction, Disconnection, WatchList


@pytest.mark.parametrize(
    ("bids", "direction"),
    [
        (["1.1"], Direction.NONE),
        (["1.1", "1.2"], Direction.UP),
        (["1.2", "1.1"], Direction.DOWN),
        (["1.1", "1.2", "1.2"], Direction.UP),
    ],
)
def test_the_direction_is_that_of_the_last_change(bids, direction):
    assert watch_list_with(*bids).prices["EURUSD"].direction is direction


def test_a_repeated_price_is_not_a_change():
    watch_list = watch_list_with("1.1")
    assert not watch_list.update("EURUSD", Decimal("1.1"), Decimal("1.1002"), NOON)
    assert watch_list.update("EURUSD", Decimal("1.1"), Decimal("1.1002"), NOON + timedelta(seconds=1))


def test_mid_spread_and_age_are_of_the_newest_price():
    price = watch_list_with("1.0850").prices["EURUSD"]
    assert (price.mid, price.spread) == (Decimal("1.0851"), Decimal("0.0002"))
    assert price.age(NOON + timedelta(seconds=2.5)) == timedelta(seconds=2.5)
    assert price.age(NOON - timedelta(seconds=1)) == timedelta(0)


def test_pairs_are_watched_once_each_in_their_order():
    watch_list = WatchList(["xau/usd", "EURUSD", "XAUUSD "])
    assert list(watch_list.prices) == ["XAUUSD", "EURUSD"]
    assert not watch_list.is_complete


def test_an_unknown_pair_is_new_only_once():
    watch_list = WatchList(["EURUSD", "x" * 80])
    told = f"{'x' * 64}… 80 characters"  # as the server repeats it
    assert (watch_list.mark_unknown([told]), watch_list.mark_unknown([told])) == ([told], [])
    assert list(watch_list.prices) == ["EURUSD", "X" * 80]
    assert (watch_list.missing_reason("EURUSD"), watch_list.missing_reason("X" * 80)) == (
        "no fresh price yet",
        "unknown pair",
    )


def test_a_loss_keeps_its_first_time_until_the_stream_is_connected():
    watch_list = watch_list_with("1.1")
    assert watch_list.mark_lost(NOON, "gone")
    assert not watch_list.mark_lost(NOON + timedelta(seconds=5), "still gone")
    assert watch_list.disconnection == Disconnection(NOON, "still gone")
    watch_list.mark_connected()
    assert watch_list.disconnection is None

"""Faults of the sandbox: each does what it says and nothing else, and a bad file is told what is wrong with it."""

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest

from cambist.errors import NoRate, SettingRefused
from cambist.pricing.pair import Pair
from cambist.sandbox.faults import Faults, read_faults, with_faults
from cambist.sandbox.market import SimulatedMarket

MARKET = SimulatedMarket(11, ["BTC", "ETH", "USDT"])
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
SINCE = NOON - timedelta(hours=2)
WEEK = date(2026, 11, 16)
ALL = """\
stale = ["EUR", "BTC"]
since = 2026-11-20T10:00:00Z
missing = [2026-11-19]
slow = 2.5
[outlier]
XAU = 1.5
JPY = 2
"""


def test_all_fields_are_read() -> None:
    assert read_faults(ALL, "faults.toml", MARKET.known) == Faults(
        stale=("EUR", "BTC"),
        since=SINCE,
        missing=frozenset({date(2026, 11, 19)}),
        outlier={"XAU": 1.5, "JPY": 2.0},
        slow=2.5,
    )


def test_all_codes_may_be_stale() -> None:
    assert read_faults('stale = "all"\nsince = 2026-11-20T10:00:00Z', "f", MARKET.known).stale == "all"


@pytest.mark.parametrize("text", ["", "missing = []\n[outlier]\n"])
def test_an_empty_file_is_no_fault(text: str) -> None:
    market = with_faults(MARKET, read_faults(text, "f", MARKET.known))
    assert all(market.quote(code, NOON) == MARKET.quote(code, NOON) for code in MARKET.codes(NOON.date()))
    assert all(market.pair_quote(pair, NOON) == MARKET.pair_quote(pair, NOON) for pair in MARKET.pairs())
    assert (market.codes(WEEK), market.pairs(), market.known) == (MARKET.codes(WEEK), MARKET.pairs(), MARKET.known)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("stale = [", "faults.toml.* no TOML"),
        ("slwo = 1", "faults.toml.*slwo"),
        ("slow = -1", r"faults.toml.*\[slow\]"),
        ("slow = nan", r"faults.toml.*\[slow\]"),
        ('slow = "1"', r"faults.toml.*\[slow\]"),
        ('stale = "some"\nsince = 2026-11-20T10:00:00Z', r"faults.toml.*\[stale\]"),
        ('stale = ["EUR"]', r"faults.toml.*\[since\]"),
        ('stale = ["EUR"]\nsince = 2026-11-20T10:00:00', r"faults.toml.*\[since\]"),
        ('stale = ["ERU"]\nsince = 2026-11-20T10:00:00Z', r"\[stale\] names an unknown code \[ERU\]; did you mean"),
        ('missing = ["yesterday"]', r"faults.toml.*\[missing"),
        ("[outlier]\nEUR = 0", r"\[outlier.EUR\]"),
        ("[outlier]\nEUR = inf", r"\[outlier.EUR\]"),
        ("[outlier]\nQQQ = 2", r"\[outlier\] names an unknown code \[QQQ\]"),
    ],
)
def test_a_bad_file_is_refused_by_its_name_and_its_field(text: str, reason: str) -> None:
    with pytest.raises(SettingRefused, match=reason):
        read_faults(text, "faults.toml", MARKET.known)


def test_a_stale_quote_keeps_its_time_and_its_value_and_others_go_on() -> None:
    market = with_faults(MARKET, Faults(stale=("EUR",), since=SINCE))
    told, then = market.quote("EUR", NOON), MARKET.quote("EUR", SINCE)
    assert (told.bid, told.ask, told.as_of, told.received_at) == (then.bid, then.ask, SINCE, NOON)
    assert market.pair_quote(Pair("EUR", "GBP"), NOON).as_of == SINCE
    assert market.quote("GBP", NOON) == MARKET.quote("GBP", NOON)
    assert market.quote("EUR", SINCE - timedelta(hours=1)) == MARKET.quote("EUR", SINCE - timedelta(hours=1))


def test_everything_may_be_stale() -> None:
    market = with_faults(MARKET, Faults(stale="all", since=SINCE))
    assert {market.quote(code, NOON).as_of for code in market.codes(NOON.date())} == {SINCE}
    assert {market.pair_quote(pair, NOON).as_of for pair in market.pairs()} == {SINCE}


def test_what_did_not_exist_yet_is_not_stale() -> None:
    first = datetime(2022, 7, 1, 0, 0, 10, tzinfo=UTC)
    market = with_faults(MARKET, Faults(stale="all", since=first - timedelta(days=9), slow=60))
    assert market.quote("SLE", first) == MARKET.quote("SLE", first)


def test_what_has_ended_is_not_quoted_because_it_is_stale() -> None:
    with pytest.raises(NoRate):
        with_faults(MARKET, Faults(stale="all", since=datetime(1998, 6, 1, tzinfo=UTC))).quote("DEM", NOON)


def test_a_missing_day_has_no_fixing() -> None:
    market = with_faults(MARKET, Faults(missing=frozenset({WEEK + timedelta(days=1), WEEK - timedelta(days=1)})))
    honest = MARKET.daily("EUR", WEEK, 5)
    honest[1] = np.nan
    assert np.array_equal(market.daily("EUR", WEEK, 5), honest, equal_nan=True)


@pytest.mark.parametrize(("code", "times"), [("EUR", 1.5), ("JPY", 1 / 1.5), ("BTC", 1.5)])
def test_an_outlier_is_worth_its_factor_more_whichever_way_round_it_is_quoted(code: str, times: float) -> None:
    market = with_faults(MARKET, Faults(outlier={code: 1.5}))
    told, honest = market.quote(code, NOON), MARKET.quote(code, NOON)
    assert float(told.mid / honest.mid) == pytest.approx(times, rel=1e-6)
    assert told.bid < told.ask
    assert told.as_of == honest.as_of
    assert market.quote("GBP", NOON) == MARKET.quote("GBP", NOON)


def test_an_outlier_shows_in_its_pairs() -> None:
    market, cross = with_faults(MARKET, Faults(outlier={"EUR": 1.5}, slow=30)), Pair("EUR", "GBP")
    told, then = market.pair_quote(cross, NOON), MARKET.pair_quote(cross, NOON - timedelta(seconds=30))
    assert float(told.mid / then.mid) == pytest.approx(1.5, rel=1e-6)
    assert (told.as_of, told.received_at) == (then.as_of, NOON)


def test_a_slow_market_returns_prices_of_a_while_ago() -> None:
    market = with_faults(MARKET, Faults(slow=30))
    told, then = market.quote("EUR", NOON), MARKET.quote("EUR", NOON - timedelta(seconds=30))
    assert (told.bid, told.as_of, told.received_at) == (then.bid, NOON - timedelta(seconds=30), NOON)

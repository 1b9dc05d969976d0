import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.errors import SourceBroken
from cambist.pricing.pair import Pair
from cambist.pricing.tick import Tick
from cambist.sources.adapters.swissquote import adapter

RECORDED = Path(__file__).parents[4] / "shared/payloads/swissquote"
recorded = pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")


def platform(moment: object, *prices: tuple[object, object]) -> dict[str, object]:
    profiles = [{"spreadProfile": "prime", "bid": bid, "ask": ask} for bid, ask in prices]
    return {"topo": {"platform": "MT5", "server": "Live1"}, "spreadProfilePrices": profiles, "ts": moment}


def read(*platforms: dict[str, object]) -> Tick:
    (tick,) = adapter.parse_ticks(json.dumps(platforms).encode(), "XAU/USD", {})
    return tick


def test_the_newest_platform_is_used_however_wide() -> None:
    tick = read(platform(1772809445123, (1, 9)), platform(1772809445120, (4, 5)))
    assert (tick.bid, tick.ask) == (1, 9)


def test_of_its_prices_the_tightest_is_used() -> None:
    tick = read(platform(1772809445123, (1, 9), (4, 6), (3, 7)))
    assert (tick.bid, tick.ask) == (4, 6)


def test_of_platforms_of_the_same_moment_the_tightest_price_is_used() -> None:
    tick = read(platform(1772809445123, (1, 9)), platform(1772809445123, (4, 5)))
    assert (tick.bid, tick.ask) == (4, 5)


def test_the_pair_is_the_one_that_was_requested() -> None:
    content = json.dumps([platform(1772809445123, (1, 2))]).encode()
    assert [tick.pair for tick in adapter.parse_ticks(content, "EUR/GBP", {})] == [Pair("EUR", "GBP")]


def test_each_pair_is_requested_by_itself() -> None:
    asked = adapter.requests()
    assert len(asked) == len({request.url for request in asked}) == 18
    assert all(request.url.endswith(f"/bboquotes/instrument/{request.subject}") for request in asked)
    assert {"XAU/USD", "XAG/USD", "XPT/USD", "XPD/USD", "XAU/EUR", "XAU/CHF", "EUR/USD", "USD/JPY"} <= {
        request.subject for request in asked
    }


def test_it_is_off_as_its_terms_are_unknown() -> None:
    assert not adapter.source.is_on_by_default
    assert "no terms" in adapter.source.disabled_reason


@pytest.mark.parametrize("moment", [0, 1772809445, 1772809445123456, -1, 1.5, "1772809445123", None])
def test_a_time_that_is_not_in_milliseconds_is_refused(moment: object) -> None:
    with pytest.raises(SourceBroken):
        read(platform(moment, (1, 2)))


def test_a_platform_without_prices_is_refused_even_an_old_one() -> None:
    with pytest.raises(SourceBroken, match="without a price"):
        read(platform(1772809445123, (1, 2)), platform(1772809445120))


@pytest.mark.parametrize("bid", [0, -1, None, "", True])
def test_a_bad_price_is_refused_even_where_it_is_not_taken(bid: object) -> None:
    with pytest.raises(SourceBroken):
        read(platform(1772809445123, (4, 5)), platform(1772809445120, (bid, 9)))


@recorded
def test_the_recorded_silver_is_the_elite_price_of_the_newest_platform() -> None:
    (tick,) = adapter.parse_ticks((RECORDED / "bboquotes_XAGUSD_2024-10-10.json").read_bytes(), "XAG/USD", {})
    moment = datetime(2024, 10, 10, 16, 51, 8, 137000, tzinfo=UTC)
    assert tick == Tick("swissquote", Pair("XAG", "USD"), Decimal("31.0309"), Decimal("31.0452"), moment)


@recorded
def test_the_recorded_gold_keeps_its_digits() -> None:
    (tick,) = adapter.parse_ticks((RECORDED / "bboquotes_XAUUSD_2026-08-18_head.json").read_bytes(), "XAU/USD", {})
    assert (str(tick.bid), str(tick.ask)) == ("4389.128", "4389.632")
    assert tick.as_of == datetime(2026, 8, 18, 13, 29, 41, 75000, tzinfo=UTC)

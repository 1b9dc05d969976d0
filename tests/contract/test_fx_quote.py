"""`GET /fx/pairs`, `/fx/currencies`, `/fx/pairs/quote-sizes` and `/fx/quote`: pairs of currencies and their quotes."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from cambist.pricing.source_kind import Pace
from cambist.reference.assets import AssetKind

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
SUNDAY = datetime(2026, 11, 22, 12, tzinfo=UTC)
HEARD = 1795175998000
ELEVEN = ["USD", "GBP", "JPY", "PLN", "AED", "BHD", "AWG", "BBD", "BMD", "BSD", "BZD"]
AGES = {kind: timedelta(minutes=15) for kind in AssetKind}


def quotes(client: Any, names: str, **rest: Any) -> dict[str, Any]:
    reply = client.get(f"/fx/quote?pairs={names}", **rest)
    assert reply.status == 200, reply.text
    return reply.json["quotes"]


def test_a_traded_pair_has_its_own_quote(client_dealing):
    reply = client_dealing.get("/fx/quote?pairs=EURUSD")
    assert list(reply.json) == ["quotes", "ms"]
    assert reply.json["quotes"] == {"EURUSD": {"bid": 1.1599, "ask": 1.1601, "tsp": HEARD, "size": 1}}
    assert reply.headers["x-calls-cost"] == "1"


@pytest.mark.parametrize("name", ["EURUSD", "EUR/USD", "EUR%2FUSD", "eurusd", "%20eur/usd%20"])
def test_pairs_are_named_without_a_slash_however_requested(client_dealing, name):
    assert list(quotes(client_dealing, name)) == ["EURUSD"]


def test_the_order_is_that_of_the_request_and_a_repeat_counts_once(client_dealing):
    assert list(quotes(client_dealing, "USDJPY,EUR/USD,,usd/jpy,GBPUSD")) == ["USDJPY", "EURUSD", "GBPUSD"]


def test_the_other_way_round_bid_and_ask_change_places(client_dealing):
    found = quotes(client_dealing, "USDEUR")["USDEUR"]
    assert found["bid"] == pytest.approx(1 / 1.1601, rel=1e-9)
    assert found["ask"] == pytest.approx(1 / 1.1599, rel=1e-9)


def test_a_cross_deals_each_leg_at_its_worse_side_and_is_as_old_as_the_older(client_dealing):
    found = quotes(client_dealing, "EURJPY,EURPLN")
    assert found["EURJPY"]["bid"] == pytest.approx(1.1599 * 150.24, rel=1e-9)
    assert found["EURJPY"]["ask"] == pytest.approx(1.1601 * 150.26, rel=1e-9)
    assert found["EURPLN"]["tsp"] == int(datetime(2026, 11, 19, 13, 15, tzinfo=UTC).timestamp() * 1000)


def test_a_crosss_gap_as_written_is_no_narrower_than_its_legs(client_dealing):
    text = client_dealing.get("/fx/quote?pairs=GBPJPY,EURGBP,JPYPLN").text
    read = json.loads(text, parse_float=Decimal)["quotes"]
    gap = {code: Fraction(ask) / Fraction(bid) for code, bid, ask in [
        ("GBP", "1.3399", "1.3401"), ("JPY", "150.24", "150.26"), ("EUR", "1.1599", "1.1601"), ("PLN", "1", "1"),
    ]}  # fmt: skip
    for name, found in read.items():
        assert Fraction(found["ask"]) / Fraction(found["bid"]) >= gap[name[:3]] * gap[name[3:]]


def test_a_weak_currency_is_quoted_by_more_than_one_unit(client_dealing):
    found = quotes(client_dealing, "JPYUSD")["JPYUSD"]
    assert found["size"] == 100
    assert found["bid"] == pytest.approx(100 / 150.26, rel=1e-9)
    assert quotes(client_dealing, "USDJPY")["USDJPY"]["size"] == 1


def test_sizes_name_each_pair_that_is_not_of_one_unit(client_dealing):
    sizes = client_dealing.get("/fx/pairs/quote-sizes").json["sizes"]
    assert sizes["JPYUSD"] == sizes["JPYEUR"] == 100
    assert "USDJPY" not in sizes
    assert min(sizes.values()) > 1


def test_pairs_are_each_two_currencies_that_are_listed_both_ways_round(client_dealing):
    pairs = client_dealing.get("/fx/pairs").json["pairs"]
    currencies = client_dealing.get("/fx/currencies").json["currencies"]
    assert pairs["EUR/USD"] == {"base": "EUR", "quote": "USD", "alt": "EURUSD"}
    assert len(pairs) == len(currencies) * (len(currencies) - 1)
    assert {"EUR", "GBP", "JPY", "PLN", "USD", "AED"} <= currencies.keys()
    assert not {"BTC", "XAU"} & currencies.keys()
    assert currencies["EUR"] == "Euro"


def test_every_listed_pair_can_be_quoted(client_dealing):
    alts = [pair["alt"] for pair in client_dealing.get("/fx/pairs").json["pairs"].values()]
    for start in range(0, len(alts), 10):
        found = quotes(client_dealing, ",".join(alts[start : start + 10]))
        assert all(0 < one["bid"] <= one["ask"] for one in found.values())


def test_the_real_history_lists_two_thousand_pairs_and_more(client):
    assert len(client.get("/fx/pairs").json["pairs"]) > 2000


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("", "Missing parameter: [pairs]"),
        ("?pairs=,%20,", "Missing parameter: [pairs]"),
        ("?pairs=EURZZZ", "Invalid/unsupported fx pair: [EURZZZ], the pairs are found at /fx/pairs"),
        ("?pairs=EURUSD,EUREUR", "[EUREUR]"),
        ("?pairs=BTCUSD", "[BTCUSD]"),
        ("?pairs=XAUUSD", "[XAUUSD]"),
        ("?pairs=EUR", "[EUR]"),
        ("?pairs=EURHRK", "[EURHRK]"),
        ("?pairs=" + ",".join(f"EUR{code}" for code in ELEVEN), "[11]"),
    ],
)
def test_bad_input_is_named_in_the_error(client_dealing, query, said):
    reply = client_dealing.get(f"/fx/quote{query}")
    assert reply.status == 400
    assert said in reply.json["error"]
    assert reply.headers["x-calls-cost"] == "0"


def test_what_trades_has_to_be_fresh_while_its_market_is_open(dealing, quote_of):
    old = quote_of("EUR/USD", "1.1", "1.2", as_of=NOON - timedelta(minutes=16))
    fixed = quote_of("EUR/USD", "1.15", "1.15", "ecb", as_of=NOON - timedelta(days=1), pace=Pace.DAILY)
    client = dealing(ages=AGES, EUR=fixed, EUR_USD=old)
    for name in ("EURUSD", "USDEUR", "EURGBP"):
        reply = client.get(f"/fx/quote?pairs={name}")
        assert (reply.status, reply.json["code"], "retry-after" in reply.headers) == (503, "rate_unavailable", True)
    assert client.get("/fetch-one?from=EUR&to=USD").status == 200
    assert client.get("/fx/quote?pairs=GBPUSD,USDPLN").status == 200


def test_a_currency_that_nobody_fixes_is_not_crossed_at_what_it_was_hours_ago(dealing, quote_of):
    old = quote_of("EUR/USD", "1.1", "1.2", as_of=NOON - timedelta(hours=16))
    client = dealing(ages=AGES, EUR=old, EUR_USD=old)
    for name in ("EURUSD", "USDEUR", "EURGBP"):
        reply = client.get(f"/fx/quote?pairs={name}")
        assert (reply.status, reply.json["code"]) == (503, "rate_unavailable"), name
        assert "[EUR] is of [2026-11-19T20:00:00Z] (" in reply.json["error"]
        assert "), older than allowed; " in reply.json["error"]


def test_outside_market_hours_the_last_quote_is_returned(dealing, quote_of):
    close = datetime(2026, 11, 20, 21, 59, 59, tzinfo=UTC)
    euro = quote_of("EUR/USD", "1.1599", "1.1601", as_of=close)
    client = dealing(now=SUNDAY, ages=AGES, EUR=euro, EUR_USD=euro)
    assert quotes(client, "EURUSD")["EURUSD"] == {
        "bid": 1.1599, "ask": 1.1601, "tsp": int(close.timestamp() * 1000), "size": 1,
    }  # fmt: skip


@pytest.fixture
def offline(dealing, quote_of) -> Any:
    """Return a function that makes a client of a service that has a fixing of the euro and no trades."""

    def client_with(days: int) -> Any:
        fixed = quote_of("EUR/USD", "1.15", "1.15", "ecb", as_of=SUNDAY - timedelta(days=days), pace=Pace.DAILY)
        return dealing(now=SUNDAY, ages=AGES, EUR=fixed)

    return client_with


def test_a_quote_made_of_a_fixing_names_the_day_of_the_fixing(offline):
    assert quotes(offline(14), "EURUSD,USDEUR")["EURUSD"] == {
        "bid": 1.15, "ask": 1.15, "tsp": int((SUNDAY - timedelta(days=14)).timestamp() * 1000), "size": 1,
        "fixed_on": "2026-11-08",
    }  # fmt: skip


def test_a_cross_names_the_oldest_fixing_in_it(client_dealing):
    assert quotes(client_dealing, "EURPLN")["EURPLN"]["fixed_on"] == "2026-11-19"


def test_a_quote_of_trades_alone_names_no_fixing(client_dealing):
    assert "fixed_on" not in quotes(client_dealing, "EURJPY")["EURJPY"]


def test_a_fixing_older_than_two_weeks_is_no_quote(offline):
    client = offline(15)
    for name in ("EURUSD", "USDEUR", "EURPLN"):
        reply = client.get(f"/fx/quote?pairs={name}")
        assert (reply.status, reply.json["code"]) == (503, "rate_unavailable")
        assert "is of [2026-11-07T12:00:00Z] (" in reply.json["error"]
        assert "a fixing older than 14 days, so without bid and ask; /fetch-one has its midpoint" in reply.json["error"]
    assert client.get("/fetch-one?from=EUR&to=USD").status == 200


def test_a_client_may_ask_for_younger(client_dealing):
    assert client_dealing.get("/fx/quote?pairs=EURUSD&max_age=PT1M").status == 200
    assert client_dealing.get("/fx/quote?pairs=EURPLN&max_age=PT1H").status == 503


@pytest.mark.parametrize(
    "path", ["/fx/pairs", "/fx/currencies", "/fx/pairs/quote-sizes", "/crypto/pairs", "/metals/instruments"]
)
def test_a_list_is_computed_once_for_each_rate_book(client_dealing, path):
    first = client_dealing.get(path)
    (live,) = client_dealing.worker_state.caches.by_view.values()
    assert [asked for asked, *_ in [*live.state[1]._young]] == [path]
    again = client_dealing.get(path)
    assert again.json | {"ms": 0} == first.json | {"ms": 0}
    assert again.headers["x-calls-cost"] == "1"

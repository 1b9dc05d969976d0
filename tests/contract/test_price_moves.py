"""The moves of today, a day and a week at `/crypto/fetch-prices`, `/fx/quote` and `/metals/spot`, with `verbose`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.reading import read_with

from cambist.api.state.price_moves import PriceMoves
from cambist.api.state.reader_pool import ReaderPool
from cambist.errors import StoreBroken
from cambist.history.price_samples import PriceSample
from cambist.registry.sandbox.sandbox_moves import SimulatedMoves

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
STEP = timedelta(minutes=5)
DAY = timedelta(days=1)
BTC, ETH, EUR, XAU, XCU = 90005.0, 3000.5, 1.16, 4000.5, 10801.0
"""The book's midpoints in dollars."""

DOORS = {
    "/crypto/fetch-prices?pairs=BTC/USD&verbose=1": lambda body: body["moves"]["BTC/USD"],
    "/crypto/fetch-prices?pairs=BTC/USD,ETH/BTC&verbose=true": lambda body: body["moves"]["ETH/BTC"],
    "/fx/quote?pairs=EURUSD&verbose=yes": lambda body: body["quotes"]["EURUSD"],
    "/fx/quote?pairs=USDJPY,EURPLN&verbose=yes": lambda body: body["quotes"]["EURPLN"],
    "/metals/spot?verbose=y": lambda body: body,
    "/metals/spot?metal=XCU&currency=EUR&unit=kilogram&verbose=y": lambda body: body,
}


class Samples:
    """Samples of every five minutes since `since`: yesterday's prices were half, an hour ago they were double."""

    def __init__(self, since: datetime, until: datetime = NOON) -> None:
        self.since, self.until = since, until
        self.is_broken = False
        self.asked: list[datetime] = []

    def after(self, moment: datetime, limit: int) -> Sequence[PriceSample]:
        self.asked.append(moment)
        if self.is_broken:
            raise StoreBroken("The database cannot be used: it is away")
        steps = int((self.until - self.since) / STEP) + 1
        times = [self.since + STEP * number for number in range(steps)]
        return [PriceSample(at, self.at(at)) for at in times if at > moment][:limit]

    def at(self, at: datetime) -> dict[str, float]:
        part = 0.5 if at <= NOON - DAY else 2.0 if at == NOON - timedelta(hours=1) else 1.0
        return {"BTC": BTC * part, "ETH": ETH, "EUR": EUR * part, "XAU": XAU * part, "XCU": XCU, "USD": 1.0,
                "JPY": 1 / 150.25, "PLN": 1 / 3.65}  # fmt: skip


@pytest.fixture
def sampled(client_dealing: Any) -> Callable[..., Any]:
    def make(samples: Any) -> Any:
        read_with(client_dealing.worker_state, moves=PriceMoves(samples, ReaderPool(4, within=60), lambda: NOON))
        return client_dealing

    return make


def test_a_price_is_compared_with_that_of_a_day_and_of_a_week_ago(sampled: Callable[..., Any]) -> None:
    found = sampled(Samples(NOON - 8 * DAY)).get("/crypto/fetch-prices?pairs=BTC/USD&verbose=1")
    assert list(found.json) == ["prices", "moves", "ms"]
    assert found.json["prices"] == {"BTC/USD": 90005}
    moved = found.json["moves"]["BTC/USD"]
    since = [int((NOON - days * DAY).timestamp() * 1000) for days in (1, 7)]
    assert moved["last_24h"] == {
        "open": 45002.5, "change_pct": 100, "low": 45002.5, "high": 180010, "since": since[0], "samples": 289,
    }  # fmt: skip
    assert moved["last_7d"] == moved["last_24h"] | {"since": since[1], "samples": 2017}
    midnight = since[0] + 12 * 3_600_000
    assert moved["today"] == {
        "open": 90005, "change_pct": 0, "low": 90005, "high": 180010, "since": midnight, "samples": 145,
    }  # fmt: skip
    assert found.headers["x-calls-cost"] == "1"


def test_moves_of_a_cross_are_those_of_both_legs_at_the_same_moments(sampled: Callable[..., Any]) -> None:
    client = sampled(Samples(NOON - 8 * DAY))
    of_ratio = client.get("/crypto/fetch-prices?pairs=ETH/BTC&verbose=1").json
    price = of_ratio["prices"]["ETH/BTC"]
    day = of_ratio["moves"]["ETH/BTC"]["last_24h"]
    assert (day["change_pct"], day["low"], day["high"]) == (-50, pytest.approx(price / 2), pytest.approx(price * 2))
    # Gold in euros: both have doubled.
    of_gold = client.get("/metals/spot?currency=EUR&verbose=1").json["last_24h"]
    mid = float(client.get("/metals/spot?currency=EUR").json["mid"])
    assert (of_gold["change_pct"], of_gold["low"], of_gold["high"]) == (0, mid, mid)


def test_moves_are_in_the_unit_and_purity_of_the_price(sampled: Callable[..., Any]) -> None:
    found = sampled(Samples(NOON - 8 * DAY)).get("/metals/spot?unit=gram&purity=750&verbose=1").json
    mid = float(found["mid"])
    assert found["last_24h"]["high"] == pytest.approx(2 * mid)
    assert found["last_24h"]["low"] == pytest.approx(mid / 2)
    assert 90 < mid < 100


@pytest.mark.parametrize("door", DOORS)
def test_without_samples_a_door_has_no_moves(door: str, client_dealing: Any) -> None:
    reply = client_dealing.get(door)
    assert reply.status == 200, reply.text
    assert not {"today", "last_24h", "last_7d"} & DOORS[door](reply.json).keys()


@pytest.mark.parametrize("door", DOORS)
def test_every_door_has_moves_with_verbose_alone(door: str, sampled: Callable[..., Any]) -> None:
    client = sampled(Samples(NOON - 8 * DAY))
    assert {"today", "last_24h", "last_7d"} <= DOORS[door](client.get(door).json).keys()
    assert "last_24h" not in client.get(door.partition("&verbose")[0].partition("?verbose")[0]).text


@pytest.mark.parametrize(
    ("samples", "windows"),
    [
        (Samples(NOON - 2 * DAY), {"today", "last_24h"}),
        (Samples(NOON - DAY + timedelta(minutes=10)), {"today", "last_24h"}),
        (Samples(NOON - DAY + timedelta(minutes=20)), {"today"}),
        (Samples(NOON - DAY / 2 + timedelta(minutes=20)), set()),
        (Samples(NOON - 8 * DAY, NOON - timedelta(minutes=10)), {"today", "last_24h", "last_7d"}),
        (Samples(NOON - 8 * DAY, NOON - timedelta(minutes=20)), set()),
    ],
    ids=[
        "two days",
        "a little less than a day",
        "less than a day",
        "since the morning",
        "ten minutes behind",
        "twenty minutes behind",
    ],
)
def test_a_window_that_was_not_sampled_is_left_out(
    samples: Samples, windows: set[str], sampled: Callable[..., Any]
) -> None:
    found = sampled(samples).get("/crypto/fetch-prices?pairs=BTC/USD&verbose=1").json["moves"]["BTC/USD"]
    assert found.keys() == windows


def test_a_database_that_is_away_costs_the_moves_and_not_the_price(sampled: Callable[..., Any]) -> None:
    samples = Samples(NOON - 8 * DAY)
    samples.is_broken = True
    client = sampled(samples)
    for _ in range(3):
        reply = client.get("/crypto/fetch-prices?pairs=BTC/USD,ETH/BTC&verbose=1")
        assert (reply.status, reply.json["moves"]) == (200, {"BTC/USD": {}, "ETH/BTC": {}})
    assert len(samples.asked) == 1, "nobody waits for the database again at once"


def test_samples_are_read_once_and_then_those_that_are_new() -> None:
    samples, now = Samples(NOON - 8 * DAY, NOON - STEP), [NOON]
    moves = PriceMoves(samples, ReaderPool(4, within=60), lambda: now[0])
    for _ in range(3):
        assert moves("BTC", "USD", BTC, DAY) is not None
    assert len(samples.asked) == 8, "a day at a time"
    now[0], samples.until = NOON + timedelta(seconds=30), NOON
    found = moves("BTC", "USD", BTC, DAY)
    assert samples.asked[8:] == [NOON - STEP]
    assert found is not None
    assert found.samples == 289


def test_a_sandbox_computes_its_moves(client_dealing: Any) -> None:
    read_with(client_dealing.worker_state, moves=SimulatedMoves(1, lambda: NOON))
    found = client_dealing.get("/crypto/fetch-prices?pairs=BTC/USD&verbose=1").json["moves"]["BTC/USD"]
    for window in ("last_24h", "last_7d"):
        assert found[window]["low"] <= 90005 <= found[window]["high"]
        assert found[window]["samples"] == 96
    # The dirham is fixed by law: the simulated market does not quote it.
    assert "last_24h" not in client_dealing.get("/fx/quote?pairs=USDAED&verbose=1").text

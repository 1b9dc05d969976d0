"""Price samples: what is worth what, at full five minutes, and what is done when it cannot be stored."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest

from cambist.errors import NoLongerLeading, StoreBroken
from cambist.history.price_samples import PriceSample
from cambist.ingest import price_sampler
from cambist.ingest.price_sampler import price_sample, sample_prices
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.source_kind import Pace

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
SECOND, QUARTER = timedelta(seconds=1), timedelta(minutes=15)
KRAKEN = Origin(Derivation.PUBLISHED, ("kraken",), pace=Pace.REALTIME)


def quote(pair: str, mid: str, as_of: datetime = NOON) -> Quote:
    return Quote(Pair(*pair.split("/")), Fraction(mid), Fraction(mid), as_of, as_of, KRAKEN)


BOOK = QuotedBook(
    1,
    NOON,
    {
        "EUR": quote("EUR/USD", "1.25"),
        "JPY": quote("USD/JPY", "160"),
        "RUB": quote("USD/RUB", "100", NOON - timedelta(days=90)),
        "XAU": quote("XAU/USD", "4000", NOON - timedelta(days=3)),
        "BTC": quote("BTC/USD", "90000", NOON - QUARTER),
        "DOGE": quote("DOGE/USD", "0.1", NOON - QUARTER - SECOND),
    },
    (),
)


def test_a_sample_has_what_is_live_in_dollars() -> None:
    sample = price_sample(BOOK, NOON, QUARTER)
    # The rouble is too far behind to be live, and nobody has traded that coin lately. The market of gold is closed.
    assert sample == PriceSample(NOON, {"EUR": 1.25, "JPY": 1 / 160, "XAU": 4000.0, "BTC": 90000.0, "USD": 1.0})


@pytest.fixture
def at_work(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[list[PriceSample], list[float]]]:
    """Sample a few times with a clock that only sleeping moves; return what was filed, and how long it slept."""

    def work(errors: list[Exception | None], book: QuotedBook | None = BOOK) -> tuple[list[PriceSample], list[float]]:
        filed: list[PriceSample] = []
        slept: list[float] = []

        async def sleep(seconds: float) -> None:
            if len(slept) == len(errors):
                raise asyncio.CancelledError
            slept.append(seconds)

        async def file(sample: PriceSample) -> None:
            error = errors[len(slept) - 1]
            if error is not None:
                raise error
            filed.append(sample)

        monkeypatch.setattr(price_sampler.asyncio, "sleep", sleep)
        clock = lambda: NOON - 100 * SECOND + timedelta(seconds=sum(slept))  # noqa: E731
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(sample_prices(lambda: book, QUARTER, file, clock))
        return filed, slept

    return work


def test_samples_are_of_full_five_minutes(at_work: Callable[..., tuple[list[PriceSample], list[float]]]) -> None:
    filed, slept = at_work([None, None, None])
    assert slept == [100, 300, 300]
    assert [each.at for each in filed][:2] == [NOON, NOON + timedelta(minutes=5)]


def test_a_failure_costs_one_sample_and_is_logged_once(
    at_work: Callable[..., tuple[list[PriceSample], list[float]]], caplog: pytest.LogCaptureFixture
) -> None:
    broken = StoreBroken("The database cannot be used: it is away")
    with caplog.at_level(logging.WARNING):
        filed, _ = at_work([broken, broken, None, NoLongerLeading("another"), ValueError("odd"), None])
    assert [each.at for each in filed][:2] == [NOON + timedelta(minutes=10), NOON + timedelta(minutes=25)]
    assert [record.levelname for record in caplog.records] == ["WARNING", "ERROR"]


def test_nothing_is_sampled_before_there_are_prices(
    at_work: Callable[..., tuple[list[PriceSample], list[float]]],
) -> None:
    assert at_work([None], None)[0] == []

"""The stream and the endpoints have the same prices, for rate books of all ages, in and out of trading hours."""

from __future__ import annotations

import json
import random
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

import pytest

from cambist.accounts.principal import Principals
from cambist.api.answer.request_context import RequestContext
from cambist.api.endpoints.crypto import fetch_prices
from cambist.api.endpoints.fx import quote as fx_quote
from cambist.api.endpoints.metals import quote as metals_quote
from cambist.api.state.worker_state import Choices, WorkerState
from cambist.errors import RequestRefused
from cambist.history.rate_matrix import RateMatrix
from cambist.ingest.price_pipeline import PricePipeline
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote, Vote
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book import RateBook
from cambist.pricing.source_kind import Pace
from cambist.reference.assets import COINS, METALS, AssetKind
from cambist.stream.prices import Prices

MINUTE = timedelta(minutes=1)
WORTH = {
    code: Fraction(worth)
    for code, worth in {
        "USD": "1", "EUR": "1.1", "GBP": "1.3", "JPY": "0.007", "TRY": "0.03", "XAU": "4000", "XAG": "50",
        "BTC": "80000", "ETH": "3000", "USDT": "1", "SHIB": "0.00001", "SOL": "150",
    }.items()
}  # fmt: skip
DEALT = [
    Pair(*name.split("/"))
    for name in [
        "EUR/USD",
        "GBP/USD",
        "EUR/GBP",
        "USD/JPY",
        "EUR/JPY",
        "USD/TRY",
        "EUR/TRY",
        "XAU/USD",
        "XAG/USD",
        "XAU/EUR",
        "XAU/GBP",
        "BTC/USD",
        "BTC/USDT",
        "USDT/USD",
        "ETH/BTC",
        "ETH/USDT",
        "SHIB/ETH",
        "SHIB/BTC",
        "SHIB/TRY",
        "SOL/BTC",
        "SOL/EUR",
        "BTC/EUR",
        "BTC/TRY",
        "SOL/ETH",
    ]
]
MONEY = ("EUR", "GBP", "JPY", "TRY", "USD")
NAMES = [
    *(f"{base}/{quote}" for base in MONEY for quote in MONEY if base != quote),
    *("XAU/USD", "XAG/USD", "XAU/EUR", "XAU/GBP", "XAU/XAG"),
    *(str(pair) for pair in DEALT if pair.base in COINS),
]
MOMENTS = [
    datetime(2026, 11, 18, 12, tzinfo=UTC),
    datetime(2026, 11, 18, 22, 30, tzinfo=UTC),  # gold pauses
    datetime(2026, 11, 20, 21, 50, tzinfo=UTC),  # ten minutes to the week's close
    datetime(2026, 11, 22, 12, tzinfo=UTC),
    datetime(2026, 11, 22, 22, 5, tzinfo=UTC),  # five minutes after the opening
]
NO_MATRIX = RateMatrix("", date(1970, 1, 1), date(1970, 1, 1), (), (), (), memoryview(b"").cast("d"))
AGES = (0, 0, 1, 5, 10, 14, 16, 30, 300)


def quoted(pair: Pair, as_of: datetime, pace: Pace) -> Quote:
    mid = WORTH[pair.base] / WORTH[pair.quote]
    half = 0 if pace is Pace.DAILY else mid / 10_000
    origin = Origin(Derivation.PUBLISHED, ("s",), (), (Vote("s", float(mid), as_of, 1.0),), pace)
    return Quote(pair, mid - half, mid + half, as_of, as_of, origin)


def some_book(rng: random.Random) -> tuple[RateBook, datetime]:
    """Return a rate book as ingest builds it, and a moment: its own, or later, while ingest is silent."""
    now = rng.choice(MOMENTS)
    pairs = {pair: quoted(pair, now - rng.choice(AGES) * MINUTE, Pace.REALTIME) for pair in DEALT if rng.random() < 0.6}
    pipeline = PricePipeline({})
    pipeline.rate_books.resume(QuotedBook(0, now, {}, (), pairs))
    pipeline.listings.replace("venue", [pair for pair in DEALT if pair.base in COINS and rng.random() < 0.5])
    for code in ("EUR", "GBP", "JPY", "TRY", "XAU", "XAG"):
        if rng.random() < 0.85:
            fixed = quoted(Pair(code, "USD"), now - timedelta(hours=rng.choice((5, 20, 70, 335, 337, 550))), Pace.DAILY)
            pipeline.rate_books.apply_fixings({code: fixed})
    book = pipeline.rate_books.build(now)
    assert book is not None
    return RateBook.of(book), now + rng.choice((0, 0, 0, 3, 12, 20)) * MINUTE


def endpoint_price(view: RequestContext, pair: Pair) -> tuple[float, int] | None:
    """Return the bid and the time of the endpoint, None if it refuses; coins have no bid."""
    try:
        if pair.base in METALS:
            gold = metals_quote.answer(
                view, metals_quote.MetalsQuoteParams(instruments=(pair.base + pair.quote,), verbose=False, max_age=None)
            )
            (one,) = gold.quotes.values()
            return float(one.bid), int(one.tsp)
        if pair.base in COINS:
            fetch_prices.answer(view, fetch_prices.FetchPricesParams(pairs=(pair,), partial=False, max_age=None))
            return 0.0, 0
        (money,) = fx_quote.answer(
            view, fx_quote.FxQuoteParams(pairs=(str(pair),), partial=False, max_age=None)
        ).quotes.values()
        return float(bytes(money.bid)), money.tsp
    except RequestRefused:
        return None


def stream_price(prices: Prices, name: str) -> tuple[float, int] | None:
    known, _ = prices.parse_pairs([name])
    if not known:
        return None
    prices.track(known)
    frame = prices.fresh_frame(next(iter(known)))
    prices.untrack(known)
    found = json.loads(frame[frame.index(b"{") :]) if frame else None
    return (float(found["bid"]), found["tsp"]) if found else None


@pytest.mark.long(every=3)
@pytest.mark.parametrize("limit", [15 * MINUTE, 5 * MINUTE])
@pytest.mark.parametrize("seed", range(60))
def test_the_stream_and_the_endpoints_agree(seed: int, limit: timedelta) -> None:
    book, at = some_book(random.Random(seed))  # noqa: S311
    ages = {AssetKind.COIN: limit, AssetKind.METAL: limit, AssetKind.CURRENCY: limit}
    prices = Prices(ages, lambda: at)
    prices.update(book)
    state = WorkerState(book, NO_MATRIX, Principals({}, {}), choices=Choices(ages=ages))
    view = RequestContext(state, book, at.timestamp())
    for name in NAMES:
        pair = Pair(*name.split("/"))
        found, expected = stream_price(prices, name), endpoint_price(view, pair)
        if pair.base in COINS:
            assert (found is None) == (expected is None), (name, found, expected)
        else:
            assert found == expected, name

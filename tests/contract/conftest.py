"""A rate book with round figures: currencies, metals and coins as sources quote them, on a Friday at noon."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

import pytest
from tests.conftest import Client, client_of

from cambist.api.state.worker_state import Choices
from cambist.history.rate_matrix import RateMatrix
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.rate_book import RateBook
from cambist.pricing.rate_book_assembly import assemble_rate_book
from cambist.pricing.source_kind import Pace
from cambist.reference.assets import AssetKind

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
FIXED = datetime(2026, 11, 19, 13, 15, tzinfo=UTC)
AGES = {AssetKind.COIN: timedelta(minutes=15), AssetKind.METAL: timedelta(minutes=15)}


def dealt(pair: str, bid: str, ask: str, source: str = "kraken", **rest: Any) -> Quote:
    """Make a quote of a pair such as `XAU/USD`; `as_of`, `pace`, `made` and `legs` may be given."""
    base, quote = pair.split("/")
    as_of = rest.get("as_of", NOON - timedelta(seconds=2))
    legs = tuple(Pair(*leg.split("/")) for leg in rest.get("legs", ()))
    origin = Origin(rest.get("made", Derivation.PUBLISHED), (source,), legs, (), rest.get("pace", Pace.REALTIME))
    return Quote(Pair(base, quote), Fraction(bid), Fraction(ask), as_of, as_of, origin)


QUOTES = {
    "EUR": dealt("EUR/USD", "1.1599", "1.1601"),
    "GBP": dealt("GBP/USD", "1.3399", "1.3401"),
    "JPY": dealt("USD/JPY", "150.24", "150.26"),
    "PLN": dealt("USD/PLN", "3.65", "3.65", "nbp", as_of=FIXED, pace=Pace.DAILY),
    "XAU": dealt("XAU/USD", "4000.12", "4000.88", "swissquote"),
    "XAG": dealt("XAG/USD", "50.123", "50.177", "swissquote"),
    "XPT": dealt("XPT/USD", "1500.5", "1502.5", "swissquote"),
    # A bank's fixing by the gram in its own currency, crossed: no sides, and no gold that trades.
    "XPD": dealt(
        "USD/XPD",
        "1/1400",
        "1/1400",
        "nbu",
        as_of=FIXED,
        pace=Pace.DAILY,
        made=Derivation.CROSSED,
        legs=("USD/UAH", "XPD/UAH"),
    ),
    "XAL": dealt("XAL/USD", "2800", "2800", "westmetall", as_of=FIXED, pace=Pace.DAILY),
    "XCU": dealt(
        "XCU/USD",
        "10800",
        "10802",
        "westmetall",
        made=Derivation.FORWARD_ADJUSTED,
        legs=("XCU/USD", "XCU-3M/USD"),
    ),
    "BTC": dealt("BTC/USD", "90000", "90010"),
    "ETH": dealt("ETH/USD", "3000", "3001"),
    "USDT": dealt("USDT/USD", "0.9990", "0.9992"),
    "SOL": dealt("SOL/USD", "139.86", "139.972", "binance", made=Derivation.CROSSED, legs=("SOL/USDT", "USDT/USD")),
    "DOGE": dealt("DOGE/USD", "0.1", "0.2", as_of=NOON - timedelta(hours=2)),
}
"""One quote a code, against the dollar. Nobody has quoted XPB, XNI and XZN; DOGE is stale."""

PAIRS = {
    "XAU/USD": QUOTES["XAU"],
    "XAU/EUR": dealt("XAU/EUR", "3448.10", "3448.90", "swissquote"),
    "EUR/USD": QUOTES["EUR"],
    "BTC/USD": QUOTES["BTC"],
    "BTC/EUR": dealt("BTC/EUR", "77580", "77600"),
    "ETH/USD": QUOTES["ETH"],
    "ETH/BTC": dealt("ETH/BTC", "0.03333", "0.03335"),
    "USDT/USD": QUOTES["USDT"],
    "SOL/USDT": dealt("SOL/USDT", "140", "140.1", "binance"),
    # Nobody has dealt this one for two hours: it is crossed.
    "SOL/EUR": dealt("SOL/EUR", "100", "101", as_of=NOON - timedelta(hours=2)),
    "DOGE/USD": QUOTES["DOGE"],
}


def book_with(now: datetime = NOON, **changed: Quote | None) -> RateBook:
    """Compose the book; `changed` quotes replace or (None) remove some: a code, or a pair as `XAU_EUR`."""
    quotes = {code: changed.get(code, quote) for code, quote in QUOTES.items()}
    pairs = {name: changed.get(name.replace("/", "_"), quote) for name, quote in PAIRS.items()}
    for name, quote in changed.items():
        (pairs if "_" in name else quotes)[name.replace("_", "/")] = quote
    dealt_pairs = {Pair(*name.split("/")): quote for name, quote in pairs.items() if quote is not None}
    known = {code: quote for code, quote in quotes.items() if quote is not None}
    return RateBook.of(assemble_rate_book(known, 7, now, dealt_pairs))


@pytest.fixture
def dealing(make_client: Callable[..., Any]) -> Callable[..., Any]:
    """Make a client of a service on that book: `dealing()`, `dealing(XAU=None)`, `dealing(now=…, XAU_EUR=a quote)`.

    `options` go to `make_client`, `units` and `ages` to its desk.
    """

    def make(
        *,
        now: datetime = NOON,
        units: Any = None,
        ages: Mapping[AssetKind, timedelta] = AGES,
        options: Mapping[str, Any] | None = None,
        **changed: Quote | None,
    ) -> Any:
        choices = Choices(ages=ages) if units is None else Choices(ages=ages, units=units)
        client = make_client(**{"clock": now.timestamp, "choices": choices, **dict(options or {})})
        client.worker_state.apply_book(book_with(now, **changed))
        return client

    return make


@pytest.fixture(scope="module")
def kept_client(real_book: RateBook, real_matrix: RateMatrix) -> Client:
    """A `client` for all tests of a file, of which none changes what another one sees."""
    return client_of(real_book, real_matrix)


@pytest.fixture(scope="module")
def kept_client_dealing(real_book: RateBook, real_matrix: RateMatrix) -> Client:
    """A `client_dealing` for all tests of a file, of which none changes what another one sees."""
    client = client_of(real_book, real_matrix, clock=NOON.timestamp, choices=Choices(ages=AGES))
    client.worker_state.apply_book(book_with(NOON))
    return client


@pytest.fixture(name="book_with")
def make_book() -> Callable[..., RateBook]:
    """Make that book."""
    return book_with


@pytest.fixture
def quote_of() -> Callable[..., Quote]:
    """Make a quote as the book has them."""
    return dealt


@pytest.fixture
def client_dealing(dealing: Callable[..., Any]) -> Any:
    """A client of a service on that book."""
    return dealing()

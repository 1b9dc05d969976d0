"""Current prices of coins, of pairs of currencies and of metals."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

from msgspec import Struct

from cambist.client.answers import Answer, Timestamp
from cambist.client.call import Call, Codes, MaxAge


class PriceMoveRecord(Struct, frozen=True, kw_only=True):
    """A price compared with those of today, a day or a week, sampled every five minutes.

    `open` is the price of `since`, in milliseconds since 1970, and `change_pct` the change in percent since then; `low`
    and `high` are the lowest and highest of the `samples` and the price itself.
    """

    open: Decimal
    change_pct: Decimal
    low: Decimal
    high: Decimal
    since: int
    samples: int


class PriceMovesRecord(Struct, frozen=True, kw_only=True):
    """How far a price has moved; None while it has not been sampled for that long."""

    today: PriceMoveRecord | None = None
    last_24h: PriceMoveRecord | None = None
    last_7d: PriceMoveRecord | None = None


class FetchPricesResponse(Answer, frozen=True, kw_only=True):
    """Midpoints by pair, in the order of the request.

    `moves`, with `verbose`, has how far each has moved. `unavailable`, with `partial`: the pairs that have none.
    """

    prices: dict[str, Decimal]
    moves: dict[str, PriceMovesRecord] | None = None
    unavailable: tuple[str, ...] = ()


class FxQuoteRecord(Struct, frozen=True, kw_only=True):
    """Bid and ask of `size` units of the base, and their time as `tsp` in milliseconds since 1970.

    `fixed_on` is the day of the oldest daily fixing in the quote; None if all of it is traded. The moves of the last
    day and week are there with `verbose`, once the price has been sampled for that long.
    """

    bid: Decimal
    ask: Decimal
    tsp: int
    size: int
    fixed_on: dt.date | None = None
    today: PriceMoveRecord | None = None
    last_24h: PriceMoveRecord | None = None
    last_7d: PriceMoveRecord | None = None

    @property
    def as_of(self) -> Timestamp:
        """The market's time of the quote."""
        return Timestamp.parse(self.tsp)


class FxQuoteResponse(Answer, frozen=True, kw_only=True):
    """Quotes by pair without a slash. `unavailable`, with `partial`: the pairs that have none."""

    quotes: dict[str, FxQuoteRecord]
    unavailable: tuple[str, ...] = ()


class MetalsSpotResponse(Answer, frozen=True, kw_only=True):
    """The price of one unit of a metal, and its sources.

    `dtm` is the market's time of the oldest quote in it, `tsp` the same in milliseconds since 1970. `cross_rate`: it is
    crossed through the US dollar. The names are there with `verbose`, and how far the price has moved.
    """

    bid: Decimal
    ask: Decimal
    mid: Decimal
    spread: Decimal
    metal: str
    currency: str
    unit: str
    tsp: int
    dtm: Timestamp
    cross_rate: bool
    source: str
    source_instrument: str
    purity: str = ""
    purity_name: str = ""
    metal_name: str = ""
    currency_name: str = ""
    unit_name: str = ""
    grade: str = ""
    grade_name: str = ""
    grade_min_purity_pct: Decimal | None = None
    today: PriceMoveRecord | None = None
    last_24h: PriceMoveRecord | None = None
    last_7d: PriceMoveRecord | None = None


class MetalsQuoteRecord(Struct, frozen=True, kw_only=True):
    """Bid and ask of one unit of the pure metal; a ratio has no unit. `cross_rate`: it is not quoted itself."""

    bid: Decimal
    ask: Decimal
    mid: Decimal
    spread: Decimal
    tsp: int
    dtm: Timestamp
    metal: str
    target: str
    cross_rate: bool
    unit: str = ""
    purity: str = ""
    metal_name: str = ""
    target_name: str = ""
    unit_name: str = ""


class MetalsQuoteWarnings(Struct, frozen=True, kw_only=True):
    """The instruments without an answer: unknown, beyond the first ten, or without a fresh quote."""

    invalid_instruments: list[str] = []
    ignored_instruments: list[str] = []
    unavailable_instruments: list[str] = []


class MetalsQuoteResponse(Answer, frozen=True, kw_only=True):
    """Quotes by symbol in the order of the request, and their sources."""

    quotes: dict[str, MetalsQuoteRecord]
    source: str
    warnings: MetalsQuoteWarnings


def crypto_fetch_prices(
    pairs: Codes, *, max_age: MaxAge = None, partial: bool = False, verbose: bool = False
) -> Call[FetchPricesResponse]:
    """Return the current prices of up to ten pairs of coins, such as `BTC/USD`."""
    parameters = {"pairs": pairs, "max_age": max_age, "partial": partial, "verbose": verbose}
    return Call("/crypto/fetch-prices", FetchPricesResponse, parameters)


def fx_quote(
    pairs: Codes, *, max_age: MaxAge = None, partial: bool = False, verbose: bool = False
) -> Call[FxQuoteResponse]:
    """Return bid and ask of pairs of currencies, such as `EURUSD`."""
    parameters = {"pairs": pairs, "max_age": max_age, "partial": partial, "verbose": verbose}
    return Call("/fx/quote", FxQuoteResponse, parameters)


def metals_spot(
    metal: str = "XAU",
    currency: str = "USD",
    *,
    unit: str | None = None,
    purity: str | int | None = None,
    max_age: MaxAge = None,
    verbose: bool = False,
) -> Call[MetalsSpotResponse]:
    """Return the price of a metal in a currency, by a unit of mass and at a purity.

    `purity` is a code of `metals_purities`, or a fineness in parts per thousand.
    """
    parameters = {
        "metal": metal,
        "currency": currency,
        "unit": unit,
        "purity": purity,
        "max_age": max_age,
        "verbose": verbose,
    }
    return Call("/metals/spot", MetalsSpotResponse, parameters)


def metals_quote(instruments: Codes, *, max_age: MaxAge = None, verbose: bool = False) -> Call[MetalsQuoteResponse]:
    """Return bid and ask of up to ten instruments, such as `XAUUSD`."""
    parameters = {"instruments": instruments, "max_age": max_age, "verbose": verbose}
    return Call("/metals/quote", MetalsQuoteResponse, parameters)

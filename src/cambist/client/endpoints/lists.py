"""Lists of what exists: currencies, coins, pairs, metals, units and purities."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

from msgspec import Struct

from cambist.client.answers import Answer
from cambist.client.call import Call


class CurrencyLife(Struct, frozen=True):
    """The first and last day of a currency, the last None if it has not ended; `priced`: it has a rate now."""

    first: dt.date
    last: dt.date | None
    priced: bool


class CurrencyDetails(Struct, frozen=True):
    """How amounts of a currency are written and paid: decimals, the smallest amount that coins pay, and its sign."""

    minor_units: int | None
    cash_step: Decimal | None
    symbol: str | None


class CurrenciesResponse(Answer, frozen=True, kw_only=True):
    """Names by code; with `all_` also `lives`, and with `details` the details by code."""

    currencies: dict[str, str]
    details: dict[str, CurrencyDetails] | None = None
    lives: dict[str, CurrencyLife] | None = None


class CryptoCurrenciesResponse(Answer, frozen=True, kw_only=True):
    """Names of coins by code."""

    currencies: dict[str, str]


class CryptoPair(Struct, frozen=True):
    """One unit of `base` is priced in `quote`."""

    base: str
    quote: str


class CryptoPairsResponse(Answer, frozen=True, kw_only=True):
    """Pairs by name, such as `BTC/USD`."""

    pairs: dict[str, CryptoPair]


class FxPair(Struct, frozen=True):
    """One unit of `base` is priced in `quote`; `alt` is the name without a slash."""

    base: str
    quote: str
    alt: str


class FxPairsResponse(Answer, frozen=True, kw_only=True):
    """Pairs by name, such as `EUR/USD`."""

    pairs: dict[str, FxPair]


class FxCurrenciesResponse(Answer, frozen=True, kw_only=True):
    """Names by code."""

    currencies: dict[str, str]


class QuoteSizesResponse(Answer, frozen=True, kw_only=True):
    """The number of units of the base that a price is for, by pair without a slash."""

    sizes: dict[str, int]


class InstrumentRecord(Struct, frozen=True, kw_only=True):
    """An instrument. A ratio has no unit; precious metals have a `purity`, base metals a `grade`."""

    symbol: str
    alt: str
    metal: str
    name: str
    category: str
    target: str
    target_name: str
    type: str
    unit: str = ""
    unit_name: str = ""
    purity: str = ""
    grade: str = ""
    grade_name: str = ""
    grade_min_purity_pct: Decimal | None = None


class InstrumentsResponse(Answer, frozen=True, kw_only=True):
    """Instruments by symbol, and the sources of the current prices."""

    instruments: dict[str, InstrumentRecord]
    source: str


class PurityRecord(Struct, frozen=True):
    """A stamp, its name, and its fineness in parts per thousand."""

    code: str
    name: str
    fineness: Decimal


class PuritiesResponse(Answer, frozen=True, kw_only=True):
    """The purities of each precious metal, the finest first."""

    purities: dict[str, list[PurityRecord]]


class UnitsResponse(Answer, frozen=True, kw_only=True):
    """Names of units of mass by handle."""

    units: dict[str, str]


class MetalsListResponse(Answer, frozen=True, kw_only=True):
    """Names of metals by code."""

    metals: dict[str, str]


def currencies(*, all_: bool = False, details: bool = False, lang: str | None = None) -> Call[CurrenciesResponse]:
    """Return the currencies that have a rate; with `all_` also those of history.

    `details` adds decimals, cash step and sign of each; `lang` is a language of CLDR for names and signs, such as "de".
    """
    return Call("/currencies", CurrenciesResponse, {"all": all_, "details": details, "lang": lang})


def crypto_currencies() -> Call[CryptoCurrenciesResponse]:
    """Return the coins."""
    return Call("/crypto/currencies", CryptoCurrenciesResponse, {})


def crypto_pairs() -> Call[CryptoPairsResponse]:
    """Return the pairs of coins."""
    return Call("/crypto/pairs", CryptoPairsResponse, {})


def fx_pairs() -> Call[FxPairsResponse]:
    """Return the pairs of currencies."""
    return Call("/fx/pairs", FxPairsResponse, {})


def fx_currencies() -> Call[FxCurrenciesResponse]:
    """Return the currencies of pairs."""
    return Call("/fx/currencies", FxCurrenciesResponse, {})


def fx_pairs_quote_sizes() -> Call[QuoteSizesResponse]:
    """Return for how many units of the base the price of each pair is."""
    return Call("/fx/pairs/quote-sizes", QuoteSizesResponse, {})


def metals_instruments() -> Call[InstrumentsResponse]:
    """Return the instruments of metals."""
    return Call("/metals/instruments", InstrumentsResponse, {})


def metals_purities() -> Call[PuritiesResponse]:
    """Return the purities of precious metals."""
    return Call("/metals/purities", PuritiesResponse, {})


def metals_units() -> Call[UnitsResponse]:
    """Return the units of mass."""
    return Call("/metals/units", UnitsResponse, {})


def metals_list() -> Call[MetalsListResponse]:
    """Return the metals."""
    return Call("/metals/list", MetalsListResponse, {})

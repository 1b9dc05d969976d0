"""`GET /metals/quote`: bid and ask of up to ten instruments."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated

from msgspec import UNSET, Struct, UnsetType

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.rendering import decimal
from cambist.api.answer.request_context import RequestContext, written
from cambist.api.questions.freshness_parameters import FreshnessParameters
from cambist.api.questions.parameter_types import flag
from cambist.api.questions.symbol_parameters import instruments
from cambist.errors import RateUnavailable, UnknownInstrument, shorten
from cambist.pricing.metals.fineness import PURE
from cambist.pricing.metals.instrument import Instrument, find_instrument
from cambist.pricing.metals.spot import Spot, instrument_spot, own_unit
from cambist.pricing.unix_time import unix_ms
from cambist.reference.assets import name_of

MAX_INSTRUMENTS = 10


class MetalsQuoteParams(FreshnessParameters, frozen=True, kw_only=True):
    """One to ten instruments."""

    instruments: Annotated[
        tuple[str, ...],
        instruments(
            "instruments",
            description="Up to ten symbols of /metals/instruments; further ones are ignored and named.",
            example="XAUUSD,XAUXAG",
        ),
    ]
    verbose: Annotated[bool, flag("verbose", description="Add display names: true, 1, yes or y.")]


class MetalsQuoteRecord(Struct, frozen=True, kw_only=True):
    """Bid and ask as decimal strings, for one unit of the pure metal; a ratio has no unit.

    `tsp` and `dtm` are the market's time of the quote. `cross_rate`: the instrument is not quoted itself, but crossed.
    """

    bid: str
    ask: str
    mid: str
    spread: str
    tsp: int
    dtm: str
    metal: str
    target: str
    unit: str | UnsetType = UNSET
    purity: str | UnsetType = UNSET
    cross_rate: bool
    metal_name: str | UnsetType = UNSET
    target_name: str | UnsetType = UNSET
    unit_name: str | UnsetType = UNSET


class MetalsQuoteWarnings(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The instruments without an answer: unknown, beyond the first ten, or without a fresh quote."""

    invalid_instruments: list[str] = []
    ignored_instruments: list[str] = []
    unavailable_instruments: list[str] = []


class MetalsQuoteResponse(Struct, frozen=True):
    """Quotes by symbol in the order of the request, and their sources."""

    quotes: dict[str, MetalsQuoteRecord]
    source: str
    warnings: MetalsQuoteWarnings


@dataclass(slots=True)
class _QuoteResults:
    spots: dict[str, Spot] = field(default_factory=dict)
    unavailable: dict[str, RateUnavailable] = field(default_factory=dict)


def answer(context: RequestContext, params: MetalsQuoteParams) -> MetalsQuoteResponse:
    """Return the latest bid and ask of each instrument in its own unit, purity and currency.

    The request is refused only if no instrument is valid, or if none of the valid ones has a fresh quote.
    """
    requested, ignored = params.instruments[:MAX_INSTRUMENTS], params.instruments[MAX_INSTRUMENTS:]
    valid = {symbol: one for symbol in requested if (one := find_instrument(context.book, symbol))}
    if not valid:
        raise UnknownInstrument(", ".join(requested), "", "the instruments are found at /metals/instruments")
    found = _quote_each(context, valid.values(), params)
    if not found.spots:
        raise next(iter(found.unavailable.values()))
    return MetalsQuoteResponse(
        quotes={symbol: _record(context, valid[symbol], one, params) for symbol, one in found.spots.items()},
        source="; ".join(dict.fromkeys(source for one in found.spots.values() for source in one.sources)),
        warnings=MetalsQuoteWarnings(
            invalid_instruments=[shorten(symbol) for symbol in requested if symbol not in valid],
            ignored_instruments=[shorten(symbol) for symbol in ignored],
            unavailable_instruments=list(found.unavailable),
        ),
    )


def _quote_each(context: RequestContext, valid: Iterable[Instrument], params: MetalsQuoteParams) -> _QuoteResults:
    found = _QuoteResults()
    for instrument in valid:
        try:
            one = instrument_spot(context.book, instrument, lambda quote: context.is_metal_fresh(quote, params.max_age))
            context.check_age(one.as_of, params.max_age)
            found.spots[instrument.symbol] = one
        except RateUnavailable as missing:
            found.unavailable[instrument.symbol] = missing
    return found


def _record(context: RequestContext, instrument: Instrument, one: Spot, params: MetalsQuoteParams) -> MetalsQuoteRecord:
    sides, unit = one.sides, own_unit(instrument.metal)
    has_unit = not instrument.is_ratio
    return MetalsQuoteRecord(
        bid=decimal(sides.bid),
        ask=decimal(sides.ask),
        mid=decimal(sides.mid),
        spread=decimal(sides.spread),
        tsp=unix_ms(one.as_of),
        dtm=str(written(one.as_of, context.form)),
        metal=instrument.metal.code,
        target=instrument.target,
        unit=unit.handle if has_unit else UNSET,
        purity=PURE.code if instrument.is_precious else UNSET,
        cross_rate=one.is_crossed,
        metal_name=instrument.metal.name if params.verbose else UNSET,
        target_name=(name_of(instrument.target) or UNSET) if params.verbose else UNSET,
        unit_name=unit.name if params.verbose and has_unit else UNSET,
    )


endpoint: Endpoint[MetalsQuoteParams, MetalsQuoteResponse] = Endpoint(
    path="/metals/quote",
    tag="metals",
    summary="Bid and ask of metals instruments",
    params=MetalsQuoteParams,
    body=MetalsQuoteResponse,
    answer=answer,
)

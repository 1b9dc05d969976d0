"""`GET /metals/instruments`: the metals instruments."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.request_context import RequestContext
from cambist.api.questions.freshness_parameters import BookParameters
from cambist.pricing.metals.fineness import PURE
from cambist.pricing.metals.instrument import Instrument, instruments
from cambist.pricing.metals.spot import own_unit, source_text
from cambist.pricing.rate_book import RateBook
from cambist.reference.assets import METALS, name_of
from cambist.reference.weights import GRADES


class InstrumentRecord(Struct, frozen=True, kw_only=True):
    """An instrument. A ratio has no unit; precious metals have a `purity`, base metals a `grade`."""

    symbol: str
    alt: str
    metal: str
    name: str
    category: str
    target: str
    target_name: str
    unit: str | UnsetType = UNSET
    unit_name: str | UnsetType = UNSET
    type: str
    purity: str | UnsetType = UNSET
    grade: str | UnsetType = UNSET
    grade_name: str | UnsetType = UNSET
    grade_min_purity_pct: float | UnsetType = UNSET


class InstrumentsResponse(Struct, frozen=True):
    """Instruments by symbol, and the sources of the current prices."""

    instruments: dict[str, InstrumentRecord]
    source: str


def answer(context: RequestContext, _params: BookParameters) -> InstrumentsResponse:
    """Return every metal in dollars and in each currency in which it is quoted directly, and the common ratios."""
    return InstrumentsResponse(
        instruments={symbol: _record(one) for symbol, one in instruments(context.book).items()},
        source=_sources(context.book),
    )


def _record(one: Instrument) -> InstrumentRecord:
    unit, grade = own_unit(one.metal), None if one.is_precious else GRADES[one.metal.code]
    return InstrumentRecord(
        symbol=one.symbol,
        alt=str(one.pair),
        metal=one.metal.code,
        name=one.metal.name,
        category=f"{one.metal.kind}_metal",
        target=one.target,
        target_name=name_of(one.target) or one.target,
        unit=UNSET if one.is_ratio else unit.handle,
        unit_name=UNSET if one.is_ratio else unit.name,
        type="ratio" if one.is_ratio else "spot",
        purity=PURE.code if one.is_precious else UNSET,
        grade=UNSET if grade is None else grade.handle,
        grade_name=UNSET if grade is None else grade.name,
        grade_min_purity_pct=UNSET if grade is None else float(grade.min_purity_pct),
    )


def _sources(book: RateBook) -> str:
    quotes = ((metal, book.quotes.get(code)) for code, metal in METALS.items())
    return "; ".join(dict.fromkeys(source_text(metal, quote) for metal, quote in quotes if quote)) or "none yet"


endpoint: Endpoint[BookParameters, InstrumentsResponse] = Endpoint(
    path="/metals/instruments",
    tag="metals",
    summary="All metals instruments",
    params=BookParameters,
    body=InstrumentsResponse,
    answer=answer,
    is_list=True,
)

"""Banco Central do Brasil: the PTAX closing rates of the real, since 1999-01-04; the dollar's since 1984-11-28.

Address: the Bank's OData service, JSON, one request per currency and year; the answer does not name the currency.
Before 1999 series 1 of its time series (SGS) has the same selling rate of the dollar, JSON, a year at a time.
Direction: reais per unit of ten foreign currencies. The rate is `cotacaoVenda`, the selling rate, because contracts are
settled at it. Before 1994-07-01 it is in the money of the day, from the cruzeiro (BRB) to the cruzeiro real (BRR).
Published: after the last of four polls of dealers between 10:00 and 13:10 Brasilia time (`dataHoraCotacao`).
Oddities: only the bulletin `Fechamento` is requested; any other bulletin is an error. `value` is empty if the range has
no working day. OData answers have no day but the moment of publication, which in old years was on another day: two
bulletins of November 1984 are stamped 3 December. The series has the day itself, in another form (28/11/1984).
Known from: recorded answers of 2026; the series from documentation alone, where its unit is the current money per
dollar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, time, timedelta
from zoneinfo import ZoneInfo

import msgspec

from cambist.errors import NothingPublished, shorten
from cambist.history.fixing import Fixing
from cambist.pricing.anchor import anchor_on
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_PTAX = (
    "https://olinda.bcb.gov.br/olinda/servico/PTAX/versao/v1/odata/"
    "CotacaoMoedaPeriodo(moeda=@moeda,dataInicial=@dataInicial,dataFinalCotacao=@dataFinalCotacao)"
    "?$filter=tipoBoletim%20eq%20%27Fechamento%27&$format=json"
)
_SGS = "https://api.bcb.gov.br/dados/serie/bcdata.sgs.1/dados?formato=json"
_SERIES = "SGS 1"
"""The subject of the series."""
_FIRST_DAY, _PTAX_SINCE = date(1984, 11, 28), date(1999, 1, 4)
_CODES = ("AUD", "CAD", "CHF", "DKK", "EUR", "GBP", "JPY", "NOK", "SEK", "USD")
_KIND = "#_CotacaoMoedaPeriodo"
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{1,9}", re.ASCII)
_ZONE = ZoneInfo("America/Sao_Paulo")
_MEDIA = ("application/json",)
_NO_VALUES = frozenset({404})
_NOTHING = "BCB: there is no bulletin in those days"

_reader = PayloadReader("BCB")


class _Bulletin(msgspec.Struct):
    moment: str = msgspec.field(name="dataHoraCotacao")
    kind: str = msgspec.field(name="tipoBoletim")
    selling: msgspec.Raw = msgspec.field(name="cotacaoVenda")


class _Answer(msgspec.Struct):
    context: str = msgspec.field(name="@odata.context")
    value: list[_Bulletin]


class _Value(msgspec.Struct):
    """A value of the series."""

    day: str = msgspec.field(name="data")
    value: str = msgspec.field(name="valor")


class BcbAdapter(FixingAdapter):
    """Parses the bulletins of a currency, and the series of the dollar."""

    source = Source(
        key="bcb",
        name="Banco Central do Brasil (PTAX)",
        home="https://www.bcb.gov.br/estabilidadefinanceira/historicocotacoes",
        terms="https://dadosabertos.bcb.gov.br/",
        licence="open data of the Bank, with attribution",
        redistribution=Redistribution.ALLOWED,
        pace=Pace.DAILY,
        covers="10 currencies in reais, the selling rate of the PTAX",
        anchor="BRL",
        fixed_at=time(13, 10),
        zone=_ZONE,
        first_day=_FIRST_DAY,
        later=tuple((code, _PTAX_SINCE) for code in _CODES if code != "USD"),
        alias="BRX",
        schedule=Schedule(start=time(13, 10), end=time(16), every=timedelta(minutes=15), holidays="BR"),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request the dollar's series a year at a time, and since 1999 each currency a year at a time."""
        for start, end in _years(max(first, _FIRST_DAY), min(last, _PTAX_SINCE - timedelta(days=1))):
            url = f"{_SGS}&dataInicial={start:%d/%m/%Y}&dataFinal={end:%d/%m/%Y}"
            yield _request(url, start, end, _SERIES, _NO_VALUES)
        for start, end in _years(max(first, _PTAX_SINCE), last):
            days = f"@dataFinalCotacao=%27{end:%m-%d-%Y}%27&@dataInicial=%27{start:%m-%d-%Y}%27"
            for code in _CODES:
                yield _request(f"{_PTAX}&{days}&@moeda=%27{code}%27", start, end, code)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse one answer, in its order; `subject` is the currency or the series."""
        seen: set[tuple[Pair, date]] = set()
        for fixing in _parse_series(content) if subject == _SERIES else _parse_bulletins(content, subject):
            _reader.unique(seen, (fixing.pair, fixing.day))
            yield fixing
        if not seen:
            raise NothingPublished(_NOTHING)


def _years(first: date, last: date) -> Iterator[tuple[date, date]]:
    """Yield the first and the last day of each calendar year."""
    while first <= last:
        end = min(last, date(first.year, 12, 31))
        yield first, end
        first = end + timedelta(days=1)


def _request(url: str, first: date, last: date, subject: str, absent: frozenset[int] = frozenset()) -> SourceRequest:
    return SourceRequest(
        url=url, first=first, last=last, subject=subject, content_types=_MEDIA, no_data_statuses=absent
    )


def _parse_series(content: bytes) -> Iterator[Fixing]:
    for each in _reader.json(content, list[_Value]):
        day = _reader.day(each.day, "%d/%m/%Y", since=_FIRST_DAY)
        pair = Pair("USD", anchor_on("BRL", day))
        with _reader.cell:
            yield Fixing("bcb", pair, day, _reader.number(each.value, f"{pair} on {day}"))


def _parse_bulletins(content: bytes, code: str) -> Iterator[Fixing]:
    answer = _reader.json(content, _Answer)
    if not answer.context.endswith(_KIND):
        raise _reader.broken(f"the document is of another kind: [{shorten(answer.context)}]")
    pair = Pair(_reader.code(code), "BRL")
    for bulletin in answer.value:
        if bulletin.kind != "Fechamento":
            raise _reader.broken(f"the bulletin is no closing one: [{shorten(bulletin.kind)}]")
        if not _MOMENT.fullmatch(bulletin.moment):
            raise _reader.broken(f"[{shorten(bulletin.moment)}] is no moment of a bulletin")
        day = _reader.day(bulletin.moment[:10], since=_PTAX_SINCE)
        published_at = _reader.timestamp(bulletin.moment, _ZONE)
        if published_at is None:
            raise _reader.broken(f"[{shorten(bulletin.moment)}] is no moment of a bulletin")
        with _reader.cell:
            value = _reader.json_number(bulletin.selling, f"{pair} on {day}")
            yield Fixing("bcb", pair, day, value, published_at=published_at)


adapter: FixingAdapter = BcbAdapter()

"""Banco Central do Brasil: the PTAX closing rates of the real.

Address: the bank's OData service, JSON. One request per currency and year; the answer does not name the currency.
Direction: reais per unit of ten foreign currencies. The rate is `cotacaoVenda`, the selling rate, because contracts
are settled at it.
Published: after the last of four polls of dealers between 10:00 and 13:10 Brasília time.
Oddities: only the bulletin `Fechamento` is requested; any other bulletin is an error. `value` is empty if the range
has no working day. The real exists since 1994-07-01 and floats since 1999; older bulletins are not requested.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, time, timedelta
from zoneinfo import ZoneInfo

import msgspec

from cambist.errors import NothingPublished, shorten
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_PERIOD = (
    "https://olinda.bcb.gov.br/olinda/servico/PTAX/versao/v1/odata/"
    "CotacaoMoedaPeriodo(moeda=@moeda,dataInicial=@dataInicial,dataFinalCotacao=@dataFinalCotacao)"
    "?$filter=tipoBoletim%20eq%20%27Fechamento%27&$format=json"
)
_CODES = ("AUD", "CAD", "CHF", "DKK", "EUR", "GBP", "JPY", "NOK", "SEK", "USD")
_FIRST_DAY = date(1999, 1, 4)
_CLOSING = "Fechamento"
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{1,9}", re.ASCII)

_reader = PayloadReader("BCB")


class _Bulletin(msgspec.Struct, rename="camel"):
    cotacao_venda: msgspec.Raw
    data_hora_cotacao: str
    tipo_boletim: str


class _Answer(msgspec.Struct):
    value: list[_Bulletin]
    context: str = msgspec.field(name="@odata.context")


class BcbAdapter(FixingAdapter):
    """Parses the closing bulletins of one currency."""

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
        alias="BRX",
        fixed_at=time(13, 10),
        zone=ZoneInfo("America/Sao_Paulo"),
        first_day=_FIRST_DAY,
        schedule=Schedule(start=time(13, 10), end=time(16), every=timedelta(minutes=15), holidays="BR"),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request each currency, a calendar year at a time."""
        for start, end in _years(max(first, _FIRST_DAY), last):
            days = f"&@dataFinalCotacao=%27{end:%m-%d-%Y}%27&@dataInicial=%27{start:%m-%d-%Y}%27"
            for code in _CODES:
                url = f"{_PERIOD}{days}&@moeda=%27{code}%27"
                yield SourceRequest(url=url, first=start, last=end, subject=code, content_types=("application/json",))

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse the bulletins of the currency `subject`, in their order."""
        pair = Pair(_reader.code(subject), "BRL")
        answer = _reader.json(content, _Answer)
        if not answer.context.endswith("#_CotacaoMoedaPeriodo"):
            raise _reader.broken(f"the document is of another kind: [{shorten(answer.context)}]")
        if not answer.value:
            raise NothingPublished("BCB: there is no bulletin in those days")
        seen: set[date] = set()
        for bulletin in answer.value:
            day = _reader.unique(seen, _day(bulletin))
            with _reader.cell:
                value = _reader.json_number(bulletin.cotacao_venda, f"{pair} on {day}")
                yield Fixing(
                    "bcb",
                    pair,
                    day,
                    value,
                    published_at=_reader.timestamp(bulletin.data_hora_cotacao, self.source.zone),
                )


def _day(bulletin: _Bulletin) -> date:
    moment = bulletin.data_hora_cotacao
    if bulletin.tipo_boletim != _CLOSING:
        raise _reader.broken(
            f"the bulletin of [{shorten(moment)}] is no closing one: [{shorten(bulletin.tipo_boletim)}]"
        )
    if not _MOMENT.fullmatch(moment):
        raise _reader.broken(f"[{shorten(moment)}] is no moment of a bulletin")
    return _reader.day(moment[:10], since=_FIRST_DAY)


def _years(first: date, last: date) -> Iterator[tuple[date, date]]:
    """Split the days into calendar years."""
    while first <= last:
        end = min(last, date(first.year, 12, 31))
        yield first, end
        first = end + timedelta(days=1)


adapter: FixingAdapter = BcbAdapter()

"""Banco Central de Costa Rica: reference rate of the colón, since 1992-03-02.

Address: the JSON behind the Bank's page of indicators, with a token of its own for each request.
Direction: colones per dollar; the exact mean of the reference rates for buying and selling.
Published: in the evening, San José time, for the next day; weekends and holidays repeat the rate before.
Oddities: days are columns without a gap, named by a date in words. Whatever day a request begins with, the answer has
the hundred days up to its last one. Numbers are there in the Spanish and in the English form; the English one is read.
Known from: a recorded answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, time, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import msgspec

from cambist.errors import shorten
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.pricing.source_kind import Pace
from cambist.sources.base import FixingAdapter, Redistribution, Schedule, Source, SourceRequest
from cambist.sources.parsing import PayloadReader

_API = "https://apim.bccr.fi.cr/SDDE/api/Bccr.GE.SDDE.IndicadoresSitioExterno."
_TOKEN = SourceRequest(url=f"{_API}ServiciosUsuario.API/Token/GenereCSRF", content_types=("text/plain",))
_DATA = f"{_API}GrupoVariables.API/CuadroGrupoVariables/ObtenerDatosCuadro"
_FIRST_DAY = date(1992, 3, 2)
_GROUP = 1
"""The Bank's number of the table with the reference rates."""
_BUYING, _SELLING = 317, 318
"""The Bank's numbers of the two series."""
_MOST_DAYS = 100
_DAY = r"(?P<d>[0-9]{2}) (?P<m>[a-z]{3}) (?P<y>[0-9]{4})"
_PAIR = Pair("USD", "CRC")

_reader = PayloadReader("Banco Central de Costa Rica")


class _Column(msgspec.Struct, frozen=True):
    """A column: the name of its series, and its day."""

    field: str
    tituloIngles: str  # noqa: N815  the source's name


class _Line(msgspec.Struct, frozen=True):
    """A line: a number by series."""

    idIndicador: int  # noqa: N815  the source's name
    series: dict[str, str]


class _Table(msgspec.Struct, frozen=True):
    columnas: list[_Column]
    indicadoresRaiz: list[_Line]  # noqa: N815  the source's name


class BccrAdapter(FixingAdapter):
    """Parses the table of the reference rates."""

    source = Source(
        key="bccr",
        name="Banco Central de Costa Rica",
        home="https://sdd.bccr.fi.cr/es/IndicadoresEconomicos/Inicio/Contenedor/6",
        terms="https://sdd.bccr.fi.cr/es/IndicadoresEconomicos/Inicio/TerminosDeUso",
        licence="use within one's own organisation; the Bank's terms forbid to distribute or sell its information",
        redistribution=Redistribution.FORBIDDEN,
        disabled_reason="The terms of use of the Banco Central de Costa Rica forbid to pass its rates on.",
        pace=Pace.DAILY,
        covers="the dollar in colones",
        anchor="CRC",
        fixed_at=time(0, 1),
        zone=ZoneInfo("America/Costa_Rica"),
        first_day=_FIRST_DAY,
        schedule=Schedule(start=time(16), end=time(22), every=timedelta(minutes=30), days=frozenset(range(7))),
    )

    def requests(self, first: date, last: date) -> Iterator[SourceRequest]:
        """Request the days in parts of as many as one answer has."""
        start = max(first, _FIRST_DAY)
        while start <= last:
            end = min(last, start + timedelta(days=_MOST_DAYS - 1))
            yield SourceRequest(
                url=f"{_DATA}?IdGrupoVariable={_GROUP}&FechaInicio={start}T00:00:00&FechaFin={end}"
                f"&CantidadSeriesAMostrar={_MOST_DAYS}",
                first=start,
                last=end,
                headers=(("token_csrf", "{token}"), ("Origin", "https://sdd.bccr.fi.cr")),
                content_types=("application/json",),
                before=_TOKEN,
                token_pattern=r"^([A-Za-z0-9_.-]+)\s*$",  # noqa: S106  a pattern
            )
            start = end + timedelta(days=1)

    def parse(self, content: bytes, subject: str = "") -> Iterator[Fixing]:
        """Parse a table, oldest day first. Days before the first one are left out."""
        _ = subject
        table = _reader.json(content, _Table)
        buying, selling = _line(table, _BUYING), _line(table, _SELLING)
        if [column.field for column in table.columnas[:1]] != ["nombre"]:
            raise _reader.broken("the table does not begin with the column of names")
        before: date | None = None
        for column in table.columnas[1:]:
            day = _reader.day_with_month_name(column.tituloIngles, _DAY)
            if before and day - before != timedelta(days=1):
                raise _reader.broken(f"the column of {day} does not follow that of {before}")
            before = day
            with _reader.cell:
                what = f"{_PAIR} on {day}"
                value = (_number(buying, column.field, what) + _number(selling, column.field, what)) / 2
                if day >= _FIRST_DAY:
                    yield Fixing("bccr", _PAIR, day, value)
        if before is None:
            raise _reader.broken("the table has no day")


def _line(table: _Table, number: int) -> Mapping[str, str]:
    """Return the series of an indicator. Errors: SourceBroken if it is not there once."""
    found = [line.series for line in table.indicadoresRaiz if line.idIndicador == number]
    if len(found) != 1:
        raise _reader.broken(f"the table has {len(found)} series [{number}] instead of one")
    return found[0]


def _number(series: Mapping[str, str], field: str, what: str) -> Decimal:
    name = f"{field}Ingles"
    if name not in series:
        raise _reader.broken(f"the series does not have [{shorten(name)}]")
    return _reader.number(series[name], what, thousands=",")


adapter: FixingAdapter = BccrAdapter()

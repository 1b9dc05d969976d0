"""What a request for data asks for: the series of a key, a period, how many observations, and how much about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from cambist.api.faces.dialects.ecb_sdmx.periods import FREQUENCIES, period_days
from cambist.api.faces.dialects.euro_series import EURO
from cambist.errors import BadParameter, NoRate, shorten

DIMENSIONS = ("FREQ", "CURRENCY", "CURRENCY_DENOM", "EXR_TYPE", "EXR_SUFFIX")
"""The dimensions of a key, in its order."""

RATE_TYPE = "SP00"
"""The exchange rate type of all series: spot."""

VARIATION = "A"
"""The series variation of all series: average over the period."""

NO_RESULTS = "No results found."

PARAMETERS = (
    *("startPeriod", "endPeriod", "firstNObservations", "lastNObservations", "detail", "format"),
    *("dimensionAtObservation", "includeHistory", "updatedAfter", "asOf"),
)
"""The parameters of a request for data; the last two are refused."""

_DETAILS = ("full", "dataonly", "serieskeysonly", "nodata")
_UNSUPPORTED = ("updatedAfter", "asOf")
_COMPONENT_FILTER = "c["
_FALSE = ("", "false")


@dataclass(frozen=True, slots=True)
class DataQuery:
    """A request for data. `currencies` is None if the key names none; days are inclusive, None: no limit."""

    frequencies: tuple[str, ...]
    currencies: tuple[str, ...] | None
    start: date | None = None
    end: date | None = None
    first_count: int | None = None
    last_count: int | None = None
    detail: str = "full"

    @property
    def wants_values(self) -> bool:
        """Whether the answer has observations, not the series alone."""
        return self.detail in {"full", "dataonly"}


def parse_query(key: str, parameters: Mapping[str, str]) -> DataQuery:
    """Return what a key and the parameters ask for.

    Errors: BadParameter, also for what is not supported; NoRate if the key can match no series.
    """
    _refuse_unsupported(parameters)
    frequencies, currencies = _parse_key(key)
    detail = parameters.get("detail", "full")
    if detail not in _DETAILS:
        raise BadParameter(f"Invalid detail: [{shorten(detail)}], use {', '.join(_DETAILS)}")
    start, end = parameters.get("startPeriod"), parameters.get("endPeriod")
    return DataQuery(
        frequencies,
        currencies,
        start=period_days("startPeriod", start)[0] if start else None,
        end=period_days("endPeriod", end)[1] if end else None,
        first_count=_count("firstNObservations", parameters),
        last_count=_count("lastNObservations", parameters),
        detail=detail,
    )


def _refuse_unsupported(parameters: Mapping[str, str]) -> None:
    for name in parameters:
        if name in _UNSUPPORTED or name.startswith(_COMPONENT_FILTER):
            raise BadParameter(
                f"The parameter [{shorten(name)}] is not supported; rates are answered as they are known now"
            )
    if parameters.get("includeHistory", "").lower() not in _FALSE:
        raise BadParameter("The parameter [includeHistory] is not supported; use [false]")
    layout = parameters.get("dimensionAtObservation", "TIME_PERIOD")
    if layout != "TIME_PERIOD":
        raise BadParameter(
            f"The value [{shorten(layout)}] of [dimensionAtObservation] is not supported; use TIME_PERIOD"
        )


def _parse_key(key: str) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
    """Return the frequencies and the currencies of a key such as `D.USD+GBP.EUR.SP00.A`."""
    parts = [""] * len(DIMENSIONS) if key.lower() in {"", "all"} else key.split(".")
    if len(parts) != len(DIMENSIONS):
        sentence = f"Invalid key: [{shorten(key)}] has {len(parts)} dimensions instead of {len(DIMENSIONS)}"
        raise BadParameter(f"{sentence}: {'.'.join(DIMENSIONS)}")
    frequencies, currencies, *rest = ([value for value in part.split("+") if value] for part in parts)
    for values, only in zip(rest, (EURO, RATE_TYPE, VARIATION), strict=True):
        if values and only not in values:
            raise NoRate(NO_RESULTS)
    found = tuple(code for code in FREQUENCIES if not frequencies or code in frequencies)
    if not found:
        raise NoRate(NO_RESULTS)
    return found, tuple(dict.fromkeys(currencies)) or None


def _count(name: str, parameters: Mapping[str, str]) -> int | None:
    text = parameters.get(name)
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text)):
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], use a whole number from 1")
    return int(text)

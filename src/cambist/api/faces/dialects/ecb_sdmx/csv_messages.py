"""Writing data as CSV with the columns of the ECB's `csvdata`; those that say nothing about these rates are empty."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping

from cambist.api.faces.dialects.ecb_sdmx.attributes import (
    key_of,
    observation_attributes,
    series_attributes,
    series_name,
)
from cambist.api.faces.dialects.ecb_sdmx.query import DIMENSIONS
from cambist.api.faces.dialects.ecb_sdmx.series import RateSeries

_OBSERVATION = ("TIME_PERIOD", "OBS_VALUE")
_OBSERVATION_ATTRIBUTES = ("OBS_STATUS", "OBS_CONF", "OBS_PRE_BREAK", "OBS_COM")
_SERIES_ATTRIBUTES = (
    *("TIME_FORMAT", "BREAKS", "COLLECTION", "COMPILING_ORG", "DISS_ORG", "DOM_SER_IDS", "PUBL_ECB", "PUBL_MU"),
    *("PUBL_PUBLIC", "UNIT_INDEX_BASE", "COMPILATION", "COVERAGE", "DECIMALS", "NAT_TITLE", "SOURCE_AGENCY"),
    *("SOURCE_PUB", "TITLE", "TITLE_COMPL", "UNIT", "UNIT_MULT"),
)
_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "full": (*_OBSERVATION, *_OBSERVATION_ATTRIBUTES, *_SERIES_ATTRIBUTES),
    "dataonly": _OBSERVATION,
    "serieskeysonly": (),
    "nodata": _SERIES_ATTRIBUTES,
}


def write_csv(found: Iterable[RateSeries], detail: str) -> bytes:
    """Write series as CSV, a row for each observation, or for each series if none are wanted."""
    columns = _COLUMNS[detail]
    lines = [line for one in found for line in _lines(one, columns)]
    if not lines:
        return b""
    return "\n".join((_line(("KEY", *DIMENSIONS, *columns)), *lines, "")).encode()


def _lines(one: RateSeries, columns: tuple[str, ...]) -> Iterator[str]:
    """Yield the rows of a series. What all of them have in common is written once."""
    attributes = {**series_attributes(one), **observation_attributes()}
    start = _line((series_name(one), *key_of(one)))
    rest = [attributes.get(column, "") for column in columns if column not in _OBSERVATION]
    end = f",{_line(rest)}" if rest else ""
    if _OBSERVATION[0] not in columns:
        yield f"{start}{end}"
        return
    for period, value in zip(one.periods, one.values, strict=True):
        yield f"{start},{period},{value}{end}"


def _line(cells: Iterable[str]) -> str:
    """Return cells as a line of CSV, without its end."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(cells)
    return text.getvalue()

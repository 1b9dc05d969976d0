"""Writing data as CSV with the columns of the ECB's `csvdata`; those that say nothing about these rates are empty."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping

from cambist.api.dialects.ecb_sdmx.attributes import key_of, observation_attributes, series_attributes, series_name
from cambist.api.dialects.ecb_sdmx.query import DIMENSIONS
from cambist.api.dialects.ecb_sdmx.series import RateSeries

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
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for one in found:
        start = [series_name(one), *key_of(one)]
        with_data = _OBSERVATION[0] in columns
        rows = _observations(one, columns[2:]) if with_data else [_row(one, columns)]
        if not text.tell() and (one.periods or not with_data):
            writer.writerow(("KEY", *DIMENSIONS, *columns))
        writer.writerows([*start, *row] for row in rows)
    return text.getvalue().encode()


def _observations(one: RateSeries, columns: tuple[str, ...]) -> Iterator[list[str]]:
    rest = _row(one, columns)
    for period, value in zip(one.periods, one.values, strict=True):
        yield [period, value, *rest]


def _row(one: RateSeries, columns: tuple[str, ...]) -> list[str]:
    attributes = {**series_attributes(one), **observation_attributes()}
    return [attributes.get(column, "") for column in columns]

"""The dialect `ecb`: the European Central Bank's files of euro reference rates, below `/stats/eurofxref`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from html import escape

from cambist.api.faces.dialects.dialect import Dialect, DialectAnswer, DialectRequest, DialectRoute
from cambist.api.faces.dialects.ecb_files.files import daily_csv, daily_xml, history_csv, history_xml, zipped
from cambist.api.faces.dialects.euro_series import EuroSeries, listed_currencies, newest_reference_day, read_euro_series
from cambist.api.faces.dialects.matrix_cache import MatrixCache
from cambist.errors import CambistError
from cambist.history.rate_matrix import RateMatrix
from cambist.reference.ecb_listings import FIRST_REFERENCE_DAY

FOLDER = "/stats/eurofxref"
"""The path of the files, the same as on the ECB's own server."""

_XML = "text/xml"
_CSV = "text/csv"
_ZIP = "application/zip"
_NINETY_DAYS = timedelta(days=90)

_daily, _longer = MatrixCache(), MatrixCache()
"""What is computed of one day, and of more: nobody who asks for one day waits for what takes long."""


@dataclass(frozen=True, slots=True)
class EcbFile:
    """One of the ECB's files: its first day, given the newest one, and how its rates are written."""

    name: str
    media_type: str
    first_day: Callable[[date], date]
    write: Callable[[EuroSeries], bytes]

    def answer(self, request: DialectRequest) -> DialectAnswer:
        """Return the file, which changes only with the rate matrix.

        The file of one day costs one call; one of several days one for each currency, as `/time-series` does.
        """
        matrix = request.context.matrix
        newest = newest_reference_day(matrix)
        first = self.first_day(newest)
        codes = listed_currencies(first, newest)
        cache = _daily if first == newest else _longer
        content = cache.content(matrix, self.name, partial(self._content, matrix, codes, first, newest))
        cost = 1 if first == newest else len(codes)
        return DialectAnswer(content, self.media_type, cost, earliest_day=first, is_cacheable=True)

    def _content(self, matrix: RateMatrix, codes: list[str], first: date, newest: date) -> bytes:
        return self.write(read_euro_series(matrix, codes, first, newest))


def _newest(newest: date) -> date:
    return newest


def _recent(newest: date) -> date:
    return newest - _NINETY_DAYS


def _all(_newest: date) -> date:
    return FIRST_REFERENCE_DAY


def _zipped(name: str, write: Callable[[EuroSeries], bytes], series: EuroSeries) -> bytes:
    return zipped(name, write(series), series.days[-1])


FILES = (
    EcbFile("eurofxref-daily.xml", _XML, _newest, daily_xml),
    EcbFile("eurofxref-hist-90d.xml", _XML, _recent, history_xml),
    EcbFile("eurofxref-hist.xml", _XML, _all, history_xml),
    EcbFile("eurofxref.csv", _CSV, _newest, daily_csv),
    EcbFile("eurofxref-hist.csv", _CSV, _all, history_csv),
    EcbFile("eurofxref.zip", _ZIP, _newest, partial(_zipped, "eurofxref.csv", daily_csv)),
    EcbFile("eurofxref-hist.zip", _ZIP, _all, partial(_zipped, "eurofxref-hist.csv", history_csv)),
)


def write_error(status: int, _code: str, sentence: str, _error: CambistError | None) -> tuple[int, bytes]:
    """Write an error as a short HTML page, as a server of files does."""
    return status, f"<html><head><title>{status}</title></head><body>{escape(sentence)}</body></html>\n".encode()


dialect = Dialect(
    name="ecb",
    title="ECB files",
    guide="dialect-ecb-files.md",
    routes=tuple(
        DialectRoute(f"{FOLDER}/{file.name}", file.answer, live_with=())
        if file.first_day is _newest
        else DialectRoute(f"{FOLDER}/{file.name}", file.answer, series_with=())
        for file in FILES
    ),
    write_error=write_error,
    error_media_type="text/html",
)

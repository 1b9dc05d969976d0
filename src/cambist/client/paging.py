"""Paging: which page to ask for next, and which rows of a page are new. No I/O."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from cambist.client.call import Call, Day, Interval
from cambist.client.endpoints.bars import (
    Moment,
    OhlcRow,
    OhlcSeriesResponse,
    QuoteRow,
    QuoteSeriesResponse,
    fx_ohlc_time_series,
    fx_quote_time_series,
)
from cambist.client.endpoints.revisions import CorrectionRecord, CorrectionsResponse, corrections

Page = TypeVar("Page")
Row = TypeVar("Row")

MAX_ROWS = 100


@dataclass(frozen=True, slots=True)
class Pages(Generic[Page, Row]):
    """The pages of a call: the first, and from each page its new rows and the call of the next, None after the last."""

    first: Call[Page]
    read: Callable[[Page], tuple[list[Row], Call[Page] | None]]


def fx_quote_bars(
    pair: str, start: Moment = None, end: Moment = None, *, interval: Interval | str = Interval.DAY
) -> Pages[QuoteSeriesResponse, QuoteRow]:
    """Yield the bars of a pair with the last bid and ask, newest first, page by page."""

    def page_before(moment: Moment) -> Call[QuoteSeriesResponse]:
        return fx_quote_time_series(pair, start, moment, interval=interval, limit=MAX_ROWS)

    def read(page: QuoteSeriesResponse) -> tuple[list[QuoteRow], Call[QuoteSeriesResponse] | None]:
        rows = page.results
        return rows, page_before(rows[-1].dtm) if len(rows) == MAX_ROWS else None

    return Pages(page_before(end), read)


def fx_ohlc_bars(
    pair: str, start: Moment = None, end: Moment = None, *, interval: Interval | str = Interval.DAY
) -> Pages[OhlcSeriesResponse, OhlcRow]:
    """Yield the bars of a pair with open, high, low and close, newest first, page by page."""

    def page_before(moment: Moment) -> Call[OhlcSeriesResponse]:
        return fx_ohlc_time_series(pair, start, moment, interval=interval, limit=MAX_ROWS)

    def read(page: OhlcSeriesResponse) -> tuple[list[OhlcRow], Call[OhlcSeriesResponse] | None]:
        rows = page.results
        return rows, page_before(rows[-1].dtm) if len(rows) == MAX_ROWS else None

    return Pages(page_before(end), read)


def all_corrections(
    from_: str, to: str, start: Day = None, end: Day = None
) -> Pages[CorrectionsResponse, CorrectionRecord]:
    """Yield what sources corrected of the fixings behind a pair, newest day first, page by page.

    A day with a hundred corrections of one pair or more has only its first hundred.
    """

    def page_until(day: Day) -> Call[CorrectionsResponse]:
        return corrections(from_, to, start, day, limit=MAX_ROWS)

    def read(page: CorrectionsResponse) -> tuple[list[CorrectionRecord], Call[CorrectionsResponse] | None]:
        rows = page.corrections
        if len(rows) < MAX_ROWS:
            return rows, None
        oldest = rows[-1].date
        # The next page begins with the whole of the oldest day, of which this page may have only a part.
        complete = [row for row in rows if row.date != oldest]
        if complete:
            return complete, page_until(oldest)
        before = oldest - dt.timedelta(days=1)
        return rows, page_until(before) if before >= page.start else None

    return Pages(page_until(end), read)

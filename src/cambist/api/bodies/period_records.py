"""The periods of an answer about averages, as records and as lines of a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from msgspec import UNSET, Raw, Struct, UnsetType

from cambist.api.answer.answer_table import COUNT, DATE, NUMBER, Cell, Column
from cambist.api.answer.rendering import Number
from cambist.history.averages import Average, PublishedMean, working_days
from cambist.pricing.number_format import plain_float


class PeriodRecord(Struct, frozen=True):
    """What a rate was in a period, which is `complete` when it has ended.

    `open` and `close` are the first and the last rate of it, of the days `opened` and `closed`. `days` counts those
    that the mean is of, and `missing` the Mondays to Fridays without a publication. Where no day of a period is known
    its mean may be that of `publishers`, as `made` says; the rest is then unknown.
    """

    start: date
    end: date
    mean: Number
    open: Number | None
    high: Number | None
    low: Number | None
    close: Number | None
    opened: date | None
    closed: date | None
    days: int
    missing: int
    complete: bool
    made: str | UnsetType = UNSET
    publishers: tuple[str, ...] | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class FoundAverage:
    """An average, and its mean as it is written."""

    average: Average | PublishedMean
    mean: str


def period_record(found: FoundAverage, today: date) -> PeriodRecord:
    """Return the record of a period."""
    each = found.average
    if isinstance(each, PublishedMean):
        return PeriodRecord(
            start=each.period.first,
            end=each.period.last,
            mean=Raw(found.mean),
            open=None,
            high=None,
            low=None,
            close=None,
            opened=None,
            closed=None,
            days=0,
            missing=working_days(each.period, today),
            complete=each.period.last < today,
            made=each.made,
            publishers=each.publishers,
        )
    numbers = (plain_float(value) for value in (each.first, each.high, each.low, each.last))
    opening, high, low, close = map(Raw, numbers)
    return PeriodRecord(
        start=each.period.first,
        end=each.period.last,
        mean=Raw(found.mean),
        open=opening,
        high=high,
        low=low,
        close=close,
        opened=each.first_day,
        closed=each.last_day,
        days=each.days,
        missing=each.missing,
        complete=each.period.last < today,
    )


PERIOD_COLUMNS = (
    Column("start", DATE),
    Column("end", DATE),
    Column("base"),
    Column("quote"),
    *(Column(name, NUMBER) for name in ("mean", "open", "high", "low", "close")),
    *(Column(name, DATE) for name in ("opened", "closed")),
    *(Column(name, COUNT) for name in ("days", "missing")),
    Column("made"),
)


def period_rows(base: str, found: dict[str, list[FoundAverage]], today: date) -> Iterator[tuple[Cell, ...]]:
    """Yield the lines of all periods of all targets."""
    for quote, averages in found.items():
        for one in averages:
            each = one.average
            period = (str(each.period.first), str(each.period.last))
            if isinstance(each, PublishedMean):
                missing = working_days(each.period, today)
                yield (
                    *period,
                    base,
                    quote,
                    one.mean,
                    *[None] * 6,
                    0,
                    missing,
                    f"{each.made}: {', '.join(each.publishers)}",
                )
                continue
            numbers = (plain_float(value) for value in (each.first, each.high, each.low, each.last))
            days = (str(each.first_day), str(each.last_day))
            yield *period, base, quote, one.mean, *numbers, *days, each.days, each.missing, None

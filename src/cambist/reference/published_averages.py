"""Averages that publishers computed themselves, of months and years before daily rates are known (`packaged`)."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from cambist.reference.packaged import PackagedFile, manifest, members

_PIVOT = "USD"


class PublishedAverage(NamedTuple):
    """The mean worth in dollars of one unit of a code over a period, published as units per dollar or as dollars.

    `publisher` says whose it is in the words that its licence asks for, empty for the dollar itself.
    """

    worth: Fraction
    publisher: str
    is_per_dollar: bool = False


@cache
def _averages() -> Mapping[tuple[str, date, date], PublishedAverage]:
    """Return all averages by code and the first and last day of their period."""
    found: dict[tuple[str, date, date], PublishedAverage] = {}
    for file in manifest().averages:
        for content in members(file.content):
            found.update(_rows(file, content))
    return found


def _rows(file: PackagedFile, content: bytes) -> Iterator[tuple[tuple[str, date, date], PublishedAverage]]:
    """Yield the lines of a file: a code, a year or a month, and its mean in dollars or, for money, per dollar."""
    for row in csv.DictReader(content.decode().splitlines()):
        value = Fraction(row["value"])
        is_per_dollar = row["per"] == _PIVOT
        worth = 1 / value if is_per_dollar else value
        yield (row["code"], *_period(row["period"])), PublishedAverage(worth, file.attribution, is_per_dollar)


def _period(text: str) -> tuple[date, date]:
    year, _, month = text.partition("-")
    first = date(int(year), int(month or 1), 1)
    following = date(first.year + 1, 1, 1) if not month or first.month == 12 else first.replace(month=first.month + 1)
    return first, following - timedelta(days=1)


def published_average(code: str, first: date, last: date) -> PublishedAverage | None:
    """Return what was published as the mean of a code over exactly these days; None if nothing was."""
    if code == _PIVOT:
        return PublishedAverage(Fraction(1), "")
    return _averages().get((code, first, last))

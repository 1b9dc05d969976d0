"""All that the archive ever received for a pair over some days, whichever way around it was published."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from cambist.errors import BadParameter
from cambist.history.archive import FixingArchive
from cambist.history.fixing import ReceivedFixing
from cambist.history.rate_matrix import FIRST_DAY
from cambist.pricing.pair import Pair
from cambist.registry.components import open_store
from cambist.settings import Settings
from cambist.storage import Store

_LOOK_BACK = timedelta(days=14)
"""Longer than any row of holidays."""


def revisions(settings: Settings, pair: Pair, first: date, last: date) -> list[ReceivedFixing]:
    """Give all that was received for a pair or its inverse, oldest day first.

    Errors: BadParameter where there is no archive.
    """
    store = _opened(settings)
    try:
        days = (first + timedelta(days=each) for each in range((last - first).days + 1))
        return [known for day in days for known in _of(store.archive, pair, day)]
    finally:
        store.close()


def last_fixing_day(settings: Settings, pair: Pair, before: date) -> date | None:
    """Give the newest day of the two weeks before `before` on which the pair was fixed, either way around."""
    store = _opened(settings)
    try:
        days = _back(before)
        return next((day for day in days if _of(store.archive, pair, day)), None)
    finally:
        store.close()


def _back(before: date) -> Iterator[date]:
    day = before
    while day > max(before - _LOOK_BACK, FIRST_DAY):
        day -= timedelta(days=1)
        yield day


def _of(archive: FixingArchive, pair: Pair, day: date) -> list[ReceivedFixing]:
    return [*archive.revisions(pair, day), *archive.revisions(pair.inverse, day)]


def _opened(settings: Settings) -> Store:
    if not settings.database and not (settings.data / "cambist.db").exists():
        raise BadParameter(f"There is no archive in {settings.data}: run [cambist serve] once, or name --data")
    return open_store(settings)

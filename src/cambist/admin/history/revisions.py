"""All revisions of a pair's fixings in the archive, whichever way around they were published."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from cambist.errors import BadParameter
from cambist.history.archive import PublishedArchive
from cambist.history.fixing import ReceivedFixing
from cambist.history.rate_matrix import FIRST_DAY
from cambist.pricing.pair import Pair
from cambist.registry.wiring.components import open_store
from cambist.settings import Settings
from cambist.storage import Store

_SEARCHED = timedelta(days=14)
"""How far back the last fixing is searched: longer than any run of holidays."""


def revisions(settings: Settings, pair: Pair, first: date, last: date) -> list[ReceivedFixing]:
    """Return all fixings ever received for a pair or its inverse, oldest day first.

    Errors: BadParameter if there is no archive.
    """
    store = _open_archive(settings)
    try:
        days = (first + timedelta(days=each) for each in range((last - first).days + 1))
        return [each for day in days for each in _received(store.archive, pair, day)]
    finally:
        store.close()


def last_fixing_day(settings: Settings, pair: Pair, before: date) -> date | None:
    """Return the newest day in the two weeks before `before` that has a fixing of the pair or its inverse."""
    store = _open_archive(settings)
    try:
        days = _days_before(before)
        return next((day for day in days if _received(store.archive, pair, day)), None)
    finally:
        store.close()


def _days_before(before: date) -> Iterator[date]:
    day = before
    while day > max(before - _SEARCHED, FIRST_DAY):
        day -= timedelta(days=1)
        yield day


def _received(archive: PublishedArchive, pair: Pair, day: date) -> list[ReceivedFixing]:
    return [*archive.revisions(pair, day), *archive.revisions(pair.inverse, day)]


def _open_archive(settings: Settings) -> Store:
    if not settings.database and not (settings.data / "cambist.db").exists():
        raise BadParameter(f"There is no archive in {settings.data}: run [cambist serve] once, or name --data")
    return open_store(settings)

"""The days that were corrected since an alert was last looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import msgspec

from cambist.history.correction_feed import CorrectionFeed
from cambist.history.corrections import Correction, FeedEntry, FeedPosition
from cambist.history.edition import RecordedEdition
from cambist.pricing.pair import PIVOT, Pair

_AT_ONCE = 500
_ANCHORS = (PIVOT, "EUR")
"""The currencies in which most sources publish: a correction of such a pair is about the other one."""


def place_at(edition: RecordedEdition) -> str:
    """Return the place in the feed behind an edition, as an alert keeps it."""
    return msgspec.json.encode(FeedPosition.behind(edition.delivery, edition.name)).decode()


class SeenCorrections:
    """The corrected days by code between a place and the newest edition, read once for all alerts at that place."""

    def __init__(self, feed: CorrectionFeed, newest: RecordedEdition) -> None:
        self._feed = feed
        self._newest = newest
        self.place = place_at(newest)
        self._days: dict[str, Mapping[str, set[date]]] = {}

    def days(self, place: str, pair: Pair) -> Sequence[date]:
        """Return the days of a pair that were corrected behind a place. Errors: CambistError."""
        if place == self.place:
            return ()
        if place not in self._days:
            self._days[place] = self._read(msgspec.json.decode(place, type=FeedPosition))
        codes = {pair.base, pair.quote} - {PIVOT}
        return sorted(set().union(*(self._days[place].get(code, set()) for code in codes)))

    def _read(self, position: FeedPosition) -> Mapping[str, set[date]]:
        days: dict[str, set[date]] = {}
        while True:
            found = self._feed.read(position, self._newest.delivery, _AT_ONCE)
            for entry in found:
                position = entry.position
                for code in _codes(entry):
                    days.setdefault(code, set()).add(entry.correction.day)
            if len(found) < _AT_ONCE:
                return days


def _codes(entry: FeedEntry) -> Sequence[str]:
    correction = entry.correction
    if not isinstance(correction, Correction):
        return (correction.code,)
    pair = correction.after.fixing.pair
    for anchor in _ANCHORS:
        if anchor in (pair.base, pair.quote):
            return (pair.quote if pair.base == anchor else pair.base,)
    return (pair.base, pair.quote)

"""Invariants of validation: which words the rules must refuse, and which they must accept, against the truth.

They say something about a word only while everything that it is compared with is right: no wrong word of the last
40 days was in the archive before, and the other words of the delivery are right. Then a word that is more than 10 %
from the truth is refused if another source has said something about the code in the last 14 days. If only its own
source has, it is refused if it is wrong by a factor of 100 and the last word, in dollars, is no older than 5 days. A
right word is accepted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from tools.simulation.newest_values import Place, SettledValue, ValuesOfSource
from tools.simulation.scripted_source import Word
from tools.simulation.stored_rows import RefusedRow, StoredFixing
from tools.simulation.violation import require

from cambist.pricing.pair import PIVOT
from cambist.sources.base import Source

WRONG_ACCEPTED = "no wrong word accepted"
RIGHT_REFUSED = "no right word refused"

WRONG = 0.10
"""How far from the truth a word is wrong."""

SaidValue = tuple[Place, SettledValue]
Known = Mapping[str, ValuesOfSource]
"""Values by source."""

_COMPARED = timedelta(days=40)
_COMPANY = timedelta(days=14)
_OWN = timedelta(days=5)
_AHEAD = timedelta(days=2)


class JudgingInvariants:
    """Remembers which words of the archive are wrong, and checks each delivery."""

    def __init__(self, sources: Mapping[str, Source]) -> None:
        self._sources = sources
        self._wrong: set[SaidValue] = set()

    def check(
        self,
        source: str,
        words: Sequence[Word],
        newest: Known,
        before: ValuesOfSource,
        added: Sequence[StoredFixing],
        refused: Sequence[RefusedRow],
    ) -> None:
        """Check a delivery that was filed.

        `newest` are the newest values of all sources, `before` those of this one before it; `refused` the quarantine.
        """
        by_key = {(word.place, word.value): word for word in words}
        wrong = {key for key, word in by_key.items() if is_wrong(word)}
        own = dict(before)
        known = {**newest, source: own}
        if wrong:
            self._check_accepted(wrong, by_key, added, known, refused)
        own.update((row.place, (row.nominal, row.value)) for row in added)
        # What was wrong before this delivery may have been compared with, even if it is corrected in the same one.
        earlier = {**newest, source: before}
        if not wrong and self._is_honest(date.fromisoformat(min(place[3] for place, _ in by_key)), earlier):
            lost = sorted(row.key for row in refused if row.state == "waiting" and _key(row) in by_key)
            require(not lost, RIGHT_REFUSED, f"{source} was right, but is refused: {lost[:1]}")
        self._wrong |= {key for key in wrong if before.get(key[0]) != key[1] and key[1] == own.get(key[0])}

    def _check_accepted(
        self,
        wrong: set[SaidValue],
        by_key: Mapping[SaidValue, Word],
        added: Sequence[StoredFixing],
        known: dict[str, ValuesOfSource],
        refused: Sequence[RefusedRow],
    ) -> None:
        """Check that no wrong word was accepted that the rules must refuse; each row is known to those after it."""
        settled = {_key(row) for row in refused if row.state in {"accepted", "rejected"}}
        for row in sorted(added, key=lambda row: row.day):
            key = row.place, (row.nominal, row.value)
            if key in wrong and key not in settled and self._is_comparable(row, wrong - settled - {key}, known):
                word = by_key[key]
                require(not self._must_be_refused(row, word, known), WRONG_ACCEPTED, f"{row}, not {word.true_value}")
            known[row.source] = {**known[row.source], row.place: (row.nominal, row.value)}

    def check_days(self, added: Sequence[StoredFixing], today: date) -> None:
        """Check that no new row is of a day more than two days ahead."""
        for row in added:
            is_ahead = date.fromisoformat(row.day) > today + _AHEAD
            require(not is_ahead, WRONG_ACCEPTED, f"{row} is of a day that is yet to come")

    def _is_comparable(self, row: StoredFixing, other_wrong: set[SaidValue], known: Known) -> bool:
        return not other_wrong and self._is_honest(date.fromisoformat(row.day), known)

    def _is_honest(self, day: date, known: Known) -> bool:
        """Return whether no wrong value of the days before is in the archive."""
        first = (day - _COMPARED).isoformat()
        return not any(
            place[3] >= first and known.get(place[0], {}).get(place) == value for place, value in self._wrong
        )

    def _must_be_refused(self, row: StoredFixing, word: Word, known: Known) -> bool:
        day, code = date.fromisoformat(row.day), self._code(row.source, row.base, row.quote)
        if any(self._says(key, code, day, known) for key in self._sources if key != row.source):
            return True
        factor = _ratio(float(row.value), word.true_value)
        days = [each for each in self._days_in_dollars(row, known[row.source]) if each < row.day]
        is_recent = bool(days) and day - date.fromisoformat(max(days)) <= _OWN
        return is_recent and abs(factor / 100 - 1) < 0.001

    def _days_in_dollars(self, row: StoredFixing, own: ValuesOfSource) -> list[str]:
        """Return the days of a pair on which its source also has its rate of the dollar."""
        anchor = self._sources[row.source].anchor
        dollars = {place[3] for place in own if PIVOT in place[1:3]}
        days = [place[3] for place in own if place[:3] == row.place[:3]]
        return days if anchor == PIVOT else [day for day in days if day in dollars]

    def _says(self, key: str, code: str, day: date, known: Known) -> bool:
        """Return whether a source has rates of a code between some days before and a day, both legs of one day."""
        anchor, first = self._sources[key].anchor, (day - _COMPANY).isoformat()
        days: dict[str, set[str]] = {anchor: set()}
        for _, base, quote, on in known.get(key, ()):
            if first <= on <= day.isoformat():
                days.setdefault(quote if base == anchor else base, set()).add(on)
        if anchor == PIVOT:
            return bool(days.get(code))
        legs = days.get(PIVOT, set())
        return bool(legs if code == anchor else legs & days.get(code, set()))

    def _code(self, source: str, base: str, quote: str) -> str:
        """Return the code that a pair is about: the anchor for the pivot."""
        anchor = self._sources[source].anchor
        code = quote if base == anchor else base
        return anchor if code == PIVOT else code


def is_wrong(word: Word) -> bool:
    """Return whether a word is far from the truth."""
    return _ratio(float(word.fixing.value), word.true_value) > 1 + WRONG


def _ratio(value: float, true_value: float) -> float:
    return max(value / true_value, true_value / value)


def _key(row: RefusedRow) -> SaidValue:
    return row.key[:4], row.key[4:]

"""What reads the verdicts that stand behind daily rates: each is derived again from the fixings around its day."""

from __future__ import annotations

from datetime import date

from cambist.api.state.reader_pool import ReaderPool
from cambist.errors import RateUnavailable, StoreBroken
from cambist.history.archive import KnownArchive
from cambist.history.code_verdict import CodeVerdict, bounds_around, rates_at, verdict_of, wants_code, window_around
from cambist.history.edition import Editions, decisions_of
from cambist.history.known_state import Mark
from cambist.history.verdict_log import VerdictLog

_MOST = 500


class VerdictReader:
    """Derives verdicts in the threads of a `pool`, as an edition knew them, and keeps some.

    What is kept is answered at once; for anything else, StoreBusy or WouldBlock may be raised.
    """

    def __init__(self, archive: KnownArchive, editions: Editions, verdicts: VerdictLog, pool: ReaderPool) -> None:
        self._archive = archive
        self._editions = editions
        self._verdicts = verdicts
        self._pool = pool
        self._found: dict[object, CodeVerdict | None] = {}

    def verdict(self, edition: str, mark: Mark | None, code: str, day: date) -> CodeVerdict | None:
        """Return the verdict on the fixings behind a code's rate of a day, as a `ReadVerdict` does.

        Errors: RateUnavailable, StoreBusy.
        """
        known = None if mark is None else (mark.delivery, mark.assumed, mark.today)
        key = edition, known, code, day
        if key in self._found:
            return self._found[key]
        try:
            found = self._pool.call(self._derive, edition, mark, code, day)
        except StoreBroken as error:
            raise RateUnavailable("The archive of fixings cannot be read now") from error
        if len(self._found) >= _MOST:
            self._found = {}
        self._found[key] = found
        return found

    def _derive(self, edition: str, known: Mark | None, code: str, day: date) -> CodeVerdict | None:
        mark = known or self._mark(edition, day)
        if mark is None:
            return None
        sources = [rule.key for rule in mark.rules.sources]
        window = window_around(day).read_days
        rates = rates_at(self._archive.known_fixings(sources, wants_code(mark.rules, code), window), mark, code)
        if rates is None:
            return None
        outcomes = self._verdicts.outcomes(mark.rules.version, bounds_around(mark, code, day)).get(code, {})
        return verdict_of(rates, day, decisions_of(mark.edition, self._verdicts.decisions()), outcomes)

    def _mark(self, name: str, day: date) -> Mark | None:
        """Return the mark of the edition that answers are made from now; None if its rules are not known."""
        edition = self._editions.find(name)
        rules = None if edition is None else self._editions.rules(edition.rules)
        return None if edition is None or rules is None else Mark(edition, edition.delivery, rules, day)

"""The history as it was known at a moment: answers to `as_of` are made from excerpts of it, which are kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Generic, TypeVar

from cambist.api.state.reader_pool import ReaderPool
from cambist.errors import BadParameter, NotKnownThen, RateUnavailable, StoreBroken, shorten
from cambist.history.archive import KnownArchive
from cambist.history.edition import Editions, RecordedEdition, parse_edition_name
from cambist.history.known_fixings import KnownFixings
from cambist.history.known_state import (
    PUBLISHED,
    Mark,
    Scope,
    Window,
    changed_outcomes,
    excerpt_at,
    first_delivery_with,
    spliced_excerpt,
    verdict_bounds,
    wants,
    window_of,
    windows_to_rebuild,
)
from cambist.history.rate_matrix import RateMatrix
from cambist.history.rule_set import RuleSet
from cambist.history.verdict_log import VerdictLog
from cambist.pricing.pair import Pair

V = TypeVar("V")

RULES = "rules"
"""The assumption that the rules of the first edition held before editions were recorded."""

CODE = "code"
"""The assumption that this release builds as the one of the edition did, or that its tables are those of now."""

_MOST_MARKS = 1000
_MOST_BYTES = 32 * 1024 * 1024
_ROW_BYTES = 32
_CELL_BYTES = 10

_Codes = frozenset[str] | None


class _Kept(Generic[V]):
    """Values by key, bounded in bytes: what was not used for longest is dropped. Threads may race here harmlessly."""

    def __init__(self, most: int) -> None:
        self._found: OrderedDict[object, tuple[V, int]] = OrderedDict()
        self._bytes = 0
        self._most = most

    def get(self, key: object) -> V | None:
        found = self._found.get(key)
        return None if found is None else found[0]

    def add(self, key: object, value: V, size: int) -> None:
        self._found[key] = value, size
        self._bytes += size
        while self._bytes > self._most and len(self._found) > 1:
            self._bytes -= self._found.popitem(last=False)[1][1]


class KnownHistory:
    """Rebuilds what was known at an edition or at a moment, in the threads of a `pool` of its own.

    What is kept is answered at once; for anything else, any method may raise StoreBusy, or WouldBlock in a thread that
    must not wait. `current` are the rules of this release.
    """

    def __init__(
        self,
        archive: KnownArchive,
        editions: Editions,
        verdicts: VerdictLog,
        pool: ReaderPool,
        clock: Callable[[], datetime],
        current: RuleSet,
    ) -> None:
        self._archive = archive
        self._editions = editions
        self._verdicts = verdicts
        self._pool = pool
        self._clock = clock
        self._current = current
        self._marks: _Kept[Mark] = _Kept(_MOST_MARKS)
        self._fixings: _Kept[tuple[int, KnownFixings]] = _Kept(_MOST_BYTES)
        self._excerpts: _Kept[RateMatrix] = _Kept(_MOST_BYTES)

    def mark(self, text: str, assume: str | None) -> Mark:
        """Return the mark of an edition's name or of an instant.

        Errors: BadParameter for another text, NotKnownThen for a moment before anything was known, RateUnavailable.
        """
        found = self._marks.get((text, assume))
        if found is None:
            found = self._call(self._find_mark, text, assume)
            if found.is_settled:
                self._marks.add((text, assume), found, 1)
        return found

    def matrix(self, mark: Mark, scope: Scope, current: RateMatrix) -> RateMatrix:
        """Return the rate matrix of a mark for the days and pairs of a question. Errors: RateUnavailable.

        A series has the days of `current` of which nothing else was received since.
        """
        window, codes = window_of(scope), scope.codes
        key = mark.name, mark.delivery, mark.today, mark.assumed, window, codes
        found = self._excerpts.get(key)
        if found is None:
            found = self._call(self._build_beside, current, mark, window, codes)
            if PUBLISHED not in mark.assumed:
                self._excerpts.add(key, found, len(found.cells) * _CELL_BYTES)
        return found

    def first_with(self, mark: Mark, pair: Pair, day: date) -> RecordedEdition | None:
        """Return the first edition after a mark that has a rate of a pair on a day; None if there is none yet."""
        return self._call(self._find_first, mark, pair, day)

    def first_showing(self, delivery: int) -> RecordedEdition | None:
        """Return the first edition that shows a delivery. Errors: RateUnavailable."""
        return self._call(self._editions.first_showing, delivery)

    def spare_this_thread(self) -> None:
        """Never let the calling thread wait for what is not kept."""
        self._pool.spare_this_thread()

    def _call(self, read: Callable[..., V], *args: object) -> V:
        try:
            return self._pool.call(read, *args)
        except StoreBroken as error:
            raise RateUnavailable("The archive of fixings cannot be read now") from error

    def _find_mark(self, text: str, assume: str | None) -> Mark:
        edition = self._find_edition(text)
        moment = None if parse_edition_name(text) else parse_instant(text, self._clock())
        assumed = () if assume is None else (assume,)
        if edition is None and moment is not None:
            edition = next(iter(self._editions.after(0, 1)), None)
            delivery = self._archive.delivery_at(moment)
            if edition is None or not (delivery or assumed):
                first = "" if edition is None else f"; the first edition is [{edition.name}]"
                raise NotKnownThen(
                    f"Nothing was known here at [{shorten(text)}]{first}", edition.name if edition else None
                )
            return self._complete(Mark(edition, delivery, self._current, moment.date(), (*assumed, RULES)))
        if edition is None:
            raise BadParameter(f"Unknown as_of: [{shorten(text)}] is not an edition of this service")
        following = next(iter(self._editions.after(edition.number, 1)), None)
        today = (moment or (following.recorded_at if following else self._clock())).date()
        is_settled = moment is not None or following is not None
        return self._complete(Mark(edition, edition.delivery, self._current, today, assumed, is_settled))

    def _find_edition(self, text: str) -> RecordedEdition | None:
        if parse_edition_name(text):
            return self._editions.find(text)
        return self._editions.known_at(parse_instant(text, self._clock()))

    def _complete(self, mark: Mark) -> Mark:
        """Return the mark with the rules of its edition, as far as this release can apply them."""
        rules = self._editions.rules(mark.edition.rules)
        if rules is None:
            raise StoreBroken(f"The rules of the edition [{mark.name}] are missing")
        is_same = (rules.build, rules.tables) == (self._current.build, self._current.tables)
        assumed = mark.assumed if is_same else (*mark.assumed, CODE)
        return replace(mark, rules=rules, assumed=assumed)

    def _build_beside(self, current: RateMatrix, mark: Mark, window: Window, codes: _Codes) -> RateMatrix:
        others = None if codes is None else self._other_windows(current, mark, window, codes)
        if others is None or codes is None:
            return self._build(mark, window, codes)
        parts = [self._build(mark, part, codes) for part in others]
        return spliced_excerpt(current, mark, window, codes, parts)

    def _other_windows(
        self, current: RateMatrix, mark: Mark, window: Window, codes: frozenset[str]
    ) -> list[Window] | None:
        """Return the parts of a window that may differ between a mark and the current matrix; None if most of it may.

        The shown deliveries differ, and also the rules may, by which a matrix is built as a whole.
        """
        edition = parse_edition_name(current.edition)
        last = window.first + window.days - 1
        if edition is None or current.damaged or PUBLISHED in mark.assumed or not current.has_rows(window.first, last):
            return None
        rules = self._editions.rules(edition.rules)
        is_same = rules is not None and rules == self._current and rules.sources == mark.rules.sources
        if not is_same or current.sources != tuple(rule.key for rule in mark.rules.sources):
            return None
        received = self._archive.days_received_after(
            min(mark.delivery, edition.delivery), current.sources, wants(mark.rules, codes), window.read_days
        )
        recorded = self._editions.find(current.edition)
        if received is None or recorded is None:
            return None
        of_current = Mark(recorded, recorded.delivery, mark.rules, mark.today)
        known, newest = (
            self._verdicts.outcomes(mark.rules.version, verdict_bounds(each, codes, window))
            for each in (mark, of_current)
        )
        found = windows_to_rebuild(sorted({*received, *changed_outcomes(known, newest)}), window)
        return found if sum(part.days for part in found) * 2 <= window.days else None

    def _build(self, mark: Mark, window: Window, codes: _Codes) -> RateMatrix:
        outcomes = self._verdicts.outcomes(mark.rules.version, verdict_bounds(mark, codes, window))
        return excerpt_at(self._read(window, codes, mark), mark, window, outcomes)

    def _read(self, window: Window, codes: _Codes, mark: Mark) -> KnownFixings:
        sources = tuple(rule.key for rule in mark.rules.sources)
        key = sources, window, codes
        found = self._fixings.get(key)
        needed = self._archive.revision() if PUBLISHED in mark.assumed else mark.delivery
        if found is None or found[0] < needed:
            revision = self._archive.revision()
            fixings = self._archive.known_fixings(sources, wants(mark.rules, codes), window.read_days)
            found = revision, fixings
            self._fixings.add(key, found, len(fixings.rows) * _ROW_BYTES)
        return found[1]

    def _find_first(self, mark: Mark, pair: Pair, day: date) -> RecordedEdition | None:
        scope = Scope(day, day, (pair,), is_series=True)
        rules = mark.rules
        fixings = self._archive.known_fixings(
            [rule.key for rule in rules.sources], wants(rules, scope.codes), window_of(scope).read_days
        )
        delivery = first_delivery_with(fixings, mark, pair, day)
        return None if delivery is None else self._editions.first_showing(delivery)


def parse_instant(text: str, now: datetime) -> datetime:
    """Parse an instant, UTC unless it has an offset. Errors: BadParameter for a day, another text, or the future."""
    written = text.strip().replace(" ", "T")
    try:
        moment = datetime.fromisoformat(written) if "T" in written.upper() else None
    except ValueError:
        moment = None
    if moment is None:
        raise BadParameter(
            f"Invalid as_of: [{shorten(text)}], it takes an edition, or an instant such as 2026-03-06T17:00:00Z"
        )
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if moment > now:
        raise BadParameter(f"Invalid as_of: [{shorten(text)}] is in the future")
    return moment

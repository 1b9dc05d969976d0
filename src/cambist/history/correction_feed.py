"""The feed of all corrections: of fixings by their sources, and of what is published by verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from cambist.history.archive import CorrectionArchive, KnownArchive
from cambist.history.corrections import (
    FIRST_VERDICT,
    LAST_SERIES,
    AnyCorrection,
    CorrectionQuery,
    FeedEntry,
    FeedPosition,
)
from cambist.history.edition import Editions
from cambist.history.rule_set import RuleSet
from cambist.history.verdict_corrections import VerdictCorrections
from cambist.history.verdict_log import VerdictLog
from cambist.pricing.pair import PIVOT


class FeedArchive(KnownArchive, CorrectionArchive, Protocol):
    """What is read of the archive."""


class CorrectionFeed:
    """All corrections of an archive, with those of its verdicts by some rules. Any method may raise StoreBroken."""

    def __init__(self, archive: FeedArchive, editions: Editions, verdicts: VerdictLog, rules: RuleSet) -> None:
        self._archive = archive
        self._editions = editions
        self._verdicts = VerdictCorrections(archive, editions, verdicts, rules)

    def read(self, after: FeedPosition | None, up_to: int, limit: int) -> Sequence[FeedEntry]:
        """Return the next corrections, as a `ReadFeed` does."""
        of_fixings = self._archive.corrections_after(after, up_to, limit)
        if after is None:
            of_verdicts = self._verdicts.newest(up_to, limit)
        else:
            of_verdicts = self._verdicts.after(self._last_number(after), up_to, limit)
        found = sorted((*of_fixings, *of_verdicts), key=lambda each: each.position)
        return found[-limit:] if after is None else found[:limit]

    def about(self, query: CorrectionQuery) -> Sequence[AnyCorrection]:
        """Return the corrections about a pair, as a `ReadCorrections` does."""
        codes = frozenset((query.pair.base, query.pair.quote)) - {PIVOT}
        of_verdicts = self._verdicts.of_days(codes, query.first, query.last, query.limit)
        found: list[AnyCorrection] = [*self._archive.corrections(query), *of_verdicts]
        return sorted(found, key=lambda each: (each.day, each.learnt_at), reverse=True)[: query.limit]

    def _last_number(self, position: FeedPosition) -> int:
        """Return the last change of the log of verdicts that is not after a position."""
        if FIRST_VERDICT <= position.series < LAST_SERIES:
            return position.series - FIRST_VERDICT
        if position.series < FIRST_VERDICT:
            return self._verdicts.last_number(position.delivery - 1)
        edition = self._editions.find(position.edition) if position.edition else None
        return self._verdicts.last_number(position.delivery) if edition is None else edition.last_verdict or 0

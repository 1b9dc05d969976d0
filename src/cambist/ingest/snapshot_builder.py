"""Building the rate matrix, and the first rate book, from the archive."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

import numpy as np

from cambist.history.archive import FixingArchive
from cambist.history.as_of import CARRY_DAYS
from cambist.history.damaged_rows import DamageReport
from cambist.history.pair_series import PairSeries
from cambist.history.rate_matrix import RateMatrix
from cambist.history.rate_matrix_builder import SourceHistory, build_rate_matrix
from cambist.ingest.fixing_quotes import daily_offers, offers_by_code
from cambist.pricing.consensus import agree
from cambist.pricing.rate_book import RateBook
from cambist.pricing.rate_book_assembly import assemble_rate_book
from cambist.pricing.source_kind import Pace
from cambist.reference.tables import reference_digest
from cambist.sources.base import Source

log = logging.getLogger(__name__)

_MOST_LOGGED = 20
"""How many damaged rows of a source the log names."""

_AHEAD = timedelta(days=400)
"""How far the rate matrix reaches past today: a service that runs for long needs rows for its days."""

_BUILD = 4
"""Raised when the way of building changes, so that an older rate matrix is built again."""


def rate_matrix_revision(archive: FixingArchive) -> str:
    """Return the revision of what the rate matrix is built from: fixings, reference tables, way of building."""
    return f"{archive.revision()}-{reference_digest()}-{_BUILD}"


def is_current(matrix: RateMatrix, archive: FixingArchive, today: date) -> bool:
    """Return whether a rate matrix still matches the archive, and has rows for the next weeks."""
    return matrix.revision == rate_matrix_revision(archive) and matrix.last_day > today + timedelta(days=CARRY_DAYS)


def rate_matrix_from_archive(archive: FixingArchive, sources: Sequence[Source], today: date) -> RateMatrix:
    """Build the rate matrix from the archive; `sources` are ranked, best first."""
    revision = rate_matrix_revision(archive)
    # Monthly averages are not rates of a day.
    daily = [source for source in sources if source.pace is not Pace.MONTHLY]
    damage = {source.key: DamageReport() for source in daily}
    histories = [_source_history(archive, source, damage[source.key]) for source in daily]
    for key, found in damage.items():
        _log_damage(key, found)
    return replace(
        build_rate_matrix(histories, today + _AHEAD, revision),
        fixed_at=tuple((source.zone.key, source.fixed_at.isoformat()) for source in daily),
        damaged=sum(map(len, damage.values())),
    )


def _log_damage(key: str, damage: DamageReport) -> None:
    for row in damage.rows[:_MOST_LOGGED]:
        log.error("Archive: the row of %s is not what was filed, and is left out", row)
    if damage:
        log.error(
            "Archive: %d rows of %s are damaged and %d are gone: restore the database from a backup; "
            "what the source delivers again is filed again. [cambist check] lists them",
            len(damage.rows),
            key,
            damage.missing,
        )


def _source_history(archive: FixingArchive, source: Source, damage: DamageReport) -> SourceHistory:
    found = (
        PairSeries(pair, np.array(rows, np.int64), np.array(rates, np.float64))
        for pair, rows, rates in archive.rates(source.key, damage)
    )
    return SourceHistory(source.anchor, found, source.key, source.outranks_pegs, source.alias)


def rate_book_from_archive(archive: FixingArchive, sources: Sequence[Source], version: int, now: datetime) -> RateBook:
    """Build a rate book from the newest fixings, however old, and the legal rates that follow from them."""
    ranked = (daily_offers(archive, source, rank, now.date()) for rank, source in enumerate(sources))
    agreed = {code: agree(offers, now) for code, offers in offers_by_code(ranked).items()}
    return assemble_rate_book({code: quote for code, quote in agreed.items() if quote is not None}, version, now)

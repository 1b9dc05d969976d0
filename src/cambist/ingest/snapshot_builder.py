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
from cambist.history.edition import Editions, parse_edition_name, with_edition
from cambist.history.pair_series import PairSeries
from cambist.history.rate_matrix import RateMatrix
from cambist.history.rate_matrix_builder import SourceHistory, build_rate_matrix
from cambist.history.rule_set import RuleSet, SourceRule, table_digests
from cambist.ingest.fixing_quotes import daily_offers, offers_by_code
from cambist.pricing.consensus import agree
from cambist.pricing.rate_book import RateBook
from cambist.pricing.rate_book_assembly import assemble_rate_book
from cambist.pricing.source_kind import Pace
from cambist.reference.tables import history_texts, reference_digest
from cambist.sources.base import Source

log = logging.getLogger(__name__)

_MOST_LOGGED = 20
"""How many damaged rows of a source the log names."""

_AHEAD = timedelta(days=400)
"""How far the rate matrix reaches past today: a service that runs for long needs rows for its days."""

_BUILD = 7
"""Raised when the way of building changes, so that an older rate matrix is built again, as another edition."""


def rate_matrix_revision(archive: FixingArchive) -> str:
    """Return the revision of what the rate matrix is built from: fixings, reference tables, way of building."""
    return _revision(archive.revision())


def _revision(receipt: int) -> str:
    return f"{receipt}-{reference_digest()}-{_BUILD}"


def rules_of(sources: Sequence[Source]) -> RuleSet:
    """Return the rules by which these sources' fixings become rates; `sources` are ranked, best first."""
    return RuleSet(_BUILD, tuple(_rule(source) for source in _daily(sources)), table_digests(history_texts()))


def _daily(sources: Sequence[Source]) -> list[Source]:
    """Return the sources of rates of days and of the main market: monthly averages are none."""
    return [source for source in sources if source.pace is not Pace.MONTHLY and source.is_of_main_market]


def _rule(source: Source) -> SourceRule:
    return SourceRule(
        key=source.key,
        anchor=source.anchor,
        alias=source.alias,
        outranks_pegs=source.outranks_pegs,
        zone=source.zone.key,
        fixed_at=source.fixed_at.isoformat(),
    )


def is_current(
    matrix: RateMatrix, archive: FixingArchive, today: date, sources: Sequence[Source] | None = None
) -> bool:
    """Return whether a rate matrix still matches the archive, and the sources, and has rows for the next weeks."""
    is_of_sources = sources is None or _has_rules(matrix, rules_of(sources).version)
    is_complete = matrix.last_day > today + timedelta(days=CARRY_DAYS)
    return is_of_sources and is_complete and matrix.revision == rate_matrix_revision(archive)


def _has_rules(matrix: RateMatrix, version: str) -> bool:
    name = parse_edition_name(matrix.edition)
    return name is not None and name.rules == version


def rate_matrix_from_archive(
    archive: FixingArchive, sources: Sequence[Source], today: date, up_to: int | None = None
) -> RateMatrix:
    """Build the rate matrix from the archive; `sources` are ranked, best first.

    With `up_to`, the number of a receipt, it is what was built when that was the last one.
    """
    receipt, rules = archive.revision() if up_to is None else up_to, rules_of(sources)
    daily = _daily(sources)
    damage = {source.key: DamageReport() for source in daily}
    # What is filed meanwhile is not part of this edition.
    histories = [_source_history(archive, source, damage[source.key], receipt) for source in daily]
    for key, found in damage.items():
        _log_damage(key, found)
    return replace(
        build_rate_matrix(histories, today + _AHEAD, _revision(receipt)),
        fixed_at=tuple((rule.zone, rule.fixed_at) for rule in rules.sources),
        damaged=sum(map(len, damage.values())),
    )


def record_edition(editions: Editions, matrix: RateMatrix, sources: Sequence[Source]) -> RateMatrix:
    """Return a rate matrix that was built from the archive with its edition, which is recorded before it is used.

    Errors: StoreBroken.
    """
    rules = rules_of(sources)
    named = with_edition(matrix, int(matrix.revision.partition("-")[0]), rules.version)
    editions.record(named, rules, history_texts())
    return named


def restore_edition(editions: Editions, matrix: RateMatrix, sources: Sequence[Source]) -> None:
    """Record the edition of a current rate matrix again if the database has lost it: a machine may lose power.

    Errors: StoreBroken.
    """
    if editions.find(matrix.edition) is None:
        record_edition(editions, matrix, sources)


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


def _source_history(archive: FixingArchive, source: Source, damage: DamageReport, receipt: int) -> SourceHistory:
    found = (
        PairSeries(pair, np.array(rows, np.int64), np.array(rates, np.float64))
        for pair, rows, rates in archive.rates(source.key, damage, receipt)
    )
    return SourceHistory(source.anchor, found, source.key, source.outranks_pegs, source.alias)


def rate_book_from_archive(archive: FixingArchive, sources: Sequence[Source], version: int, now: datetime) -> RateBook:
    """Build a rate book from the newest fixings, however old, and the legal rates that follow from them."""
    ranked = (
        daily_offers(archive, source, rank, now.date())
        for rank, source in enumerate(sources)
        if source.is_of_main_market
    )
    agreed = {code: agree(offers, now) for code, offers in offers_by_code(ranked).items()}
    return assemble_rate_book({code: quote for code, quote in agreed.items() if quote is not None}, version, now)

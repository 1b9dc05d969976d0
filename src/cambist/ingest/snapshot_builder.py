"""Building the rate matrix, and the first rate book, from the archive."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

import numpy as np

from cambist.history.archive import PublishedArchive
from cambist.history.as_of import CARRY_DAYS
from cambist.history.code_judgement import history_of
from cambist.history.damaged_rows import DamageReport
from cambist.history.edition import Editions, parse_edition_name, with_edition
from cambist.history.judging import FixingStore, Judging
from cambist.history.pair_series import PairSeries
from cambist.history.rate_matrix import RateMatrix
from cambist.history.rate_matrix_builder import build_rate_matrix
from cambist.history.rule_set import RuleSet, SourceRule, table_digests
from cambist.history.verdict_log import Judged, VerdictBounds
from cambist.ingest.fixing_quotes import DailyQuotes
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book_assembly import assemble_rate_book
from cambist.pricing.source_kind import Pace
from cambist.reference.currency_tables import history_texts, reference_digest
from cambist.sources.base import Source
from cambist.verdicts.rules import RULES_VERSION

log = logging.getLogger(__name__)

_MOST_LOGGED = 20
"""How many damaged rows of a source the log names."""

_AHEAD = timedelta(days=400)
"""How far the rate matrix reaches past today: a service that runs for long needs rows for its days."""

_BUILD = 8
"""Raised when the way of building changes, so that an older rate matrix is built again, as another edition."""


def rules_of(sources: Sequence[Source]) -> RuleSet:
    """Return the rules by which these sources' fixings become rates; `sources` are ranked, best first."""
    rules = tuple(_rule(source) for source in sources if source.pace is not Pace.MONTHLY and source.is_of_main_market)
    return RuleSet(_BUILD, rules, table_digests(history_texts()), RULES_VERSION)


def _rule(source: Source) -> SourceRule:
    return SourceRule(
        key=source.key,
        anchor=source.anchor,
        alias=source.alias,
        outranks_pegs=source.outranks_pegs,
        zone=source.zone.key,
        fixed_at=source.fixed_at.isoformat(),
        compiled=source.compiled,
    )


def is_current(matrix: RateMatrix, store: FixingStore, today: date, sources: Sequence[Source]) -> bool:
    """Return whether a rate matrix still matches the archive, its verdicts and the sources, and has rows for weeks."""
    rules = rules_of(sources)
    name, judged = parse_edition_name(matrix.edition), store.verdicts.judged(rules.version)
    if name is None or name.rules != rules.version or judged is None:
        return False
    newest_decision = max((each.number for each in store.verdicts.decisions()), default=0)
    is_judged = (judged.delivery, judged.decision) == (store.archive.revision(), newest_decision)
    return is_judged and matrix.revision == _revision(judged) and matrix.last_day > today + timedelta(days=CARRY_DAYS)


def _revision(judged: Judged) -> str:
    return f"{judged.delivery}-{judged.last}-{judged.decision}-{reference_digest()}-{_BUILD}"


def judging_of(store: FixingStore, sources: Sequence[Source]) -> Judging:
    """Return what judges the fixings of these sources, which are ranked, best first."""
    return Judging(store.archive, store.verdicts, rules_of(sources))


def build_current_matrix(judging: Judging, today: date) -> RateMatrix:
    """Judge what is new, and build the rate matrix of all fixings."""
    judging.update()
    for key, found in judging.damage.items():
        _log_damage(key, found)
    built = build_rate_matrix(judging.histories.values(), today + _AHEAD, _revision(judging.judged), judging.outcomes)
    return _with_rules(built, judging.rules, sum(map(len, judging.damage.values())))


def rate_matrix_from_archive(store: FixingStore, sources: Sequence[Source], today: date) -> RateMatrix:
    """Judge the archive, and build its rate matrix; `sources` are ranked, best first."""
    return build_current_matrix(judging_of(store, sources), today)


def rate_matrix_at(store: FixingStore, sources: Sequence[Source], today: date, judged: Judged) -> RateMatrix:
    """Build the rate matrix as it was after a delivery and a verdict."""
    return _matrix_by(store, rules_of(sources), today, judged)


def rate_matrix_before(store: FixingStore, editions: Editions, today: date) -> RateMatrix | None:
    """Build the rate matrix of the newest edition if its verdicts were derived by older rules, or not at all.

    Without verdicts the fixing of the best-ranked source is published. None if there is nothing older. Errors:
    StoreBroken.
    """
    newest = editions.newest()
    rules = None if newest is None else editions.rules(newest.rules)
    if newest is None or rules is None or rules.verdicts == RULES_VERSION:
        return None
    return _matrix_by(store, rules, today, newest.judged)


def _matrix_by(store: FixingStore, rules: RuleSet, today: date, judged: Judged) -> RateMatrix:
    histories = []
    for rule in rules.sources:
        found = store.archive.rates(rule.key, DamageReport(), judged.delivery)
        series = (PairSeries(pair, np.array(days, np.int64), np.array(rates)) for pair, days, rates in found)
        histories.append(history_of(rule, series))
    outcomes = store.verdicts.outcomes(rules.version, VerdictBounds(last=judged.last))
    return _with_rules(build_rate_matrix(histories, today + _AHEAD, _revision(judged), outcomes), rules, 0)


def _with_rules(built: RateMatrix, rules: RuleSet, damaged: int) -> RateMatrix:
    return replace(built, fixed_at=tuple((rule.zone, rule.fixed_at) for rule in rules.sources), damaged=damaged)


def shown_by(matrix: RateMatrix) -> Judged:
    """Return up to which delivery, verdict and decision a rate matrix that was built from an archive shows."""
    delivery, last, decision = map(int, matrix.revision.split("-")[:3])
    return Judged(delivery, last, decision)


def record_edition(editions: Editions, matrix: RateMatrix, sources: Sequence[Source]) -> RateMatrix:
    """Return a rate matrix that was built from the archive with its edition, which is recorded before it is used.

    Errors: StoreBroken.
    """
    rules, shown = rules_of(sources), shown_by(matrix)
    named = with_edition(matrix, shown.delivery, rules.version)
    editions.record(named, rules, history_texts(), shown)
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


def rate_book_of(
    archive: PublishedArchive, judging: Judging, sources: Sequence[Source], version: int, now: datetime
) -> QuotedBook:
    """Build a rate book from what was published last of each code, however old, and the legal rates that follow."""
    judging.update()
    daily = DailyQuotes(archive, judging, {source.key: source for source in sources})
    return assemble_rate_book(daily.all_quotes(now), version, now)


def rate_book_from_archive(store: FixingStore, sources: Sequence[Source], version: int, now: datetime) -> QuotedBook:
    """Judge the archive, and build a rate book from it; `sources` are ranked, best first."""
    return rate_book_of(store.archive, judging_of(store, sources), sources, version, now)

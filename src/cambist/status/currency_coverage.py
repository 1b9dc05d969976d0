"""The coverage of currencies and metals: which sources publish each, since when, and how many of them do so now."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import date, timedelta

from msgspec import Struct
from msgspec.structs import replace

from cambist.history.coverage import PairCoverage
from cambist.history.typed_series import parse_series_key
from cambist.pricing.quote import Vote
from cambist.status.source_report import SourceReport

_CURRENT_FOR = timedelta(days=14)
"""How old the newest fixing of a source that publishes daily may be: as long as the consensus compares it."""


class PublishedCurrency(Struct, frozen=True):
    """What one source publishes of a code: the number of pairs, and the first and last day in the archive.

    `votes` is true if its price is behind the rate of now. `current` is true if it votes, or if it is switched on and
    its last fixing is no older than a fortnight, or as old as its reports allow if that is longer. `compiled` is true
    if it compiles the rates of others.
    """

    pairs: int = 0
    first: date | None = None
    last: date | None = None
    votes: bool = False
    current: bool = False
    compiled: bool = False


BySource = Mapping[str, PublishedCurrency]


def independent_sources(by_source: BySource) -> int:
    """Return how many sources publish a code now without compiling the rates of others."""
    return sum(published.current and not published.compiled for published in by_source.values())


def currency_coverage(
    codes: Collection[str],
    pairs: Iterable[PairCoverage],
    votes: Callable[[str], Iterable[Vote]],
    reports: Iterable[SourceReport],
    today: date,
) -> dict[str, BySource]:
    """Return for each code the sources that publish it or vote on it; the best source first, as in the reports.

    A source with an alias publishes it in all its pairs, because it is a second code for the currency that they share.
    """
    by_key = {report.key: report for report in reports}
    ranks = {key: rank for rank, key in enumerate(by_key)}
    found = _stored(codes, pairs, by_key)
    for code in codes:
        for vote in votes(code):
            if vote.weight:
                before = found[code].get(vote.source, PublishedCurrency())
                found[code][vote.source] = replace(before, votes=True)
    return {
        code: {
            key: _judged(by_source[key], by_key.get(key), today)
            for key in sorted(by_source, key=lambda key: (ranks.get(key, len(ranks)), key))
        }
        for code, by_source in found.items()
    }


def _stored(
    codes: Collection[str], pairs: Iterable[PairCoverage], by_key: Mapping[str, SourceReport]
) -> dict[str, dict[str, PublishedCurrency]]:
    found: dict[str, dict[str, PublishedCurrency]] = {code: {} for code in codes}
    for each in pairs:
        if parse_series_key(each.source).rate_type:
            continue  # rates of a further type say nothing of the code's own rate
        report = by_key.get(each.source)
        for code in (each.pair.base, each.pair.quote, report.alias if report else ""):
            if code in found:
                found[code][each.source] = _extended(found[code].get(each.source), each)
    return found


def _extended(before: PublishedCurrency | None, each: PairCoverage) -> PublishedCurrency:
    if before is None:
        return PublishedCurrency(1, each.first, each.last)
    first, last = min(before.first or each.first, each.first), max(before.last or each.last, each.last)
    return PublishedCurrency(before.pairs + 1, first, last)


def _judged(published: PublishedCurrency, report: SourceReport | None, today: date) -> PublishedCurrency:
    is_on = report is None or report.enabled
    limit = max(_CURRENT_FOR, report.late_after) if report else _CURRENT_FOR
    is_recent = published.last is not None and today - published.last <= limit
    return replace(
        published,
        current=published.votes or (is_on and is_recent),
        compiled=report is not None and report.compiled,
    )

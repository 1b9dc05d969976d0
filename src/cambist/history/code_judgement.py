"""The judgement of one code: from its rates, the reference tables and the operator's decisions."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from math import log

import numpy as np

from cambist.history.archive import PublishedArchive
from cambist.history.code_rates import CodeRates, code_rates
from cambist.history.pair_series import PairSeries
from cambist.history.rate_matrix import FIRST_DAY
from cambist.history.rule_set import RuleSet, SourceRule
from cambist.history.source_history import SourceHistory
from cambist.history.verdict_log import Decision
from cambist.pricing.anchor import anchors_of
from cambist.pricing.pair import PIVOT, Pair
from cambist.reference.currency_tables import PEGS, REDENOMINATIONS
from cambist.verdicts.facts import CodeReference, Ints
from cambist.verdicts.frontier import BEGINNING, Frontier
from cambist.verdicts.judge import judge
from cambist.verdicts.verdict import Judgement


def judge_rates(rates: CodeRates, decisions: Iterable[Decision] = (), after: Frontier = BEGINNING) -> Judgement:
    """Return the verdicts on the rates of a code, those after a frontier or all; `decisions` are those that hold."""
    return judge(rates.fixings(decisions), reference_of(rates.code, rates.days), after=after)


def history_of(rule: SourceRule, series: Iterable[PairSeries]) -> SourceHistory:
    """Return the history of a source by a rule set's facts about it."""
    return SourceHistory(rule.anchor, series, rule.key, rule.outranks_pegs, rule.alias, rule.compiled, rule.market_hour)


def reference_of(code: str, days: Ints) -> CodeReference:
    """Return what the tables say about a code on some days. Only pegs to the pivot are levels of their own."""
    changes = tuple(
        (day_number(each.first_day), log(each.factor)) for each in REDENOMINATIONS if each.old == each.new == code
    )
    pegs = None
    for peg in PEGS:
        if peg.code == code and peg.anchor == PIVOT:
            pegs = np.full(len(days), np.nan) if pegs is None else pegs
            end = day_number(peg.last_day) if peg.last_day is not None else int(days[-1])
            pegs[(days >= day_number(peg.first_day)) & (days <= end)] = log(peg.factor)
    return CodeReference(pegs, changes)


def day_number(day: date) -> int:
    """Return a day as rates and verdicts count it: from 1970-01-01."""
    return (day - FIRST_DAY).days


def day_of(number: int) -> date:
    """Return the day of a number."""
    return date.fromordinal(FIRST_DAY.toordinal() + number)


def read_code_rates(archive: PublishedArchive, rules: RuleSet, code: str) -> CodeRates | None:
    """Read the rates of one code from the archive; None if nobody has any. Errors: StoreBroken."""
    anchors = {rule.key: anchors_of(rule.anchor) for rule in rules.sources}
    aliases = {rule.key: rule.alias for rule in rules.sources}

    def is_wanted(source: str, pair: Pair) -> bool:
        sides = {pair.base, pair.quote}
        if source not in anchors or sides.isdisjoint(anchors[source]):
            return False
        is_own = code in anchors[source] or code == aliases[source]
        return code in sides or (PIVOT in sides and (is_own or PIVOT not in anchors[source]))

    found: dict[str, list[PairSeries]] = {}
    for source, series in archive.pair_series(is_wanted, FIRST_DAY, date.max):
        found.setdefault(source, []).append(series)
    return code_rates(code, [history_of(rule, found.get(rule.key, ())) for rule in rules.sources])

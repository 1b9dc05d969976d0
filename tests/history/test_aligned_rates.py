"""Rates of many sources at once: the same as those of each source by itself."""

from __future__ import annotations

import random
from datetime import date, timedelta

import numpy as np
import pytest

from cambist.history.aligned_rates import AlignedRates
from cambist.history.as_of import CARRY_DAYS
from cambist.history.pair_series import PairSeries
from cambist.history.rate_matrix import FIRST_DAY
from cambist.history.source_rates import SourceRates
from cambist.pricing.pair import Pair
from cambist.reference.tables import REDENOMINATIONS

ANCHORS = {"a bank": "EUR", "another": "USD", "in lira": "TRY", "in lei": "RON", "a coin": "ROL"}
CODES = ("EUR", "USD", "TRY", "TRL", "RON", "ROL", "JPY")
DAY = timedelta(days=1)


def random_lines(chance: random.Random, first: date, last: date) -> dict[str, dict[Pair, PairSeries]]:
    lines: dict[str, dict[Pair, PairSeries]] = {}
    for source, anchor in ANCHORS.items():
        old = {"TRY": "TRL", "RON": "ROL"}.get(anchor, anchor)
        for code in CODES:
            for own in {anchor, old} - {code}:
                pair = chance.choice((Pair(own, code), Pair(code, own)))
                days = [day for day in range((last - first).days + 1) if chance.random() < 0.15]
                rows = np.array([(first - FIRST_DAY).days + day for day in days], np.int64)
                if len(rows) and pair not in lines.get(source, {}):
                    rates = np.array([chance.uniform(0.1, 10) for _ in days])
                    lines.setdefault(source, {})[pair] = PairSeries(pair, rows, rates)
    return lines


@pytest.mark.parametrize("seed", range(20))
def test_all_sources_at_once_have_the_rates_of_each_by_itself(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  no secret
    first, last = date(2004, 12, 1), date(2005, 9, 30)  # the lira's new code, and the leu's
    lines = random_lines(chance, first - (CARRY_DAYS + 5) * DAY, last + 5 * DAY)
    aligned = AlignedRates(first, last, lines, ANCHORS)
    separate = SourceRates(first, last, lines, {source: ANCHORS[source] for source in lines})
    compared = 0
    for code in set(CODES) - {"USD"}:
        expected = [each.units for each in separate.of(code)]
        np.testing.assert_array_equal([row for row in aligned.units(code) if not np.isnan(row).all()], expected)
        compared += len(expected)
    assert compared > len(CODES)


def test_a_rate_before_a_redenomination_under_the_same_code_is_carried_in_the_new_unit() -> None:
    change = next(each for each in REDENOMINATIONS if each.old == each.new)
    day = change.first_day - DAY
    pair = Pair("USD", change.new)
    lines = {"bank": {pair: PairSeries(pair, np.array([(day - FIRST_DAY).days]), np.array([5000.0]))}}
    (units,) = AlignedRates(day, change.first_day, lines, {"bank": "USD"}).units(change.new)
    assert units.tolist() == [5000.0, 5000.0 / float(change.factor)]

"""Weights: how much each fixing of a day counts, fresh or carried.

Weights are multiples of 1/1024, so that their sums are exact in any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cambist.verdicts.columns import at_rows, row_medians
from cambist.verdicts.facts import Bools, CodeFixings, Floats, Ints, SourceFacts
from cambist.verdicts.rules import Rules


@dataclass(frozen=True, slots=True)
class Kinds:
    """Columns about sources: which ones compile others, which ones are the issuer, and what a fixing of each weighs."""

    compiled: Bools
    issuer: Bools
    weight: Floats


def kinds_of(sources: Sequence[SourceFacts], rules: Rules) -> Kinds:
    """Return of which kind each source is."""
    compiled = np.array([source.compiled for source in sources], np.bool_)
    issuer = np.array([source.is_issuer for source in sources], np.bool_)
    weight = np.where(issuer, rules.issuer_weight, np.where(compiled, rules.compiled_weight, 1.0))
    return Kinds(compiled, issuer, weight)


def fresh_weights(
    fixings: CodeFixings, kinds: Kinds, now: Floats, repeats: Floats, late: Bools, rules: Rules
) -> Floats:
    """Return the weight of each fixing of the last rows (`now`) on its own day; 0 where there is none."""
    weights: Floats = np.where(np.isnan(now), 0.0, kinds.weight) * (1 - np.minimum(repeats / rules.repeats, 1.0))
    weights = _exact(np.where(late, weights * rules.late_weight, weights))
    weights = _limited(weights, kinds.compiled, rules.compiled_most)
    if kinds.issuer.any():
        speaks = (weights * kinds.issuer).sum(axis=1) > 0
        weights = np.where(speaks[:, None], _limited(weights, ~kinds.issuer, rules.beside_issuer_most), weights)
    if fixings.accepted is not None:
        is_accepted = fixings.accepted[len(fixings.days) - len(now) :] & ~np.isnan(now)
        weights = np.where(is_accepted, rules.accepted_weight, weights)
    return weights


def carried_weights(days: Ints, kinds: Kinds, values: Floats, last: Ints, rules: Rules) -> tuple[Floats, Floats]:
    """Return the last fixing of each source that has none on one of the last rows, and its weight.

    `last` is the row of each source's fixing before, for these last rows.
    """
    first = len(values) - len(last)
    age = days[first:, None] - days[last]
    is_carried = np.isnan(values[first:]) & (last >= 0) & (age <= rules.carried_days)
    known = np.where(is_carried, at_rows(values, last), np.nan)
    base = np.minimum(kinds.weight, 1.0)
    working = _working_days(days)
    missed = np.minimum(np.maximum(working[first:, None] - working[last] - 1, 0), 8)
    own = _exact(np.where(is_carried, base * rules.carried_weight * 0.5**missed, 0.0))
    return known, _limited(own, np.ones(own.shape[1], np.bool_), rules.carried_most)


def count_repeats(values: Floats, last: Ints, same: Floats, rules: Rules) -> Floats:
    """Return how often each fixing of the last rows repeats the source's digits, where the others moved meanwhile."""
    first = len(values) - len(same)
    begin = max(first - 2 * rules.repeats, 0)
    repeats = np.zeros(values[first:].shape)
    before = np.where(last[begin:] >= 0, at_rows(values, last[begin:]), np.nan)
    values = values[begin:]
    is_repeated = values == before
    at, column = np.nonzero(is_repeated[first - begin :])
    if not len(at) or values.shape[1] < 2:
        return repeats
    rows = np.arange(len(values))[:, None]
    changes = np.maximum.accumulate(np.where(is_repeated | np.isnan(values), 0, rows), axis=0)
    row = at + first - begin
    start = np.maximum(changes[row, column], row - 2 * rules.repeats)
    counts = np.cumsum(~np.isnan(values), axis=0)
    moved = np.abs(values[row] - values[start])
    moved[np.arange(len(at)), column] = np.nan
    counted = counts[row, column] - counts[start, column]
    repeats[at, column] = np.where(row_medians(moved)[1] > same[at], counted, 0)
    return repeats


def _limited(weights: Floats, of: Bools, most: float) -> Floats:
    """Return the weights with those of some columns reduced so that together they are at most `most`."""
    if not of.any():
        return weights
    total = (weights * of).sum(axis=1)
    if not (total > most).any():
        return weights
    factor = np.where(total > most, most / np.maximum(total, most), 1.0)[:, None]
    return np.where(of, np.floor(weights * factor * 1024) / 1024, weights)


def _exact(weights: Floats) -> Floats:
    return np.round(weights * 1024) / 1024


def _working_days(days: Ints) -> Ints:
    """Return how many Mondays to Fridays there were up to and with each day; 1970-01-01 was a Thursday."""
    weeks, weekday = np.divmod(days + 3, 7)
    counted: Ints = weeks * 5 + np.minimum(weekday + 1, 5)
    return counted

"""Weights: how much each fixing of a day counts, fresh or carried.

Weights are multiples of 1/1024, so that their sums are exact in any order.
"""

from __future__ import annotations

import numpy as np

from cambist.verdicts.columns import row_medians, rows_of_last
from cambist.verdicts.facts import Bools, CodeFixings, Floats, Ints
from cambist.verdicts.rules import Rules
from cambist.verdicts.scale import Scale


def fresh_weights(
    fixings: CodeFixings, values: Floats, scale: Scale, late: Bools, rules: Rules
) -> tuple[Floats, Bools]:
    """Return the weight of each fixing on its own day, and which ones are repeated digits; 0 where there is none."""
    compiled, issuer, base = _kinds(fixings, rules)
    weights = np.where(np.isnan(values), 0.0, base)
    repeats = _repeats(values, scale, rules)
    weights *= 1 - np.minimum(repeats / rules.repeats, 1.0)
    weights = _exact(np.where(late, weights * rules.late_weight, weights))
    weights = _limited(weights, compiled, rules.compiled_most)
    if issuer.any():
        speaks = (weights * issuer).sum(axis=1) > 0
        weights = np.where(speaks[:, None], _limited(weights, ~issuer, rules.beside_issuer_most), weights)
    if fixings.accepted is not None:
        weights = np.where(fixings.accepted & ~np.isnan(values), rules.accepted_weight, weights)
    return weights, repeats > 0


def carried_weights(fixings: CodeFixings, values: Floats, rules: Rules) -> tuple[Floats, Floats]:
    """Return the last fixing of each source that has none on a day, and its weight."""
    present = ~np.isnan(values)
    last = rows_of_last(present)
    age = fixings.days[:, None] - fixings.days[last]
    is_carried = ~present & (last >= 0) & (age <= rules.carried_days)
    known = np.where(is_carried, np.take_along_axis(values, np.maximum(last, 0), axis=0), np.nan)
    base = np.minimum(_kinds(fixings, rules)[2], 1.0)
    missed = _working_days(fixings.days)[:, None] - _working_days(fixings.days)[last] - 1
    own = _exact(np.where(is_carried, base * rules.carried_weight * 0.5 ** np.clip(missed, 0, 8), 0.0))
    return known, _limited(own, np.ones(own.shape[1], np.bool_), rules.carried_most)


def _kinds(fixings: CodeFixings, rules: Rules) -> tuple[Bools, Bools, Floats]:
    compiled = np.array([source.compiled for source in fixings.sources], np.bool_)
    issuer = np.array([source.is_issuer for source in fixings.sources], np.bool_)
    return compiled, issuer, np.where(issuer, rules.issuer_weight, np.where(compiled, rules.compiled_weight, 1.0))


def _repeats(values: Floats, scale: Scale, rules: Rules) -> Floats:
    """Return how often each fixing repeats the source's digits, where the others moved since the first of them."""
    repeats = np.zeros(values.shape)
    present = ~np.isnan(values)
    last = rows_of_last(present)
    before = np.where(last >= 0, np.take_along_axis(values, np.maximum(last, 0), axis=0), np.nan)
    is_new = present & (values != before)
    rows = np.arange(len(values))[:, None]
    start = np.maximum(np.maximum.accumulate(np.where(is_new, rows, -1), axis=0), rows - 2 * rules.repeats)
    counts = np.cumsum(present, axis=0)
    some = present & ~is_new & ~np.isnan(scale.same)[:, None]
    at, column = np.nonzero(some & (start >= 0))
    if not len(at) or values.shape[1] < 2:
        return repeats
    first = start[at, column]
    moved = np.abs(values[at] - values[first])
    moved[np.arange(len(at)), column] = np.nan
    counted = counts[at, column] - counts[first, column]
    repeats[at, column] = np.where(row_medians(moved)[1] > scale.same[at], counted, 0)
    return repeats


def _limited(weights: Floats, of: Bools, most: float) -> Floats:
    """Return the weights with those of some columns reduced so that together they are at most `most`."""
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

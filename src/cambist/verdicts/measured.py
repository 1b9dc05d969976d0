"""All that is measured about the rows of a code before their path is sought, as columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cambist.verdicts.clusters import Consent, find_consent
from cambist.verdicts.columns import rows_of_last
from cambist.verdicts.facts import Bools, CodeFixings, CodeReference, Floats, Ints
from cambist.verdicts.frontier import Frontier
from cambist.verdicts.rules import Rules
from cambist.verdicts.scale import Scale, daily, late_sources, measure
from cambist.verdicts.weights import Kinds, carried_weights, count_repeats, fresh_weights, kinds_of

CONTEXT_ROWS = 45
"""So many rows before the rows to judge decide how they are measured: a source's own last fixing may be as old."""

SEEN_ROWS = 61
"""Of so many rows a frontier keeps what was measured: 30 before the oldest that can still be open."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Columns by row and source, of the rows to judge.

    `kinds` are those of the sources. `values` and `pegs` are in the unit of the oldest day: `shift` is what was added
    to those of a row. `repeated` are fixings that repeat old digits, `late` those of sources that are a day late,
    `rejected` those that the operator rejected. `weights` are of the fixings of the row, `carried_weights` of the
    `carried` ones of sources without. `jumps` is the scale's limit of the row, which is wider if its only fixing is
    alone. `seen` is what `daily` returned, for all rows.
    """

    days: Ints
    kinds: Kinds
    values: Floats
    shift: Floats
    pegs: Floats
    scale: Scale
    late: Bools
    repeated: Bools
    rejected: Bools
    weights: Floats
    carried: Floats
    carried_weights: Floats
    jumps: Floats
    consent: Consent
    seen: Floats


def measure_rows(fixings: CodeFixings, reference: CodeReference, after: Frontier, first: int, rules: Rules) -> Measured:
    """Return what is measured about the rows from `first`."""
    days, shift = fixings.days, np.zeros(len(fixings.days))
    for day, factor in reference.redenominations:
        shift[days >= day] += factor
    values = fixings.values + shift[:, None] if reference.redenominations else fixings.values
    if fixings.rejected is not None:
        values = np.where(fixings.rejected, np.nan, values)
    last = rows_of_last(~np.isnan(values))
    seen = _seen(fixings, values, last, after)
    scale = measure(days, seen, first, rules)
    late = late_sources(values, scale, first, rules)
    kinds = kinds_of(fixings.sources, rules)
    repeats = count_repeats(values, last, scale.same, rules)
    weights = fresh_weights(fixings, kinds, values[first:], repeats, late, rules)
    carried, carried_of = carried_weights(fixings.days, kinds, values, last[first:], rules)
    is_alone = ((weights > 0).sum(axis=1) == 1) & ~(carried_of > 0).any(axis=1)
    return Measured(
        days=days[first:],
        kinds=kinds,
        values=values[first:],
        shift=shift[first:],
        pegs=np.full(len(scale.same), np.nan) if reference.pegs is None else (reference.pegs + shift)[first:],
        scale=scale,
        late=late,
        repeated=repeats > 0,
        rejected=np.isnan(values[first:]) & ~np.isnan(fixings.values[first:]),
        weights=weights,
        carried=carried,
        carried_weights=carried_of,
        jumps=np.where(is_alone, scale.lone_jumps, scale.jumps),
        consent=find_consent(values[first:], weights, scale.same),
        seen=seen,
    )


def _seen(fixings: CodeFixings, values: Floats, last: Ints, after: Frontier) -> Floats:
    """Return what `daily` returns for all rows; for those before a frontier as far as that has kept it."""
    start = int(fixings.days.searchsorted(after.day, side="right"))
    kept = after.seen[-start:] if start else after.seen[:0]
    missing = np.full((start - len(kept), 2), np.nan)
    return np.concatenate((missing, kept, daily(fixings.days, values, last, start)))


def plain_rows(measured: Measured, rules: Rules) -> Bools:
    """Return which rows have one cluster so near to the one of the row before that no other level is possible."""
    consent = measured.consent
    follows = np.zeros(len(measured.days), np.bool_)
    follows[1:] = consent.is_one[:-1] & (measured.days[1:] - measured.days[:-1] <= rules.restart_days)
    moved = np.full(len(measured.days), np.nan)
    moved[1:] = np.abs(consent.level[1:] - consent.level[:-1])
    same = measured.scale.same
    with np.errstate(invalid="ignore"):
        is_near = moved <= np.maximum(same, measured.jumps) / 2
        is_far = np.abs(measured.carried - consent.level[:, None]) > (same + measured.jumps)[:, None]
    is_denied = (is_far & (measured.carried_weights > 0)).any(axis=1)
    is_plain: Bools = follows & consent.is_one & is_near & ~is_denied & (measured.weights.sum(axis=1) > rules.rough_day)
    return is_plain

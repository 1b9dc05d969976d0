"""All that is measured about the rows of a code before their path is sought, as columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cambist.verdicts.clusters import Consent, find_consent
from cambist.verdicts.facts import Bools, CodeFixings, CodeReference, Floats, Ints
from cambist.verdicts.rules import Rules
from cambist.verdicts.scale import Scale, late_sources, measure
from cambist.verdicts.weights import carried_weights, fresh_weights


@dataclass(frozen=True, slots=True)
class Measured:
    """Columns by row and source.

    `values` and `pegs` are in the unit of the oldest day: `shift` is what was added to those of a row. `weights` are of
    the fixings of the row, `carried_weights` of the `carried` ones of sources without. `jumps` is the scale's limit of
    the row, which is wider if its only fixing is alone.
    """

    values: Floats
    shift: Floats
    pegs: Floats
    scale: Scale
    late: Bools
    repeated: Bools
    weights: Floats
    carried: Floats
    carried_weights: Floats
    jumps: Floats
    consent: Consent


def measure_rows(fixings: CodeFixings, reference: CodeReference, first: int, rules: Rules) -> Measured:
    """Return what is measured; rows before `first` are not complete."""
    shift = np.zeros(len(fixings.days))
    for day, factor in reference.redenominations:
        shift[fixings.days >= day] += factor
    values = fixings.values + shift[:, None]
    if fixings.rejected is not None:
        values = np.where(fixings.rejected, np.nan, values)
    scale = measure(fixings.days, values, first, rules)
    late = late_sources(values, scale, first, rules)
    weights, repeated = fresh_weights(fixings, values, scale, late, rules)
    carried, carried_of = carried_weights(fixings, values, rules)
    counts = np.count_nonzero(weights > 0, axis=1)
    jumps = np.where((counts == 1) & ~(carried_of > 0).any(axis=1), scale.lone_jumps, scale.jumps)
    consent = find_consent(values, weights, scale.same)
    pegs = np.full(len(shift), np.nan) if reference.pegs is None else reference.pegs + shift
    return Measured(values, shift, pegs, scale, late, repeated, weights, carried, carried_of, jumps, consent)


def plain_rows(days: Ints, measured: Measured, rules: Rules) -> Bools:
    """Return which rows have one cluster so near to the one of the row before that no other level is possible."""
    consent = measured.consent
    follows = np.ones(len(days), np.bool_)
    follows[:1] = False
    follows[1:] = consent.is_one[:-1] & (np.diff(days) <= rules.restart_days)
    moved = np.abs(np.diff(consent.level, prepend=np.nan))
    same = measured.scale.same
    with np.errstate(invalid="ignore"):
        is_near = moved <= np.maximum(same, measured.jumps) / 2
        is_far = np.abs(measured.carried - consent.level[:, None]) > (same + measured.jumps)[:, None]
    is_denied = (is_far & (measured.carried_weights > 0)).any(axis=1)
    is_plain: Bools = follows & consent.is_one & is_near & ~is_denied & (measured.weights.sum(axis=1) > rules.rough_day)
    return is_plain

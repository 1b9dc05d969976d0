"""Clusters: the fixings of a day that say the same level, and the level that they say."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isnan

import numpy as np

from cambist.verdicts.columns import at_columns
from cambist.verdicts.facts import Bools, Floats, Ints, SourceFacts
from cambist.verdicts.frontier import NOBODY, SEVERAL

WIDEST = 3
"""A cluster is at most so many times as wide as two neighbours may be apart."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Fixings of one day at one level. `columns` are those of their sources, the lowest fixing first.

    `originals` is how many of them are not compiled, `supporter` who says it, as in a state. `earliest` and `latest`
    are the hours that they show.
    """

    number: int
    level: float
    weight: float
    columns: tuple[int, ...]
    originals: int
    supporter: str
    earliest: float
    latest: float


@dataclass(frozen=True, slots=True)
class Consent:
    """Columns about rows that have one cluster: whether they do, its level, and the number of its only source.

    `only` is -1 if there are several sources.
    """

    is_one: Bools
    level: Floats
    only: Ints


def clusters_of(values: Floats, weights: Floats, same: float, sources: tuple[SourceFacts, ...]) -> list[Cluster]:
    """Return the clusters of one row, the lowest first. Fixings without weight are in none."""
    columns = np.flatnonzero(weights > 0)
    columns = columns[np.argsort(values[columns], kind="stable")]
    groups: list[list[int]] = []
    lowest = last = 0.0
    for column, value in zip(columns.tolist(), values[columns].tolist(), strict=True):
        if not groups or value - last > same or value - lowest > WIDEST * same:
            groups.append([])
            lowest = value
        groups[-1].append(column)
        last = value
    return [_cluster(number, group, values, weights, sources) for number, group in enumerate(groups)]


def _cluster(
    number: int, columns: list[int], values: Floats, weights: Floats, sources: tuple[SourceFacts, ...]
) -> Cluster:
    own = weights[columns]
    total = float(own.sum())
    middle = columns[int(np.argmax(2 * np.cumsum(own) >= total))]
    supporter = SEVERAL if len(columns) > 1 else sources[columns[0]].key if columns else NOBODY
    originals = sum(not sources[column].compiled for column in columns)
    hours = [sources[column].fixed_at for column in columns]
    earliest, latest = (-inf, inf) if any(map(isnan, hours)) else (min(hours), max(hours))
    return Cluster(number, float(values[middle]), total, tuple(columns), originals, supporter, earliest, latest)


def find_consent(values: Floats, weights: Floats, same: Floats) -> Consent:
    """Return which rows have one cluster, and what `clusters_of` returns for them."""
    counted = np.where(weights > 0, values, np.nan)
    order = np.argsort(counted, axis=1, kind="stable")
    ordered = at_columns(counted, order)
    own = at_columns(weights, order)
    count = (weights > 0).sum(axis=1)
    with np.errstate(invalid="ignore"):
        gaps_fit = ~(ordered[:, 1:] - ordered[:, :-1] > same[:, None]).any(axis=1)
        last = at_columns(ordered, np.maximum(count - 1, 0)[:, None])[:, 0]
        fits = gaps_fit & ~(last - ordered[:, 0] > WIDEST * same)
    middle = np.argmax(2 * np.cumsum(own, axis=1) >= own.sum(axis=1)[:, None], axis=1)
    level = at_columns(ordered, middle[:, None])[:, 0]
    return Consent((count > 0) & fits, level, np.where(count == 1, order[:, 0], -1))

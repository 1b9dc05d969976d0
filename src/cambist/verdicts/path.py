"""The cheapest path of a code's level through the days: each day's price is what it contradicts, and its jumps.

A majority's jump is cheap at once. A spike of one source costs two jumps, so it is cheaper to hold it. A lone jump that
lasts becomes cheaper than holding it on its second day. The order of arrival cannot matter, because only days have an
order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, log

import numpy as np

from cambist.verdicts.clusters import Cluster
from cambist.verdicts.facts import Floats
from cambist.verdicts.frontier import HOLD, NOBODY, SEVERAL, State
from cambist.verdicts.rules import Rules


@dataclass(frozen=True, slots=True)
class Day:
    """All that the path needs to know of a row, which is `gap` days after the row before.

    `carried` are the fixings of sources that have none on this row, with their weights. `accepted` are
    the columns whose fixing the operator accepted. `shift` is what to
    subtract from a level to have it in the unit of the day.
    """

    day: int
    gap: int
    clusters: Sequence[Cluster]
    carried: Floats
    carried_weights: Floats
    same: float
    jump: float
    moves: float
    shift: float = 0.0
    peg: float | None = None
    accepted: frozenset[int] = frozenset()

    @property
    def weight(self) -> float:
        """The weight of all fixings of the row."""
        return sum(cluster.weight for cluster in self.clusters)


def begin(day: Day, plausible: float | None, parent: State | None, rules: Rules) -> tuple[State, ...]:
    """Return the states of a first day, or of one after a long silence; none if all its fixings are rejected."""
    total = day.weight
    best = min((min(cluster.columns) for cluster in day.clusters), default=-1)
    states = []
    for cluster in day.clusters:
        if _is_far(cluster.level, plausible, rules.plausible) and cluster.originals < 2:
            continue  # it waits for a second
        cost = total - cluster.weight + rules.best_ranked * (best not in cluster.columns)
        cost += rules.implausible * max(1.0, total) * _is_far(cluster.level, plausible, rules.plausible)
        cost += rules.leaves_peg * _is_far(cluster.level, day.peg, rules.peg)
        states.append(State(cluster.level, cost, 0.0, cluster.supporter, day.day, cluster.number, False, parent))
    if plausible is not None and not states:
        states.append(State(plausible, total, 0.0, NOBODY, day.day, HOLD, False, parent))
    return _cheapest(states, day, rules)


def step(states: tuple[State, ...], day: Day, rules: Rules) -> tuple[State, ...]:
    """Return the states of a row that follows the row of `states`."""
    found = [state for before in states for state in _moves(before, day, rules)]
    total = day.weight
    found += [
        State(before.level, before.cost + total, before.rough, before.supporter, before.since, HOLD, False, before)
        for before in states
    ]
    return _cheapest(found, day, rules)


def _moves(before: State, day: Day, rules: Rules) -> Iterator[State]:
    for cluster in day.clusters:
        move = abs(cluster.level - before.level)
        if move <= day.jump:
            rough = min(rules.rough * max(0.0, move / day.moves - 3), rules.rough_day, rules.rough_path - before.rough)
            cost = before.cost + rough + _contradicted(cluster, before.level, day, 1.0, rules)
            supporter = cluster.supporter if before.supporter in {cluster.supporter, NOBODY} else SEVERAL
            yield State(
                cluster.level, cost, before.rough + rough, supporter, before.since, cluster.number, False, before
            )
            continue
        yields, is_unit = _yields(before, cluster), _is_unit_jump(before.level, cluster, day, rules)
        price = rules.unproven_yields if yields else _jump_price(before.level, cluster, day, rules, is_unit=is_unit)
        if (
            before.supporter == NOBODY
            and cluster.originals < 2
            and _is_far(cluster.level, before.level, rules.plausible)
        ):
            price = inf  # a lone fixing that is far from the packaged level waits for a second
        if price == inf:
            continue
        if day.peg is not None and not _is_far(before.level, day.peg, rules.peg):
            price += rules.leaves_peg
        early = 1.0 if yields else rules.before_event
        cost = before.cost + price + _contradicted(cluster, before.level, day, early, rules)
        withdraws = yields and is_unit
        yield State(cluster.level, cost, before.rough, cluster.supporter, day.day, cluster.number, withdraws, before)


def _yields(before: State, cluster: Cluster) -> bool:
    """Return whether a level that one source alone ever said is contradicted by two others."""
    is_unproven = before.supporter not in {NOBODY, SEVERAL}
    return is_unproven and cluster.supporter == SEVERAL and cluster.originals >= 2


def _jump_price(old: float, cluster: Cluster, day: Day, rules: Rules, *, is_unit: bool) -> float:
    """Return the price of a jump. One that looks like a mistaken unit needs two originals, and none that denies it."""
    if not is_unit:
        return rules.jump
    is_denied = any(
        other is not cluster and other.originals and 3 * abs(other.level - old) < abs(other.level - cluster.level)
        for other in day.clusters
    )
    return inf if cluster.originals < 2 or is_denied else rules.unit_jump


def _is_unit_jump(level: float, cluster: Cluster, day: Day, rules: Rules) -> bool:
    """Return whether a jump looks like a mistaken unit or exchanged sides, beside a move that would be no jump."""
    if any(column in day.accepted for column in cluster.columns):
        return False
    size, near = abs(cluster.level - level), max(rules.unit_tolerance, day.jump)
    if any(abs(size - log(factor)) < near for factor in rules.units):
        return True
    return abs(cluster.level + level - 2 * day.shift) < near


def _contradicted(cluster: Cluster, old: float, day: Day, early: float, rules: Rules) -> float:
    """Return the weights that a cluster contradicts; `early` is the part that those at the old level have."""
    near, is_move = day.same + 0.3 * day.jump, abs(cluster.level - old) > 2 * day.same
    cost = 0.0
    for other in day.clusters:
        if other is not cluster:
            is_old = abs(other.level - old) <= near
            is_older = is_old and is_move and other.latest < cluster.earliest
            cost += other.weight * (early if is_old else 1.0) * (rules.older_hour if is_older else 1.0)
    if len(day.carried):
        reach = day.same + day.jump
        far = np.abs(day.carried - cluster.level) > reach
        if far.any():
            at_old = far & (np.abs(day.carried - old) <= reach)
            weights = day.carried_weights
            cost += float(weights[far & ~at_old].sum()) + early * float(weights[at_old].sum())
    return cost


def _cheapest(states: list[State], day: Day, rules: Rules) -> tuple[State, ...]:
    """Return the states worth keeping, the cheapest first, with costs from the cheapest one's."""
    ranks = {cluster.number: min(cluster.columns) for cluster in day.clusters}
    states.sort(key=lambda state: (state.cost, ranks.get(state.cluster, 1 << 30), state.level))
    kept: list[State] = []
    for state in states:
        if state.cost > states[0].cost + rules.prune or len(kept) == rules.states:
            break
        if not any(_replaces(other, state, max(day.same, day.jump) / 2) for other in kept):
            kept.append(state)
    if len(kept) == 1:
        return (replace(kept[0], cost=0.0, rough=0.0),)
    least = states[0].cost if states else 0.0
    return tuple(replace(state, cost=state.cost - least) for state in kept)


def _replaces(cheaper: State, state: State, near: float) -> bool:
    if state.cluster == HOLD:
        return abs(cheaper.level - state.level) <= near
    return cheaper.cluster == state.cluster


def _is_far(level: float, reference: float | None, distance: float) -> bool:
    return reference is not None and abs(level - reference) > distance

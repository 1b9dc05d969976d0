"""Invariants of the whole history, checked at the end: another order of arrival, and the editions that were served."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import groupby
from operator import attrgetter
from typing import Any

import numpy as np
from tools.simulation.judging_invariants import DERIVED
from tools.simulation.memory_store import MemoryStore
from tools.simulation.reference_verdicts import ReferenceVerdicts
from tools.simulation.stored_rows import StoredFixing
from tools.simulation.violation import require

from cambist.history.code_rates import PREFERRED
from cambist.history.edition import RecordedEdition, with_edition
from cambist.history.fixing import DeliveryRecord, Fixing
from cambist.history.judging import Judging
from cambist.history.known_state import Mark, Scope, excerpt_at, verdict_bounds, wants, window_of
from cambist.history.rate_matrix import FIRST_DAY, RateMatrix
from cambist.history.verdict_log import Decision
from cambist.ingest.snapshot_builder import judging_of, rate_matrix_at, rules_of
from cambist.pricing.pair import PIVOT, Pair
from cambist.sources.base import Source
from cambist.storage import Store

ANY_ORDER = "any order of arrival leads to the same verdicts"
AS_KNOWN = "what was known at an edition is what was served then"

_NOON = datetime(1975, 1, 1, 12, tzinfo=UTC)
_RESTARTS = 0.2
_BATCHES = 8
_EDITIONS = 3
_KNOWN_DAYS = 20


def check_log(store: Store, sources: Sequence[Source]) -> None:
    """Check that the log has what a judging from the beginning gives."""
    judging_of(store, sources).update()
    faults = judging_of(store, sources).faults()
    require(not faults, DERIVED, "; ".join(faults))


def check_order(
    fixings: Sequence[StoredFixing],
    decisions: Sequence[Decision],
    sources: Sequence[Source],
    reference: ReferenceVerdicts,
    chance: random.Random,
) -> None:
    """File all fixings in another order, in batches, with restarts between them; check the verdicts at the end."""
    store = MemoryStore(lambda _statement: None, lambda: _NOON)
    judging = _judging(store, sources)
    left = list(decisions)
    for number, batch in enumerate(_batches(fixings, chance)):
        _file(store, judging, batch, number)
        if left and chance.random() < 0.5:
            store.verdicts.decide(left.pop(0))
        if chance.random() < _RESTARTS:
            judging = _judging(store, sources)
        judging.update()
    for each in left:
        store.verdicts.decide(each)
    judging.update()
    logged = store.verdicts.outcomes(judging.rules.version)
    for code in sorted(reference.codes):
        for name, expected in reference.outcomes(code).items():
            found = logged.get(name, {})
            different = {
                day: (found.get(day, PREFERRED), expected.get(day, PREFERRED))
                for day in {*found, *expected}
                if found.get(day) != expected.get(day)
            }
            require(not different, ANY_ORDER, f"{name} in another order, by day: {different}")


def _judging(store: MemoryStore, sources: Sequence[Source]) -> Judging:
    archive: Any = store.archive  # it has what judging needs of an archive
    return Judging(archive, store.verdicts, rules_of(sources))


def _batches(fixings: Sequence[StoredFixing], chance: random.Random) -> list[list[StoredFixing]]:
    """Return fixings in another order, in batches. Revisions stay in their order, each in a batch of its own."""
    places = [row.place for row in fixings]
    chance.shuffle(places)
    left: dict[tuple[str, str, str, str], list[StoredFixing]] = {}
    for row in fixings:
        left.setdefault(row.place, []).append(row)
    size = max(1, len(places) // _BATCHES)
    found: list[dict[tuple[str, str, str, str], StoredFixing]] = [{}]
    for place in places:
        if place in found[-1] or len(found[-1]) >= size:
            found.append({})
        found[-1][place] = left[place].pop(0)
    return [list(batch.values()) for batch in found]


def _file(store: MemoryStore, judging: Judging, batch: Sequence[StoredFixing], number: int) -> None:
    by_source = attrgetter("source")
    for source, rows in groupby(sorted(batch, key=by_source), key=by_source):
        fixings = [
            Fixing(source, Pair(row.base, row.quote), date.fromisoformat(row.day), Decimal(row.value), row.nominal)
            for row in rows
        ]
        delivery = DeliveryRecord(source, _NOON + timedelta(seconds=number), "another order", f"{number} {source}")
        filed = store.archive.file(delivery, fixings)
        if filed.days is not None:
            judging.note_filed(filed.delivery, *filed.days)


def check_editions(store: Store, sources: Sequence[Source], today: date, codes: Sequence[str]) -> None:
    """Build the rate matrices of some editions again, and check that they and excerpts are what was served."""
    recorded = [each for each in store.editions.after(0, 100_000) if each.last_verdict is not None]
    chosen = {len(recorded) * place // _EDITIONS for place in range(_EDITIONS)} | {len(recorded) - 1}
    rules = rules_of(sources)
    for place in sorted(chosen) if recorded else ():
        edition = recorded[place]
        matrix = rate_matrix_at(store, sources, today, edition.judged)
        name = with_edition(matrix, edition.delivery, rules.version).edition
        require(name == edition.name, AS_KNOWN, f"{edition.name} is {name} when it is built again")
        _check_excerpt(store, sources, edition, matrix, codes)


def _check_excerpt(
    store: Store, sources: Sequence[Source], edition: RecordedEdition, matrix: RateMatrix, codes: Sequence[str]
) -> None:
    rules, last = rules_of(sources), matrix.last_fixing
    pairs = tuple(Pair(PIVOT, code) for code in codes)
    scope = Scope(max(last - timedelta(days=_KNOWN_DAYS), FIRST_DAY), last, pairs, is_series=True)
    window, mark = window_of(scope), Mark(edition, edition.delivery, rules, last)
    wanted = wants(rules, scope.codes)
    known = store.archive.known_fixings([rule.key for rule in rules.sources], wanted, window.read_days)
    outcomes = store.verdicts.outcomes(rules.version, verdict_bounds(mark, scope.codes, window))
    excerpt = excerpt_at(known, mark, window, outcomes)
    rows = slice(window.first, window.first + window.days)
    for code in codes:
        if code in matrix.columns:
            served = matrix.cells_by_day[rows, matrix.columns[code]]
            nothing = np.full(len(served), np.nan)
            found = excerpt.cells_by_day[:, excerpt.columns[code]] if code in excerpt.columns else nothing
            is_same = np.array_equal(served, found, equal_nan=True)
            require(
                is_same, AS_KNOWN, f"{code} of {edition.name} is {found.tolist()}, but {served.tolist()} was served"
            )

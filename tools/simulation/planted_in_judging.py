"""Planted faults in the rules of verdicts and in judging by them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from typing import Any

import numpy as np
from tools.simulation.patches import Patch

from cambist.history import known_histories
from cambist.history.judging import Judging
from cambist.history.known_histories import DayRange, KnownHistories
from cambist.history.rate_matrix import RateMatrix
from cambist.history.source_history import SourceHistory, changed_days
from cambist.history.verdict_log import Judged
from cambist.ingest import snapshot_builder
from cambist.verdicts import path, publication
from cambist.verdicts.verdict import Judgement


def _units_are_no_mistakes() -> list[Patch]:
    def is_unit_jump(*_: Any) -> bool:
        return False

    return [(path, "_is_unit_jump", is_unit_jump)]


def _jumps_are_never_believed() -> list[Patch]:
    def price(*_: Any, is_unit: bool) -> float:
        del is_unit
        return inf

    return [(path, "_jump_price", price)]


def _jumps_cost_nothing() -> list[Patch]:
    def price(*_: Any, is_unit: bool) -> float:
        return inf if is_unit else 0.0

    return [(path, "_jump_price", price)]


def _rank_overrules() -> list[Patch]:
    def published(measured: Any, *_: Any) -> Any:
        return np.where((measured.weights > 0).any(axis=1), np.argmax(measured.weights > 0, axis=1), -1)

    return [(publication, "_published", published)]


def _old_days_not_judged_again() -> list[Patch]:
    def newest_change(before: SourceHistory, after: SourceHistory, code: str) -> tuple[int, int] | None:
        found = changed_days(before, after, code)
        newest = after.line(code)
        return None if found is None else (int(newest[0][-1]) if newest else found[1], found[1])

    return [(known_histories, "changed_days", newest_change)]


def _everything_judged_again() -> list[Patch]:
    read_new = KnownHistories.read_new

    def read_all(self: KnownHistories, after: int, delivery: int) -> dict[str, DayRange | None]:
        found: dict[str, DayRange | None] = dict(read_new(self, after, delivery))
        return {code: None for history in self.histories.values() for code in history.codes} if found else {}

    return [(KnownHistories, "read_new", read_all)]


def _verdicts_not_taken_back() -> list[Patch]:
    compare = Judging._compare  # noqa: SLF001  what is broken is inside

    def keep(self: Judging, code: str, rates: Any, found: Judgement) -> Any:
        before = dict(self.outcomes.get(code, {}))
        changes = [each for each in compare(self, code, rates, found) if each.outcome != "="]
        self.outcomes[code] = {**before, **self.outcomes.get(code, {})}
        return changes

    return [(Judging, "_compare", keep)]


def _verdicts_missing_in_editions() -> list[Patch]:
    shown_by = snapshot_builder.shown_by

    def without_verdicts(matrix: RateMatrix) -> Judged:
        return Judged(shown_by(matrix).delivery, 0)

    return [(snapshot_builder, "shown_by", without_verdicts)]


JUDGING_FAULTS: Mapping[str, Callable[[], list[Patch]]] = {
    "one source may move a level by a unit": _units_are_no_mistakes,
    "no jump is ever believed": _jumps_are_never_believed,
    "a jump costs nothing": _jumps_cost_nothing,
    "ranks overrule votes": _rank_overrules,
    "verdicts on days long past are not derived again": _old_days_not_judged_again,
    "each delivery judges every code": _everything_judged_again,
    "verdicts are not taken back": _verdicts_not_taken_back,
    "editions do not say which verdicts they show": _verdicts_missing_in_editions,
}

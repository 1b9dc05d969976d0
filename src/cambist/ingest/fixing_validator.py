"""Validation of a delivery: each fixing against its own past, the other sources, and legal rates.

The fixings of a code are validated as columns: almost all of them are near to the one before and to the other sources,
and no rule could refuse them. Only the rest is judged one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import compress
from math import isnan

import numpy as np

from cambist.history.filed_values import FiledValues
from cambist.history.fixing import Fixing, RefusedFixing
from cambist.history.quarantine import FixingKey, QuarantineState
from cambist.history.rate_matrix import RateMatrix
from cambist.ingest.code_validator import CodeValidator, Run
from cambist.ingest.delivery_columns import DeliveryColumns, day_number
from cambist.ingest.fixing_columns import FixingColumns
from cambist.ingest.other_sources import OtherSources
from cambist.pricing.pair import Pair
from cambist.pricing.validation import NOT_POSITIVE
from cambist.reference.assets import METALS
from cambist.reference.tables import CURRENCIES
from cambist.sources.base import Source


@dataclass(frozen=True, slots=True)
class ValidatedDelivery:
    """A delivery, divided into accepted and refused fixings."""

    accepted: list[Fixing]
    refused: list[RefusedFixing]


@dataclass(slots=True)
class FixingValidator:
    """Validates the deliveries of one source.

    `matrix` is the stored history of all sources; `before` are the source's last fixings before the delivery;
    `decisions` are the operator's on fixings that were refused earlier; `filed` are the source's stored values of the
    same days; `others` are the rates of all other sources.
    """

    source: Source
    matrix: RateMatrix | None
    before: Mapping[Pair, Fixing]
    decisions: Mapping[FixingKey, QuarantineState]
    today: date
    filed: FiledValues = field(default_factory=FiledValues)
    others: OtherSources | None = None
    _delivery: DeliveryColumns = field(init=False)
    _runs: dict[str, Run] = field(default_factory=dict)
    _dropped: list[int] = field(default_factory=list)
    _reasons: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._delivery = DeliveryColumns(self.source, self.matrix, self.filed, self.others)

    def validate(self, fixings: Sequence[Fixing]) -> ValidatedDelivery:
        """Divide a delivery into accepted and refused fixings; fixings that were rejected before are dropped."""
        days = np.fromiter(map(day_number, fixings), np.int64, len(fixings))
        order = np.argsort(days, kind="stable")
        ordered, days = [fixings[place] for place in order.tolist()], days[order]
        with np.errstate(all="ignore"):
            self._delivery.record_anchors([*self.before.values(), *fixings])
            self._remember_before()
            for code, places in self._by_code(ordered).items():
                of_code = [ordered[place] for place in places]
                self._validate_code(code, self._delivery.columns(code, of_code, places, days[places]))
        is_accepted = [True] * len(ordered)
        for place in (*self._dropped, *self._reasons):
            is_accepted[place] = False
        refused = [RefusedFixing(ordered[place], self._reasons[place]) for place in sorted(self._reasons)]
        return ValidatedDelivery(list(compress(ordered, is_accepted)), refused)

    def _remember_before(self) -> None:
        for fixing in self.before.values():
            code, units = self._delivery.code_of(fixing.pair), self._delivery.units(fixing)
            if isnan(units):
                continue
            if code in self._runs:
                self._runs[code].add(fixing.day, units)
            else:
                self._runs[code] = Run(fixing.day, units, fixing.day, fixing.day)

    def _by_code(self, ordered: Sequence[Fixing]) -> dict[str, list[int]]:
        by_code: dict[str, list[int]] = {}
        pairs = {fixing.pair for fixing in ordered}
        add = {pair: by_code.setdefault(self._delivery.code_of(pair), []).append for pair in pairs}
        for place, fixing in enumerate(ordered):
            add[fixing.pair](place)
        return by_code

    def _validate_code(self, code: str, columns: FixingColumns) -> None:
        is_judged = columns.is_positive.copy()
        for index, decision in self._decisions(columns):
            columns.is_settled[index] |= decision is QuarantineState.ACCEPTED
            if decision is QuarantineState.REJECTED:
                self._dropped.append(columns.places[index])
                columns.is_positive[index], is_judged[index] = True, False
        refused = dict.fromkeys(np.flatnonzero(~columns.is_positive).tolist(), NOT_POSITIVE)
        if code in CURRENCIES or code in METALS:
            validator = CodeValidator(code, columns, self._delivery, self.today, self._runs.get(code), refused)
            validator.validate(np.flatnonzero(is_judged & ~np.isnan(columns.units)))
        self._reasons.update((columns.places[index], reason) for index, reason in refused.items())

    def _decisions(self, columns: FixingColumns) -> list[tuple[int, QuarantineState]]:
        """Return the decisions on fixings of these columns, by index."""
        decided = {(pair, day) for pair, _, day, _, _ in self.decisions}
        if not decided:
            return []
        keys = (
            (index, FixingKey.of(one)) for index, one in enumerate(columns.fixings) if (one.pair, one.day) in decided
        )
        return [(index, self.decisions[key]) for index, key in keys if key in self.decisions]

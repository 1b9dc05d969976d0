"""The rules of validation expressed plainly, one fixing after the other, to compare the validator with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from math import isnan, nan

from cambist.history.fixing import Fixing, RefusedFixing
from cambist.history.quarantine import FixingKey, QuarantineState
from cambist.history.rate_matrix import BY_LAW, RateMatrix
from cambist.ingest.fixing_validator import ValidatedDelivery
from cambist.ingest.other_sources import MedianRange, OtherSources
from cambist.pricing.pair import PIVOT, Pair
from cambist.pricing.validation import NOT_POSITIVE, Candidate, refusal_reason
from cambist.reference.assets import METALS
from cambist.reference.tables import CURRENCIES, PEGS, REDENOMINATIONS
from cambist.sources.base import Source

_CARRY = timedelta(days=14)
_NEAR_REDENOMINATION = timedelta(days=30)
_DEFAULT_MOVE = 0.005
"""The assumed move from one fixing to the next of a currency whose own moves are not known yet."""

_MEMORY = 0.8
"""The weight of the previous average move when a new move is added."""

_LARGEST_MOVE = 0.25
_PEGGED = frozenset(peg.code for peg in PEGS)
_PEGGED_TO = frozenset(peg.anchor for peg in PEGS) - {PIVOT}
_REDENOMINATIONS_IN_PLACE = {change.old: change for change in REDENOMINATIONS if change.old == change.new}


@dataclass(slots=True)
class _Run:
    """The last accepted rate of a code, in units per pivot; it has been unchanged since `since`."""

    day: date
    units: float
    since: date
    seen_on: date
    still: int = 0
    recent_move: float = _DEFAULT_MOVE


@dataclass(slots=True)
class PlainValidator:
    """Validates the deliveries of one source.

    `matrix` is the stored history of all sources; `before` are the source's last fixings before the delivery;
    `decisions` are the operator's on fixings that were refused earlier; `filed` are the source's stored fixings of the
    same days; `others` are the rates of all other sources.
    """

    source: Source
    matrix: RateMatrix | None
    before: Mapping[Pair, Fixing]
    decisions: Mapping[FixingKey, QuarantineState]
    today: date
    filed: Mapping[tuple[Pair, date], Fixing] = field(default_factory=dict)
    others: OtherSources | None = None
    _runs: dict[str, _Run] = field(default_factory=dict)
    _pivots: dict[date, float] = field(default_factory=dict)
    _pegged_to: dict[tuple[date, str], float] = field(default_factory=dict)

    def validate(self, fixings: Sequence[Fixing]) -> ValidatedDelivery:
        """Divide a delivery into accepted and refused fixings; fixings that were rejected before are dropped."""
        self._record_anchors(fixings)
        for fixing in self.before.values():
            self._remember(fixing, self._code(fixing), self._units(fixing))
        validated = ValidatedDelivery([], [])
        for fixing, following in _with_following(fixings):
            decision = self._decision(fixing)
            if decision is QuarantineState.REJECTED:
                continue
            if not fixing.value > 0:
                validated.refused.append(RefusedFixing(fixing, NOT_POSITIVE))
                continue
            code, units = self._code(fixing), self._units(fixing)
            is_settled = decision is QuarantineState.ACCEPTED or self._is_filed(fixing)
            reason = None if is_settled else self._reason(fixing, code, units, following)
            if reason is None:
                validated.accepted.append(fixing)
                self._remember(fixing, code, units)
            else:
                validated.refused.append(RefusedFixing(fixing, reason))
                if code in self._runs:
                    # A refused fixing keeps the past from expiring: without one, anything would be accepted.
                    self._runs[code].seen_on = fixing.day
        return validated

    def _is_filed(self, fixing: Fixing) -> bool:
        filed = self.filed.get((fixing.pair, fixing.day))
        return filed is not None and (filed.value, filed.nominal) == (fixing.value, fixing.nominal)

    def _correction(self, fixing: Fixing) -> float | None:
        filed, anchor = self.filed.get((fixing.pair, fixing.day)), self.source.anchor
        return None if filed is None else _per_anchor(fixing, anchor) / _per_anchor(filed, anchor)

    def _decision(self, fixing: Fixing) -> QuarantineState | None:
        if not self.decisions:
            return None
        return self.decisions.get(FixingKey.of(fixing))

    def _record_anchors(self, fixings: Sequence[Fixing]) -> None:
        """Record the source's own rates of the pivot, and of currencies that others are pegged to, by day."""
        anchor = self.source.anchor
        for fixing in (*self.before.values(), *fixings, *self.filed.values()):
            # Stored fixings come last: they replace a delivered dollar rate that may be refused itself.
            code = fixing.pair.other(anchor)
            if not fixing.value > 0:
                continue
            if code == PIVOT and anchor != PIVOT:
                self._pivots[fixing.day] = _per_anchor(fixing, anchor)
            elif code in _PEGGED_TO:
                self._pegged_to[fixing.day, code] = _per_anchor(fixing, anchor)

    def _units(self, fixing: Fixing) -> float:
        """Return units of the fixing's code per pivot (of the anchor, if the code is the pivot); NaN if unknown."""
        anchor = self.source.anchor
        if anchor == PIVOT:
            return _per_anchor(fixing, anchor)
        per_anchor = _per_anchor(fixing, anchor)
        if fixing.pair.other(anchor) == PIVOT:
            return 1 / per_anchor
        return per_anchor / (self._pivots.get(fixing.day) or self._pivot_of_others(fixing.day))

    def _pivot_of_others(self, day: date) -> float:
        return nan if self.matrix is None else 1 / self.matrix.cell(day, self.source.anchor)

    def _code(self, fixing: Fixing) -> str:
        code = fixing.pair.other(self.source.anchor)
        return self.source.anchor if code == PIVOT else code

    def _reason(self, fixing: Fixing, code: str, units: float, following: Fixing | None) -> str | None:
        if isnan(units) or (code not in CURRENCIES and code not in METALS):
            return refusal_reason(Candidate(code, fixing.day, 1.0, self.today))
        run, (middle, peg) = self._runs.get(code), self._references(code, fixing.day)
        others = None if middle is None else middle.nearest(units)
        is_near = run is not None and fixing.day - run.seen_on <= _CARRY
        previous = run.units / _redenomination_between(code, run.day, fixing.day) if run and is_near else None
        still, moved = self._unchanged(run, code, units, middle)
        correction = self._correction(fixing)
        has_later = following is not None and following.value > 0
        later = (
            None
            if following is None or not has_later
            else self._units(following) * _redenomination_between(code, fixing.day, following.day)
        )
        return refusal_reason(
            Candidate(
                code=code,
                day=fixing.day,
                units=units,
                today=self.today,
                previous=previous,
                following=None if later is None or isnan(later) else later,
                others=others,
                peg=peg,
                factor=_redenomination_near(code, fixing.day),
                correction=correction,
                unchanged=still,
                others_moved=moved,
                recent_move=run.recent_move if run else _DEFAULT_MOVE,
            )
        )

    def _references(self, code: str, day: date) -> tuple[MedianRange | None, float | None]:
        """Return the median of the other sources on a day, and the legal rate."""
        if self.matrix is not None and self.matrix.source_and_age(day, code)[0] == BY_LAW:
            return None, self._pegged(code, day, self.matrix.cell(day, code)) if code in _PEGGED else None
        return None if self.others is None else self.others.median_range(code, day), None

    def _pegged(self, code: str, day: date, cell: float) -> float:
        """Return the legal rate, by the source's own rate of the peg's anchor if it has one.

        Two sources that fix at different hours may differ more in the anchor than a peg is allowed to.
        """
        peg = next((peg for peg in PEGS if peg.code == code and peg.holds_on(day)), None)
        anchor, pivot = self.source.anchor, 1.0 if self.source.anchor == PIVOT else self._pivots.get(day)
        if peg is None or pivot is None:
            return cell
        own = 1.0 if peg.anchor == anchor else self._pegged_to.get((day, peg.anchor))
        return cell if own is None else own / pivot * float(peg.factor)

    def _unchanged(self, run: _Run | None, code: str, units: float, others: MedianRange | None) -> tuple[int, float]:
        """Return for how many fixings a source's rate has not changed, and how far the others have moved since."""
        if run is None or units != run.units or others is None:
            return 0, 0.0
        before = self._references(code, run.since)[0]
        return (0, 0.0) if before is None else (run.still + 1, abs(others.centre / before.centre - 1))

    def _remember(self, fixing: Fixing, code: str, units: float) -> None:
        if isnan(units):
            return
        run = self._runs.get(code)
        if run is None:
            self._runs[code] = _Run(fixing.day, units, fixing.day, fixing.day)
            return
        run.recent_move = _average_move(run.recent_move, abs(units / run.units - 1))
        if run.units == units:
            run.still += 1
        else:
            run.units, run.since, run.still = units, fixing.day, 0
        run.day = run.seen_on = fixing.day


def _average_move(recent_move: float, move: float) -> float:
    """Return the average move after a further one; a redenomination is no move of that size."""
    return _MEMORY * recent_move + (1 - _MEMORY) * min(move, _LARGEST_MOVE)


def _with_following(fixings: Sequence[Fixing]) -> Iterator[tuple[Fixing, Fixing | None]]:
    """Return fixings in the order of their days, each with the next one of its pair."""
    ordered = sorted(fixings, key=lambda fixing: fixing.day)
    following: list[Fixing | None] = []
    next_of: dict[Pair, Fixing] = {}
    for fixing in reversed(ordered):
        following.append(next_of.get(fixing.pair))
        next_of[fixing.pair] = fixing
    return zip(ordered, reversed(following), strict=True)


def _per_anchor(fixing: Fixing, anchor: str) -> float:
    """Return units of the other side per one unit of the anchor."""
    rate = float(fixing.rate) if fixing.unit else float(fixing.value) / fixing.nominal
    return rate if fixing.pair.base == anchor else 1 / rate


def _redenomination_between(code: str, earlier: date, later: date) -> float:
    """Return the factor of a redenomination under the same code between two days, 1 if there was none."""
    change = _REDENOMINATIONS_IN_PLACE.get(code)
    return float(change.factor) if change is not None and earlier < change.first_day <= later else 1.0


def _redenomination_near(code: str, day: date) -> float | None:
    change = _REDENOMINATIONS_IN_PLACE.get(code)
    is_near = change is not None and abs(day - change.first_day) <= _NEAR_REDENOMINATION
    return float(change.factor) if change is not None and is_near else None

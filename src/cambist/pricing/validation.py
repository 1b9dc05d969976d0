"""Validation: the rules that a fixing or a tick must pass. Each rule is one function.

A rule returns the reason why a fixing is put in quarantine, or None. Fixings are compared in units of the currency per
unit of the pivot, so that all sources are comparable. The fixings of other sources are carried forward before they are
compared, so that a single source that publishes at a weekend is validated as on any other day.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

DAYS_AHEAD = timedelta(days=2)
"""How many days ahead a fixing may be: some sources set tomorrow's rate today, and some are ahead of UTC."""

_LARGEST_JUMP = 0.25
_FAR = 0.05
_CLOSE = 0.02
_OFF_PEG = 0.03
_SPIKE, _LONE_SPIKE = 0.035, 0.05
"""How far a day may differ from both its neighbours. The limit is wider if no other source can confirm it: on
2022-02-24, when Ukraine was invaded, the lira differed by 4 % for one day in the ECB's rates, correctly."""

_MANY_TIMES, _MANY_TIMES_TO_THE_POINT = 7, 4
STUCK_DAYS = 10
"""After so many fixings without a change a source may be stuck."""

OTHERS_MOVED = 0.02
"""A source is stuck if the others have moved by more."""

_LIVE = timedelta(days=30)
NOT_POSITIVE = "zero or negative"
"""The reason for a value that is not a rate."""

JUMP = "a jump that nothing confirms"
"""The reason for a tick that is far from the last consensus. Other sources, or time, may confirm it."""

_WIDEST = Decimal("0.02")
_NARROW = 0.0199
_FACTORS = (10, 31.1034768, 100, 1000, 10_000, 100_000, 1_000_000)
"""The factors by which a rate is wrong if its unit is mistaken: nominals, and the grams of a troy ounce."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fixing to validate, in units per pivot, with what it is compared with.

    `previous` is the source's last fixing in today's unit, `following` its next one if that is stored already. `others`
    is the median of all other sources for the day, carried forward. `peg` is the rate by law. `correction` is the ratio
    of the fixing to the source's earlier value for the same day. `factor` is that of a redenomination under the same
    code that the source may have applied too late or too early. `unchanged` counts the fixings before that had the same
    value, and `others_moved` is how far the other sources moved meanwhile. `recent_move` is how far the source has
    moved lately from one fixing to the next.
    """

    code: str
    day: date
    units: float
    today: date
    previous: float | None = None
    following: float | None = None
    others: float | None = None
    peg: float | None = None
    factor: float | None = None
    correction: float | None = None
    unchanged: int = 0
    others_moved: float = 0.0
    recent_move: float = 0.0

    @property
    def references(self) -> tuple[float, ...]:
        """The rates to compare with: the other sources' and the source's last one; only the others' if they agree."""
        if self.others is not None and _apart(self.units, self.others) <= _FAR:
            return (self.others,)
        return tuple(rate for rate in (self.others, self.previous) if rate is not None)


Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Rule = Callable[[Candidate], str | None]


def not_positive(candidate: Candidate) -> str | None:
    """Refuse zero and negative values."""
    return None if candidate.units > 0 else NOT_POSITIVE


def in_future(day: date, today: date) -> str | None:
    """Return why a day is too far ahead. It would hide the days before it, so the whole delivery is refused."""
    return f"dated {day}, which is yet to come" if day > today + DAYS_AHEAD else None


def missed_redenomination(candidate: Candidate) -> str | None:
    """Refuse a fixing that ignores a redenomination, or applies it too early."""
    if candidate.factor is None:
        return None
    for reference in candidate.references:
        for factor in (candidate.factor, 1 / candidate.factor):
            if abs(candidate.units / reference / factor - 1) < _LARGEST_JUMP:
                return f"[{factor:g}] times the expected rate: a redenomination not made, or made too early"
    return None


def wrong_unit(candidate: Candidate) -> str | None:
    """Refuse a fixing that is wrong by the factor of a mistaken nominal or weight."""
    for reference in candidate.references:
        for factor in _FACTORS:
            for times in (factor, 1 / factor):
                if abs(candidate.units / reference / times - 1) < _CLOSE:
                    return f"[{times:.6g}] times the expected rate: a mistaken unit"
    return None


def inverted(candidate: Candidate) -> str | None:
    """Refuse a fixing whose base and quote currency are exchanged."""
    for reference in candidate.references:
        is_swapped = abs(candidate.units * reference - 1) < _CLOSE
        if is_swapped and _apart(candidate.units, reference) > _FAR:
            return "base and quote swapped"
    return None


def off_peg(candidate: Candidate) -> str | None:
    """Refuse a fixing that is far from a peg that holds by law."""
    if candidate.peg is None or _apart(candidate.units, candidate.peg) <= _OFF_PEG:
        return None
    return f"{_apart(candidate.units, candidate.peg):.1%} off the peg"


def far_from_others(candidate: Candidate) -> str | None:
    """Refuse a fixing that is far from the other sources. Older days are compared with their neighbours instead."""
    if candidate.others is None or candidate.today - candidate.day > _LIVE:
        return None
    if _apart(candidate.units, candidate.others) <= _FAR:
        return None
    has_lasted = candidate.previous is not None and _apart(candidate.units, candidate.previous) <= _FAR
    return None if has_lasted else f"{_apart(candidate.units, candidate.others):.1%} from the other sources"


def jumped(candidate: Candidate) -> str | None:
    """Refuse a jump that other sources do not confirm and that the next fixing does not keep."""
    if candidate.previous is None or _apart(candidate.units, candidate.previous) <= _LARGEST_JUMP:
        return None
    others_agree = candidate.others is not None and _apart(candidate.units, candidate.others) <= _FAR
    later = candidate.following
    stayed = later is not None and _apart(later, candidate.units) < _apart(later, candidate.previous)
    if others_agree or stayed:
        return None
    return f"a jump of {_apart(candidate.units, candidate.previous):.0%} that nothing confirms"


def spiked(candidate: Candidate) -> str | None:
    """Refuse a spike of a single day in calm times that no other source confirms: it is probably a typing error."""
    before, after = candidate.previous, candidate.following
    if before is None or after is None:
        return None
    size, missed = min(_apart(candidate.units, before), _apart(candidate.units, after)), _apart(before, after)
    # In a market a price rarely returns to exactly where it was, so such a spike needs less to be refused.
    times = _MANY_TIMES_TO_THE_POINT if missed < size / 100 else _MANY_TIMES
    least = _LONE_SPIKE if candidate.others is None else _SPIKE
    if size <= max(least, times * candidate.recent_move) or missed > size / 3:
        return None
    if candidate.others is not None and _apart(candidate.units, candidate.others) < size / 2:
        return None
    return f"a spike of {size:.1%} that is gone at the next fixing"


def corrected_far(candidate: Candidate) -> str | None:
    """Refuse a large correction of a stored fixing that other sources do not confirm."""
    if candidate.correction is None or _apart(candidate.correction, 1.0) <= _FAR:
        return None
    others_agree = candidate.others is not None and _apart(candidate.units, candidate.others) <= _FAR
    return None if others_agree else f"corrects what was filed by {_apart(candidate.correction, 1.0):.0%}"


def stuck(candidate: Candidate) -> str | None:
    """Refuse a value that has not changed for days while the other sources moved."""
    if candidate.peg is None and candidate.unchanged >= STUCK_DAYS and candidate.others_moved > OTHERS_MOVED:
        return f"the same for {candidate.unchanged} fixings while the others moved {candidate.others_moved:.1%}"
    return None


FIXING_RULES: tuple[Rule, ...] = (
    not_positive,
    off_peg,
    missed_redenomination,
    inverted,
    wrong_unit,
    corrected_far,
    jumped,
    spiked,
    far_from_others,
    stuck,
)
"""The rules in the order in which they are applied. The first that refuses gives the reason, so the most specific ones
come first."""


def are_clearly_valid(units: Floats, previous: Floats, others: Floats) -> Bools:
    """Return which rates are so near to their last fixing and to the other sources that no rule could refuse them.

    `others` is NaN where there are none. Pegs, corrections and unchanged values are not considered. Almost all fixings
    are clearly valid, and applying every rule to them would take most of the time of a backfill.
    """
    is_near = (np.abs(units - previous) <= _CLOSE * previous) & (units > 0)
    return is_near & (np.isnan(others) | (np.abs(units - others) <= _CLOSE * others))


def are_on_peg(units: Floats, pegs: Floats) -> Bools:
    """Return which rates are near their peg, or have none (NaN), as `off_peg` decides."""
    apart = np.maximum(units, pegs) / np.minimum(units, pegs) - 1
    return np.isnan(pegs) | (apart <= _OFF_PEG)


def refusal_reason(candidate: Candidate) -> str | None:
    """Return the reason why a fixing is put in quarantine, or None if it is valid."""
    for rule in FIXING_RULES:
        reason = rule(candidate)
        if reason is not None:
            return reason
    return None


def bid_above_ask(bid: Decimal, ask: Decimal) -> str | None:
    """Refuse a tick whose bid is above its ask."""
    return "bid above ask" if bid > ask else None


def too_wide(bid: Decimal, ask: Decimal) -> str | None:
    """Refuse a tick whose spread is so wide that its midpoint means nothing."""
    return "sides more than 2 % apart" if ask - bid > _WIDEST * ask else None


def tick_refusal_reason(bid: Decimal, ask: Decimal, last_mid: float | None) -> str | None:
    """Return the reason why a tick is refused, or None. `last_mid` is the last consensus of its pair."""
    low, high = float(bid), float(ask)
    if last_mid is not None and 0 < low < high and high - low < _NARROW * high:
        # No rule for its sides can refuse it, and floats are compared faster than decimals.
        return JUMP if _apart((low + high) / 2, last_mid) > _LARGEST_JUMP else None
    if bid <= 0 or ask <= 0:
        return NOT_POSITIVE
    reason = bid_above_ask(bid, ask) or too_wide(bid, ask)
    if reason is None and last_mid is not None:
        apart = _apart((low + high) / 2, last_mid)
        reason = JUMP if apart > _LARGEST_JUMP else None
    return reason


def _apart(value: float, reference: float) -> float:
    """Return how far apart two rates are, the same in both directions."""
    return max(value, reference) / min(value, reference) - 1

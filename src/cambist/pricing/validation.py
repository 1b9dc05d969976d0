"""Acceptance: what a fixing or a tick must pass before it counts. One rule, one question, one function.

Each rule gives the reason for which the candidate waits in quarantine, or None. Fixings are judged in units of the
currency per one unit of the pivot, so that all sources can be compared; what others say is carried forward before it
is compared, so that a lone source at a weekend is judged as on any other day.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

DAYS_AHEAD = timedelta(days=2)
"""How far a source may be ahead: some set today's rate of tomorrow, and some are ahead of UTC."""

_LARGEST_JUMP = 0.25
_FAR = 0.05
_CLOSE = 0.02
_OFF_PEG = 0.03
_SPIKE, _LONE_SPIKE = 0.035, 0.05
"""How far a day may stand out between its neighbours: farther where nobody else says anything of it, since the lira
left the ECB's rates for one day when Ukraine was invaded (2022-02-24, by 4 %), and that was no error."""

_MANY_TIMES, _MANY_TIMES_TO_THE_POINT = 7, 4
_STUCK_DAYS = 10
_MOVED = 0.02
_LIVE = timedelta(days=30)
NOT_POSITIVE = "zero or negative"
"""Why what is no rate at all is refused."""

JUMP = "a jump that nothing confirms"
"""Why a tick is refused that is far from what was agreed on last; others, or time, may confirm it."""

_WIDEST = Decimal("0.02")
_FACTORS = (10, 31.1034768, 100, 1000, 10_000, 100_000, 1_000_000)
"""By how much a rate is wrong when its unit is mistaken: nominals, and the grams of a troy ounce."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fixing as it is judged, in units per pivot.

    `previous` is the source's own last one in today's unit, `following` its next where it is known already; `others` is
    the median of what all other sources say of the day, carried forward. `peg` is what the law says. `correction` is
    how many times it is what the source itself said of that day before. `factor` is that of a redenomination under the
    same code that a source may not have made yet, or may have made already; `still` counts how many fixings before had
    the same value, and `others_moved` how far the others went meanwhile. `recent_move` is how far its source's word has
    moved from one fixing to the next of late.
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
        """What to measure it by: the others' word and its own of before, or the others' alone where they agree."""
        if self.others is not None and _apart(self.units, self.others) <= _FAR:
            return (self.others,)
        return tuple(known for known in (self.others, self.previous) if known is not None)


Rule = Callable[[Candidate], str | None]


def not_positive(candidate: Candidate) -> str | None:
    """Is it a rate at all?"""
    return None if candidate.units > 0 else NOT_POSITIVE


def in_future(day: date, today: date) -> str | None:
    """Is it of a day that is yet to come? A stray one would hide the days before it: its whole delivery is refused."""
    return f"dated {day}, which is yet to come" if day > today + DAYS_AHEAD else None


def missed_redenomination(candidate: Candidate) -> str | None:
    """Does it ignore a redenomination that is due, or run ahead of one?"""
    if candidate.factor is None:
        return None
    for reference in candidate.references:
        for factor in (candidate.factor, 1 / candidate.factor):
            if abs(candidate.units / reference / factor - 1) < _LARGEST_JUMP:
                return f"[{factor:g}] times the expected rate: a redenomination not made, or made too early"
    return None


def wrong_unit(candidate: Candidate) -> str | None:
    """Is it off by what a mistaken nominal or weight makes?"""
    for reference in candidate.references:
        for factor in _FACTORS:
            for times in (factor, 1 / factor):
                if abs(candidate.units / reference / times - 1) < _CLOSE:
                    return f"[{times:.6g}] times the expected rate: a mistaken unit"
    return None


def inverted(candidate: Candidate) -> str | None:
    """Are base and quote swapped?"""
    for reference in candidate.references:
        is_swapped = abs(candidate.units * reference - 1) < _CLOSE
        if is_swapped and _apart(candidate.units, reference) > _FAR:
            return "base and quote swapped"
    return None


def off_peg(candidate: Candidate) -> str | None:
    """Does it break a peg that the law says holds?"""
    if candidate.peg is None or _apart(candidate.units, candidate.peg) <= _OFF_PEG:
        return None
    return f"{_apart(candidate.units, candidate.peg):.1%} off the peg"


def far_from_others(candidate: Candidate) -> str | None:
    """Is it far from what the other sources say? Older days are judged by their neighbours instead."""
    if candidate.others is None or candidate.today - candidate.day > _LIVE:
        return None
    if _apart(candidate.units, candidate.others) <= _FAR:
        return None
    has_lasted = candidate.previous is not None and _apart(candidate.units, candidate.previous) <= _FAR
    return None if has_lasted else f"{_apart(candidate.units, candidate.others):.1%} from the other sources"


def jumped(candidate: Candidate) -> str | None:
    """Did it jump over a day, alone, and without staying there?"""
    if candidate.previous is None or _apart(candidate.units, candidate.previous) <= _LARGEST_JUMP:
        return None
    others_agree = candidate.others is not None and _apart(candidate.units, candidate.others) <= _FAR
    later = candidate.following
    stayed = later is not None and _apart(later, candidate.units) < _apart(later, candidate.previous)
    if others_agree or stayed:
        return None
    return f"a jump of {_apart(candidate.units, candidate.previous):.0%} that nothing confirms"


def spiked(candidate: Candidate) -> str | None:
    """Did it leave for a single day in calm times, alone? A typing error is back on the next day."""
    before, after = candidate.previous, candidate.following
    if before is None or after is None:
        return None
    size, missed = min(_apart(candidate.units, before), _apart(candidate.units, after)), _apart(before, after)
    # What returns to the very point where it was is rarer in a market than what returns to about there.
    times = _MANY_TIMES_TO_THE_POINT if missed < size / 100 else _MANY_TIMES
    least = _LONE_SPIKE if candidate.others is None else _SPIKE
    if size <= max(least, times * candidate.recent_move) or missed > size / 3:
        return None
    if candidate.others is not None and _apart(candidate.units, candidate.others) < size / 2:
        return None
    return f"a spike of {size:.1%} that is gone at the next fixing"


def corrected_far(candidate: Candidate) -> str | None:
    """Does it correct what its source said of that very day by more than others confirm?"""
    if candidate.correction is None or _apart(candidate.correction, 1.0) <= _FAR:
        return None
    others_agree = candidate.others is not None and _apart(candidate.units, candidate.others) <= _FAR
    return None if others_agree else f"corrects what was filed by {_apart(candidate.correction, 1.0):.0%}"


def stuck(candidate: Candidate) -> str | None:
    """Has it stood still for days while the others moved?"""
    if candidate.peg is None and candidate.unchanged >= _STUCK_DAYS and candidate.others_moved > _MOVED:
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
"""In this order: the first to object names the reason, the most telling first."""


def is_clearly_valid(units: float, previous: float, others: float | None) -> bool:
    """Say whether a rate is so near to its own past and to the others that no rule could object, pegs and rest aside.

    Almost all are: judging them by each rule would take most of the time that filing a history takes.
    """
    is_near = abs(units - previous) <= _CLOSE * previous
    return is_near and units > 0 and (others is None or abs(units - others) <= _CLOSE * others)


def refusal_reason(candidate: Candidate) -> str | None:
    """Judge a fixing; give the reason why it has to wait, or None."""
    for rule in FIXING_RULES:
        reason = rule(candidate)
        if reason is not None:
            return reason
    return None


def crossed(bid: Decimal, ask: Decimal) -> str | None:
    """Is a tick's bid above its ask?"""
    return "bid above ask" if bid > ask else None


def too_wide(bid: Decimal, ask: Decimal) -> str | None:
    """Is a tick's spread so wide that its middle means nothing?"""
    return "sides more than 2 % apart" if ask - bid > _WIDEST * ask else None


def tick_refusal_reason(bid: Decimal, ask: Decimal, last_mid: float | None) -> str | None:
    """Judge a tick beside the last agreed midpoint of its pair; give the reason to refuse it, or None."""
    if bid <= 0 or ask <= 0:
        return NOT_POSITIVE
    reason = crossed(bid, ask) or too_wide(bid, ask)
    if reason is None and last_mid is not None:
        apart = _apart((float(bid) + float(ask)) / 2, last_mid)
        reason = JUMP if apart > _LARGEST_JUMP else None
    return reason


def _apart(value: float, reference: float) -> float:
    """Say how far two rates lie apart, the same in both directions."""
    return max(value, reference) / min(value, reference) - 1

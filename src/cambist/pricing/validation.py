"""Validation: the rules that the day of a fixing and the sides of a tick must pass. Each rule is one function."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

DAYS_AHEAD = timedelta(days=2)
"""How many days ahead a fixing may be: some sources set tomorrow's rate today, and some are ahead of UTC."""

NOT_POSITIVE = "zero or negative"
"""The reason for a value that is not a rate."""

JUMP = "a jump that nothing confirms"
"""The reason for a tick that is far from the last consensus. Other sources, or time, may confirm it."""

_WIDEST = Decimal("0.02")
_NARROW = 0.0199


def in_future(day: date, today: date) -> str | None:
    """Return why a day is too far ahead. It would hide the days before it, so the whole delivery is refused."""
    return f"dated {day}, which is yet to come" if day > today + DAYS_AHEAD else None


def bid_above_ask(bid: Decimal, ask: Decimal) -> str | None:
    """Refuse a tick whose bid is above its ask."""
    return "bid above ask" if bid > ask else None


def too_wide(bid: Decimal, ask: Decimal) -> str | None:
    """Refuse a tick whose spread is so wide that its midpoint means nothing."""
    return "sides more than 2 % apart" if ask - bid > _WIDEST * ask else None


def tick_refusal_reason(bid: Decimal, ask: Decimal) -> str | None:
    """Return the reason why the sides of a tick are refused, or None."""
    low, high = float(bid), float(ask)
    if 0 < low < high and high - low < _NARROW * high:
        return None  # no rule can refuse it, and floats are compared faster than decimals
    if bid <= 0 or ask <= 0:
        return NOT_POSITIVE
    return bid_above_ask(bid, ask) or too_wide(bid, ask)

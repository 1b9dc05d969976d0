"""What dialects of plain JSON share: the rates of a day that must all be there, and an answer of a body."""

from __future__ import annotations

from datetime import date

from cambist.api.faces.dialects.dialect import DialectAnswer, DialectRequest
from cambist.api.faces.dialects.plain_json import encode_plainly
from cambist.api.faces.dialects.rates import DatedRates, rates_on
from cambist.errors import NoRate


def found_on(request: DialectRequest, base: str, codes: list[str] | None, day: date) -> DatedRates:
    """Return the rates of a day. Errors: NoRate if one of the named targets has none."""
    found = rates_on(request.context, base, codes, day)
    missing = [code for code in codes or () if code not in found.values]
    if missing:
        raise NoRate(f"No rate from [{base}] to [{missing[0]}] on [{day}]")
    return found


def answer_with(body: object, cost: int = 1, earliest_day: date | None = None) -> DialectAnswer:
    """Return an answer with this body."""
    return DialectAnswer(encode_plainly(body), cost=cost, earliest_day=earliest_day)


def change_between(first: float, last: float) -> dict[str, float]:
    """Return how a rate changed from one day to another, as the services of this family write it."""
    change = last - first
    return {
        "start_rate": first,
        "end_rate": last,
        "change": round(change, 10),
        "change_pct": round(100 * change / first, 4),
    }

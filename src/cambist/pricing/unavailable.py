"""The sentences that refuse a price: what is known last, and where simulated prices are."""

from __future__ import annotations

from datetime import UTC

from cambist.errors import RateUnavailable
from cambist.pricing.quote import Quote

SANDBOX = ("sandbox",)
SIMULATED = "[cambist serve --sandbox] has simulated prices"


def too_old(name: object, quote: Quote, why: str = "older than allowed") -> RateUnavailable:
    """Return the error of a price that may not be used any more: it names its time and its sources."""
    when, sources = f"{quote.as_of.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}", ", ".join(quote.origin.sources)
    hint = "" if quote.origin.sources == SANDBOX else f"; {SIMULATED}"
    return RateUnavailable(f"The newest price of [{name}] is of [{when}] ({sources}), {why}{hint}")


def not_heard(what: str) -> RateUnavailable:
    """Return the error of a price that nobody has delivered yet."""
    return RateUnavailable(f"{what} yet; {SIMULATED}")

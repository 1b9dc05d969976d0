"""The sentences that refuse a price."""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction

import pytest

from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation, Origin, Quote
from cambist.pricing.unavailable import not_heard, too_old

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("source", "hint"), [("ecb", "; [cambist serve --sandbox] has simulated prices"), ("sandbox", "")]
)
def test_an_old_price_is_named_and_where_there_are_simulated_ones(source: str, hint: str) -> None:
    origin = Origin(Derivation.PUBLISHED, (source,))
    quote = Quote(Pair("XAU", "USD"), Fraction(4), Fraction(5), NOON, NOON, origin)
    sentence = f"The newest price of [XAU] is of [2026-11-20T12:00:00Z] ({source}), older than allowed{hint}"
    assert str(too_old("XAU", quote)) == sentence
    assert str(not_heard("Nobody has priced [XAU]")).endswith("yet; [cambist serve --sandbox] has simulated prices")

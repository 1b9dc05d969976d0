from datetime import date

import pytest

from cambist.pricing.anchor import anchor_in, anchor_on, anchors_of, priced_code
from cambist.pricing.pair import Pair


@pytest.mark.parametrize(
    ("code", "codes"),
    [
        ("TRY", ("TRY", "TRL")),
        ("BRL", ("BRL", "BRR", "BRE", "BRN", "BRC", "BRB")),
        ("RUB", ("RUB", "RUR", "SUR")),
        ("CZK", ("CZK", "CSK")),
        ("NOK", ("NOK",)),
        ("SYP", ("SYP",)),
    ],
)
def test_the_codes_of_an_anchor_are_those_that_it_replaced(code: str, codes: tuple[str, ...]) -> None:
    assert anchors_of(code) == codes


@pytest.mark.parametrize(
    ("anchor", "day", "code"),
    [
        ("TRY", date(2004, 12, 31), "TRL"),
        # The old lira was money for a year beside the new one, but rates were in the new one.
        ("TRY", date(2005, 1, 1), "TRY"),
        ("CZK", date(1993, 2, 7), "CSK"),
        ("CZK", date(1993, 2, 8), "CZK"),
        ("RUB", date(1997, 12, 31), "RUR"),
        ("RUB", date(1998, 1, 1), "RUB"),
        ("BRL", date(1986, 2, 27), "BRB"),
        ("BRL", date(1986, 2, 28), "BRC"),
        ("BRL", date(1989, 1, 15), "BRC"),
        ("BRL", date(1990, 3, 15), "BRN"),
        ("BRL", date(1993, 7, 31), "BRE"),
        ("BRL", date(1994, 6, 30), "BRR"),
        ("BRL", date(1994, 7, 1), "BRL"),
        ("USD", date(1999, 1, 1), "USD"),
        ("XTS", date(1999, 1, 1), "XTS"),
    ],
)
def test_the_anchor_of_a_day_is_the_code_that_was_money(anchor: str, day: date, code: str) -> None:
    assert anchor_on(anchor, day) == code


@pytest.mark.parametrize(
    ("pair", "anchor", "code", "other"),
    [
        (Pair("USD", "TRY"), "TRY", "TRY", "USD"),
        (Pair("USD", "TRL"), "TRY", "TRL", "USD"),
        (Pair("CSK", "EUR"), "CZK", "CSK", "EUR"),
        # Both sides are codes of the dollar: Ecuador's sucre was replaced by it.
        (Pair("USD", "ECS"), "USD", "USD", "ECS"),
    ],
)
def test_the_code_that_a_pair_prices_is_the_other_side(pair: Pair, anchor: str, code: str, other: str) -> None:
    assert (anchor_in(pair, anchor), priced_code(pair, anchor)) == (code, other)

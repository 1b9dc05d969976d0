"""What people type for a pair and an amount on the command line."""

from __future__ import annotations

import pytest

from cambist.cli.typed_pair import read_pair, read_question, read_typed
from cambist.errors import BadParameter


@pytest.mark.parametrize("typed", ["EUR USD", "EUR/USD", "EURUSD", "EUR:USD", "EUR-USD"])
def test_a_pair_may_be_one_word(typed: str) -> None:
    base, *rest = typed.split()
    assert read_pair(base, rest[0] if rest else None) == ("EUR", "USD")


def test_coins_and_minor_units_stay_as_they_are() -> None:
    assert read_pair("MATIC/EUR", None) == ("MATIC", "EUR")
    assert read_pair("GBp/USD", None) == ("GBp", "USD")


@pytest.mark.parametrize("typed", ["EUR", "EURUS", "EUR/", "EURUSDX"])
def test_half_a_pair_is_refused(typed: str) -> None:
    with pytest.raises(BadParameter, match="Missing TO"):
        read_pair(typed, None)


@pytest.mark.parametrize(
    "typed",
    ["100 eur usd", "100eur usd", "100eur in usd", "100 eur to usd", "100 eur/usd", "100 EURUSD", "100eur/usd"],
)
def test_a_question_is_read_as_it_is_typed(typed: str) -> None:
    assert [str(word).lower() for word in read_question(typed.split())] == ["100", "eur", "usd"]


@pytest.mark.parametrize("typed", ["invoices.csv", "-", "2026eur.csv", "100eur"])
def test_the_name_of_a_file_stays(typed: str) -> None:
    assert read_question([typed]) == (typed, None, None)


def test_a_question_with_too_many_words_is_refused() -> None:
    with pytest.raises(BadParameter, match="Too many words"):
        read_question(["100", "EUR", "USD", "GBP"])


@pytest.mark.parametrize(
    ("typed", "decimal", "read"),
    [
        ("19.99", None, "19.99"),
        ("-1.5E7", None, "-1.5E7"),
        ("1,234.50", None, "1234.50"),
        ("1.234,50", "comma", "1234.50"),
        ("1234,50", "comma", "1234.50"),
        ("1,234", "point", "1234"),
        ("1,234", "comma", "1.234"),
    ],
)
def test_amounts_are_read_as_they_are_typed(typed: str, decimal: str | None, read: str) -> None:
    assert read_typed(typed, decimal) == read


def test_an_amount_with_two_readings_is_refused() -> None:
    with pytest.raises(BadParameter, match="declare one of them"):
        read_typed("1,234", None)

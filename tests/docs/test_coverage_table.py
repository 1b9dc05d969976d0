from __future__ import annotations

from datetime import date

import pytest
from tools.coverage_table import declared_coverage

from cambist.pricing.parity import parity_on
from cambist.reference.assets import METALS
from cambist.reference.currency_tables import CURRENCIES
from cambist.registry.sources.source_adapters import adapters
from cambist.sources.base import FixingAdapter
from cambist.sources.published_currencies import published_currencies

TODAY = date(2026, 11, 20)
COVERED = {each.code: each for each in declared_coverage(adapters().values(), TODAY)}
NOBODY = {"CLF", "COU", "UYI", "UYW", "CNH"}
"""Living codes that no daily source on by default has; some are quoted live."""


def test_every_living_currency_has_a_source_or_a_law():
    without = {code for code, each in COVERED.items() if not each.independent and not parity_on(TODAY, code)}
    assert without <= NOBODY


def test_every_living_currency_is_in_the_table():
    living = {code for code, currency in CURRENCIES.items() if currency.lives_on(TODAY)}
    assert living - {"USD"} == set(COVERED)


def test_most_currencies_have_two_independent_words():
    single = [code for code, each in COVERED.items() if each.independent < 2 and not parity_on(TODAY, code)]
    assert len(single) <= 12


def test_compilers_are_no_further_word():
    assert [each.key for each, _ in COVERED["KPW"].sources if not each.compiled] == []
    assert COVERED["KPW"].independent == 1
    assert COVERED["EUR"].independent > 10


def test_the_issuer_of_a_currency_has_it():
    assert "nbg" in {source.key for source, _ in COVERED["GEL"].sources}


def test_a_source_has_no_currency_before_it_existed():
    days = {source.key: first for source, first in COVERED["EUR"].sources}
    assert days["ecb"] == date(1999, 1, 4)
    assert min(days.values()) >= date(1999, 1, 1)


@pytest.mark.parametrize(
    ("key", "code", "first"),
    [
        ("bcb", "BRL", date(1994, 7, 1)),
        ("bcb", "AUD", date(1999, 1, 4)),
        ("boe", "AUD", date(1975, 1, 2)),
        ("boe", "CNY", date(2006, 1, 1)),
        ("tcmb", "TRY", date(2005, 1, 1)),
    ],
)
def test_a_source_has_a_currency_since_it_is_requested_and_money(key: str, code: str, first: date) -> None:
    assert {source.key: day for source, day in COVERED[code].sources}[key] == first


@pytest.mark.parametrize("key", [*published_currencies()])
def test_a_list_of_currencies_is_of_a_source_and_of_known_codes(key):
    adapter = adapters()[key]
    assert isinstance(adapter, FixingAdapter)
    codes = published_currencies()[key]
    assert list(codes) == sorted({*codes})
    assert set(codes) <= CURRENCIES.keys() | METALS
    assert adapter.source.anchor not in codes

"""A publication: one source's fixings against the dollar, through what all its pairs share."""

from collections.abc import Iterable
from datetime import date, timedelta
from decimal import Decimal
from math import isnan

import numpy as np
import pytest

from cambist.history.carry_forward import NEVER, Ages, Floats
from cambist.history.fixing import Fixing
from cambist.history.pair_series import PairSeries
from cambist.history.source_history import SourceHistory
from cambist.pricing.pair import Pair

FIRST = date(1970, 1, 1)


def fixings(text: str) -> list[Fixing]:
    """Fixings as `0 EUR/USD 1.25`: the day is counted from 1970."""
    words = text.split()
    return [
        Fixing("a source", Pair(*pair.split("/")), FIRST + timedelta(days=int(day)), Decimal(value))
        for day, pair, value in zip(words[::3], words[1::3], words[2::3], strict=True)
    ]


def shown(columns: Iterable[tuple[str, Floats, Ages]]) -> dict[str, list[tuple[float, int] | None]]:
    """Columns by code: each cell with its age, None where there is none."""
    found = {}
    for code, cells, ages in columns:
        pairs = zip(cells.tolist(), ages.tolist(), strict=True)
        found[code] = [None if isnan(cell) else (round(cell, 9), age) for cell, age in pairs]
    return found


ECB = "1 EUR/USD 1.25 1 EUR/JPY 180 2 EUR/USD 1.20"


def test_the_anchors_own_column_is_what_a_dollar_buys_of_it() -> None:
    assert shown(SourceHistory("EUR", fixings(ECB)).own(4)) == {
        "EUR": [None, (0.8, 0), (0.833333333, 0), (0.833333333, 1)]
    }


def test_every_other_column_is_crossed_through_the_anchor_with_both_legs_carried_as_published() -> None:
    assert shown(SourceHistory("EUR", fixings(ECB)).others(4)) == {"JPY": [None, (144, 0), (150, 1), (150, 2)]}


def test_a_bank_that_quotes_foreign_money_in_its_own_is_turned_around() -> None:
    bank = SourceHistory("PLN", fixings("0 USD/PLN 4 0 JPY/PLN 0.025"))
    assert shown(bank.own(1)) == {"PLN": [(4, 0)]}
    assert shown(bank.others(1)) == {"JPY": [(160, 0)]}


def test_of_a_source_that_quotes_per_dollar_only_the_others_are_new() -> None:
    fed = SourceHistory("USD", fixings("0 USD/JPY 150 0 GBP/USD 1.25"))
    assert shown(fed.own(1)) == {"USD": [(1, 0)]}
    assert shown(fed.others(1)) == {"JPY": [(150, 0)], "GBP": [(0.8, 0)]}


def test_without_a_fixing_in_the_pivot_there_are_no_columns() -> None:
    source = SourceHistory("EUR", fixings("0 EUR/JPY 180"))
    assert shown(source.own(1)) == shown(source.others(1)) == {}


def test_an_alias_is_the_anchor_at_this_sources_rate_and_nothing_else() -> None:
    bank = SourceHistory("BRL", fixings("0 USD/BRL 5.5 0 EUR/BRL 6"), alias="BRX")
    assert shown(bank.own(2)) == {"BRL": [(5.5, 0), (5.5, 1)], "BRX": [(5.5, 0), (5.5, 1)]}
    assert shown(bank.others(2)).keys() == {"EUR"}


def test_lines_and_fixings_may_come_mixed() -> None:
    line = PairSeries(Pair("EUR", "USD"), np.array([0, 1], np.int64), np.array([1.25, 1.20]))
    source = SourceHistory("EUR", [line, *fixings("1 EUR/JPY 180")])
    assert shown(source.own(2)) == {"EUR": [(0.8, 0), (0.833333333, 0)]}
    assert shown(source.others(2)) == {"JPY": [None, (150, 0)]}


def test_fixings_are_read_only_once() -> None:
    assert shown(SourceHistory("EUR", iter(fixings(ECB))).own(2)).keys() == {"EUR"}


@pytest.mark.parametrize(("text", "row"), [(ECB, 2), ("7 EUR/JPY 180 3 EUR/USD 1.25", 7), ("", 0)])
def test_the_last_row_is_the_newest_day_of_any_pair(text: str, row: int) -> None:
    assert SourceHistory("EUR", fixings(text)).last_row == row


def row_of(day: date) -> int:
    return (day - FIRST).days


@pytest.mark.parametrize(
    ("code", "cut", "factor"), [("VES", date(2021, 10, 1), 1_000_000), ("SYP", date(2026, 1, 1), 100)]
)
def test_a_cut_under_the_same_code_is_made_whichever_side_it_is_on(code: str, cut: date, factor: int) -> None:
    row, days = row_of(cut), row_of(cut) + 2
    abroad = SourceHistory("EUR", fixings(f"{row - 2} EUR/USD 1.25 {row - 2} EUR/{code} 5000000"))
    turned = SourceHistory("EUR", fixings(f"{row - 2} EUR/USD 1.25 {row - 2} {code}/EUR 0.0000002"))
    home = SourceHistory(code, fixings(f"{row - 2} USD/{code} 4000000 {row - 2} EUR/{code} 5000000"))
    expected = [4e6, 4e6, 4e6 / factor, 4e6 / factor]
    for columns in (abroad.others(days), turned.others(days), home.own(days)):
        _, cells, ages = next(each for each in columns if each[0] == code)
        assert cells[-4:].tolist() == pytest.approx(expected)
        assert ages[-4:].tolist() == [0, 1, 2, 3]
    # Foreign money is worth the same in dollars whatever happens to the bank's own.
    euro = {name: cells for name, cells, _ in home.others(days)}["EUR"]
    assert euro[-4:].tolist() == pytest.approx([0.8] * 4)


def test_a_currency_that_was_never_cut_is_carried_as_it_is() -> None:
    row = row_of(date(2021, 9, 29))
    source = SourceHistory("EUR", fixings(f"{row} EUR/USD 1.25 {row} EUR/COP 5000000"))
    (_, cells, ages) = next(iter(source.others(row + 30)))
    assert cells[row : row + 15].tolist() == [4e6] * 15
    assert set(ages[row + 15 :].tolist()) == {NEVER}


OLD_AND_NEW = "0 USD/TRL 1300000 0 EUR/TRL 1690000 2 USD/TRY 1.25 2 EUR/TRY 1.75 2 GBP/TRY 2.5"


def test_an_anchor_has_a_column_under_each_code_that_it_had() -> None:
    assert shown(SourceHistory("TRY", fixings(OLD_AND_NEW)).own(3)) == {
        "TRL": [(1300000, 0), (1300000, 1), (1300000, 2)],
        "TRY": [None, None, (1.25, 0)],
    }


def test_a_currency_is_crossed_through_each_code_that_the_anchor_had_the_newest_first() -> None:
    columns = SourceHistory("TRY", fixings(OLD_AND_NEW)).others(3)
    assert [shown([column]) for column in columns] == [
        {"EUR": [None, None, (0.714285714, 0)]},
        {"GBP": [None, None, (0.5, 0)]},
        {"EUR": [(0.769230769, 0), (0.769230769, 1), (0.769230769, 2)]},
    ]


def test_the_last_day_of_a_source_is_the_newest_of_all_codes_of_its_anchor() -> None:
    assert SourceHistory("TRY", fixings(OLD_AND_NEW)).last_row == 2

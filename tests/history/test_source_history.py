"""A publication: one source's fixings against the dollar, through what all its pairs share."""

from datetime import date, timedelta
from decimal import Decimal
from math import isnan

import numpy as np
import pytest

from cambist.history.fixing import Fixing
from cambist.history.pair_series import PairSeries
from cambist.history.source_history import SourceHistory, changed_days
from cambist.pricing.pair import Pair

FIRST = date(1970, 1, 1)


def fixings(text: str) -> list[Fixing]:
    """Fixings as `0 EUR/USD 1.25`: the day is counted from 1970."""
    words = text.split()
    return [
        Fixing("a source", Pair(*pair.split("/")), FIRST + timedelta(days=int(day)), Decimal(value))
        for day, pair, value in zip(words[::3], words[1::3], words[2::3], strict=True)
    ]


def line(source: SourceHistory, code: str) -> dict[int, float]:
    """The rates of a code by their days."""
    found = source.line(code)
    return {} if found is None else dict(zip(found[0].tolist(), found[1].round(9).tolist(), strict=True))


def carried(source: SourceHistory, code: str, days: int, published: set[int] | None = None) -> list[object]:
    """What was published of a code, carried forward: each cell with its age, None where there is none."""
    rows = np.array(sorted(published if published is not None else line(source, code)), np.int64)
    cells, ages = source.carried(code, rows, days, 0, NOTHING)
    pairs = zip(cells.tolist(), ages.tolist(), strict=True)
    return [None if isnan(cell) else (round(cell, 9), age) for cell, age in pairs]


NOTHING = np.empty(0, np.int64)
ECB = "1 EUR/USD 1.25 1 EUR/JPY 180 2 EUR/USD 1.20"


def test_the_anchors_own_line_is_what_a_dollar_buys_of_it() -> None:
    source = SourceHistory("EUR", fixings(ECB))
    assert line(source, "EUR") == {1: 0.8, 2: 0.833333333}
    assert carried(source, "EUR", 4) == [None, (0.8, 0), (0.833333333, 0), (0.833333333, 1)]


def test_every_other_line_is_crossed_with_the_pivot_of_its_day_and_carried_in_the_anchor() -> None:
    source = SourceHistory("EUR", fixings(ECB))
    assert line(source, "JPY") == {1: 144}
    assert carried(source, "JPY", 4) == [None, (144, 0), (150, 1), (150, 2)]


def test_what_was_not_published_and_a_wrong_rate_of_the_pivot_are_not_carried() -> None:
    source = SourceHistory("EUR", fixings(f"{ECB} 2 EUR/JPY 18000 3 EUR/USD 120"))
    assert carried(source, "JPY", 4, {1}) == [None, (144, 0), (150, 1), (1.5, 2)]
    cells, _ = source.carried("JPY", np.array([1]), 4, 0, np.array([3]))
    assert cells[1:].tolist() == [144, 150, 150]


def test_a_bank_that_quotes_foreign_money_in_its_own_is_turned_around() -> None:
    bank = SourceHistory("PLN", fixings("0 USD/PLN 4 0 JPY/PLN 0.025"))
    assert (line(bank, "PLN"), line(bank, "JPY")) == ({0: 4}, {0: 160})
    assert bank.codes == {"PLN", "JPY"}


def test_a_source_that_quotes_per_dollar_has_no_line_of_the_dollar() -> None:
    fed = SourceHistory("USD", fixings("0 USD/JPY 150 0 GBP/USD 1.25"))
    assert fed.codes == {"JPY", "GBP"}
    assert (line(fed, "JPY"), line(fed, "GBP")) == ({0: 150}, {0: 0.8})


def test_without_a_fixing_of_the_pivot_on_the_same_day_there_is_no_rate() -> None:
    assert line(SourceHistory("EUR", fixings("0 EUR/JPY 180")), "JPY") == {}
    assert line(SourceHistory("EUR", fixings("0 EUR/JPY 180 1 EUR/USD 1.25")), "JPY") == {}


def test_an_alias_is_the_anchor_at_this_sources_rate_and_nothing_else() -> None:
    bank = SourceHistory("BRL", fixings("0 USD/BRL 5.5 0 EUR/BRL 6"), alias="BRX")
    assert bank.codes == {"BRL", "BRX", "EUR"}
    assert line(bank, "BRL") == line(bank, "BRX") == {0: 5.5}
    assert carried(bank, "BRX", 2) == [(5.5, 0), (5.5, 1)]
    assert bank.issues("BRX")
    assert not bank.issues("EUR")


def test_series_and_fixings_may_come_mixed() -> None:
    series = PairSeries(Pair("EUR", "USD"), np.array([0, 1], np.int64), np.array([1.25, 1.20]))
    source = SourceHistory("EUR", [series, *fixings("1 EUR/JPY 180")])
    assert (line(source, "EUR"), line(source, "JPY")) == ({0: 0.8, 1: 0.833333333}, {1: 150})


def test_fixings_are_read_only_once() -> None:
    assert line(SourceHistory("EUR", iter(fixings(ECB))), "EUR") == {1: 0.8, 2: 0.833333333}


def test_other_fixings_of_some_days_take_the_place_of_those_before() -> None:
    before = SourceHistory("EUR", fixings(f"{ECB} 4 EUR/USD 1.30 4 EUR/JPY 190"))
    series = PairSeries(Pair("EUR", "USD"), np.array([2, 3]), np.array([1.25, 1.24]))
    after = before.merged([series], 2, 3)
    assert line(after, "EUR") == {1: 0.8, 2: 0.8, 3: 0.806451613, 4: 0.769230769}
    assert changed_days(before, after, "EUR") == (2, 3)
    assert changed_days(before, after, "JPY") is None
    assert changed_days(after, after.merged([], 1, 1), "JPY") == (1, 1)


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
    for source in (abroad, turned, home):
        cells, ages = source.carried(code, np.array([row - 2]), days, 0, NOTHING)
        assert cells[-4:].tolist() == pytest.approx(expected)
        assert ages[-4:].tolist() == [0, 1, 2, 3]
    # Foreign money is worth the same in dollars whatever happens to the bank's own.
    cells, _ = home.carried("EUR", np.array([row - 2]), days, 0, NOTHING)
    assert cells[-4:].tolist() == pytest.approx([0.8] * 4)


def test_a_currency_that_was_never_cut_is_carried_as_it_is() -> None:
    row = row_of(date(2021, 9, 29))
    source = SourceHistory("EUR", fixings(f"{row} EUR/USD 1.25 {row} EUR/COP 5000000"))
    cells, ages = source.carried("COP", np.array([row]), row + 30, 0, NOTHING)
    assert cells[row : row + 15].tolist() == [4e6] * 15
    assert np.isnan(cells[row + 15 :]).all()
    assert ages[row : row + 15].tolist() == list(range(15))


OLD_AND_NEW = "0 USD/TRL 1300000 0 EUR/TRL 1690000 2 USD/TRY 1.25 2 EUR/TRY 1.75 2 GBP/TRY 2.5"


def test_an_anchor_has_a_line_under_each_code_that_it_had() -> None:
    source = SourceHistory("TRY", fixings(OLD_AND_NEW))
    assert (line(source, "TRL"), line(source, "TRY")) == ({0: 1300000}, {2: 1.25})


def test_a_currency_is_crossed_through_each_code_that_the_anchor_had() -> None:
    source = SourceHistory("TRY", fixings(OLD_AND_NEW))
    assert line(source, "EUR") == {0: 0.769230769, 2: 0.714285714}
    assert carried(source, "EUR", 3) == [(0.769230769, 0), (0.769230769, 1), (0.714285714, 0)]
    assert carried(source, "EUR", 3, {0}) == [(0.769230769, 0), (0.769230769, 1), (0.769230769, 2)]
    assert line(source, "GBP") == {2: 0.5}


def test_the_last_day_of_a_source_is_the_newest_of_all_codes_of_its_anchor() -> None:
    assert SourceHistory("TRY", fixings(OLD_AND_NEW)).last_row == 2

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.errors import SourceBroken
from cambist.history.fixing import GRAM, Fixing
from cambist.pricing.pair import Pair
from cambist.sources.adapters.nbp import adapter

RECORDED = Path(__file__).parents[4] / "shared/payloads/nbp"


def table(rates: str, day: str = "2026-03-04", kind: str = "A") -> str:
    return f'[{{"table":"{kind}","no":"1","effectiveDate":"{day}","rates":[{rates}]}}]'


def rate(code: str, mid: str = "1.2500") -> str:
    return f'{{"currency":"x","code":"{code}","mid":{mid}}}'


def read(text: str, subject: str = "A") -> list[Fixing]:
    return list(adapter.parse(text.encode(), subject))


# What is read


def test_a_rate_is_zlotys_per_one_unit_in_the_digits_published() -> None:
    (fixing,) = read(table(rate("HUF", "0.011200")))
    assert fixing == Fixing("nbp", Pair("HUF", "PLN"), date(2026, 3, 4), Decimal("0.011200"), 1)
    assert str(fixing.value) == "0.011200"


def test_gold_is_zlotys_per_gram() -> None:
    (fixing,) = read('[{"data":"2026-03-05","cena":602.70}]', "gold")
    assert fixing == Fixing("nbp", Pair("XAU", "PLN"), date(2026, 3, 5), Decimal("602.70"), unit=GRAM)
    assert str(fixing.value) == "602.70"


def test_a_weak_currency_keeps_its_few_digits() -> None:
    assert str(read(table(rate("ETB", "0.0238"), kind="B"), "B")[0].value) == "0.0238"


@pytest.mark.parametrize(
    ("label", "day", "code"),
    [
        ("AON", "2002-01-02", "AOA"),
        ("BYB", "2002-03-06", "BYR"),
        ("AFA", "2002-12-24", "AFA"),
        ("AFA", "2003-01-07", "AFN"),
        ("ZWR", "2009-02-24", "ZWR"),
        ("ZWR", "2009-02-25", "ZWL"),
    ],
)
def test_a_code_kept_beyond_its_end_is_that_of_the_value_under_it(label: str, day: str, code: str) -> None:
    (fixing,) = read(table(rate(label), day, "B"), "B")
    assert fixing.pair == Pair(code, "PLN")


def test_a_fixing_shows_the_market_of_eleven_in_warsaw() -> None:
    assert adapter.source.market_time(date(2026, 7, 1)) == datetime(2026, 7, 1, 9, tzinfo=UTC)


def test_the_facts_of_the_source_are_right() -> None:
    assert (adapter.source.key, adapter.source.anchor, adapter.source.first_day) == ("nbp", "PLN", date(2002, 1, 2))
    assert adapter.source.is_on_by_default


# What is asked


def test_both_tables_and_gold_are_requested() -> None:
    asked = list(adapter.requests(date(2026, 3, 1), date(2026, 3, 5)))
    assert [(request.subject, request.url) for request in asked] == [
        ("A", "https://api.nbp.pl/api/exchangerates/tables/A/2026-03-01/2026-03-05/?format=json"),
        ("B", "https://api.nbp.pl/api/exchangerates/tables/B/2026-03-01/2026-03-05/?format=json"),
        ("gold", "https://api.nbp.pl/api/cenyzlota/2026-03-01/2026-03-05/?format=json"),
    ]
    assert {(request.first, request.last) for request in asked} == {(date(2026, 3, 1), date(2026, 3, 5))}


def test_a_404_says_that_no_table_fell_into_the_days() -> None:
    assert {request.no_data_statuses for request in adapter.requests(date(2026, 3, 7), date(2026, 3, 8))} == {
        frozenset({404})
    }


def test_no_request_spans_more_than_93_days() -> None:
    asked = [request for request in adapter.requests(date(2025, 1, 1), date(2025, 12, 31)) if request.subject == "A"]
    assert [(request.first, request.last) for request in asked] == [
        (date(2025, 1, 1), date(2025, 4, 3)),
        (date(2025, 4, 4), date(2025, 7, 5)),
        (date(2025, 7, 6), date(2025, 10, 6)),
        (date(2025, 10, 7), date(2025, 12, 31)),
    ]
    assert max((request.last - request.first).days + 1 for request in asked) == 93


def test_nothing_is_requested_before_the_first_day_and_no_gold_before_its_own() -> None:
    asked = list(adapter.requests(date(1990, 1, 1), date(2002, 1, 3)))
    assert [(request.subject, request.first) for request in asked] == [("A", date(2002, 1, 2)), ("B", date(2002, 1, 2))]
    gold = [
        request.first for request in adapter.requests(date(2012, 12, 20), date(2013, 1, 5)) if request.subject == "gold"
    ]
    assert gold == [date(2013, 1, 2)]
    assert list(adapter.requests(date(1990, 1, 1), date(2002, 1, 1))) == []


# What is refused


def test_a_table_that_was_not_requested_is_refused() -> None:
    with pytest.raises(SourceBroken, match=r"table \[C\]"):
        read(table(rate("USD"), kind="C"))
    with pytest.raises(SourceBroken, match="NBP: a table"):
        read(table(rate("USD")), "")


def test_a_table_without_rates_is_refused() -> None:
    with pytest.raises(SourceBroken, match="0 rates"):
        read(table(""))


@pytest.mark.parametrize("subject", ["A", "gold"])
def test_an_empty_list_is_refused(subject: str) -> None:
    """No table in the range is a 404."""
    with pytest.raises(SourceBroken, match="no rate"):
        read("[]", subject)


def test_a_code_twice_on_a_day_is_refused_under_whichever_label() -> None:
    with pytest.raises(SourceBroken, match="AFN/PLN on 2003-01-07 is given twice"):
        read(table(f"{rate('AFA')},{rate('AFN')}", "2003-01-07"))


@pytest.mark.parametrize("mid", ["0", "-1.2", "null", '"N/A"'])
def test_an_invalid_rate_is_refused(mid: str) -> None:
    with pytest.raises(SourceBroken, match="NBP: "):
        read(table(rate("USD", mid)))


# What was really sent

needs_recorded = pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")


@needs_recorded
def test_the_recorded_tables_are_parsed_completely() -> None:
    daily = list(adapter.parse((RECORDED / "nbp_01.json").read_bytes(), "A"))
    assert len(daily) == 128
    assert daily[0] == Fixing("nbp", Pair("THB", "PLN"), date(2026, 3, 2), Decimal("0.1146"))
    assert Fixing("nbp", Pair("JPY", "PLN"), date(2026, 3, 2), Decimal("0.022963")) in daily
    weekly = list(adapter.parse((RECORDED / "nbp_02.json").read_bytes(), "B"))
    assert len(weekly) == 116
    assert {fixing.day for fixing in weekly} == {date(2026, 3, 4)}
    assert Fixing("nbp", Pair("ETB", "PLN"), date(2026, 3, 4), Decimal("0.0238")) in weekly


@needs_recorded
def test_the_recorded_gold_is_parsed_completely() -> None:
    gold = list(adapter.parse((RECORDED / "nbp_03.json").read_bytes(), "gold"))
    assert [str(fixing.value) for fixing in gold] == ["595.71", "624.92", "624.32", "612.51"]

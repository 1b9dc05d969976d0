from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.errors import NothingPublished, SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.sources.adapters.boj import adapter

RECORDED = Path(__file__).parents[4] / "shared/payloads/boj/boj_01.json"


def series(code: str, unit: str, days: str, values: str, frequency: str = "DAILY") -> str:
    return (
        f'{{"SERIES_CODE":"{code}","UNIT":"{unit}","FREQUENCY":"{frequency}","LAST_UPDATE":20260310,'
        f'"VALUES":{{"SURVEY_DATES":[{days}],"VALUES":[{values}]}}}}'
    )


def yen(days: str = "20260305,20260306", values: str = "158.10,158.4", frequency: str = "DAILY") -> str:
    return series("FXERD04", "Yen per U.S. Dollar", days, values, frequency)


EURO = series("FXERD34", "U.S. Dollar per Euro", "20260305", "1.1612")


def read(*found: str, status: int = 200, message: str = "M181000I", position: str = "null") -> list[Fixing]:
    head = f'"STATUS":{status},"MESSAGEID":"{message}","NEXTPOSITION":{position}'
    return list(adapter.parse(f'{{{head},"RESULTSET":[{",".join(found)}]}}'.encode()))


# What is read


def test_each_series_has_its_own_direction_and_keeps_its_digits() -> None:
    first, _, last = read(yen(), EURO)
    assert first == Fixing("boj", Pair("USD", "JPY"), date(2026, 3, 5), Decimal("158.10"))
    assert str(first.value) == "158.10"
    assert last == Fixing("boj", Pair("EUR", "USD"), date(2026, 3, 5), Decimal("1.1612"))


def test_null_is_a_missing_rate() -> None:
    fixings = read(yen("20260305,20260306,20260307", "null,158.4,null"), EURO)
    assert [(fixing.pair.base, fixing.day.day) for fixing in fixings] == [("USD", 6), ("EUR", 5)]


def test_months_without_a_rate_yet_are_no_fault() -> None:
    with pytest.raises(NothingPublished, match="Bank of Japan: no day"):
        read(yen(values="null,null"), series("FXERD34", "U.S. Dollar per Euro", "20260305", "null"))


def test_months_that_the_bank_has_nothing_for_are_no_fault() -> None:
    with pytest.raises(NothingPublished, match="Bank of Japan: there is nothing"):
        read(message="M181030I")


def test_days_before_the_first_may_stand_in_its_month_without_a_rate() -> None:
    fixings = read(yen("19980101,19980105", "null,132.5"), EURO)
    assert fixings[0].day == adapter.source.first_day


def test_a_fixing_shows_the_market_of_five_in_tokyo() -> None:
    assert adapter.source.market_time(date(2026, 3, 5)) == datetime(2026, 3, 5, 8, tzinfo=UTC)


# What is asked


def test_both_series_are_requested_by_months_of_a_year() -> None:
    asked = list(adapter.requests(date(2025, 12, 25), date(2026, 3, 5)))
    assert [request.url for request in asked] == [
        "https://www.stat-search.boj.or.jp/api/v1/getDataCode?format=json&lang=en&db=FM08&code=FXERD04,FXERD34"
        f"&startDate={first}&endDate={last}"
        for first, last in [("202512", "202512"), ("202601", "202603")]
    ]
    assert [(request.first, request.last) for request in asked] == [
        (date(2025, 12, 25), date(2025, 12, 31)),
        (date(2026, 1, 1), date(2026, 3, 5)),
    ]


def test_nothing_is_requested_before_the_first_day() -> None:
    assert next(adapter.requests(date(1990, 1, 1), date(1998, 2, 1))).first == date(1998, 1, 5)


# What is refused


@pytest.mark.parametrize(("status", "position"), [(400, "null"), (503, "null"), (200, "251")])
def test_an_answer_that_is_not_whole_is_refused(status: int, position: str) -> None:
    with pytest.raises(SourceBroken, match=f"not whole: status {status}"):
        read(yen(), EURO, status=status, position=position)


def test_an_error_is_refused_by_its_name() -> None:
    with pytest.raises(SourceBroken, match=r"status 400, \[M181005E\]"):
        list(adapter.parse(b'{"STATUS":400,"MESSAGEID":"M181005E","MESSAGE":"Invalid DB","DATE":"2026-03-05"}'))


@pytest.mark.parametrize("found", [[], [EURO], [yen()]])
def test_an_answer_without_one_of_the_series_is_refused(found: list[str]) -> None:
    with pytest.raises(SourceBroken, match="of the 2 series"):
        read(*found)


@pytest.mark.parametrize(
    "other",
    [
        series("FXERD04", "U.S. Dollar per Yen", "20260305", "158.1"),
        series("FXERD01", "Yen per U.S. Dollar", "20260305", "158.1"),
        yen(frequency="MONTHLY"),
        yen("20260305", "158.1,158.4"),
        yen("20260305,20260306", "158.1"),
    ],
)
def test_a_series_that_is_not_as_it_was_is_refused(other: str) -> None:
    with pytest.raises(SourceBroken, match="not as it was"):
        read(other, EURO)


def test_a_series_twice_is_refused() -> None:
    with pytest.raises(SourceBroken, match="USD/JPY is given twice"):
        read(yen(), yen(), EURO)


def test_a_day_twice_is_refused() -> None:
    with pytest.raises(SourceBroken, match="2026-03-05 is given twice"):
        read(yen("20260305,20260305"), EURO)


@pytest.mark.parametrize("day", ["20260230", "202603", "19980102", "260305"])
def test_an_invalid_day_or_before_the_first_is_refused(day: str) -> None:
    with pytest.raises(SourceBroken, match="not a date"):
        read(yen(f"{day},20260306"), EURO)


@pytest.mark.parametrize("value", ["0", "-158.1", '"ND"', '""', "true"])
def test_an_invalid_rate_is_refused(value: str) -> None:
    with pytest.raises(SourceBroken, match=r"^Bank of Japan: "):
        read(yen(values=f"{value},158.4"), EURO)


# What was recorded


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
def test_the_recorded_month_is_parsed_completely() -> None:
    fixings = list(adapter.parse(RECORDED.read_bytes()))
    assert len(fixings) == 2 * 19
    assert fixings[0] == Fixing("boj", Pair("USD", "JPY"), date(2026, 3, 2), Decimal("156.99"))
    assert fixings[-1] == Fixing("boj", Pair("EUR", "USD"), date(2026, 3, 27), Decimal("1.1518"))
    assert Fixing("boj", Pair("USD", "JPY"), date(2026, 3, 12), Decimal("158.8")) in fixings

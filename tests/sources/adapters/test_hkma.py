from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.errors import NothingPublished, SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.sources.adapters.hkma import adapter

RECORDED = Path(__file__).parents[4] / "shared/payloads/hkma/hkma_01.json"
DAY = date(2026, 3, 6)


def day(rates: str, written: str = "2026-03-06") -> str:
    return f'{{"end_of_day":"{written}",{rates}}}'


def read(*records: str, size: int | None = None, success: str = "true") -> list[Fixing]:
    count = len(records) if size is None else size
    header = f'"header":{{"success":{success},"err_code":"0001","err_msg":"-"}}'
    return list(adapter.parse(f'{{{header},"result":{{"datasize":{count},"records":[{",".join(records)}]}}}}'.encode()))


# What is read


def test_a_fixing_is_in_hong_kong_dollars_and_keeps_the_noise_of_the_source() -> None:
    (fixing,) = read(day('"usd":7.8245000000000005'))
    assert fixing.pair == Pair("USD", "HKD")
    assert (fixing.day, fixing.nominal, str(fixing.value)) == (DAY, 1, "7.8245000000000005")


def test_null_is_a_missing_rate() -> None:
    assert [fixing.pair.base for fixing in read(day('"usd":7.8,"dem":null,"eur":9.1,"zar":null'))] == ["USD", "EUR"]


def test_currencies_that_have_ended_are_read_where_they_have_a_rate() -> None:
    fixings = read(day('"dem":4.25,"nlg":3.77,"bef":0.2,"frf":1.26,"itl":0.0043', "1998-03-03"))
    assert [fixing.pair.base for fixing in fixings] == ["DEM", "NLG", "BEF", "FRF", "ITL"]


def test_the_special_drawing_right_has_its_code() -> None:
    (fixing,) = read(day('"special_drawing_rights":10.75757525'))
    assert fixing == Fixing("hkma", Pair("XDR", "HKD"), DAY, Decimal("10.75757525"))


def test_indices_are_no_rates() -> None:
    assert len(read(day('"usd":7.8,"neeri_1983_trade_wgt":null,"neeri_2030_export_wgt":101.2'))) == 1


def test_a_month_that_is_not_out_is_no_fault() -> None:
    with pytest.raises(NothingPublished, match=r"HKMA: .* not out"):
        read()


def test_a_fixing_shows_the_close_in_hong_kong() -> None:
    assert adapter.source.market_time(DAY) == datetime(2026, 3, 6, 9, tzinfo=UTC)


# What is asked


def test_the_days_are_requested_in_pages_that_cannot_have_a_second() -> None:
    asked = list(adapter.requests(date(2025, 12, 1), date(2026, 3, 20)))
    spans = [(request.first, request.last) for request in asked]
    assert spans == [(date(2025, 12, 1), date(2026, 3, 10)), (date(2026, 3, 11), date(2026, 3, 20))]
    assert max((last - first).days + 1 for first, last in spans) == 100
    assert asked[1].url == (
        "https://api.hkma.gov.hk/public/market-data-and-statistics/monthly-statistical-bulletin/er-ir/er-eeri-daily"
        "?choose=end_of_day&from=2026-03-11&to=2026-03-20&pagesize=100&offset=0&sortby=end_of_day&sortorder=asc"
    )


def test_nothing_is_requested_before_the_first_day() -> None:
    assert next(adapter.requests(date(1970, 1, 1), date(1981, 2, 1))).first == date(1981, 1, 2)
    assert list(adapter.requests(date(1970, 1, 1), date(1981, 1, 1))) == []


def test_repeated_requests_reach_back_to_a_month_that_is_published_late() -> None:
    assert adapter.source.schedule.reread_days > 62


# What is refused


@pytest.mark.parametrize("column", ["brl", "USD", "date", "neer", "special_drawing_right"])
def test_a_column_of_unknown_meaning_is_refused(column: str) -> None:
    with pytest.raises(SourceBroken, match=rf"\[{column}\]"):
        read(day(f'"usd":7.8,"{column}":1.5'))


def test_an_unknown_column_is_refused_even_without_a_rate() -> None:
    with pytest.raises(SourceBroken, match="brl"):
        read(day('"usd":7.8,"brl":null'))


@pytest.mark.parametrize(("size", "success"), [(2, "true"), (0, "true"), (1, "false")])
def test_an_answer_that_is_not_whole_is_refused(size: int, success: str) -> None:
    with pytest.raises(SourceBroken, match="not whole: code \\[0001\\]"):
        read(day('"usd":7.8'), size=size, success=success)


def test_a_day_twice_is_refused() -> None:
    with pytest.raises(SourceBroken, match="2026-03-06 is given twice"):
        read(day('"usd":7.8'), day('"usd":7.9'))


def test_days_without_any_rate_are_refused() -> None:
    with pytest.raises(SourceBroken, match="no day of the page"):
        read(day('"usd":null'))


@pytest.mark.parametrize("rate", ["0", "-7.8", '"N/A"', '""', "true", "[7.8]"])
def test_an_invalid_rate_is_refused(rate: str) -> None:
    with pytest.raises(SourceBroken, match=r"^HKMA: "):
        read(day(f'"usd":{rate}'))


@pytest.mark.parametrize("record", ['{"usd":7.8}', '{"end_of_day":null,"usd":7.8}', '{"end_of_day":20260306,"usd":7}'])
def test_a_record_without_its_day_is_refused(record: str) -> None:
    with pytest.raises(SourceBroken, match=r"^HKMA: "):
        read(record)


def test_a_day_before_the_first_is_refused() -> None:
    with pytest.raises(SourceBroken, match="1980-12-31"):
        read(day('"usd":5.1', "1980-12-31"))


# What was recorded


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
def test_the_recorded_page_is_parsed_completely() -> None:
    fixings = list(adapter.parse(RECORDED.read_bytes()))
    assert len(fixings) == 4 * 17 + 3
    assert {fixing.day for fixing in fixings} == {date(2026, 2, number) for number in (25, 26, 27, 28)}
    assert str(fixings[0].value) == "7.8245000000000005"
    assert Fixing("hkma", Pair("XDR", "HKD"), date(2026, 2, 27), Decimal("10.75757525")) in fixings
    assert Fixing("hkma", Pair("IDR", "HKD"), date(2026, 2, 25), Decimal("0.0004659")) in fixings

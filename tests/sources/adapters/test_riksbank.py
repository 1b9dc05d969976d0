from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.errors import NothingPublished, SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.sources.adapters.riksbank import adapter

RECORDED = Path(__file__).parents[4] / "shared/payloads/riksbank/rb_01.json"


def entry(series: str, day: str = "2026-03-05", value: str = "9.5") -> str:
    return f'{{"seriesId":"{series}","date":"{day}","value":{value}}}'


def read(*entries: str) -> list[Fixing]:
    return list(adapter.parse(f"[{','.join(entries)}]".encode()))


DOLLAR = entry("SEKUSDPMI", value="9.35344")


# What is read


def test_a_rate_is_so_many_kronor_per_one_unit_in_the_digits_published() -> None:
    fixings = read(DOLLAR, entry("SEKHUFPMI", value="0.02770"))
    assert fixings[0] == Fixing("riksbank", Pair("USD", "SEK"), date(2026, 3, 5), Decimal("9.35344"), 1)
    assert (str(fixings[1].value), fixings[1].nominal) == ("0.02770", 1)


def test_a_whole_number_is_a_rate_too() -> None:
    assert read(DOLLAR, entry("SEKGBPPMI", value="12"))[1].value == Decimal(12)


def test_the_krona_against_itself_is_left_out() -> None:
    assert [fixing.pair.base for fixing in read(entry("SEKETT", value="1"), DOLLAR)] == ["USD"]


def test_the_euro_before_1999_is_the_ecu() -> None:
    days = ("1993-01-04", "1998-12-30", "1999-01-04")
    fixings = read(DOLLAR, *(entry("SEKEURPMI", day) for day in days))[1:]
    assert [fixing.pair.base for fixing in fixings] == ["XEU", "XEU", "EUR"]


def test_the_rouble_before_1998_is_the_old_one() -> None:
    fixings = read(DOLLAR, entry("SEKRUBPMI", "1997-12-30", "0.0013"), entry("SEKRUBPMI", "1998-01-02", "1.3"))[1:]
    assert [fixing.pair.base for fixing in fixings] == ["RUR", "RUB"]


def test_days_without_fixings_say_so() -> None:
    with pytest.raises(NothingPublished, match="days asked"):
        read()


# What is refused


@pytest.mark.parametrize("series", ["SEKUSD", "USDPMI", "SEKUSDEFF", "SECBREPOEFF", "SEKKIX92", "SEKSEKPMI", ""])
def test_a_series_that_is_no_rate_in_kronor_is_refused(series: str) -> None:
    with pytest.raises(SourceBroken):
        read(DOLLAR, entry(series))


@pytest.mark.parametrize("value", ["0", "-9.5", "null", "true", "1e400", '"NaN"', "[]"])
def test_an_invalid_rate_is_refused(value: str) -> None:
    with pytest.raises(SourceBroken):
        read(DOLLAR, entry("SEKJPYPMI", value=value))


def test_a_krona_that_is_not_worth_itself_is_refused() -> None:
    with pytest.raises(SourceBroken, match="not worth itself"):
        read(DOLLAR, entry("SEKETT", value="1.1"))


def test_two_series_of_the_ecu_are_refused() -> None:
    with pytest.raises(SourceBroken, match="XEU on 1998-12-30 is given twice"):
        read(DOLLAR, entry("SEKEURPMI", "1998-12-30"), entry("SEKXEUPMI", "1998-12-30"))


def test_entries_without_a_dollar_are_refused() -> None:
    with pytest.raises(SourceBroken, match="no rate of the dollar"):
        read(entry("SEKJPYPMI"))


def test_a_rate_twice_is_refused() -> None:
    with pytest.raises(SourceBroken, match="USD on 2026-03-05 is given twice"):
        read(DOLLAR, DOLLAR)


@pytest.mark.parametrize("day", ["1992-12-30", "2026-3-5", "2026-03-05T00:00:00", ""])
def test_a_bad_date_is_refused(day: str) -> None:
    with pytest.raises(SourceBroken, match="date"):
        read(DOLLAR, entry("SEKJPYPMI", day))


def test_the_interfaces_own_error_is_refused() -> None:
    with pytest.raises(SourceBroken, match="has another structure"):
        list(adapter.parse(b'{"statusCode":429,"message":"Rate limit is exceeded. Try again in 17 seconds."}'))


# What is asked


def test_it_is_requested_no_more_than_a_year_at_a_time() -> None:
    asked = list(adapter.requests(date(1990, 1, 1), date(2026, 3, 6)))
    assert (asked[0].first, asked[0].last, asked[1].first) == (date(1993, 1, 4), date(1993, 12, 31), date(1994, 1, 1))
    assert asked[-1].url == "https://api.riksbank.se/swea/v1/Observations/ByGroup/130/2026-01-01/2026-03-06"
    assert all(each.last - each.first < timedelta(days=366) for each in asked)
    assert len(asked) == 34
    assert asked[0].content_types == ("application/json",)


def test_no_content_is_an_answer() -> None:
    assert next(adapter.requests(date(2026, 3, 7), date(2026, 3, 8))).no_data_statuses == {204}


def test_no_more_than_five_requests_a_minute_are_made() -> None:
    assert adapter.source.schedule.pause >= timedelta(seconds=12)


# What was really sent


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
def test_the_recorded_days_are_parsed_completely() -> None:
    fixings = {(fixing.pair.base, fixing.day): str(fixing.value) for fixing in adapter.parse(RECORDED.read_bytes())}
    assert len(fixings) == 29 * 4
    assert fixings["USD", date(2026, 3, 27)] == "9.44517"
    assert fixings["HUF", date(2026, 3, 24)] == "0.02776"
    assert fixings["AUD", date(2026, 3, 24)] == "6.5"

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from msgspec.structs import replace

from cambist.errors import NothingPublished, SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.registry.sources.source_adapters import built_in
from cambist.sources.base import Redistribution

adapter = built_in("fbil")
RECORDED = Path(__file__).parents[4] / "shared/payloads/fbil/fbil_01.json"
DAY = date(2026, 3, 6)


def rate(name: str = "INR / 1 USD", value: str = "91.234500", moment: str = "2026-03-06 00:00:00") -> str:
    return (
        f'{{"processRunDate":"{moment}","subProdName":"{name}","displayTime":"2026-03-07 13:00:00",'
        f'"rate":{value},"comments":""}}'
    )


def read(*rates: str) -> list[Fixing]:
    return list(adapter.parse(f"[{','.join(rates)}]".encode()))


# What is read


def test_a_fixing_is_in_rupees_with_its_digits() -> None:
    (fixing,) = read(rate())
    assert fixing == Fixing("fbil", Pair("USD", "INR"), DAY, Decimal("91.234500"), published_at=fixing.published_at)
    assert str(fixing.value) == "91.234500"


def test_the_publication_time_is_in_india_time() -> None:
    (fixing,) = read(rate())
    assert fixing.published_at is not None
    assert fixing.published_at.astimezone(adapter.source.zone).strftime("%H:%M %z") == "13:00 +0530"


def test_without_a_time_of_display_there_is_no_publication_time() -> None:
    (fixing,) = read(rate().replace("13:00:00", "noon"))
    assert fixing.published_at is None


@pytest.mark.parametrize(("code", "nominal"), [("USD", 1), ("JPY", 100), ("IDR", 10000)])
def test_the_nominal_is_in_the_name(code: str, nominal: int) -> None:
    (fixing,) = read(rate(f"INR / {nominal} {code}"))
    assert (fixing.pair, fixing.nominal) == (Pair(code, "INR"), nominal)


def test_the_day_is_that_of_the_run_and_not_of_the_display() -> None:
    assert read(rate())[0].day == DAY


def test_days_without_a_rate_are_no_fault() -> None:
    with pytest.raises(NothingPublished, match="FBIL: there is no rate"):
        read()


def test_it_is_off_unless_the_operator_wants_it() -> None:
    assert (adapter.source.redistribution, adapter.source.is_on_by_default) == (Redistribution.UNCLEAR, False)
    assert "terms" in adapter.source.disabled_reason


def test_a_fixing_shows_the_market_of_one_in_mumbai() -> None:
    assert adapter.source.market_time(DAY) == datetime(2026, 3, 6, 7, 30, tzinfo=UTC)


# What is asked


def test_a_year_is_requested_at_a_time_and_none_before_the_first_day() -> None:
    asked = list(adapter.requests(date(2018, 1, 1), date(2019, 2, 1)))
    assert [request.url for request in asked] == [
        f"https://www.fbil.org.in/wasdm/refrates/fetchfiltered?authenticated=false&fromDate={first}&toDate={last}"
        for first, last in [("2018-07-10", "2018-12-31"), ("2019-01-01", "2019-02-01")]
    ]
    assert [(request.first, request.last) for request in asked] == [
        (date(2018, 7, 10), date(2018, 12, 31)),
        (date(2019, 1, 1), date(2019, 2, 1)),
    ]


# What is refused


@pytest.mark.parametrize(
    "name",
    ["USD / 1 INR", "INR / USD", "INR / 0 USD", "INR / 1 INR", "INR/1 USD", "INR / 1 USD 1M", "MIBOR", "INR / 01 USD"],
)
def test_an_invalid_name_of_a_rate_is_refused(name: str) -> None:
    with pytest.raises(SourceBroken, match="does not name a rate"):
        read(rate(name))


def test_a_nominal_of_more_than_a_million_is_refused() -> None:
    with pytest.raises(SourceBroken, match="units"):
        read(rate("INR / 2000000 IDR"))


@pytest.mark.parametrize("moment", ["2026-03-06", "2026-03-06 13:00:00", "06-03-2026 00:00:00", "2018-07-09 00:00:00"])
def test_a_day_in_another_form_or_before_the_first_is_refused(moment: str) -> None:
    with pytest.raises(SourceBroken, match="not a date since 2018-07-10"):
        read(rate(moment=moment))


def test_a_pair_twice_on_a_day_is_refused() -> None:
    with pytest.raises(SourceBroken, match="USD/INR on 2026-03-06 is given twice"):
        read(rate(), rate("INR / 100 USD"))


@pytest.mark.parametrize("value", ["0", "0.000000", "-91.2", "null", '"-"', '""'])
def test_an_invalid_rate_is_refused(value: str) -> None:
    with pytest.raises(SourceBroken, match=r"^FBIL: "):
        read(rate(value=value))


# What was recorded


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
def test_the_recorded_list_is_parsed_completely() -> None:
    found = list(adapter.parse(RECORDED.read_bytes()))
    assert len(found) == 18
    assert all(one.published_at and one.published_at.date() == one.day for one in found)
    fixings = [replace(one, published_at=None) for one in found]
    assert fixings[0] == Fixing("fbil", Pair("USD", "INR"), date(2026, 3, 20), Decimal("93.348300"))
    assert Fixing("fbil", Pair("JPY", "INR"), date(2026, 3, 18), Decimal("58.290000"), 100) in fixings
    assert fixings[-1] == Fixing("fbil", Pair("IDR", "INR"), date(2026, 3, 17), Decimal("54.409300"), 10000)

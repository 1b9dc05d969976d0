from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from msgspec.structs import replace

from cambist.errors import NothingPublished, SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.registry.sources.source_adapters import built_in

adapter = built_in("nbg")
RECORDED = Path(__file__).parents[4] / "shared/payloads/nbg"
DAY = "2026-03-05T00:00:00.000Z"


def rate(code: str = "USD", value: str = "2.7010", quantity: str = "1", valid: str = DAY) -> str:
    return (
        f'{{"code":"{code}","quantity":{quantity},"rateFormated":"9","diffFormated":"0.1","rate":{value},"name":"-",'
        f'"diff":-0.1,"date":"2026-03-04T17:01:08.614Z","validFromDate":"{valid}"}}'
    )


def of_day(*rates: str, day: str = DAY) -> str:
    return f'{{"date":"{day}","currencies":[{",".join(rates)}]}}'


def read(*days: str) -> list[Fixing]:
    return list(adapter.parse(f"[{','.join(days)}]".encode()))


# What is read


def test_a_fixing_is_in_lari_with_its_digits() -> None:
    (fixing,) = read(of_day(rate()))
    assert fixing == Fixing(
        "nbg", Pair("USD", "GEL"), date(2026, 3, 5), Decimal("2.7010"), published_at=fixing.published_at
    )
    assert str(fixing.value) == "2.7010"


def test_the_publication_time_is_in_tbilisi_time() -> None:
    (fixing,) = read(of_day(rate()))
    assert fixing.published_at == datetime(2026, 3, 4, 13, 1, 8, tzinfo=UTC)


def test_the_quantity_is_the_nominal() -> None:
    (fixing,) = read(of_day(rate("IRR", "0.0205", "10000")))
    assert (fixing.nominal, fixing.value) == (10000, Decimal("0.0205"))


def test_the_day_is_the_one_that_the_rate_is_valid_from_and_not_the_one_it_was_set_on() -> None:
    assert read(of_day(rate()))[0].day == date(2026, 3, 5)


def test_days_before_there_were_rates_are_no_fault() -> None:
    with pytest.raises(NothingPublished, match="NBG: no rates"):
        read()


def test_a_rate_is_in_force_from_the_beginning_of_its_day_in_tbilisi() -> None:
    assert adapter.source.market_time(date(2026, 3, 5)) == datetime(2026, 3, 4, 20, 1, tzinfo=UTC)


# What is asked


def test_each_day_is_requested_but_sundays() -> None:
    asked = list(adapter.requests(date(2026, 3, 6), date(2026, 3, 10)))
    assert [request.url for request in asked] == [
        f"https://nbg.gov.ge/gw/api/ct/monetarypolicy/currencies/?date=2026-03-{day}"
        for day in ("06", "07", "09", "10")
    ]
    assert all(request.first == request.last for request in asked)


def test_nothing_is_requested_before_the_first_day() -> None:
    asked = list(adapter.requests(date(1990, 1, 1), date(1995, 10, 16)))
    assert [request.first for request in asked] == [date(1995, 10, 14), date(1995, 10, 16)]


# What is refused


def test_a_rate_of_another_day_than_the_lists_is_refused() -> None:
    with pytest.raises(SourceBroken, match=r"\[USD\] is for \[2026-03-06T00:00:00.000Z\]"):
        read(of_day(rate(valid="2026-03-06T00:00:00.000Z")))


@pytest.mark.parametrize("day", ["2026-03-05", "2026-03-05T04:00:00.000Z", "05.03.2026", "1995-10-13T00:00:00.000Z"])
def test_a_day_in_another_form_or_before_the_first_is_refused(day: str) -> None:
    with pytest.raises(SourceBroken, match="not a date since 1995-10-14"):
        read(of_day(rate(valid=day), day=day))


def test_more_than_the_requested_day_is_refused() -> None:
    with pytest.raises(SourceBroken, match="holds 2 days"):
        read(of_day(rate()), of_day(rate()))


def test_a_day_without_any_rate_is_refused() -> None:
    with pytest.raises(SourceBroken, match="not one with rates"):
        read(of_day())


def test_a_currency_twice_is_refused() -> None:
    with pytest.raises(SourceBroken, match="USD/GEL is given twice"):
        read(of_day(rate(), rate(value="2.8")))


@pytest.mark.parametrize("code", ["usd", "US", "DOLLAR", "", "GEL"])
def test_a_code_that_is_not_of_another_currency_is_refused(code: str) -> None:
    with pytest.raises(SourceBroken, match=rf"\[{code}\]"):
        read(of_day(rate(code)))


@pytest.mark.parametrize("value", ["0", "-2.7", "null", '"-"', "true"])
def test_an_invalid_rate_is_refused(value: str) -> None:
    with pytest.raises(SourceBroken, match=r"^NBG: "):
        read(of_day(rate(value=value)))


@pytest.mark.parametrize("quantity", ["0", "-1", "1.5", "null", '"10"', "10000000"])
def test_an_invalid_quantity_is_refused(quantity: str) -> None:
    with pytest.raises(SourceBroken, match=r"^NBG: "):
        read(of_day(rate(quantity=quantity)))


# What was recorded


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
@pytest.mark.parametrize(
    ("name", "count", "day", "dollar"),
    [
        # Asked about Monday the 2nd: the Saturday's; about the 4th: the one of the 3rd, a holiday, as about the 3rd.
        ("nbg_01.json", 42, date(2026, 2, 28), "2.6759"),
        ("nbg_02.json", 42, date(2026, 3, 3), "2.6922"),
        ("nbg_03.json", 42, date(2026, 3, 3), "2.6922"),
        ("exchanger_today.json", 43, date(2022, 8, 6), "2.7178"),
    ],
)
def test_the_recorded_days_are_parsed_completely(name: str, count: int, day: date, dollar: str) -> None:
    found = list(adapter.parse((RECORDED / name).read_bytes()))
    assert len(found) == count
    assert all(one.published_at for one in found)
    fixings = [replace(one, published_at=None) for one in found]
    assert Fixing("nbg", Pair("USD", "GEL"), day, Decimal(dollar)) in fixings


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
def test_the_recorded_digits_are_kept() -> None:
    fixings = {fixing.pair.base: fixing for fixing in adapter.parse((RECORDED / "nbg_01.json").read_bytes())}
    assert (str(fixings["AMD"].value), fixings["AMD"].nominal) == ("7.0960", 1000)

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.errors import NothingPublished, SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.registry.sources.source_adapters import built_in

adapter = built_in("cnb")
RECORDED = Path(__file__).parents[4] / "shared/payloads/cnb/cnb_01.json"
API = "https://api.cnb.cz/cnbapi/exrates/"


def entry(code: str = "HUF", rate: str = "6.410", amount: str = "100", day: str = "2026-03-05") -> str:
    return f'{{"currencyCode":"{code}","amount":{amount},"validFor":"{day}","rate":{rate}}}'


def read(*entries: str) -> list[Fixing]:
    return list(adapter.parse(f'{{"rates":[{",".join(entries)}]}}'.encode()))


# What is read


def test_a_rate_is_korunas_per_the_amount_published() -> None:
    (fixing,) = read(entry())
    assert fixing == Fixing("cnb", Pair("HUF", "CZK"), date(2026, 3, 5), Decimal("6.410"), 100)
    assert str(fixing.value) == "6.410"


def test_an_amount_may_be_a_thousand() -> None:
    assert read(entry("IDR", "1.240", "1000"))[0].nominal == 1000


def test_the_sdr_is_the_xdr() -> None:
    assert read(entry("XDR", "28.300", "1"))[0].pair == Pair("XDR", "CZK")


def test_a_year_without_a_fixing_yet_is_reported_as_nothing_published() -> None:
    with pytest.raises(NothingPublished, match="CNB: "):
        read()


def test_a_fixing_shows_the_market_of_half_past_two_in_prague() -> None:
    assert adapter.source.market_time(date(2026, 7, 1)) == datetime(2026, 7, 1, 12, 30, tzinfo=UTC)


def test_the_source_begins_with_the_first_fixings_of_the_czechoslovak_koruna() -> None:
    assert (adapter.source.key, adapter.source.anchor, adapter.source.first_day) == ("cnb", "CZK", date(1991, 1, 1))
    with pytest.raises(SourceBroken, match="date since 1991-01-01"):
        read(entry(day="1990-12-31"))


@pytest.mark.parametrize(("day", "koruna"), [("1991-01-02", "CSK"), ("1993-02-05", "CSK"), ("1993-02-08", "CZK")])
def test_rates_before_the_split_are_in_the_czechoslovak_koruna(day: str, koruna: str) -> None:
    (fixing,) = read(entry("DEM", "18.410", "1", day))
    assert fixing == Fixing("cnb", Pair("DEM", koruna), date.fromisoformat(day), Decimal("18.410"))


@pytest.mark.parametrize("code", ["CSK", "CZK"])
def test_a_koruna_among_the_currencies_is_refused_whichever_it_is(code: str) -> None:
    with pytest.raises(SourceBroken, match=rf"\[{code}\] is the anchor"):
        read(entry(code, "1.000", "1", "1992-06-01"))


def test_a_year_across_the_split_is_read_in_both_korunas() -> None:
    fixings = read(entry("USD", "28.900", "1", "1993-02-05"), entry("USD", "28.950", "1", "1993-02-08"))
    assert [str(fixing.pair) for fixing in fixings] == ["USD/CSK", "USD/CZK"]


# What is asked


def test_the_weekdays_of_a_week_are_requested_one_by_one() -> None:
    asked = list(adapter.requests(date(2026, 3, 5), date(2026, 3, 11)))
    assert [request.url for request in asked] == [
        f"{API}daily?date=2026-03-05&lang=EN",
        f"{API}daily?date=2026-03-06&lang=EN",
        f"{API}daily?date=2026-03-09&lang=EN",
        f"{API}daily?date=2026-03-10&lang=EN",
        f"{API}daily?date=2026-03-11&lang=EN",
    ]
    assert [(request.first, request.last) for request in asked][2] == (date(2026, 3, 9), date(2026, 3, 9))


def test_more_days_are_requested_by_their_years() -> None:
    asked = list(adapter.requests(date(2025, 12, 20), date(2026, 3, 11)))
    assert [(request.url, request.first, request.last) for request in asked] == [
        (f"{API}daily-year?year=2025&lang=EN", date(2025, 12, 20), date(2025, 12, 31)),
        (f"{API}daily-year?year=2026&lang=EN", date(2026, 1, 1), date(2026, 3, 11)),
    ]


def test_eight_days_are_more_than_a_week() -> None:
    (request,) = adapter.requests(date(2026, 3, 4), date(2026, 3, 11))
    assert request.url == f"{API}daily-year?year=2026&lang=EN"


def test_nothing_is_requested_before_the_first_day() -> None:
    assert list(adapter.requests(date(1990, 1, 1), date(1990, 12, 31))) == []
    first, *rest = adapter.requests(date(1990, 1, 1), date(1993, 12, 31))
    assert (first.url, len(rest)) == (f"{API}daily-year?year=1991&lang=EN", 2)


# What is refused


def test_a_pair_twice_on_a_day_is_refused() -> None:
    with pytest.raises(SourceBroken, match="HUF/CZK on 2026-03-05 is given twice"):
        read(entry(), entry(rate="6.5"))


@pytest.mark.parametrize("amount", ["0", "-100", "100.5", "null", '"100"'])
def test_an_invalid_amount_is_refused(amount: str) -> None:
    with pytest.raises(SourceBroken, match="CNB: "):
        read(entry(amount=amount))


@pytest.mark.parametrize("rate", ["0", "-6.4", "null", '"6,41"', '"NaN"'])
def test_an_invalid_rate_is_refused(rate: str) -> None:
    with pytest.raises(SourceBroken, match="CNB: "):
        read(entry(rate=rate))


@pytest.mark.parametrize("text", ['{"errorCode":"VALIDATION","description":"bad date"}', '{"rates":null}', "[]"])
def test_an_answer_without_a_list_of_rates_is_refused(text: str) -> None:
    with pytest.raises(SourceBroken, match="has another structure") as caught:
        list(adapter.parse(text.encode()))
    assert not isinstance(caught.value, NothingPublished)


# What was really sent


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
def test_the_recorded_year_is_parsed_completely() -> None:
    fixings = list(adapter.parse(RECORDED.read_bytes()))
    assert len(fixings) == 1950
    assert fixings[0] == Fixing("cnb", Pair("AUD", "CZK"), date(2026, 1, 2), Decimal("13.797"))
    assert fixings[-1] == Fixing("cnb", Pair("ZAR", "CZK"), date(2026, 4, 2), Decimal("1.252"))
    assert {fixing.nominal for fixing in fixings} == {1, 100, 1000}
    assert [str(fixing.value) for fixing in fixings if fixing.pair.base == "EUR"][0] == "24.170"  # noqa: RUF015

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

import pytest

from cambist.errors import NothingPublished, SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.registry.sources.source_adapters import built_in

adapter = built_in("mnb")
RECORDED = Path(__file__).parents[4] / "shared/payloads/mnb/mnb_01.xml"
SERVICE = "http://www.mnb.hu/webservices/"


def rate(currency: str = "JPY", value: str = "230,10", unit: str = "100") -> str:
    return f'<Rate unit="{unit}" curr="{currency}">{value}</Rate>'


def day(*rates: str, on: str = "2026-03-05") -> str:
    return f'<Day date="{on}">{"".join(rates)}</Day>'


def answer(*days: str) -> str:
    return envelope(f"<MNBExchangeRates>{''.join(days)}</MNBExchangeRates>")


def envelope(result: str) -> str:
    body = f"<GetExchangeRatesResult>{escape(result)}</GetExchangeRatesResult>"
    response = f'<GetExchangeRatesResponse xmlns="{SERVICE}">{body}</GetExchangeRatesResponse>'
    return f'<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>{response}</s:Body></s:Envelope>'


def read(text: str) -> list[Fixing]:
    return list(adapter.parse(text.encode()))


# What is read


def test_a_rate_is_forints_per_the_unit_published() -> None:
    (fixing,) = read(answer(day(rate())))
    assert fixing == Fixing("mnb", Pair("JPY", "HUF"), date(2026, 3, 5), Decimal("230.10"), 100)
    assert str(fixing.value) == "230.10"


def test_days_are_read_in_the_answers_order() -> None:
    fixings = read(answer(day(rate()), day(rate(), rate("USD", "344", "1"), on="2026-03-04")))
    assert [(fixing.pair.base, fixing.day.day) for fixing in fixings] == [("JPY", 5), ("JPY", 4), ("USD", 4)]


@pytest.mark.parametrize("result", ["<MNBExchangeRates />", "<MNBExchangeRates></MNBExchangeRates>"])
def test_days_without_any_rate_are_answered_with_nothing(result: str) -> None:
    with pytest.raises(NothingPublished, match="MNB: "):
        read(envelope(result))


def test_the_result_may_also_be_character_data() -> None:
    text = answer(day(rate()))
    start, end = text.index("&lt;MNB"), text.index("</GetExchangeRatesResult>")
    inner = f"<![CDATA[<MNBExchangeRates>{day(rate())}</MNBExchangeRates>]]>"
    assert read(text[:start] + inner + text[end:]) == read(text)


def test_a_fixing_shows_the_market_of_eleven_in_budapest() -> None:
    assert adapter.source.market_time(date(2026, 7, 1)) == datetime(2026, 7, 1, 9, tzinfo=UTC)


def test_the_facts_of_the_source_are_right() -> None:
    source = adapter.source
    assert (source.key, source.anchor, source.alias, source.first_day) == ("mnb", "HUF", "HUX", date(1999, 1, 4))


# What is asked


def test_the_service_is_called_by_a_post_that_names_days_and_currencies() -> None:
    (request,) = adapter.requests(date(2026, 3, 2), date(2026, 3, 5))
    assert request.url == "https://www.mnb.hu/arfolyamok.asmx"
    assert dict(request.headers) == {
        "Content-Type": "text/xml; charset=utf-8",
        "SOAPAction": "http://www.mnb.hu/webservices/MNBArfolyamServiceSoap/GetExchangeRates",
    }
    asked = ET.fromstring(request.body).find(f".//{{{SERVICE}}}GetExchangeRates")  # noqa: S314  made here
    assert asked is not None
    words = {each.tag.rpartition("}")[2]: each.text for each in asked}
    assert (words["startDate"], words["endDate"]) == ("2026-03-02", "2026-03-05")
    codes = (words["currencyNames"] or "").split(",")
    assert len(codes) == len(set(codes)) == 41
    assert {"USD", "EUR", "HRK", "BGN", "ZAR"} <= set(codes)
    assert "HUF" not in codes


def test_no_request_spans_more_than_365_days() -> None:
    asked = list(adapter.requests(date(1990, 1, 1), date(2000, 3, 1)))
    assert [(request.first, request.last) for request in asked] == [
        (date(1999, 1, 4), date(2000, 1, 3)),
        (date(2000, 1, 4), date(2000, 3, 1)),
    ]
    assert b"<startDate>2000-01-04</startDate><endDate>2000-03-01</endDate>" in asked[1].body


def test_nothing_is_requested_before_the_first_day() -> None:
    assert list(adapter.requests(date(1990, 1, 1), date(1999, 1, 3))) == []


# What is refused


def test_a_fault_is_refused() -> None:
    fault = "<s:Fault><faultcode>s:Client</faultcode></s:Fault>"
    with pytest.raises(SourceBroken, match="no result"):
        read(f'<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>{fault}</s:Body></s:Envelope>')


@pytest.mark.parametrize(
    "result",
    [
        "",
        "Hiba",
        "<MNBCurrentExchangeRates/>",
        "<MNBExchangeRates>none</MNBExchangeRates>",
        f'<MNBExchangeRates><Hour date="2026-03-05">{rate()}</Hour></MNBExchangeRates>',
        "<!DOCTYPE a [<!ENTITY b 'b'>]><MNBExchangeRates/>",
    ],
)
def test_another_result_is_refused(result: str) -> None:
    with pytest.raises(SourceBroken, match="MNB: ") as caught:
        read(envelope(result))
    assert not isinstance(caught.value, NothingPublished)


def test_another_encoding_than_utf_8_is_refused() -> None:
    with pytest.raises(SourceBroken, match="not text"):
        list(adapter.parse(answer(day(rate())).encode("utf-16-le")))


def test_a_day_without_rates_is_refused() -> None:
    """The service answers so when no currency was named."""
    with pytest.raises(SourceBroken, match="2026-03-05 has no rate"):
        read(answer(day()))


def test_a_day_or_a_pair_twice_is_refused() -> None:
    with pytest.raises(SourceBroken, match="2026-03-05 is given twice"):
        read(answer(day(rate()), day(rate("EUR"))))
    with pytest.raises(SourceBroken, match="JPY/HUF is given twice"):
        read(answer(day(rate(), rate())))


@pytest.mark.parametrize("value", ["230.10", "1 230,10", "", "-", "0,00", "230,10,1"])
def test_a_number_in_another_notation_is_refused(value: str) -> None:
    with pytest.raises(SourceBroken, match="JPY/HUF on 2026-03-05 is no rate"):
        read(answer(day(rate(value=value))))


@pytest.mark.parametrize("unit", ["", "0", "1,5", "x"])
def test_an_invalid_unit_is_refused(unit: str) -> None:
    with pytest.raises(SourceBroken, match="units"):
        read(answer(day(rate(unit=unit))))


# What was really sent


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
def test_the_recorded_answer_is_parsed_completely() -> None:
    fixings = list(adapter.parse(RECORDED.read_bytes()))
    assert len(fixings) == 160
    assert fixings[0] == Fixing("mnb", Pair("AUD", "HUF"), date(2025, 3, 28), Decimal("235.26"))
    assert Fixing("mnb", Pair("IDR", "HUF"), date(2025, 3, 28), Decimal("2.26"), 100) in fixings
    assert Fixing("mnb", Pair("EUR", "HUF"), date(2025, 3, 27), Decimal("400.47")) in fixings
    assert {fixing.day.day for fixing in fixings} == {24, 25, 26, 27, 28}

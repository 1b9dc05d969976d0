from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.errors import SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.sources.adapters.tcmb import adapter

RECORDED = Path(__file__).parents[4] / "shared/payloads/tcmb/exchanger_today.xml"
DAY = date(2026, 3, 6)


def source_reports(*currencies: str, day: str = "06.03.2026", root: str = "Tarih_Date") -> bytes:
    text = f'<?xml version="1.0" encoding="ISO-8859-9"?>\n<{root} Tarih="{day}">{"".join(currencies)}</{root}>'
    return text.encode("iso8859-9")


def currency(code: str = "USD", buying: str = "38.10", selling: str = "38.30", unit: str = "1") -> str:
    return (
        f'<Currency Kod="{code}"><Unit>{unit}</Unit><Isim>İSVEÇ KRONU</Isim><ForexBuying>{buying}</ForexBuying>'
        f"<ForexSelling>{selling}</ForexSelling><BanknoteBuying>1</BanknoteBuying></Currency>"
    )


def read(*currencies: str, **other: str) -> list[Fixing]:
    return list(adapter.parse(source_reports(*currencies, **other)))


# What is read


def test_a_fixing_is_the_exact_half_of_buying_and_selling_in_lira() -> None:
    assert read(currency(buying="38.1234", selling="38.1921")) == [
        Fixing("tcmb", Pair("USD", "TRY"), DAY, Decimal("38.15775"))
    ]


def test_the_half_is_not_rounded_to_the_digits_of_its_sides() -> None:
    assert str(read(currency(buying="0.42878", selling="0.43089"))[0].value) == "0.429835"


def test_the_unit_is_the_nominal() -> None:
    (yen,) = read(currency("JPY", "25.00", "25.20", unit="100"))
    assert (yen.nominal, yen.value) == (100, Decimal("25.10"))


def test_the_day_is_the_bulletins_with_the_day_first() -> None:
    assert [fixing.day for fixing in read(currency(), day="03.06.2026")] == [date(2026, 6, 3)]


def test_a_bulletin_before_2005_is_in_the_old_lira() -> None:
    mark, lira = (currency("DEM", "48301", "48534"), currency("ITL", "4714.00", "4737.00", unit="100"))
    assert read(mark, lira, day="16.04.1996") == [
        Fixing("tcmb", Pair("DEM", "TRL"), date(1996, 4, 16), Decimal("48417.5")),
        Fixing("tcmb", Pair("ITL", "TRL"), date(1996, 4, 16), Decimal("4725.50"), 100),
    ]


@pytest.mark.parametrize(("day", "lira"), [("31.12.2004", "TRL"), ("03.01.2005", "TRY")])
def test_the_new_lira_began_with_2005(day: str, lira: str) -> None:
    assert [fixing.pair for fixing in read(currency(), day=day)] == [Pair("USD", lira)]


def test_letters_of_iso_8859_9_and_of_utf_8_are_both_read() -> None:
    content = source_reports(currency())
    utf_8 = content.decode("iso8859-9").replace("ISO-8859-9", "UTF-8").encode()
    assert list(adapter.parse(utf_8)) == list(adapter.parse(content))


@pytest.mark.parametrize(("buying", "selling"), [("", ""), ("38.1", ""), ("", "38.1")])
def test_a_currency_without_both_sides_has_no_fixing(buying: str, selling: str) -> None:
    assert [fixing.pair.base for fixing in read(currency(), currency("KWD", buying, selling))] == ["USD"]


def test_an_empty_tag_may_be_written_short() -> None:
    content = source_reports(currency(), currency("KWD", "", "")).replace(
        b"<ForexBuying></ForexBuying>", b"<ForexBuying/>"
    )
    assert len(list(adapter.parse(content))) == 1


def test_the_sdr_is_priced_once_and_that_is_its_rate() -> None:
    assert read(currency("XDR", "52.3456", "")) == [Fixing("tcmb", Pair("XDR", "TRY"), DAY, Decimal("52.3456"))]


def test_an_sdr_with_two_sides_is_halved_as_any_currency() -> None:
    assert read(currency("XDR", "52", "54"))[0].value == 53


def test_rates_of_banknotes_are_no_fixings() -> None:
    assert {fixing.value for fixing in read(currency())} == {Decimal("38.20")}


def test_a_fixing_shows_the_market_of_half_past_three_in_istanbul() -> None:
    assert adapter.source.market_time(date(2026, 7, 1)) == datetime(2026, 7, 1, 12, 30, tzinfo=UTC)


# What is asked


def test_a_file_a_weekday_is_requested_and_none_of_weekends() -> None:
    asked = list(adapter.requests(date(2026, 3, 6), date(2026, 3, 9)))
    assert [request.url for request in asked] == [
        "https://www.tcmb.gov.tr/kurlar/202603/06032026.xml",
        "https://www.tcmb.gov.tr/kurlar/202603/09032026.xml",
    ]
    assert [(request.first, request.last) for request in asked] == [(DAY, DAY), (date(2026, 3, 9), date(2026, 3, 9))]


def test_a_day_that_is_not_found_is_a_holiday() -> None:
    assert all(request.no_data_statuses == {404} for request in adapter.requests(DAY, DAY))


def test_days_of_the_old_lira_are_requested_since_the_first_bulletin() -> None:
    asked = list(adapter.requests(date(1996, 4, 1), date(1996, 4, 17)))
    assert [request.url for request in asked] == [
        "https://www.tcmb.gov.tr/kurlar/199604/16041996.xml",
        "https://www.tcmb.gov.tr/kurlar/199604/17041996.xml",
    ]


# What is refused


@pytest.mark.parametrize("day", ["15.04.1996", "2026-03-06", "6.3.2026", "03/06/2026", ""])
def test_a_day_before_the_first_or_in_another_form_is_refused(day: str) -> None:
    with pytest.raises(SourceBroken, match="not a date since 1996-04-16"):
        read(currency(), day=day)


def test_a_bulletin_without_any_rate_is_refused() -> None:
    with pytest.raises(SourceBroken, match="2026-03-06 holds no rate"):
        read(currency(buying="", selling=""))


def test_another_document_is_refused() -> None:
    with pytest.raises(SourceBroken, match="not a bulletin"):
        read(currency(), root="Kurlar")


def test_a_currency_twice_is_refused() -> None:
    with pytest.raises(SourceBroken, match="USD/TRY on 2026-03-06 is given twice"):
        read(currency(), currency(buying="38.2"))


def test_a_price_of_the_lira_in_itself_is_refused() -> None:
    with pytest.raises(SourceBroken, match=r"\[TRY\]"):
        read(currency("TRY"))
    with pytest.raises(SourceBroken, match=r"\[TRL\]"):
        read(currency("TRL"), day="06.03.2001")


@pytest.mark.parametrize("rate", ["38,10", " 38.10", "0", "-", "N/A"])
def test_an_invalid_rate_is_refused_with_its_pair_and_day(rate: str) -> None:
    with pytest.raises(SourceBroken, match="USD/TRY on 2026-03-06 is no rate"):
        read(currency(buying=rate))


@pytest.mark.parametrize("unit", ["", "0", "1.0", "per 100"])
def test_an_invalid_unit_is_refused(unit: str) -> None:
    with pytest.raises(SourceBroken, match="units"):
        read(currency(unit=unit))


@pytest.mark.parametrize("tag", ["Unit", "ForexBuying", "ForexSelling"])
def test_a_currency_without_one_of_its_tags_is_refused(tag: str) -> None:
    with pytest.raises(SourceBroken, match=f"not one {tag}"):
        read(currency().replace(tag, "Other"))


def test_a_currency_with_one_of_its_tags_twice_is_refused() -> None:
    with pytest.raises(SourceBroken, match="not one ForexBuying"):
        read(currency(buying="38.1</ForexBuying><ForexBuying>38.2"))


def test_another_entry_between_currencies_is_refused() -> None:
    with pytest.raises(SourceBroken, match="holds a"):
        read(currency(), currency("EUR").replace("Currency", "Metal"))


# What was recorded


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
def test_the_recorded_bulletin_is_parsed_completely() -> None:
    fixings = {fixing.pair.base: fixing for fixing in adapter.parse(RECORDED.read_bytes())}
    day = date(2016, 3, 15)
    assert len(fixings) == 19
    assert fixings["USD"] == Fixing("tcmb", Pair("USD", "TRY"), day, Decimal("2.8878"))
    assert fixings["JPY"] == Fixing("tcmb", Pair("JPY", "TRY"), day, Decimal("2.55565"), 100)
    assert fixings["IRR"] == Fixing("tcmb", Pair("IRR", "TRY"), day, Decimal("0.009555"), 100)
    assert fixings["XDR"] == Fixing("tcmb", Pair("XDR", "TRY"), day, Decimal("4.0259"))

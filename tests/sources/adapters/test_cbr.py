from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.errors import NothingPublished, SourceBroken
from cambist.history.fixing import GRAM, Fixing
from cambist.pricing.pair import Pair
from cambist.sources.adapters.cbr import adapter

RECORDED = Path(__file__).parents[4] / "shared/payloads/cbr"
DECLARED = '<?xml version="1.0" encoding="windows-1251"?>'
SCRIPTS = "https://www.cbr.ru/scripts/"


def entry(code: str = "HKD", value: str = "98,6500", nominal: str = "10") -> str:
    written = f"<CharCode>{code}</CharCode><Nominal>{nominal}</Nominal><Name>Имя</Name><Value>{value}</Value>"
    return f'<Valute ID="R01200"><NumCode>344</NumCode>{written}<VunitRate>5,8E-05</VunitRate></Valute>'


def day(*entries: str, on: str = "05.03.2026") -> str:
    return f'<ValCurs Date="{on}" name="Foreign Currency Market">{"".join(entries)}</ValCurs>'


def record(value: str = "98,6500", on: str = "05.03.2026", identity: str = "R01200") -> str:
    return f'<Record Date="{on}" Id="{identity}"><Nominal>10</Nominal><Value>{value}</Value></Record>'


def dynamic(*records: str, identity: str = "R01200") -> str:
    name = "Foreign Currency Market Dynamic"
    return f'<ValCurs ID="{identity}" DateRange1="1" DateRange2="2" name="{name}">{"".join(records)}</ValCurs>'


def price(code: str = "1", buy: str = "12950,40", sell: str = "12950,40") -> str:
    return f'<Record Date="05.03.2026" Code="{code}"><Buy>{buy}</Buy><Sell>{sell}</Sell></Record>'


def metals(*records: str) -> str:
    return f'<Metall FromDate="1" ToDate="2" name="Precious metals quotations">{"".join(records)}</Metall>'


def read(text: str, subject: str = "") -> list[Fixing]:
    return list(adapter.parse((DECLARED + text).encode("windows-1251"), subject))


# What is read


def test_a_rate_is_roubles_per_the_nominal_published() -> None:
    (fixing,) = read(day(entry()))
    assert fixing == Fixing("cbr", Pair("HKD", "RUB"), date(2026, 3, 5), Decimal("98.6500"), 10)
    assert str(fixing.value) == "98.6500"


def test_a_nominal_may_be_a_million_and_the_rounded_rate_of_one_is_not_read() -> None:
    (fixing,) = read(day(entry("IRR", "58,2102", "1000000")))
    assert (str(fixing.value), fixing.nominal) == ("58.2102", 1_000_000)


def test_a_currency_is_read_over_its_days() -> None:
    fixings = read(dynamic(record(on="04.03.2026"), record("98,7000")), "HKD")
    assert [(fixing.day, str(fixing.value), fixing.nominal) for fixing in fixings] == [
        (date(2026, 3, 4), "98.6500", 10),
        (date(2026, 3, 5), "98.7000", 10),
    ]


@pytest.mark.parametrize(("on", "code"), [("29.10.2000", "TJR"), ("30.10.2000", "TJS")])
def test_the_somonis_values_before_it_began_are_of_the_tajik_rouble(on: str, code: str) -> None:
    assert read(day(entry("TJS"), on=on))[0].pair == Pair(code, "RUB")
    (fixing,) = read(dynamic(record(on=on, identity="R01670"), identity="R01670"), "TJS")
    assert fixing.pair == Pair(code, "RUB")


@pytest.mark.parametrize(("number", "code"), [("1", "XAU"), ("2", "XAG"), ("3", "XPT"), ("4", "XPD")])
def test_a_metal_is_roubles_per_gram(number: str, code: str) -> None:
    (fixing,) = read(metals(price(number)), "metals")
    assert fixing == Fixing("cbr", Pair(code, "RUB"), date(2026, 3, 5), Decimal("12950.40"), unit=GRAM)
    assert str(fixing.value) == "12950.40"


def test_where_a_metal_is_bought_and_sold_at_two_prices_it_is_worth_the_exact_half() -> None:
    (fixing,) = read(metals(price(buy="440,10", sell="440,25")), "metals")
    assert fixing.value == Decimal("440.175")


@pytest.mark.parametrize("subject", ["HKD", "metals"])
def test_a_range_between_two_days_of_effect_has_nothing(subject: str) -> None:
    with pytest.raises(NothingPublished, match="CBR: "):
        read(metals() if subject == "metals" else dynamic(), subject)


def test_a_fixing_holds_from_the_beginning_of_its_day_in_moscow() -> None:
    assert adapter.source.market_time(date(2026, 3, 5)) == datetime(2026, 3, 4, 21, 1, tzinfo=UTC)


def test_the_source_begins_with_the_single_rate_of_the_old_rouble() -> None:
    assert (adapter.source.key, adapter.source.anchor, adapter.source.first_day) == ("cbr", "RUB", date(1992, 7, 1))
    with pytest.raises(SourceBroken, match="date since 1992-07-01"):
        read(day(entry("USD", "125,2600", "1"), on="30.06.1992"))


@pytest.mark.parametrize(
    ("on", "value", "rouble"),
    [("01.07.1992", "125,2600", "RUR"), ("31.12.1997", "5960,0000", "RUR"), ("01.01.1998", "5,9600", "RUB")],
)
def test_a_rate_is_in_the_rouble_of_its_day(on: str, value: str, rouble: str) -> None:
    (fixing,) = read(day(entry("USD", value, "1"), on=on))
    assert (fixing.pair, str(fixing.value)) == (Pair("USD", rouble), value.replace(",", "."))
    (fixing,) = read(dynamic(record(value, on)), "HKD")
    assert fixing.pair == Pair("HKD", rouble)
    (fixing,) = read(metals(price().replace("05.03.2026", on)), "metals")
    assert fixing.pair == Pair("XAU", rouble)


def test_currencies_that_have_ended_are_read_from_their_days() -> None:
    fixings = read(day(entry("DEM", "3396,1000", "1"), entry("XEU", "6700,0000", "1"), on="01.07.1997"))
    assert [str(fixing.pair) for fixing in fixings] == ["DEM/RUR", "XEU/RUR"]


def test_days_on_which_a_code_was_no_money_yet_are_left_out() -> None:
    hryvnia = record("3,1000", "31.08.1996", "R01720"), record("3,0500", "03.09.1996", "R01720")
    (fixing,) = read(dynamic(*hryvnia, identity="R01720"), "UAH")
    assert fixing.day == date(1996, 9, 3)
    with pytest.raises(NothingPublished):
        read(dynamic(hryvnia[0], identity="R01720"), "UAH")


# What is asked


def test_few_days_are_requested_one_by_one() -> None:
    asked = list(adapter.requests(date(2026, 3, 4), date(2026, 3, 5)))
    assert [(request.subject, request.url) for request in asked] == [
        ("metals", f"{SCRIPTS}xml_metall.asp?date_req1=04/03/2026&date_req2=05/03/2026"),
        ("", f"{SCRIPTS}XML_daily.asp?date_req=04/03/2026"),
        ("", f"{SCRIPTS}XML_daily.asp?date_req=05/03/2026"),
    ]
    assert [(request.first, request.last) for request in asked[1:]] == [
        (date(2026, 3, 4), date(2026, 3, 4)),
        (date(2026, 3, 5), date(2026, 3, 5)),
    ]


def test_many_days_are_requested_currency_by_currency() -> None:
    asked = list(adapter.requests(date(1990, 1, 1), date(2026, 3, 5)))
    assert len(asked) == 56
    assert {(request.first, request.last) for request in asked} == {(date(1992, 7, 1), date(2026, 3, 5))}
    (dollar,) = [request for request in asked if request.subject == "USD"]
    assert dollar.url == f"{SCRIPTS}XML_dynamic.asp?date_req1=01/07/1992&date_req2=05/03/2026&VAL_NM_RQ=R01235"


def test_a_month_is_few_days_and_more_are_many() -> None:
    assert len(list(adapter.requests(date(2026, 3, 1), date(2026, 3, 31)))) == 1 + 31
    assert len(list(adapter.requests(date(2026, 3, 1), date(2026, 4, 1)))) == 1 + 55


def test_nothing_is_requested_before_the_first_day() -> None:
    assert list(adapter.requests(date(1990, 1, 1), date(1992, 6, 30))) == []


# What is refused


def test_another_currency_than_the_requested_one_is_refused() -> None:
    with pytest.raises(SourceBroken, match="R01235"):
        read(dynamic(record(), identity="R01235"), "HKD")
    with pytest.raises(SourceBroken, match="R01235"):
        read(dynamic(record(), record(on="04.03.2026", identity="R01235")), "HKD")
    with pytest.raises(SourceBroken, match="R01200"):
        read(dynamic(record()), "GBP")


@pytest.mark.parametrize("subject", ["", "metals", "HKD"])
def test_one_document_in_anothers_place_is_refused(subject: str) -> None:
    for text in {"": day(entry()), "metals": metals(price()), "HKD": dynamic(record())}.items():
        if text[0] != subject:
            with pytest.raises(SourceBroken, match="the document is none of"):
                read(text[1], subject)


def test_a_complaint_of_the_source_is_refused() -> None:
    with pytest.raises(SourceBroken):
        read("<ValCurs>Error in parameters</ValCurs>")
    with pytest.raises(SourceBroken, match="the document is none of"):
        read('<ValCurs name="Foreign Currency Market Dynamic" ID="R01200">Error in parameters</ValCurs>', "HKD")


def test_a_day_without_any_rate_is_refused() -> None:
    with pytest.raises(SourceBroken, match="no rate") as caught:
        read(day())
    assert not isinstance(caught.value, NothingPublished)


@pytest.mark.parametrize(
    ("text", "subject"),
    [(day(entry(), entry()), ""), (dynamic(record(), record()), "HKD"), (metals(price(), price()), "metals")],
)
def test_a_pair_twice_on_a_day_is_refused(text: str, subject: str) -> None:
    with pytest.raises(SourceBroken, match=r"RUB on 2026-03-05 is given twice"):
        read(text, subject)


def test_another_metal_than_its_four_is_refused() -> None:
    with pytest.raises(SourceBroken, match=r"\[5\]"):
        read(metals(price("5")), "metals")


@pytest.mark.parametrize("value", ["98.6500", "98,65,00", "1 098,65", "", "-", "5,39256E-05"])
def test_a_number_in_another_notation_is_refused(value: str) -> None:
    with pytest.raises(SourceBroken, match=r"HKD/RUB on 2026-03-05 is no rate"):
        read(day(entry(value=value)))


@pytest.mark.parametrize("nominal", ["", "0", "1,5", "2000000"])
def test_an_invalid_nominal_is_refused(nominal: str) -> None:
    with pytest.raises(SourceBroken, match="units"):
        read(day(entry(nominal=nominal)))


def test_another_encoding_is_refused() -> None:
    text = day(entry()).replace("Имя", "Name")
    with pytest.raises(SourceBroken, match="does not declare windows-1251"):
        list(adapter.parse(f'<?xml version="1.0" encoding="utf-8"?>{text}'.encode()))


# What was really sent

needs_recorded = pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")


@needs_recorded
@pytest.mark.parametrize(
    ("name", "count", "pair", "on", "value", "nominal"),
    [
        ("cbr_01.xml", 54, "IRR", date(2026, 4, 25), "53.9256", 1_000_000),
        ("cbr_01.xml", 54, "VND", date(2026, 4, 25), "30.0750", 10_000),
        ("exchanger_XML_daily.xml", 33, "AZN", date(2016, 12, 9), "36.0478", 1),
        ("exchanger_XML_daily_historical.xml", 33, "AZN", date(2016, 8, 23), "39.2324", 1),
    ],
)
def test_the_recorded_days_are_parsed_completely(
    name: str, count: int, pair: str, on: date, value: str, nominal: int
) -> None:
    fixings = list(adapter.parse((RECORDED / name).read_bytes()))
    assert len(fixings) == count
    assert Fixing("cbr", Pair(pair, "RUB"), on, Decimal(value), nominal) in fixings


@needs_recorded
def test_the_recorded_ranges_are_of_ids_that_are_requested() -> None:
    asked = {
        request.url.rpartition("=")[2]: request.subject
        for request in adapter.requests(date(2020, 1, 1), date(2026, 3, 5))
    }
    count = 0
    for path in sorted(RECORDED.glob("cbr_*.xml")):
        content = path.read_bytes()
        if b"Market Dynamic" in content:
            identity = content.partition(b'ID="')[2].partition(b'"')[0].decode()
            assert len(list(adapter.parse(content, asked[identity]))) == 3
            count += 1
    assert count == 40


@needs_recorded
def test_the_recorded_metals_are_parsed_completely() -> None:
    fixings = list(adapter.parse((RECORDED / "cbr_56.xml").read_bytes(), "metals"))
    assert len(fixings) == 12
    assert fixings[0] == Fixing("cbr", Pair("XAU", "RUB"), date(2026, 3, 3), Decimal("12957.47"), unit=GRAM)
    assert Fixing("cbr", Pair("XAG", "RUB"), date(2026, 3, 4), Decimal("236.1"), unit=GRAM) in fixings

"""What is easily got wrong about the declared central banks of Africa, Latin America and the Balkans."""

from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.errors import NothingPublished, SourceBroken
from cambist.history.fixing import Fixing
from cambist.registry.sources.source_adapters import built_in
from cambist.sources.base import FixingAdapter, SourceRequest

PAYLOADS = Path(__file__).parents[1] / "payloads"


def adapter(key: str) -> FixingAdapter:
    found = built_in(key)
    assert isinstance(found, FixingAdapter)
    return found


def read(key: str, name: str, subject: str = "") -> list[Fixing]:
    return list(adapter(key).parse((PAYLOADS / key / name).read_bytes(), subject))


def requests(key: str, first: str, days: int = 1) -> list[SourceRequest]:
    start = date.fromisoformat(first)
    return list(adapter(key).requests(start, start + timedelta(days=days - 1)))


@pytest.mark.parametrize(
    ("key", "name", "subject", "pair", "value", "nominal"),
    [
        ("banrep", "span.json", "", "USD/COP", "3768.44", 1),
        ("banxico", "fix.json", "SP68257", "MXV/MXN", "17.5445", 1),
        ("banxico", "fix.json", "SF43718", "USD/MXN", "17.5445", 1),
        ("bcn", "month.xml", "", "USD/NIO", "36.6243", 1),
        ("bcra", "day.json", "", "MXN/ARS", "78.77656500", 1),
        ("bcra", "day.json", "", "USD/ARS", "1396.50000000", 1),
        ("bcu", "euro.xml", "1111", "EUR/UYU", "46.22", 1),
        ("bcu", "euro.xml", "0500", "ARS/UYU", "0.029321", 1),
        ("bcch", "dollar.json", "F073.UFF.PRE.Z.D", "CLF/CLP", "901.02", 1),
        ("bob", "rates.csv", "", "BWP/JPY", "12.0200", 1),
        ("bob", "rates.csv", "", "BWP/CNY", "0.5165", 1),
        ("cbg", "cfa.json", "XOF", "XOF/GMD", "644.87", 5000),
        ("cbg", "cfa.json", "USD", "USD/GMD", "644.87", 1),
        ("cbk", "table.json", "", "KES/UGX", "27.5380", 1),
        ("cbk", "table.json", "", "JPY/KES", "82.8929", 100),
        ("cbllr", "list.html", "", "USD/LRD", "184.1817", 1),
        ("dab", "day.html", "", "USD/AFN", "63.98", 1),
        ("mma", "rates.json", "", "USD/MVR", "15.40", 1),
        ("bna", "span.json", "", "ALL/AOA", "11.04127", 1),
        ("bnrrw", "dollar.json", "", "USD/RWF", "1458.1625", 1),
        ("nbrm", "list.json", "", "JPY/MKD", "33.5512", 100),
    ],
)
def test_direction_and_nominal_are_the_sources(
    key: str, name: str, subject: str, pair: str, value: str, nominal: int
) -> None:
    last = {str(fixing.pair): fixing for fixing in read(key, name, subject)}[pair]
    assert (last.value, last.nominal) == (Decimal(value), nominal)


@pytest.mark.parametrize(
    ("key", "name", "left_out"),
    [("bcra", "day.json", "VND"), ("bcra", "day.json", "XAU"), ("bna", "span.json", "XAU")],
)
def test_what_has_no_stated_unit_is_left_out(key: str, name: str, left_out: str) -> None:
    assert not [fixing for fixing in read(key, name) if left_out in str(fixing.pair)]


def test_the_day_of_a_macedonian_list_is_the_one_that_it_is_valid_for() -> None:
    assert [fixing.day for fixing in read("nbrm", "list.json")] == [date(2026, 3, d) for d in (5, 6, 6)]


def test_a_holiday_in_argentina_is_no_fault() -> None:
    with pytest.raises(NothingPublished):
        read("bcra", "holiday.json")


def test_cuba_has_three_rates_and_quotes_the_yen_the_other_way_round() -> None:
    euro = [fixing for fixing in read("bcc", "euro.json", "EUR") if fixing.day == date(2026, 3, 4)]
    assert [(fixing.rate_type, str(fixing.value)) for fixing in euro] == [
        ("", "27.9012"),
        ("segment_2", "139.506"),
        ("segment_3", "588.8"),
    ]
    assert {str(fixing.pair) for fixing in euro} == {"EUR/CUP"}
    yen = adapter("bcc").parse(
        b'[{"fecha":"2026-03-04","tasaOficial":6.6,"tasaPublica":1.3,"tasaEspecial":0.3}]', "JPY"
    )
    assert {str(fixing.pair) for fixing in yen} == {"CUP/JPY"}


def test_one_request_asks_angola_for_all_currencies() -> None:
    (request,) = requests("bna", "2026-03-01", 31)
    assert "moeda=ALL&" in request.url
    assert "datainicio=2026-03-01" in request.url


def test_uruguay_is_asked_for_each_of_its_own_numbers() -> None:
    asked = requests("bcu", "2026-03-01", 14)
    assert [request.subject for request in asked].count("0500") == 1
    assert all(f"<cot:item>{request.subject}</cot:item>".encode() in request.body for request in asked)
    assert all(b"<cot:FechaHasta>2026-03-14</cot:FechaHasta>" in request.body for request in asked)


def test_nicaragua_is_asked_for_a_month() -> None:
    (request,) = requests("bcn", "2026-03-10", 5)
    assert b"<tns:Ano>2026</tns:Ano>" in request.body
    assert b"<tns:Mes>3</tns:Mes>" in request.body


def test_the_token_of_mexico_is_sent_in_a_header_only() -> None:
    assert all(("Bmx-Token", "{key}") in request.headers for request in requests("banxico", "2026-03-01"))
    assert not any("{key}" in request.url for request in requests("banxico", "2026-03-01"))


def test_a_code_that_uruguay_does_not_use_is_refused() -> None:
    answer = (PAYLOADS / "bcu/euro.xml").read_bytes().replace(b"<Moneda>500</Moneda>", b"<Moneda>501</Moneda>")
    with pytest.raises(SourceBroken, match="501"):
        list(adapter("bcu").parse(answer, "0500"))


def test_of_the_two_tables_of_afghanistan_the_one_of_the_day_is_read() -> None:
    assert {str(fixing.pair): fixing.day for fixing in read("dab", "day.html")} == dict.fromkeys(
        ["USD/AFN", "EUR/AFN", "PKR/AFN"], date(2026, 3, 5)
    )


def test_kenya_is_asked_for_its_whole_table() -> None:
    (request,) = requests("cbk", "2026-03-01", 14)
    assert request.body == b"draw=1&start=0&length=-1"


def test_the_password_for_chile_is_not_in_the_address() -> None:
    assert all("?{key}&" in request.url for request in requests("bcch", "2026-03-01"))

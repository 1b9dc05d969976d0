"""The declared central banks that publish workbooks, or an address that has to be looked up first."""

from datetime import date
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from tests.sources.workbook_files import packed

from cambist.errors import SourceBroken
from cambist.ingest.request_tokens import with_token
from cambist.registry.sources.source_adapters import built_in
from cambist.sources.base import FixingAdapter, SourceRequest

PAYLOADS = Path(__file__).parents[1] / "payloads"


def adapter(key: str) -> FixingAdapter:
    found = built_in(key)
    assert isinstance(found, FixingAdapter)
    return found


def read(key: str, name: str, *changes: tuple[str, str]) -> list[tuple[str, str, int, date]]:
    text = (PAYLOADS / key / name).read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    fixings = adapter(key).parse(packed(name, text.encode()))
    return [(str(each.pair), str(each.value), each.nominal, each.day) for each in fixings]


def request(key: str, first: date, last: date) -> SourceRequest:
    (found,) = adapter(key).requests(first, last)
    return found


def test_egypts_rate_is_the_middle_of_two() -> None:
    assert read("cbe", "rates.sheet.csv")[1:] == [
        ("USD/EGP", "51.2511", 1, date(2026, 3, 4)),
        ("JPY/EGP", "32.16435", 100, date(2026, 3, 5)),
        ("KWD/EGP", "166.7069", 1, date(2026, 3, 5)),
    ]


def test_another_number_of_yen_is_a_name_that_is_not_known() -> None:
    with pytest.raises(SourceBroken, match=r"\[Japanese Yen 1000\] is not a currency code"):
        read("cbe", "rates.sheet.csv", ("Yen 100", "Yen 1000"))


def test_egypts_form_has_the_token_of_its_page_and_every_currency() -> None:
    page = b'<input name="__RequestVerificationToken" type="hidden" value="a-b/c+d=" />'
    asked = with_token("cbe", request("cbe", date(2026, 3, 1), date(2026, 3, 12)), page)
    form = parse_qs(asked.body.decode(), strict_parsing=True)
    assert form["__RequestVerificationToken"] == ["a-b/c+d="]
    assert (form["FromDateRaw"], form["ToDateRaw"]) == (["01/03/2026"], ["12/03/2026"])
    assert len(form["SelectedSelectOptions"]) == len({*form["SelectedSelectOptions"]}) == 18
    assert asked.before is not None
    assert asked.before.url == dict(asked.headers)["Referer"]


def test_bolivias_tables_below_each_other_are_read_as_one() -> None:
    assert read("bcbo", "table.sheet.csv") == [
        ("USD/BOB", "10.52", 1, date(2026, 8, 5)),
        ("CLP/BOB", "0.01137", 1, date(2026, 8, 5)),
        ("JPY/BOB", "0.06711", 1, date(2026, 8, 5)),
    ]


@pytest.mark.parametrize(
    ("written", "day"),
    [("5 DE SETIEMBRE DE 2026", date(2026, 9, 5)), ("15  DE DICIEMBRE  DE 2026", date(2026, 12, 15))],
)
def test_bolivias_day_has_a_spanish_month_and_any_number_of_blanks(written: str, day: date) -> None:
    assert read("bcbo", "table.sheet.csv", ("05 DE AGOSTO    DE 2026", written))[0][3] == day


def test_bolivias_sheet_before_the_boliviano_floated_is_refused() -> None:
    with pytest.raises(SourceBroken, match="is not a date since 2026-07-13"):
        read("bcbo", "table.sheet.csv", ("DE AGOSTO", "DE JUNIO"))
    assert "qdd=3&qmm=8&qaa=2026" in request("bcbo", date(2026, 8, 3), date(2026, 8, 3)).url


def test_fijis_rates_are_per_fiji_dollar() -> None:
    assert read("rbf", "rates.sheet.csv")[4:] == [
        ("FJD/XDR", "0.329471", 1, date(2026, 3, 5)),
        ("FJD/JPY", "70.95", 1, date(2026, 3, 5)),
        ("FJD/CHF", "0.3507", 1, date(2026, 3, 5)),
        ("FJD/USD", "0.4476", 1, date(2026, 3, 5)),
    ]


@pytest.mark.parametrize("name", ["2026/03/8.8-Exchange-Rates-Daily", "2026/05/8.8-Exchange-Rates-Daily-9"])
def test_the_address_of_fijis_workbook_is_on_the_page_of_statistics(name: str) -> None:
    page = f'<a href="https://www.rbf.gov.fj/wp-content/uploads/{name}.xlsx">8.8</a> <a href="/8.9-Notes.xlsx">8.9</a>'
    asked = with_token("rbf", request("rbf", date(2026, 5, 1), date(2026, 5, 24)), page.encode())
    assert asked.url == f"https://www.rbf.gov.fj/wp-content/uploads/{name}.xlsx"

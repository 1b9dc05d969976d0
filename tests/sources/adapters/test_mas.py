from datetime import date
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from cambist.errors import NothingPublished, SourceBroken
from cambist.ingest.hidden_fields import with_hidden_fields
from cambist.sources.adapters.mas import adapter

TABLE = (Path(__file__).parents[2] / "payloads/mas/months.csv").read_bytes()
PAGE = b"".join(
    b'<input type="hidden" name="%b" value="%b/+=">' % (name, name)
    for name in (b"__VIEWSTATE", b"__VIEWSTATEGENERATOR", b"__EVENTVALIDATION")
)


def test_a_line_without_a_month_is_of_the_month_above_and_the_header_has_the_units() -> None:
    found = [(str(each.pair), str(each.value), each.nominal, each.day) for each in adapter.parse(TABLE)]
    assert found[3:9] == [
        ("USD/SGD", "1.2668", 1, date(2026, 2, 27)),
        ("IDR/SGD", "0.007548", 100, date(2026, 2, 27)),
        ("JPY/SGD", "0.8125", 100, date(2026, 2, 27)),
        ("USD/SGD", "1.2671", 1, date(2026, 3, 2)),
        ("IDR/SGD", "0.007534", 100, date(2026, 3, 2)),
        ("JPY/SGD", "0.8118", 100, date(2026, 3, 2)),
    ]
    assert found[9:] == [("USD/SGD", "1.2703", 1, date(2026, 3, 4)), ("JPY/SGD", "0.81056", 100, date(2026, 3, 4))]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("100 Units of Japanese", "1000 Units of Japanese"),
        ("Japanese Yen", "Martian Yen"),
        ("Rates (Daily)", "Rates (Monthly)"),
        ("2026,Mar,02", "2026,,02"),
        (",,04", ",,04,1"),
        (",,04,1.2703,,0.81056", "2026"),
    ],
)
def test_another_table_is_refused(old: str, new: str) -> None:
    with pytest.raises(SourceBroken):
        list(adapter.parse(TABLE.replace(old.encode(), new.encode())))


def test_months_without_days_are_no_fault() -> None:
    head, _, rest = TABLE.partition(b"2026,Feb")
    with pytest.raises(NothingPublished):
        list(adapter.parse(head + rest[rest.index(b'\n"') :]))


def test_the_form_has_the_state_of_its_page_the_months_of_a_year_and_every_currency() -> None:
    asked = list(adapter.requests(date(2025, 12, 20), date(2026, 3, 5)))
    assert [(each.first, each.last) for each in asked] == [
        (date(2025, 12, 20), date(2025, 12, 31)),
        (date(2026, 1, 1), date(2026, 3, 5)),
    ]
    form = parse_qs(with_hidden_fields("mas", asked[1], PAGE).body.decode(), strict_parsing=True)
    assert form["__VIEWSTATE"] == ["__VIEWSTATE/+="]
    assert [
        form[f"ctl00$ContentPlaceHolder1${name}DropDownList"] for name in ("StartMonth", "EndMonth", "EndYear")
    ] == [
        ["1"],
        ["3"],
        ["2026"],
    ]
    assert len([name for name in form if "CheckBoxList$" in name]) == 21

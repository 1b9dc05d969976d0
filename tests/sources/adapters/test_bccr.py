from datetime import date
from pathlib import Path

import pytest

from cambist.errors import SourceBroken
from cambist.ingest.request_tokens import with_token
from cambist.sources.adapters.bccr import adapter

TABLE = (Path(__file__).parents[2] / "payloads/bccr/rates.json").read_bytes()


def test_a_rate_is_the_exact_mean_of_the_english_numbers() -> None:
    assert [(str(each.pair), str(each.value), each.nominal, each.day) for each in adapter.parse(TABLE)] == [
        ("USD/CRC", "497.605", 1, date(2026, 1, 3)),
        ("USD/CRC", "497.615", 1, date(2026, 1, 4)),
        ("USD/CRC", "1498.075", 1, date(2026, 1, 5)),
    ]


def test_days_before_the_reference_rate_are_left_out() -> None:
    older = TABLE
    for day, other in (
        (b"03 jan 2026", b"01 mar 1992"),
        (b"04 jan 2026", b"02 mar 1992"),
        (b"05 jan 2026", b"03 mar 1992"),
    ):
        older = older.replace(day, other)
    assert [each.day for each in adapter.parse(older)] == [date(1992, 3, 2), date(1992, 3, 3)]


def test_a_gap_between_days_is_refused() -> None:
    with pytest.raises(SourceBroken, match="2026-01-06 does not follow that of 2026-01-04"):
        list(adapter.parse(TABLE.replace(b"05 jan", b"06 jan")))


@pytest.mark.parametrize("change", [b'"idIndicador": 318', b'"serie1Ingles"', b'"field": "nombre"'])
def test_another_table_is_refused(change: bytes) -> None:
    with pytest.raises(SourceBroken):
        list(adapter.parse(TABLE.replace(change, change.replace(b"8", b"9").replace(b"s", b"x").replace(b"nom", b""))))


def test_a_request_has_a_token_of_its_own_and_no_more_days_than_an_answer() -> None:
    asked = list(adapter.requests(date(2026, 1, 1), date(2026, 4, 11)))
    assert [(request.first, request.last) for request in asked] == [
        (date(2026, 1, 1), date(2026, 4, 10)),
        (date(2026, 4, 11), date(2026, 4, 11)),
    ]
    assert "FechaInicio=2026-01-01T00:00:00&FechaFin=2026-04-10" in asked[0].url
    assert dict(with_token("bccr", asked[0], b"eyJ0.eyJp-c3_M.nDXx").headers)["token_csrf"] == "eyJ0.eyJp-c3_M.nDXx"

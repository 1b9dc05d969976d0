"""Differences of two answers, in the shapes of the services that programs ask today."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.admin.shadow.answer_comparison import MOST_DIFFERENCES, ComparedAnswer, compare_answers
from cambist.admin.shadow.differences import AnswerDifference

TOLERANCE = Decimal("0.001")
FIXER = {
    "success": True,
    "timestamp": 1_795_176_000,
    "base": "EUR",
    "date": "2026-11-20",
    "rates": {"USD": 1.0845, "JPY": 168.31},
}
OPEN_EXCHANGE_RATES = {
    "disclaimer": "Usage subject to terms: https://openexchangerates.org/terms",
    "license": "https://openexchangerates.org/license",
    "timestamp": 1_795_176_000,
    "base": "USD",
    "rates": {"EUR": 0.92208, "GBP": 0.79},
}
EXCHANGERATE_API = {
    "result": "success",
    "time_last_update_unix": 1_795_176_001,
    "time_last_update_utc": "Fri, 20 Nov 2026 12:00:01 +0000",
    "base_code": "USD",
    "conversion_rates": {"USD": 1, "EUR": 0.9221},
}
COINGECKO = {"bitcoin": {"eur": 88_123.5, "last_updated_at": 1_795_176_000}}
HISTORY_OF_COINGECKO = {"id": "bitcoin", "market_data": {"current_price": {"eur": 88_123.5}}}


def answer(body: Any, status: int = 200, media: str = "application/json") -> ComparedAnswer:
    content = body if isinstance(body, bytes) else body.encode() if isinstance(body, str) else json.dumps(body).encode()
    return ComparedAnswer(status, media, content)


def found(theirs: Any, ours: Any, tolerance: Decimal = TOLERANCE) -> list[tuple[str, str, str, str]]:
    differences, more = compare_answers(answer(theirs), answer(ours), tolerance)
    assert more == 0
    return [(each.kind.value, each.where, each.theirs, each.ours) for each in differences]


@pytest.mark.parametrize("body", [FIXER, OPEN_EXCHANGE_RATES, EXCHANGERATE_API, COINGECKO, HISTORY_OF_COINGECKO])
def test_an_answer_is_the_same_as_itself_whatever_its_layout(body: Any) -> None:
    turned = dict(reversed(body.items()))
    assert found(body, json.dumps(turned, indent=4)) == []


@pytest.mark.parametrize(
    ("theirs", "change", "expected"),
    [
        (FIXER, {"success": "true"}, [("type", "success", "boolean true", "string true")]),
        (FIXER, {"date": "2026-11-19"}, [("date", "date", "2026-11-20", "2026-11-19")]),
        (FIXER, {"base": "USD"}, [("value", "base", "EUR", "USD")]),
        (FIXER, {"base": None}, [("type", "base", "string EUR", "null")]),
        (FIXER, {"rates": {"USD": 1.0845, "JPY": 168.4}}, []),
        (FIXER, {"rates": {"USD": 1.0945, "JPY": 168.31}}, [("number", "rates.USD", "1.0845", "1.0945")]),
        (FIXER, {"rates": {"USD": "1.0845", "JPY": 168.31}}, [("type", "rates.USD", "number 1.0845", "string 1.0845")]),
        (FIXER, {"rates": {"USD": 1.0845}}, [("missing", "rates.JPY", "168.31", "")]),
        (FIXER, {"rates": []}, [("type", "rates", "object", "list")]),
        (FIXER, {"historical": True}, [("added", "historical", "", "true")]),
        (FIXER, {"timestamp": 1_795_176_000 + 3599}, []),
        (
            FIXER,
            {"timestamp": 1_795_176_000 - 7200},
            [("age", "timestamp", "2026-11-20T12:00:00Z", "2026-11-20T10:00:00Z")],
        ),
        (
            EXCHANGERATE_API,
            {"time_last_update_utc": "Thu, 19 Nov 2026 12:00:01 +0000"},
            [("age", "time_last_update_utc", "2026-11-20T12:00:01Z", "2026-11-19T12:00:01Z")],
        ),
        (
            OPEN_EXCHANGE_RATES,
            {"license": "https://rates.example/license"},
            [("words", "license", "https://openexchangerates.org/license", "https://rates.example/license")],
        ),
        (
            COINGECKO,
            {"bitcoin": {"eur": 90_123.5, "last_updated_at": 1_795_176_300}},
            [("number", "bitcoin.eur", "88123.5", "90123.5")],
        ),
    ],
)
def test_a_planted_change_is_found_with_its_kind_and_place(
    theirs: dict[str, Any], change: dict[str, Any], expected: list[Any]
) -> None:
    assert found(theirs, {**theirs, **change}) == expected


def test_the_distance_of_numbers_is_a_part_of_theirs() -> None:
    (each,), _ = compare_answers(answer({"rate": 200}), answer({"rate": 250}), TOLERANCE)
    assert each.apart == 0.25


def test_from_zero_there_is_no_distance() -> None:
    (each,), _ = compare_answers(answer({"rate": 0}), answer({"rate": 0.5}), TOLERANCE)
    assert (each.kind, each.apart) == ("number", None)


def test_numbers_are_compared_with_all_their_digits() -> None:
    theirs, ours = '{"rate": 1.00000000000000000001}', '{"rate": 1.00000000000000000002}'
    assert found(theirs, ours, Decimal(0)) == [
        ("number", "rate", "1.00000000000000000001", "1.00000000000000000002"),
    ]
    assert found('{"rate": 1.50}', '{"rate": 1.5}', Decimal(0)) == []


@pytest.mark.parametrize("name", ["year", "count", "id"])
def test_near_numbers_that_are_no_rates_differ(name: str) -> None:
    assert found({name: 2025}, {name: 2026}) == [("number", name, "2025", "2026")]


@pytest.mark.parametrize("name", ["ms", "requestId"])
def test_what_is_another_with_each_request_is_no_difference(name: str) -> None:
    assert found({name: 1, "x": {name: "a"}}, {name: 900, "x": {name: "b"}}) == []
    assert found({name: 1}, {name: None}) == [("type", name, "number 1", "null")]


def test_numbers_that_are_written_as_texts_are_numbers() -> None:
    assert found({"rate": "1.0845"}, {"rate": "1.08450"}, Decimal(0)) == []


def test_a_number_is_no_time_unless_its_field_says_so() -> None:
    assert found({"market_cap": 1_795_176_000}, {"market_cap": 1_895_176_000}) == [
        ("number", "market_cap", "1795176000", "1895176000"),
    ]


def test_the_first_cell_of_a_row_is_a_time_in_milliseconds() -> None:
    theirs = {"prices": [[1_795_176_000_000, 100.0]]}
    assert found(theirs, {"prices": [[1_795_176_000_000 + 60_000, 100.0]]}) == []
    late = {"prices": [[1_795_176_000_000 + 86_400_000, 100.0]]}
    assert found(theirs, late) == [("age", "prices[0][0]", "2026-11-20T12:00:00Z", "2026-11-21T12:00:00Z")]


def test_lists_are_compared_by_what_names_their_elements() -> None:
    theirs = [
        {"date": "2026-11-20", "base": "EUR", "quote": code, "rate": rate} for code, rate in [("AUD", 1), ("USD", 2)]
    ]
    assert found(theirs, theirs[::-1]) == []
    assert found(theirs, theirs[1:]) == [
        ("missing", "[2026-11-20 EUR AUD]", '{"date":"2026-11-20","base":"EUR","quote":"AUD","rate":1}', "")
    ]
    assert found({"codes": ["AUD", "USD"]}, {"codes": ["USD", "XAU"]}) == [
        ("missing", "codes[AUD]", "AUD", ""),
        ("added", "codes[XAU]", "", "XAU"),
    ]


def test_lists_without_names_are_compared_by_place() -> None:
    assert found([1, 1], [1]) == [("missing", "[1]", "1", "")]


def test_another_status_is_all_that_is_said_with_what_the_error_says() -> None:
    theirs, ours = answer(FIXER), answer({"error": "There is no rate for [EEK]"}, 404)
    assert compare_answers(theirs, ours, TOLERANCE) == (
        (AnswerDifference("status", "status", "200", '404 {"error": "There is no rate for [EEK]"}'),),  # type: ignore[arg-type]
        0,
    )


def test_another_media_type_is_a_difference_of_format() -> None:
    differences, _ = compare_answers(answer('{"a": 1}', media="text/javascript"), answer('{"a":1}'), TOLERANCE)
    assert [(each.kind, each.where) for each in differences] == [("format", "Content-Type")]
    assert found("<html>", {"a": 1}) == [("format", "content", "text", "JSON")]


def test_csv_is_compared_cell_by_cell() -> None:
    theirs = "date,usd\n2026-11-20,1.0845\n2026-11-19,1.09\n"
    assert found(theirs, "date,usd\r\n2026-11-20,1.0846\r\n2026-11-19,1.09\r\n") == []
    assert found(theirs, "date,usd\n2026-11-20,1.2\n") == [
        ("number", "line 2, cell 2", "1.0845", "1.2"),
        ("missing", "line 3", "2026-11-19,1.09", ""),
    ]


def test_content_that_is_no_text_is_compared_as_bytes() -> None:
    assert found(b"\xff\x00\x01", b"\xff\x00") == [("value", "content", "3 bytes", "2 bytes")]


def test_only_so_many_differences_are_listed_and_the_others_counted() -> None:
    theirs = {"rates": {f"C{number}": 1 for number in range(170)}}
    differences, more = compare_answers(answer(theirs), answer({"rates": {}}), TOLERANCE)
    assert (len(differences), more) == (MOST_DIFFERENCES, 170 - MOST_DIFFERENCES)


def test_a_long_value_is_cut() -> None:
    ((_, _, theirs, _),) = found({"note": "x" * 5000}, {"note": "y"})
    assert len(theirs) < 100


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, VALUES)
def test_any_two_documents_are_compared_and_the_same_one_never_differs(theirs: Any, ours: Any) -> None:
    compare_answers(answer({"any": theirs}), answer({"any": ours}), TOLERANCE)
    assert found({"any": theirs}, json.dumps({"any": theirs}, indent=1), Decimal(0)) == []


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_any_two_contents_are_compared(theirs: bytes, ours: bytes) -> None:
    differences, _ = compare_answers(answer(theirs), answer(ours), Decimal(0))
    assert theirs != ours or not differences

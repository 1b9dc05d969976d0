"""Messages: the exact bytes of every frame, and parsing of requests."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.errors import BadParameter
from cambist.stream.messages import Op, parse_request, price_frame, status_frame, text_frame


def test_a_price_frame_has_exactly_these_bytes_with_sides_as_strings() -> None:
    frame = price_frame("EURUSD", "1.0850", "1.0851", 1795212000000)
    assert frame[2:] == b'{"op":"price","sym":"EURUSD","bid":"1.0850","ask":"1.0851","tsp":1795212000000}'
    assert frame[:2] == bytes((0x81, len(frame) - 2))


def test_a_reply_frame_has_exactly_these_bytes() -> None:
    frame = status_frame(Op.AUTH, 200, 1795212000.1234, "Authenticated OK")
    assert frame[2:] == b'{"op":"auth","status":200,"tsp":1795212000123,"msg":"Authenticated OK"}'


def test_additional_fields_come_after_the_message() -> None:
    frame = status_frame(Op.SUBSCRIBE, 200, 1.0, "Subscribed to 1 stream", ignored=["X"])
    assert frame.endswith(b'"msg":"Subscribed to 1 stream","ignored":["X"]}')


def test_there_are_exactly_the_ops_that_clients_know() -> None:
    of_prices = {"connect", "auth", "subscribe", "unsubscribe", "status", "shutdown", "price", "error"}
    assert set(Op) == of_prices | {"correction", "alert"}


@pytest.mark.parametrize(
    ("size", "head"),
    [
        (0, b"\x81\x00"),
        (125, b"\x81\x7d"),
        (126, b"\x81\x7e\x00\x7e"),
        (65_535, b"\x81\x7e\xff\xff"),
        (65_536, b"\x81\x7f\x00\x00\x00\x00\x00\x01\x00\x00"),
    ],
)
def test_a_frame_has_the_header_of_its_length(size: int, head: bytes) -> None:
    assert text_frame(b"x" * size) == head + b"x" * size


def test_unknown_fields_of_a_request_are_ignored() -> None:
    assert parse_request(b'{"op":"auth","key":"k","id":7,"pairs":null}').key == "k"


@pytest.mark.parametrize(
    ("pairs", "names"),
    [
        ('["EURUSD"," BTC/USD ","EURUSD",""]', ["EURUSD", "BTC/USD"]),
        ('"EURUSD, XAUUSD,"', ["EURUSD", "XAUUSD"]),
        ("null", None),
    ],
)
def test_repeated_and_empty_names_of_pairs_are_removed(pairs: str, names: list[str] | None) -> None:
    assert parse_request(f'{{"op":"subscribe","stream":"fx","pairs":{pairs}}}'.encode()).names == names


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"garbage",
        b"[]",
        b"7",
        b"null",
        b'{"op":7}',
        b"{}",
        b'{"op":"auth","key":7}',
        b'{"op":"x","pairs":[7]}',
        b"\xff\xfe",
        b"[" * 100000,
    ],
)
def test_text_that_is_not_an_object_with_an_op_is_refused(text: bytes) -> None:
    with pytest.raises(BadParameter, match=r"A frame takes a JSON object with an \[op\]"):
        parse_request(text)


@given(st.binary(max_size=200))
def test_any_bytes_are_parsed_or_refused(text: bytes) -> None:
    try:
        parse_request(text)
    except BadParameter:
        return

"""Responses are written as HTTP/1.1 wants them."""

from __future__ import annotations

import pytest

from cambist.http.responses import date_header, encode_headers, encode_malformed, encode_response, finished


def test_a_response_has_its_date_and_length() -> None:
    head, _, body = encode_response("200 OK", [("A", "b")], b"xyz").partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    assert (lines[:2], body) == ([b"HTTP/1.1 200 OK", b"a: b"], b"xyz")
    assert lines[2].startswith(b"date: ")
    assert lines[2].endswith(b" GMT")
    assert lines[3] == b"content-length: 3"


def test_the_length_of_the_application_is_kept_and_a_head_has_no_body() -> None:
    response = encode_response("200 OK", [("content-length", "9")], b"", is_head=True)
    assert response.count(b"ength") == 1
    assert response.endswith(b"\r\n\r\n")


@pytest.mark.parametrize("status", ["204 No Content", "304 Not Modified"])
def test_some_statuses_have_no_length(status: str) -> None:
    assert b"content-length" not in encode_response(status, [], b"")


def test_the_date_follows_the_clock_also_backwards() -> None:
    assert [date_header(at) for at in (0.0, 0.9, 1.0, 0.5)] == [
        b"date: Thu, 01 Jan 1970 00:00:00 GMT\r\n",
        b"date: Thu, 01 Jan 1970 00:00:00 GMT\r\n",
        b"date: Thu, 01 Jan 1970 00:00:01 GMT\r\n",
        b"date: Thu, 01 Jan 1970 00:00:00 GMT\r\n",
    ]


@pytest.mark.parametrize("value", ["a\r\nSet-Cookie: b", "a\nb", "a\rb"])
def test_no_header_begins_another_line(value: str) -> None:
    with pytest.raises(ValueError, match="line break"):
        encode_headers([("A", value)])


def test_a_malformed_request_is_answered_in_words() -> None:
    response = encode_malformed(431, "too long")
    assert response.startswith(b"HTTP/1.1 431 Request Header Fields Too Large\r\n")
    assert b"\r\nconnection: close\r\n" in response
    assert response.endswith(b'{"error":"too long","code":"malformed_request"}')


@pytest.mark.parametrize(
    ("version", "keep_alive", "lines"),
    [
        ("1.1", True, b"x-request-id: 7\r\n"),
        ("1.1", False, b"connection: close\r\nx-request-id: 7\r\n"),
        ("1.0", True, b"connection: keep-alive\r\nx-request-id: 7\r\n"),
        ("1.0", False, b"connection: close\r\nx-request-id: 7\r\n"),
    ],
)
def test_the_headers_of_a_request_come_after_the_status(version: str, lines: bytes, *, keep_alive: bool) -> None:
    response = finished(b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n", "7", version, keep_alive=keep_alive)
    assert response == b"HTTP/1.1 200 OK\r\n" + lines + b"A: b\r\n\r\n"

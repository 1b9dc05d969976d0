"""Requests are read from bytes, however they are cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.http.request_parser import MAX_BODY_BYTES, MAX_HEAD_BYTES, MalformedRequest, RequestParser

GET = b"GET /fetch-one?from=EUR&to=USD HTTP/1.1\r\nHost: rates\r\nX-API-Key: k\r\n\r\n"
POST = b"POST /a%20b HTTP/1.1\r\nHost: rates\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = b"POST /c HTTP/1.1\r\nHost: rates\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"


def read_in_pieces(data: bytes) -> None:
    parser = RequestParser("a")
    for start in range(0, len(data), 1000):
        parser.read(data[start : start + 1000])


def environ_of(data: bytes) -> dict[str, object]:
    (request,) = RequestParser("10.0.0.1").read(data)
    return request.environ


def test_a_request_becomes_an_environ() -> None:
    assert environ_of(GET) == {
        "REMOTE_ADDR": "10.0.0.1",
        "REQUEST_METHOD": "GET",
        "PATH_INFO": "/fetch-one",
        "QUERY_STRING": "from=EUR&to=USD",
        "HTTP_HOST": "rates",
        "HTTP_X_API_KEY": "k",
    }


def test_paths_are_decoded_and_queries_are_not() -> None:
    environ = environ_of(b"GET /a%C3%A9?q=%C3%A9#part HTTP/1.1\r\nHost: x\r\n\r\n")
    assert (environ["PATH_INFO"], environ["QUERY_STRING"]) == ("/a\xc3\xa9", "q=%C3%A9")


def test_letters_beyond_ascii_in_a_target_are_encoded() -> None:
    environ = environ_of("GET /é?to=é HTTP/1.1\r\nHost: ü\r\n\r\n".encode())
    assert (environ["PATH_INFO"], environ["QUERY_STRING"]) == ("/\xc3\xa9", "to=%C3%A9")


def test_a_target_may_have_scheme_and_host_as_proxies_send_it() -> None:
    environ = environ_of(b"GET http://rates:8000/fetch-all?from=EUR HTTP/1.1\r\nHost: x\r\n\r\n")
    assert (environ["PATH_INFO"], environ["QUERY_STRING"]) == ("/fetch-all", "from=EUR")


def test_lines_of_one_header_are_joined() -> None:
    environ = environ_of(b"GET / HTTP/1.1\r\nHost: x\r\nX-API-Key: a\r\nx-api-key: b\r\n\r\n")
    assert environ["HTTP_X_API_KEY"] == "a,b"


def test_a_header_with_an_underscore_passes_for_no_other() -> None:
    assert "HTTP_X_API_KEY" not in environ_of(b"GET / HTTP/1.1\r\nHost: x\r\nX_API_Key: a\r\n\r\n")


@given(st.lists(st.integers(1, len(GET + POST + CHUNKED + GET) - 1), max_size=6))
def test_requests_are_the_same_however_the_bytes_are_cut(cuts: list[int]) -> None:
    data, parser, requests = GET + POST + CHUNKED + GET, RequestParser("a"), []
    for start, end in zip([0, *sorted(cuts)], [*sorted(cuts), len(data)], strict=True):
        if start < end:
            requests += parser.read(data[start:end])
    assert [request.environ["PATH_INFO"] for request in requests] == ["/fetch-one", "/a b", "/c", "/fetch-one"]
    assert [request.body for request in requests] == [b"", b"hello", b"abcde", b""]
    assert parser.is_between


@pytest.mark.parametrize(
    ("version", "header", "stays"),
    [
        ("1.1", "", True),
        ("1.1", "Connection: close\r\n", False),
        ("1.0", "", False),
        ("1.0", "Connection: keep-alive\r\n", True),
        ("1.1", "Connection: Upgrade\r\nUpgrade: h2c\r\n", False),
    ],
)
def test_whether_the_connection_stays(version: str, header: str, stays: bool) -> None:  # noqa: FBT001
    (request,) = RequestParser("a").read(f"GET / HTTP/{version}\r\nHost: x\r\n{header}\r\n".encode())
    assert request.keep_alive is stays


@pytest.mark.parametrize(
    ("data", "status", "sentence"),
    [
        (b"what is this\r\n\r\n", 400, "it is not HTTP/1.1"),
        (b"GET / HTTP/1.1\r\nHost: x\r\nName : v\r\n\r\n", 400, "it is not HTTP/1.1"),
        (b"GET / HTTP/1.1\r\n\r\n", 400, "[Host] is missing"),
        (b"GET / HTTP/1.1\r\nHost: x\r\nA: b\nX-API-Key: c\r\n folded\r\n\r\n", 400, "it is not HTTP/1.1"),
        (
            b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            400,
            "it is not HTTP/1.1",
        ),
        (
            b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
            400,
            "it is not HTTP/1.1",
        ),
        (b"GET /" + b"a" * MAX_HEAD_BYTES + b" HTTP/1.1\r\nHost: x\r\n\r\n", 431, "longer than 32768 bytes"),
        (b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"a" * (MAX_HEAD_BYTES + 2000), 431, "longer than 32768 bytes"),
        (
            b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%b" % (MAX_BODY_BYTES + 1, b"a" * MAX_BODY_BYTES)
            + b"a",
            413,
            "longer than 1048576 bytes",
        ),
    ],
)
def test_what_is_malformed_is_refused(data: bytes, status: int, sentence: str) -> None:
    with pytest.raises(MalformedRequest) as refused:
        read_in_pieces(data)
    assert (refused.value.status, sentence in str(refused.value)) == (status, True)


def test_a_client_that_waits_for_it_gets_continue_once() -> None:
    parser = RequestParser("a")
    parser.read(b"POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
    assert [parser.expects_continue(), parser.expects_continue()] == [True, False]

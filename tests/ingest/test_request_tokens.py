"""A token of a first answer goes into the second request, and a session is one with its cookies."""

import pytest

from cambist.errors import SourceBroken
from cambist.ingest.request_tokens import with_token
from cambist.sources.base import SourceRequest

FIRST = SourceRequest(url="https://own.example/form")
FORM = (("Content-Type", "application/x-www-form-urlencoded"),)


def second(**rest: object) -> SourceRequest:
    return SourceRequest(url="https://own.example/?t={token}", before=FIRST, token_pattern='value="([^"]*)"', **rest)  # type: ignore[arg-type]


def test_the_token_is_escaped_where_it_has_to_be() -> None:
    request = with_token("own", second(headers=FORM, body=b"t={token}&d=1"), b'<input value="a b+c/=">')
    assert (request.url, request.body) == ("https://own.example/?t=a%20b%2Bc%2F%3D", b"t=a%20b%2Bc%2F%3D&d=1")
    request = with_token("own", second(headers=(("X-Token", "{token}"),), body=b'{"t":"{token}"}'), b'value="abc"')
    assert (dict(request.headers), request.body) == ({"X-Token": "abc"}, b'{"t":"abc"}')


def test_a_token_in_the_path_may_be_a_path() -> None:
    wanted = SourceRequest(
        url="https://own.example/{token}.xlsx?t={token}", before=FIRST, token_pattern='href="([^"]+)"'
    )
    request = with_token("own", wanted, b'<a href="2026/03/daily rates">')
    assert request.url == "https://own.example/2026/03/daily%20rates.xlsx?t=2026%2F03%2Fdaily%20rates"


def test_a_request_that_wants_no_token_stays_as_it_is() -> None:
    request = SourceRequest(url="https://own.example/{token}", before=FIRST)
    assert with_token("own", request, b"anything") == request


@pytest.mark.parametrize("content", [b"", b'value=""', b'value="a" value="b"', b"\xff" * 10])
def test_an_answer_without_exactly_one_token_is_refused(content: bytes) -> None:
    with pytest.raises(SourceBroken, match="own: the first answer does not have one token"):
        with_token("own", second(), content)


def test_a_token_with_a_line_end_does_not_get_into_a_header() -> None:
    with pytest.raises(SourceBroken, match="cannot stand in a header"):
        with_token("own", second(headers=(("X-Token", "{token}"),)), b'value="a\r\nHost: x"')

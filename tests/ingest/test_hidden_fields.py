"""The hidden fields of a first page go back with the form."""

from urllib.parse import parse_qsl

import pytest

from cambist.errors import SourceBroken
from cambist.ingest.hidden_fields import with_hidden_fields
from cambist.sources.base import SourceRequest

PAGE = (
    b'<form><input type="hidden" name="__VIEWSTATE" value="a/b+c==" />'
    b'<input value="x&amp;y" type=hidden name=__EVENTVALIDATION><input name="day"><input name="empty"></form>'
)


def request(*fields: str, body: bytes = b"day=1") -> SourceRequest:
    return SourceRequest(url="https://own.example/", body=body, hidden_fields=fields)


def test_the_fields_stand_before_the_rest_of_the_form_and_are_escaped() -> None:
    sent = with_hidden_fields("own", request("__VIEWSTATE", "__EVENTVALIDATION"), PAGE).body
    assert sent == b"__VIEWSTATE=a%2Fb%2Bc%3D%3D&__EVENTVALIDATION=x%26y&day=1"
    assert parse_qsl(with_hidden_fields("own", request("empty", body=b""), PAGE).body.decode(), True) == [("empty", "")]


def test_a_request_that_wants_no_fields_stays_as_it_is() -> None:
    assert with_hidden_fields("own", request(), PAGE) == request()


@pytest.mark.parametrize("page", [b"", PAGE * 2, PAGE.replace(b"a/b", b"a" * 1_000_001)])
def test_a_page_without_exactly_one_such_field_is_refused(page: bytes) -> None:
    with pytest.raises(SourceBroken, match=r"own: the first answer does not have one field \[__VIEWSTATE\]"):
        with_hidden_fields("own", request("__VIEWSTATE"), page)

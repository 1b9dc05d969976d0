"""How the log reads: one line an answer, and no key in it."""

from __future__ import annotations

import json
import logging
import re
import sys
from typing import Any

import pytest

from cambist.accounts.api_key import mint
from cambist.logs import REQUEST_ID, AccessFormatter, JsonFormatter, UtcFormatter

KEY = mint(lambda alphabet: alphabet[5])


def logged(formatter: logging.Formatter, message: str, *arguments: Any) -> str:
    return formatter.format(logging.LogRecord("cambist", logging.INFO, "", 0, message, arguments, None))


def access(path: str) -> str:
    return logged(
        AccessFormatter("%(message)s"),
        '"%(method)s %(path)s" %(status)d',
        {"method": "GET", "path": path, "status": 404},
    )


def test_a_path_is_logged_as_it_is() -> None:
    assert access("/fetch-one") == '"GET /fetch-one" 404'


def test_a_long_path_is_cut() -> None:
    assert access("/" + "x" * 199) == '"GET /' + "x" * 199 + '" 404'
    assert access("/" + "x" * 9_999) == '"GET /' + "x" * 199 + '… 10000 characters" 404'


def test_a_path_cannot_start_a_new_line() -> None:
    assert access("/x\nforged\x1b[2J") == '"GET /x\\nforged\\x1b[2J" 404'


@pytest.mark.parametrize("key", [KEY, KEY[:20], KEY + "more", KEY.upper()])
@pytest.mark.parametrize("before", ["/", "/fetch-one/", "/x" * 70])
def test_a_key_in_a_path_is_not_logged(before: str, key: str) -> None:
    assert access(f"{before}{key}/x") == f'"GET {before}{key[:8]}…/x" 404'


def test_a_key_in_any_other_message_is_not_logged_either() -> None:
    assert logged(UtcFormatter("%(message)s"), "GET %s failed", f"/{KEY}") == f"GET /{KEY[:8]}… failed"


def test_a_message_of_a_request_names_it() -> None:
    token = REQUEST_ID.set("abc-1")
    try:
        assert logged(UtcFormatter("%(message)s"), "late") == "late [request abc-1]"
        assert json.loads(logged(JsonFormatter(), "late"))["request_id"] == "abc-1"
    finally:
        REQUEST_ID.reset(token)
    assert logged(UtcFormatter("%(message)s"), "late") == "late"
    assert "request_id" not in json.loads(logged(JsonFormatter(), "late"))


def test_a_message_as_json_has_its_parts_in_one_line() -> None:
    try:
        int("one\ntwo")
    except ValueError:
        record = logging.LogRecord("cambist.x", logging.ERROR, "", 0, "%s\nforged", (f"a {KEY}",), sys.exc_info())
    line = JsonFormatter().format(record)
    assert "\n" not in line
    assert KEY not in line
    found = json.loads(line)
    assert (found["level"], found["logger"], found["message"]) == ("error", "cambist.x", f"a {KEY[:8]}…\nforged")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", found["time"])
    assert found["exception"].endswith("ValueError: invalid literal for int() with base 10: 'one\\ntwo'")


def test_an_answer_as_json_has_its_fields() -> None:
    fields = {"addr": "192.0.2.1", "method": "GET", "path": "/" + "x" * 9_999, "status": 404, "dt_ms": 1.25}
    found = json.loads(logged(JsonFormatter(), "unused", fields))
    assert (found["addr"], found["method"], found["status"], found["dt_ms"]) == ("192.0.2.1", "GET", 404, 1.25)
    assert found["path"] == "/" + "x" * 199 + "… 10000 characters"


def test_the_name_of_a_key_is_logged() -> None:
    assert logged(UtcFormatter("%(message)s"), "key %s", KEY[:8]) == f"key {KEY[:8]}"

"""How the log reads: one line an answer, and no key in it."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from cambist.accounts.api_key import mint
from cambist.logs import AccessFormatter, UtcFormatter

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
    assert access(f"{before}{key}/x") == f'"GET {before}cmb_…/x" 404'


def test_a_key_in_any_other_message_is_not_logged_either() -> None:
    assert logged(UtcFormatter("%(message)s"), "GET %s failed", f"/{KEY}") == "GET /cmb_… failed"


def test_the_name_of_a_key_is_logged() -> None:
    assert logged(UtcFormatter("%(message)s"), "key %s", KEY[:8]) == f"key {KEY[:8]}"

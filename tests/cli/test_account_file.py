"""Accounts are created from a file, all or none, and lists of many accounts are read by page."""

from __future__ import annotations

import csv
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from cambist.accounts.api_key import digest
from cambist.storage.sql import SqlStore

Shell = Callable[..., Any]
ErrorOf = Callable[..., str]


def written(folder: Path, text: str) -> str:
    file = folder / "accounts.csv"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_the_accounts_of_a_file_are_created_and_their_keys_are_printed_as_csv(
    shell: Shell, folder: Path, tmp_path: Path
) -> None:
    text = "\ufeffName,plan,email,anchor_day,datetime_format\nacme,one,a@acme.example,31,unix-ms\n\n shop ,premium,,,\n"
    ended = shell("account", "create", "--file", written(tmp_path, text))
    assert ended.code == 0
    rows = list(csv.DictReader(StringIO(ended.out)))
    assert [(row["name"], row["plan"]) for row in rows] == [("acme", "one"), ("shop", "premium")]
    assert "2 accounts were created" in ended.err
    assert rows[0]["key"] not in ended.err
    store = SqlStore(f"sqlite:///{folder / 'cambist.db'}")
    by_key = store.accounts.by_key()
    store.close()
    acme, shop = (by_key[digest(row["key"])].account for row in rows)
    assert (acme.name, acme.email, acme.anchor_day, acme.datetime_format) == ("acme", "a@acme.example", 31, "unix-ms")
    assert (shop.name, shop.plan, shop.anchor_day, shop.datetime_format) == ("shop", "premium", 11, "iso")


@pytest.mark.long(every=3)
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("name,plan\nfirst,one\nacme,gold\n", "Line 3, column plan: Unknown plan: [gold]"),
        ("name,plan\nfirst,one\n-x,one\n", "Line 3, column name: Invalid account name: [-x]"),
        ("name,plan\nfirst,one\nfirst,one\n", "Line 3, column name: [first] is also in line 2"),
        ("name,plan\nfirst,one\nowner,one\n", "Line 3, column name: there is an account named [owner] already"),
        ("name,plan,anchor_day\nfirst,one,\nx,one,32\n", "Line 3, column anchor_day: Invalid anchor day: [32]"),
        ("name,plan,anchor_day\nx,one,-1\n", "Line 2, column anchor_day: [-1] is no day"),
        ("name,plan,email\nx,one,nobody\n", "Line 2, column email: "),
        ("name,plan,datetime_format\nx,one,uinx\n", "Line 2, column datetime_format: Unknown datetime format: [uinx]"),
        ("name,plan\nfirst,one\nx\n", "Line 3: it has 1 columns, the first line 2"),
        ('name,plan\nfirst,one\n"x,one\n', "this is no CSV"),
        ("name,plam\nx,one\n", "Line 1: unknown column [plam]"),
        ("name\nx\n", "Line 1: the column [plan] is missing"),
        ("name,plan,plan\nx,one,one\n", "Line 1: a column is there twice"),
        ("", "Line 1: the column [name] is missing"),
        ("name,plan\n", "The file has no accounts"),
    ],
)
def test_a_file_with_a_mistake_creates_no_account(
    shell: Shell, error_of: ErrorOf, tmp_path: Path, text: str, reason: str
) -> None:
    before = shell("account", "list", "--json").out
    assert reason in error_of("account", "create", "--file", written(tmp_path, text))
    assert shell("account", "list", "--json").out == before


def test_a_file_that_cannot_be_read_is_an_error_as_is_a_name_beside_it(error_of: ErrorOf, tmp_path: Path) -> None:
    assert "There is no file" in error_of("account", "create", "--file", str(tmp_path / "gone.csv"))
    (tmp_path / "latin.csv").write_bytes(b"name,plan\n\xe9,one\n")
    assert "no text in UTF-8" in error_of("account", "create", "--file", str(tmp_path / "latin.csv"))
    assert "leave out" in error_of("account", "create", "x", "--file", written(tmp_path, "name,plan\nx,one\n"))
    assert "or a --file of accounts" in error_of("account", "create", "x")


def test_accounts_are_listed_by_page_and_plan(shell: Shell, tmp_path: Path) -> None:
    rows = "".join(f"a{number},{'premium' if number == 4 else 'one'}\n" for number in range(5))
    shell("account", "create", "--file", written(tmp_path, f"name,plan\n{rows}"))

    def names(*options: str) -> list[str]:
        return [each["name"] for each in shell("account", "list", "--json", *options).json]

    everyone = names()
    assert everyone[:5] == ["a0", "a1", "a2", "a3", "a4"]
    assert names("--page", "2", "--per-page", "2") == everyone[2:4]
    assert names("--page", "9") == []
    assert "a4" in names("--plan", "premium")
    assert not {"a0", "a1"} & {*names("--plan", "premium")}
    listed = shell("account", "list", "--per-page", "2")
    assert "a1" in listed.out
    assert "a2" not in listed.out
    assert f"Page 1 of {-(-len(everyone) // 2)}, {len(everyone)} accounts" in listed.err

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from cambist.accounts.account import Accounts, NewKey
from cambist.accounts.api_key import digest, is_well_formed
from cambist.storage.sql import SqlStore

Shell = Callable[..., Any]
ErrorOf = Callable[..., str]
HOUR = timedelta(hours=1)


@pytest.fixture
def accounts(folder: Path) -> Iterator[Accounts]:
    store = SqlStore(f"sqlite:///{folder / 'cambist.db'}")
    yield store.accounts
    store.close()


@pytest.fixture
def first_key(shell: Shell) -> str:
    """The first key of the account acme."""
    return str(shell("account", "create", "acme", "--plan", "one").out.strip())


def keys(accounts: Accounts) -> Any:
    return accounts.keys(accounts.named("acme"))


def test_a_second_key_is_written_alone_to_standard_output(shell: Shell, accounts: Accounts, first_key: str) -> None:
    ended = shell("key", "create", "acme", "--name", "till 3")
    assert ended.code == 0
    key = ended.out.removesuffix("\n")
    assert is_well_formed(key)
    assert key != first_key
    assert accounts.by_key()[digest(key)].account.name == "acme"
    assert key not in ended.err
    assert [record.name for record in keys(accounts)] == ["first", "till 3"]


@pytest.mark.parametrize(
    ("expires", "moment"),
    [
        ("2999-12-31", datetime(2999, 12, 31, tzinfo=UTC)),
        ("2999-12-31T18:30", datetime(2999, 12, 31, 18, 30, tzinfo=UTC)),
        ("2999-12-31T18:30:15Z", datetime(2999, 12, 31, 18, 30, 15, tzinfo=UTC)),
        ("2999-12-31 18:30:15+05:30", datetime(2999, 12, 31, 13, 0, 15, tzinfo=UTC)),
    ],
)
def test_a_key_expires_at_the_time_it_was_created_with(
    shell: Shell, accounts: Accounts, first_key: str, expires: str, moment: datetime
) -> None:
    record = shell("key", "create", "acme", "--expires", expires, "--json").json
    assert record["key"] != first_key
    assert record["expires_at"] == f"{moment:%Y-%m-%dT%H:%M:%SZ}"
    assert accounts.by_key()[digest(record["key"])].expires_at == moment


def test_keys_are_listed_by_prefix_and_state(shell: Shell, accounts: Accounts, first_key: str) -> None:
    now = datetime.now(UTC).replace(microsecond=0)
    acme = accounts.named("acme")
    for prefix, expires_at in {"cmb_past": now - HOUR, "cmb_next": now + HOUR}.items():
        accounts.add_key(acme, NewKey(digest(prefix), prefix, "[b]till", expires_at))
    accounts.record_last_use({keys(accounts)[1].number: datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)})
    shell("key", "revoke", "acme", first_key[:8])
    shell("key", "rotate", "acme", "cmb_next")
    records = shell("key", "list", "acme", "--json").json
    assert [record["state"] for record in records] == ["revoked", "expired", "ending", "active"]
    assert [record["prefix"] for record in records[:3]] == [first_key[:8], "cmb_past", "cmb_next"]
    assert records[1]["last_used_at"] == "2026-01-02T03:04:05Z"
    table = shell("key", "list", "acme").out
    rows = [line for line in table.splitlines() if "cmb_" in line]
    assert len(rows) == 4
    assert all(
        word in rows[1] for word in ("cmb_past", "[b]till", "2026-01-02 03:04:05", f"{now - HOUR:%H:%M:%S}", "expired")
    )
    assert all(f"{now + HOUR:%Y-%m-%d %H:%M:%S}" in row for row in rows[2:3])
    assert first_key[8:] not in table


def test_a_revoked_key_no_longer_works(shell: Shell, accounts: Accounts, first_key: str) -> None:
    assert first_key[:8] in shell("key", "revoke", "acme", first_key[:8]).out
    assert accounts.by_key()[digest(first_key)].revoked


def test_a_key_can_be_named_by_a_part_of_its_prefix(shell: Shell, first_key: str) -> None:
    assert shell("key", "revoke", "acme", first_key[:6], "--json").json["state"] == "revoked"


def test_a_rotated_key_is_replaced_at_once_and_ends_after_the_overlap(
    shell: Shell, accounts: Accounts, first_key: str
) -> None:
    before = datetime.now(UTC)
    ended = shell("key", "rotate", "acme", first_key[:8], "--overlap", "PT2H")
    key = ended.out.removesuffix("\n")
    stored_keys = accounts.by_key()
    assert not stored_keys[digest(key)].revoked
    assert not stored_keys[digest(first_key)].revoked
    assert stored_keys[digest(first_key)].expires_at - before < 2 * HOUR + timedelta(minutes=1)
    assert stored_keys[digest(first_key)].expires_at - before > 2 * HOUR - timedelta(minutes=1)
    assert re.search(rf"{first_key[:8]}, ends at \d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d UTC", ended.err)


def test_a_rotated_key_ends_after_a_day_by_default(shell: Shell, accounts: Accounts, first_key: str) -> None:
    record = shell("key", "rotate", "acme", first_key[:8], "--json").json
    ends = datetime.fromisoformat(record["old"]["revoked_at"]) - datetime.now(UTC)
    assert timedelta(hours=23, minutes=59) < ends <= timedelta(hours=24)
    assert digest(record["key"]) in accounts.by_key()


def test_a_key_is_rotated_without_an_overlap(shell: Shell, accounts: Accounts, first_key: str) -> None:
    shell("key", "rotate", "acme", first_key[:8], "--overlap", "PT0S")
    assert accounts.by_key()[digest(first_key)].revoked


REFUSALS = {
    "a key for an unknown account": (("create", "acne"), "no account named [acne]; did you mean [acme]?"),
    "the keys of an unknown account": (("list", "zzz"), "no account named [zzz]"),
    "a key of an unknown account": (("revoke", "zzz", "cmb_abcd"), "no account named [zzz]"),
    "a name with a line's end": (("create", "acme", "--name", "a\nb"), r"Invalid key name: [a\nb]"),
    "a name that is too long": (("create", "acme", "--name", "x" * 65), "Invalid key name"),
    "a name that is a key": (("create", "acme", "--name", "cmb_" + "a" * 38), "must not begin with cmb_"),
    "an expiry on a day that has begun": (("create", "acme", "--expires", "2026-11-20"), "has passed"),
    "an expiry that has passed": (("create", "acme", "--expires", "2026-01-01T00:00:00+14:00"), "has passed"),
    "an expiry that is no moment": (("create", "acme", "--expires", "soon"), "Invalid expires: [soon]"),
    "an empty expiry": (("create", "acme", "--expires", ""), "Invalid expires: []"),
    "an expiry on no day": (("create", "acme", "--expires", "2999-02-30"), "Invalid expires: [2999-02-30]"),
    "an expiry in another form": (("create", "acme", "--expires", "29991231"), "Invalid expires: [29991231]"),
    "an expiry before time": (("create", "acme", "--expires", "0001-01-01T00:00+14:00"), "Invalid expires"),
    "revoking an unknown prefix": (("revoke", "acme", "cmb_!"), "has no key that begins with [cmb_!]"),
    "rotating an unknown prefix": (("rotate", "acme", "cmb_!"), "has no key that begins with [cmb_!]"),
    "revoking what all keys begin with": (
        ("revoke", "acme", "cmb_"),
        "Every key begins with [cmb_]: name yours by its first 8 characters, as [cambist key list acme] shows them",
    ),
    "rotating what all keys begin with": (("rotate", "acme", "cmb_…"), "Every key begins with [cmb_]"),
    "revoking nothing": (("revoke", "acme", ""), "Every key begins with [cmb_]"),
    "revoking an ambiguous prefix": (
        ("revoke", "acme", "cmb_.."),
        "several keys that begin with [cmb_..]: cmb_..x, cmb_..y",
    ),
    "rotating an ambiguous prefix": (("rotate", "acme", "cmb_.."), "several keys that begin with [cmb_..]"),
    "revoking twice": (("revoke", "acme", "cmb_gone"), "has ended already, it is revoked since 2026-01-01T00:00:00Z"),
    "rotating what was revoked": (("rotate", "acme", "cmb_gone"), "has ended already"),
    "an overlap that is none": (("rotate", "acme", "cmb_..x", "--overlap", "24h"), "Invalid overlap: [24h]"),
    "an overlap below nothing": (("rotate", "acme", "cmb_..x", "--overlap", "-PT1H"), "below nothing"),
    "an overlap without end": (("rotate", "acme", "cmb_..x", "--overlap", "P9999999D"), "beyond the calendar"),
    "an overlap that is endless": (("rotate", "acme", "cmb_..x", "--overlap", "P" + "9" * 30 + "D"), "Invalid overlap"),
}


@pytest.mark.long(every=4)
@pytest.mark.parametrize(("arguments", "reason"), REFUSALS.values(), ids=REFUSALS)
def test_an_impossible_request_is_refused_in_one_sentence_and_changes_nothing(
    error_of: ErrorOf, accounts: Accounts, first_key: str, arguments: tuple[str, ...], reason: str
) -> None:
    acme = accounts.named("acme")
    for prefix in ("cmb_..x", "cmb_..y", "cmb_gone"):
        accounts.add_key(acme, NewKey(digest(prefix), prefix))
    accounts.revoke(keys(accounts)[3], datetime(2026, 1, 1, tzinfo=UTC))
    before = keys(accounts)
    assert reason in error_of("key", *arguments)
    assert keys(accounts) == before
    assert before[0].prefix == first_key[:8]


def test_a_whole_key_is_refused_and_not_repeated(error_of: ErrorOf, accounts: Accounts, first_key: str) -> None:
    for arguments in (
        ("revoke", "acme", first_key),
        ("rotate", "acme", first_key),
        ("revoke", first_key, "x"),
        ("list", first_key),
    ):
        assert first_key[4:12] not in error_of("key", *arguments)
    assert not accounts.by_key()[digest(first_key)].revoked

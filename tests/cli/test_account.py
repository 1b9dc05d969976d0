from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from cambist.accounts.account import Accounts
from cambist.accounts.api_key import digest, is_well_formed
from cambist.accounts.quota import period_of
from cambist.accounts.usage_counters import CounterTotal
from cambist.storage.sql import SqlStore

Shell = Callable[..., Any]
ErrorOf = Callable[..., str]
TODAY = datetime.now(UTC).date()
PERIOD = period_of(1, TODAY)


@pytest.fixture
def store(folder: Path) -> Iterator[SqlStore]:
    store = SqlStore(f"sqlite:///{folder / 'cambist.db'}")
    yield store
    store.close()


@pytest.fixture
def accounts(store: SqlStore) -> Accounts:
    return store.accounts


def stored(accounts: Accounts) -> object:
    return [(account, accounts.keys(account)) for account in accounts.all()]


def test_creating_an_account_writes_its_key_alone_to_standard_output(shell: Shell, accounts: Accounts) -> None:
    ended = shell("account", "create", "acme", "--plan", "one")
    assert ended.code == 0
    key = ended.out.removesuffix("\n")
    assert is_well_formed(key)
    assert accounts.by_key()[digest(key)].account.name == "acme"
    assert "acme" in ended.err
    assert key not in ended.err


def test_an_account_is_created_with_the_requested_plan_and_options(shell: Shell, accounts: Accounts) -> None:
    options = ("--plan", "premium", "--anchor-day", "31", "--datetime-format", "unix-ms", "--json")
    record = shell("account", "create", "acme", *options).json
    assert record["account"]["plan"] == "premium"
    account = accounts.by_key()[digest(record["key"])].account
    assert (account.plan, account.anchor_day, account.datetime_format) == ("premium", 31, "unix-ms")


def test_accounts_are_listed_without_their_keys(shell: Shell) -> None:
    key = shell("account", "create", "acme", "--plan", "one", "--anchor-day", "1").out.strip()
    shell("account", "suspend", "acme")
    table = shell("account", "list").out
    acme, owner = (line for line in table.splitlines() if "acme" in line or "owner" in line)
    assert all(word in acme for word in ("one", "suspended", "1,000,000", str(PERIOD.end)))
    assert all(word in owner for word in ("unlimited", "active", "none"))
    assert key[8:] not in table


def test_a_long_name_is_listed_whole_on_a_narrow_terminal(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    name = "".join(chr(ord("a") + place % 26) for place in range(64))
    shell("account", "create", name, "--plan", "one")
    assert f"Account    {name}\n" in shell("account", "list").out


def test_a_list_is_searched_filtered_and_sorted(shell: Shell, error_of: ErrorOf) -> None:
    shell("account", "create", "acme", "--plan", "one")
    shell("account", "change", "acme", "--note", "pays by card")
    shell("account", "create", "zeta", "--plan", "one")
    shell("account", "suspend", "zeta")

    def listed(*options: str) -> list[str]:
        return [each["name"] for each in shell("account", "list", "--json", *options).json]

    assert listed("--search", "card") == ["acme"]
    assert listed("--state", "suspended") == ["zeta"]
    assert listed("--reverse") == ["zeta", "owner", "acme"]
    assert listed("--sort", "calls") == ["acme", "owner", "zeta"]
    assert "it is one of active, suspended, near, over" in error_of("account", "list", "--state", "spent")


def test_accounts_are_listed_as_json(shell: Shell, accounts: Accounts) -> None:
    acme = shell("account", "create", "acme", "--plan", "one", "--json").json["account"]
    listed = {**acme, "used": 0, "last_seen": None}
    assert shell("account", "list", "--json").json == [listed, shell("account", "list", "--json").json[1]]
    owner = accounts.named("owner")
    assert owner is not None
    assert shell("account", "list", "--json").json[1] == {
        "name": "owner",
        "number": owner.number,
        "plan": "unlimited",
        "plan_known": True,
        "suspended": False,
        "anchor_day": 1,
        "datetime_format": "iso",
        "email": None,
        "note": "",
        "used": 0,
        "last_seen": None,
        "period": {"start": str(PERIOD.start), "end": str(PERIOD.end)},
        "quota": None,
        "bought": [],
    }


def test_the_address_of_an_account_is_set_changed_and_removed(shell: Shell) -> None:
    made = shell("account", "create", "acme", "--plan", "one", "--email", "shop@example.org", "--json").json
    assert made["account"]["email"] == "shop@example.org"
    shell("account", "change", "acme", "--anchor-day", "7")
    assert "shop@example.org" in shell("account", "show", "acme").out
    assert "new@example.org" in shell("account", "change", "acme", "--email", "new@example.org").out
    assert shell("account", "change", "acme", "--email", "", "--json").json["email"] is None


def test_an_account_is_shown_with_what_it_bought_and_used(shell: Shell, store: SqlStore) -> None:
    number = shell("account", "create", "acme", "--plan", "one", "--anchor-day", "1", "--json").json["account"][
        "number"
    ]
    shell("account", "buy", "acme", "500")
    store.usage.store_totals([CounterTotal(TODAY, 1, number, "fetch-one", 1234)])
    record = shell("account", "show", "acme", "--json").json
    assert (record["quota"], record["used"]) == (1_000_500, 1234)
    assert record["bought"] == [{"period_start": str(PERIOD.start), "calls": 500}]
    table = shell("account", "show", "acme").out
    assert all(word in table for word in ("1,000,500", "1,234", f"500 from {PERIOD.start}", "one", "iso"))


def test_an_account_is_suspended_and_resumed(shell: Shell, accounts: Accounts) -> None:
    shell("account", "create", "acme", "--plan", "one")
    assert "suspended" in shell("account", "suspend", "acme").out
    assert accounts.named("acme").suspended
    assert shell("account", "resume", "acme", "--json").json["suspended"] is False
    assert not accounts.named("acme").suspended


def test_an_account_is_moved_and_changed(shell: Shell, accounts: Accounts) -> None:
    shell("account", "create", "acme", "--plan", "one")
    assert "extra" in shell("account", "move", "acme", "--plan", "extra").out
    assert "31" in shell("account", "change", "acme", "--anchor-day", "31").out
    assert shell("account", "change", "acme", "--datetime-format", "spaced", "--json").json["anchor_day"] == 31
    account = accounts.named("acme")
    assert (account.plan, account.anchor_day, account.datetime_format) == ("extra", 31, "spaced")


def test_calls_are_bought_for_a_period(shell: Shell, accounts: Accounts) -> None:
    shell("account", "create", "acme", "--plan", "one", "--anchor-day", "1")
    following = period_of(1, date(PERIOD.end.year + 1, 2, 10))
    said = shell("account", "buy", "acme", "2000", "--period", f"{PERIOD.end.year + 1}-02-10").out
    assert f"2,000 more calls from {following.start} to {following.end}" in said
    assert accounts.named("acme").bought == ((following.start, 2000),)


def test_a_deleted_account_is_gone(shell: Shell, accounts: Accounts) -> None:
    key = shell("account", "create", "acme", "--plan", "one").out.strip()
    assert shell("account", "delete", "acme", "--yes", "--json").json == {"deleted": "acme"}
    assert accounts.named("acme") is None
    assert digest(key) not in accounts.by_key()


def test_without_a_terminal_nothing_is_deleted_unless_yes_is_given(
    shell: Shell, error_of: ErrorOf, accounts: Accounts
) -> None:
    shell("account", "create", "acme", "--plan", "one")
    assert error_of("account", "delete", "acme").endswith("add --yes")
    assert accounts.named("acme") is not None


@pytest.mark.parametrize(("answer", "is_gone"), [("y", True), ("n", False), ("", False)])
def test_on_a_terminal_deleting_an_account_asks_for_confirmation(
    shell: Shell, accounts: Accounts, monkeypatch: pytest.MonkeyPatch, answer: str, *, is_gone: bool
) -> None:
    shell("account", "create", "acme", "--plan", "one")
    monkeypatch.setattr("os.isatty", lambda _: True)
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{answer}\n"))
    ended = shell("account", "delete", "acme")
    assert "Close the account acme and its 1 keys for good? [y/N]" in ended.err
    assert (ended.code, accounts.named("acme") is None) == (0 if is_gone else 1, is_gone)


def test_an_account_with_usage_is_deleted_only_with_force(shell: Shell, error_of: ErrorOf, store: SqlStore) -> None:
    number = shell("account", "create", "acme", "--plan", "one", "--json").json["account"]["number"]
    store.usage.store_totals([CounterTotal(date(2026, 1, 1), 1, number, "fetch-one", 1)])
    assert "--force" in error_of("account", "delete", "acme")
    assert store.accounts.named("acme") is not None
    assert shell("account", "delete", "acme", "--yes", "--force").code == 0
    assert store.accounts.named("acme") is None
    assert [row.calls for row in store.usage.rows(account=number)] == [1]


REFUSALS = {
    "an unknown plan": (("create", "bolt", "--plan", "on"), "Unknown plan: [on]; did you mean [one]?"),
    "a name that is taken": (("create", "acme", "--plan", "one"), "named [acme] already"),
    "an empty name": (("create", "", "--plan", "one"), "Invalid account name: []"),
    "a long name": (("create", "x" * 65, "--plan", "one"), "Invalid account name: [xxx"),
    "a name with a control character": (("create", "a\x07b", "--plan", "one"), r"Invalid account name: [a\x07b]"),
    "a name that is a path": (("create", "../x", "--plan", "one"), "Invalid account name: [../x]"),
    "a name with a leading dash": (("create", "--plan", "one", "--", "-x"), "Invalid account name: [-x]"),
    "a name that is a key": (("create", "cmb_" + "a" * 38, "--plan", "one"), "must not begin with cmb_"),
    "an anchor day of 0": (("create", "bolt", "--plan", "one", "--anchor-day", "0"), "Invalid anchor day: [0]"),
    "an anchor day of 32": (("change", "acme", "--anchor-day", "32"), "Invalid anchor day: [32]"),
    "an anchor day below 0": (("change", "acme", "--anchor-day", "-1"), "Invalid anchor day: [-1]"),
    "an unknown format": (("change", "acme", "--datetime-format", "isо"), "Unknown datetime format: [isо]"),  # noqa: RUF001
    "an unknown format at creation": (
        ("create", "bolt", "--plan", "one", "--datetime-format", "unix"),
        "did you mean [unix-ms]?",
    ),
    "a name in place of an address": (("create", "bolt", "--plan", "one", "--email", "bob"), "Invalid email: [bob]"),
    "two addresses": (("change", "acme", "--email", "a@example.org,b@example.org"), "it takes one address"),
    "an address with a line break": (("change", "acme", "--email", "a@example.org\nBcc: b@c.d"), "Invalid email: ["),
    "no change": (("change", "acme"), "Nothing to change"),
    "no calls": (("buy", "acme", "0"), "Invalid calls: [0]"),
    "calls below 0": (("buy", "acme", "-5"), "Invalid calls: [-5]"),
    "too many calls": (("buy", "acme", "9" * 30), "Invalid calls"),
    "a period that has ended": (("buy", "acme", "5", "--period", "2020-01-01"), "lies before the current one"),
    "a period that is no day": (("buy", "acme", "5", "--period", "soon"), "Invalid period: [soon]"),
    "a period beyond the calendar": (("buy", "acme", "5", "--period", "9999-12-31"), "ten years ahead"),
    "calls without a quota": (("buy", "owner", "5"), "has no quota to add to"),
    "an unknown account to show": (("show", "acne"), "no account named [acne]; did you mean [acme]?"),
    "an unknown account to suspend": (("suspend", "zzz"), "no account named [zzz]"),
    "an unknown account to resume": (("resume", "zzz"), "no account named [zzz]"),
    "an unknown account to move": (("move", "zzz", "--plan", "one"), "no account named [zzz]"),
    "an unknown plan to move to": (("move", "acme", "--plan", "premum"), "did you mean [premium]?"),
    "an unknown account to buy for": (("buy", "zzz", "5"), "no account named [zzz]"),
    "an unknown account to delete": (("delete", "zzz", "--force"), "no account named [zzz]"),
    "half a character": (("show", "\udcff"), "no account of such a name"),
    "deleting the owner": (("delete", "owner", "--force"), "[owner] cannot be deleted"),
    "a folder without a service": (("list", "--data", "nowhere"), "There is no service's data in nowhere"),
}


@pytest.mark.long(every=9)
@pytest.mark.parametrize("as_json", [(), ("--json",)], ids=["people", "machines"])
@pytest.mark.parametrize(("arguments", "reason"), REFUSALS.values(), ids=REFUSALS)
def test_an_impossible_request_is_refused_in_one_sentence_and_changes_nothing(
    shell: Shell,
    error_of: ErrorOf,
    accounts: Accounts,
    arguments: tuple[str, ...],
    reason: str,
    as_json: tuple[str, ...],
) -> None:
    shell("account", "create", "acme", "--plan", "one")
    before = stored(accounts)
    command, *rest = arguments
    assert reason in error_of("account", command, *as_json, *rest)
    assert stored(accounts) == before


def test_an_invalid_option_is_refused_and_changes_nothing(shell: Shell, accounts: Accounts) -> None:
    before = stored(accounts)
    for arguments in (("create", "bolt", "--plna", "one"), ("buy", "owner", "5", "--perod", "x"), ("create", "bolt")):
        ended = shell("account", *arguments)
        assert (ended.code, ended.out) == (2, "")
    assert stored(accounts) == before

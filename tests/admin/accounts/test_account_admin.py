from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from cambist.accounts.account import OWNER, UNLIMITED, Account, DatetimeFormat, NewKey
from cambist.accounts.api_key import digest, is_well_formed, mint
from cambist.accounts.plan import default_plans
from cambist.accounts.quota import NO_QUOTA, Period
from cambist.accounts.usage_counters import CounterTotal
from cambist.admin.accounts import keys as keys_module
from cambist.admin.accounts.account_admin import AccountAdmin
from cambist.admin.accounts.keys import KeyState
from cambist.errors import BadParameter, CannotStart, NameTaken, PlansRefused, StoreBroken
from cambist.ingest.filing import Delivery, file_delivery
from cambist.registry.accounts.plans import current_plans, publish_plans
from cambist.settings import Settings
from cambist.sources.adapters.ecb import adapter
from cambist.storage.disk_reserve import DiskReserve
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.storage.sql import SqlStore

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
GOLD = '\n[gold]\ntags = ["currency"]\n'


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory, small_ecb: bytes) -> Path:
    """A data folder as a service leaves it: fixings, and the owner."""
    folder = tmp_path_factory.mktemp("prepared")
    store = SqlStore(f"sqlite:///{folder / 'cambist.db'}")
    store.migrate()
    file_delivery(store.archive, adapter, Delivery(small_ecb, "a test", NOON), lambda _: None)
    store.accounts.create(Account(0, OWNER, UNLIMITED))
    store.close()
    return folder


@pytest.fixture
def folder(tmp_path: Path, prepared: Path) -> Path:
    shutil.copytree(prepared, tmp_path / "data")
    (tmp_path / "data" / "plans.toml").write_text(default_plans())
    return tmp_path / "data"


@dataclass
class Clock:
    now: datetime = field(default=NOON)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def admin(folder: Path, clock: Clock) -> Iterator[AccountAdmin]:
    """The account admin at noon on 2026-11-20."""
    with AccountAdmin(Settings(data=folder), clock) as admin:
        yield admin


@pytest.fixture
def acme(admin: AccountAdmin) -> Account:
    """An account on the plan [one] whose current period is 2026-11-15 to 2026-12-14."""
    return admin.create("acme", "one", 15)[0]


@pytest.fixture
def rung(folder: Path) -> Callable[[], list[Topic]]:
    """Tell what was rung since it was last asked."""
    changes = data_changes(folder)
    seen = {topic: changes.version(topic) for topic in Topic}

    def rung() -> list[Topic]:
        before = dict(seen)
        seen.update({topic: changes.version(topic) for topic in Topic})
        return [topic for topic in Topic if seen[topic] != before[topic]]

    return rung


def everything(admin: AccountAdmin) -> object:
    """All that is stored of accounts and keys."""
    return [(account, admin.keys.keys_of(account)) for account in admin.accounts()]


def test_a_folder_that_is_not_there_is_refused_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match=r"There is no service's data in .*nowhere: run"):
        AccountAdmin(Settings(data=tmp_path / "nowhere"), lambda: NOON)
    assert not (tmp_path / "nowhere").exists()


def test_a_folder_without_a_database_is_refused_and_left_empty(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match="There is no service's data"):
        AccountAdmin(Settings(data=tmp_path), lambda: NOON)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"Dear diary, " * 1000], ids=["empty", "no database"])
def test_a_database_that_cannot_be_used_is_refused_in_one_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "cambist.db").write_bytes(content)
    with pytest.raises(CannotStart, match="The database cannot be used") as refused:
        AccountAdmin(Settings(data=tmp_path), lambda: NOON)
    assert str(refused.value).isprintable()


def test_an_account_is_created_with_a_first_key(admin: AccountAdmin) -> None:
    account, minted = admin.create("acme", "extra", 31, DatetimeFormat.UNIX_MS)
    assert is_well_formed(minted.text)
    stored_key = admin._store.accounts.by_key()[digest(minted.text)]
    assert stored_key.account == account == admin.account("acme")
    assert (account.plan, account.anchor_day, account.datetime_format) == ("extra", 31, DatetimeFormat.UNIX_MS)


def test_two_accounts_get_two_keys(admin: AccountAdmin) -> None:
    assert admin.create("acme", "one")[1].text != admin.create("bolt", "one")[1].text


@pytest.mark.parametrize("name", ["a", "7", "x" * 64, "Acme.Co_2+test@example-shop.com", "a..b"])
def test_an_account_name_may_contain_letters_digits_and_a_few_signs(admin: AccountAdmin, name: str) -> None:
    assert admin.create(name, "one")[0].name == name


BAD_NAMES = {
    "empty": "",
    "blank": " ",
    "blanks around it": " acme ",
    "too long": "x" * 65,
    "a path": "../x",
    "a slash": "a/b",
    "a leading dash": "-acme",
    "a leading dot": ".acme",
    "a line's end": "acme\n",
    "a null": "ac\0me",
    "an escape": "\x1b[31macme",
    "letters of other scripts": "äcme",
    "markup": "[red]acme",
    "a quote": "o'neil",
    "half a character": "\udcff",
    "digits of other scripts": "\u0661acme",
}


@pytest.mark.parametrize("name", BAD_NAMES.values(), ids=BAD_NAMES)
def test_an_invalid_account_name_is_refused_in_one_line_and_nothing_is_created(
    admin: AccountAdmin, rung: Callable[[], list[Topic]], name: str
) -> None:
    before = everything(admin)
    with pytest.raises(BadParameter, match="Invalid account name") as refused:
        admin.create(name, "one")
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 250
    assert everything(admin) == before
    assert rung() == []


def test_a_key_as_an_account_name_is_refused_and_not_repeated(admin: AccountAdmin, acme: Account) -> None:
    text = mint(lambda alphabet: alphabet[9])
    for attempt in (
        lambda: admin.create(text, "one"),
        lambda: admin.account(text),
        lambda: admin.keys.create(acme, text),
        lambda: admin.keys.revoke(acme, text),
        lambda: admin.keys.rotate(acme, text, HOUR),
    ):
        with pytest.raises(BadParameter) as refused:
            attempt()
        assert text[4:10] not in str(refused.value)


def test_a_taken_account_name_is_refused_and_nothing_is_created(
    admin: AccountAdmin, rung: Callable[[], list[Topic]]
) -> None:
    admin.create("acme", "one")
    rung()
    before = everything(admin)
    with pytest.raises(NameTaken, match=r"\[acme\]"):
        admin.create("acme", "extra")
    assert everything(admin) == before
    assert rung() == []


@pytest.mark.parametrize("day", [0, -1, 32, 10**400])
def test_an_anchor_day_that_no_month_has_is_refused(admin: AccountAdmin, acme: Account, day: int) -> None:
    before = everything(admin)
    with pytest.raises(BadParameter, match="Invalid anchor day"):
        admin.create("bolt", "one", day)
    with pytest.raises(BadParameter, match="Invalid anchor day"):
        admin.change(acme, anchor_day=day)
    assert everything(admin) == before


@pytest.mark.parametrize(
    ("plan", "hint"),
    [("premum", "did you mean [premium]?"), ("zzz", "there are extra, one, premium, unlimited"), ("", "there are")],
)
def test_an_unknown_plan_is_refused_with_the_nearest_known(
    admin: AccountAdmin, acme: Account, plan: str, hint: str
) -> None:
    before = everything(admin)
    for attempt in (lambda: admin.create("bolt", plan), lambda: admin.change_plan(acme, plan)):
        with pytest.raises(BadParameter) as refused:
            attempt()
        assert str(refused.value).startswith(f"Unknown plan: [{plan}]; ")
        assert hint in str(refused.value)
    assert everything(admin) == before


def test_an_unknown_account_is_refused_with_the_nearest_known(admin: AccountAdmin, acme: Account) -> None:
    with pytest.raises(BadParameter, match=r"no account named \[acne\]; did you mean \[acme\]\?"):
        admin.account("acne")
    assert admin.account("acme") == acme


def test_of_very_many_accounts_not_all_are_listed(admin: AccountAdmin) -> None:
    for number in range(30):
        admin.create(f"customer-{number}", "one")
    with pytest.raises(BadParameter, match="and 19 more") as refused:
        admin.account("zzz")
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("name", BAD_NAMES.values(), ids=BAD_NAMES)
def test_an_invalid_name_names_no_account(admin: AccountAdmin, name: str) -> None:
    with pytest.raises(BadParameter, match="There is no account of such a name") as refused:
        admin.account(name)
    assert str(refused.value).isprintable()


def test_an_account_can_be_suspended_resumed_and_changed(admin: AccountAdmin, acme: Account) -> None:
    assert admin.suspend(acme, suspended=True).suspended
    assert admin.account("acme") == replace(acme, suspended=True)
    assert admin.suspend(admin.account("acme"), suspended=False) == acme == admin.account("acme")
    assert admin.change_plan(acme, "premium").plan == admin.account("acme").plan == "premium"
    changed = admin.change(admin.account("acme"), 7, DatetimeFormat.SPACED)
    assert changed == admin.account("acme")
    assert (changed.anchor_day, changed.datetime_format, changed.plan) == (7, DatetimeFormat.SPACED, "premium")


def test_fields_that_are_not_named_are_not_changed(admin: AccountAdmin, acme: Account) -> None:
    assert admin.change(acme, datetime_format=DatetimeFormat.SPACED).anchor_day == 15
    assert admin.change(admin.account("acme"), 7).datetime_format == DatetimeFormat.SPACED


def test_calls_are_bought_for_the_current_period(admin: AccountAdmin, acme: Account) -> None:
    account, period = admin.add_calls(acme, 500)
    assert period == Period(date(2026, 11, 15), date(2026, 12, 14))
    assert account == admin.account("acme")
    assert account.bought == ((date(2026, 11, 15), 500),)


def test_calls_can_be_bought_for_the_period_that_contains_a_day(admin: AccountAdmin, acme: Account) -> None:
    account, period = admin.add_calls(acme, 500, date(2027, 1, 14))
    assert period == Period(date(2026, 12, 15), date(2027, 1, 14))
    assert account.bought == ((date(2026, 12, 15), 500),)


def test_calls_may_be_bought_for_a_day_of_the_current_period_that_has_passed(
    admin: AccountAdmin, acme: Account
) -> None:
    assert admin.add_calls(acme, 500, date(2026, 11, 15))[1].start == date(2026, 11, 15)


@pytest.mark.parametrize(
    ("calls", "day", "reason"),
    [
        (0, None, "Invalid calls"),
        (-5, None, "Invalid calls"),
        (NO_QUOTA, None, "Invalid calls"),
        (10**400, None, "Invalid calls"),
        (5, date(2026, 11, 14), "lies before the current one"),
        (5, date.min, "lies before the current one"),
        (5, date(2037, 1, 1), "ten years ahead"),
        (5, date.max, "ten years ahead"),
    ],
)
def test_invalid_purchases_of_calls_are_refused(
    admin: AccountAdmin, acme: Account, calls: int, day: date | None, reason: str
) -> None:
    before = everything(admin)
    with pytest.raises(BadParameter, match=reason):
        admin.add_calls(acme, calls, day)
    assert everything(admin) == before


def test_a_plan_without_a_quota_has_none_to_add_to(admin: AccountAdmin) -> None:
    with pytest.raises(BadParameter, match="has no quota to add to"):
        admin.add_calls(admin.account("owner"), 5)


def test_the_anchor_day_stays_while_bought_calls_depend_on_it(admin: AccountAdmin, acme: Account, clock: Clock) -> None:
    acme, _ = admin.add_calls(acme, 500)
    with pytest.raises(BadParameter, match="up to 2026-12-14"):
        admin.change(acme, 1)
    assert admin.change(acme, 15, DatetimeFormat.SPACED).anchor_day == 15
    clock.now = datetime(2026, 12, 15, tzinfo=UTC)
    assert admin.change(admin.account("acme"), 1).anchor_day == 1


def test_a_deleted_account_is_gone_with_its_keys_and_its_name_is_free(admin: AccountAdmin) -> None:
    account, minted = admin.create("acme", "one")
    admin.delete(account)
    assert [each.name for each in admin.accounts()] == ["owner"]
    assert digest(minted.text) not in admin._store.accounts.by_key()
    assert admin.create("acme", "one")[0].number != account.number


def test_the_owner_cannot_be_deleted(admin: AccountAdmin) -> None:
    for force in (False, True):
        with pytest.raises(BadParameter, match=r"\[owner\] cannot be deleted"):
            admin.delete(admin.account("owner"), force=force)
    assert admin.account("owner").name == "owner"


def spend(admin: AccountAdmin, account: Account, **calls_on: int) -> None:
    totals = [
        CounterTotal(date(2026, int(day[1:3]), int(day[3:])), 1, account.number, "fetch-one", calls)
        for day, calls in calls_on.items()
    ]
    admin._store.usage.store_totals(totals)


def test_the_used_calls_of_a_period_are_those_since_its_start(admin: AccountAdmin, acme: Account) -> None:
    assert admin.calls_used(acme) == 0
    spend(admin, acme, _1114=1, _1115=20, _1120=300)
    spend(admin, admin.create("bolt", "one")[0], _1120=4000)
    assert admin.calls_used(acme) == 320


def test_an_account_with_usage_is_deleted_only_with_force(admin: AccountAdmin, acme: Account) -> None:
    spend(admin, acme, _0101=1)
    admin.delete(admin.create("bolt", "one")[0])
    with pytest.raises(BadParameter, match=r"\[acme\] has usage: --force"):
        admin.delete(acme)
    assert admin.account("acme") == acme
    admin.delete(acme, force=True)
    assert [each.name for each in admin.accounts()] == ["owner"]


def test_each_change_notifies_of_changed_accounts(admin: AccountAdmin, rung: Callable[[], list[Topic]]) -> None:
    acme, first = admin.create("acme", "one")
    assert rung() == [Topic.ACCOUNTS]
    for change in (
        lambda: admin.suspend(acme, suspended=True),
        lambda: admin.suspend(acme, suspended=False),
        lambda: admin.change_plan(acme, "extra"),
        lambda: admin.change(acme, 3),
        lambda: admin.add_calls(acme, 5),
        lambda: admin.keys.create(acme),
        lambda: admin.keys.rotate(acme, first.new.prefix, HOUR),
        lambda: admin.keys.revoke(acme, first.new.prefix),
        lambda: admin.delete(acme),
    ):
        change()
        assert rung() == [Topic.ACCOUNTS]


def test_reading_notifies_nobody(admin: AccountAdmin, acme: Account, rung: Callable[[], list[Topic]]) -> None:
    assert [admin.accounts(), admin.account("acme"), admin.keys.keys_of(acme), admin.check_plans()]
    assert rung() == []


def test_a_second_key_belongs_to_the_same_account(admin: AccountAdmin, acme: Account) -> None:
    minted = admin.keys.create(acme, "till 3", NOON + HOUR)
    stored_key = admin._store.accounts.by_key()[digest(minted.text)]
    assert (stored_key.account, stored_key.expires_at) == (acme, NOON + HOUR)
    first, second = admin.keys.keys_of(acme)
    assert (first.name, second.name) == ("first", "till 3")
    assert second.prefix == minted.text[:8]


@pytest.mark.parametrize("expires_at", [NOON, NOON - HOUR, datetime.min.replace(tzinfo=UTC)])
def test_an_expiry_that_has_passed_is_refused(admin: AccountAdmin, acme: Account, expires_at: datetime) -> None:
    with pytest.raises(BadParameter, match="has passed"):
        admin.keys.create(acme, "", expires_at)
    assert len(admin.keys.keys_of(acme)) == 1


@pytest.mark.parametrize("name", ["x" * 65, "a\nb", "\x1b[31m", " a", "\udcff"])
def test_an_invalid_key_name_is_refused(admin: AccountAdmin, acme: Account, name: str) -> None:
    with pytest.raises(BadParameter, match="Invalid key name") as refused:
        admin.keys.create(acme, name)
    assert str(refused.value).isprintable()
    assert len(admin.keys.keys_of(acme)) == 1


def test_keys_of_one_account_never_share_a_prefix(
    admin: AccountAdmin, acme: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = admin.keys.create(acme)
    drawn = [first, first, keys_module.generate_key("other")]
    monkeypatch.setattr(keys_module, "generate_key", lambda *_: drawn.pop(0))
    assert admin.keys.create(acme).new.prefix != first.new.prefix
    assert drawn == []


def test_a_revoked_key_ends_at_once(admin: AccountAdmin, acme: Account) -> None:
    (first,) = admin.keys.keys_of(acme)
    assert admin.keys.state(first) == KeyState.ACTIVE
    revoked = admin.keys.revoke(acme, first.prefix)
    assert revoked == admin.keys.keys_of(acme)[0]
    assert revoked.revoked_at == NOON
    assert admin.keys.state(revoked) == KeyState.REVOKED


def test_a_key_is_revoked_once(admin: AccountAdmin, acme: Account) -> None:
    (first,) = admin.keys.keys_of(acme)
    before = admin.keys.revoke(acme, first.prefix)
    for attempt in (admin.keys.revoke, lambda *key: admin.keys.rotate(*key, HOUR)):
        with pytest.raises(BadParameter, match="has ended already, it is revoked since 2026-11-20T12:00:00Z"):
            attempt(acme, first.prefix)
    assert list(admin.keys.keys_of(acme)) == [before]


def test_an_expired_key_is_neither_revoked_nor_rotated(admin: AccountAdmin, acme: Account, clock: Clock) -> None:
    prefix = admin.keys.create(acme, "", NOON + HOUR).new.prefix
    clock.now = NOON + HOUR
    assert admin.keys.state(admin.keys.keys_of(acme)[1]) == KeyState.EXPIRED
    for attempt in (admin.keys.revoke, lambda *key: admin.keys.rotate(*key, HOUR)):
        with pytest.raises(BadParameter, match="has ended already, it is expired since 2026-11-20T13:00:00Z"):
            attempt(acme, prefix)
    assert len(admin.keys.keys_of(acme)) == 2


def test_a_rotated_key_is_valid_until_the_overlap_ends(admin: AccountAdmin, acme: Account, clock: Clock) -> None:
    (first,) = admin.keys.keys_of(acme)
    minted, old = admin.keys.rotate(acme, first.prefix, HOUR)
    assert admin._store.accounts.by_key()[digest(minted.text)].account == acme
    assert admin.keys.keys_of(acme)[0] == old
    assert (old.prefix, old.revoked_at) == (first.prefix, NOON + HOUR)
    assert admin.keys.state(old) == KeyState.ENDING
    clock.now = NOON + HOUR
    assert [admin.keys.state(key) for key in admin.keys.keys_of(acme)] == [KeyState.REVOKED, KeyState.ACTIVE]


def test_a_new_key_after_rotation_has_the_name_and_the_lifetime_of_the_old_one(
    admin: AccountAdmin, acme: Account, clock: Clock
) -> None:
    key = NewKey(digest("till 3"), "cmb_till", "till 3", datetime(2026, 12, 31, tzinfo=UTC))
    admin._store.accounts.add_key(acme, key)
    _, record = admin.keys.keys_of(acme)
    clock.now = record.created_at + timedelta(days=1)
    minted, _ = admin.keys.rotate(acme, "cmb_till", HOUR)
    assert minted.new.name == "till 3"
    assert minted.new.expires_at == datetime(2027, 1, 1, tzinfo=UTC)


def test_a_key_that_is_being_replaced_is_not_rotated_again_but_may_be_revoked(
    admin: AccountAdmin, acme: Account
) -> None:
    (first,) = admin.keys.keys_of(acme)
    admin.keys.rotate(acme, first.prefix, HOUR)
    with pytest.raises(BadParameter, match="is being replaced already, it ends at 2026-11-20T13:00:00Z"):
        admin.keys.rotate(acme, first.prefix, HOUR)
    assert len(admin.keys.keys_of(acme)) == 2
    assert admin.keys.revoke(acme, first.prefix).revoked_at == NOON


@pytest.mark.parametrize(
    ("overlap", "reason"), [(timedelta(seconds=-1), "below nothing"), (timedelta.max, "beyond the calendar")]
)
def test_an_invalid_overlap_is_refused(admin: AccountAdmin, acme: Account, overlap: timedelta, reason: str) -> None:
    before = everything(admin)
    with pytest.raises(BadParameter, match=reason):
        admin.keys.rotate(acme, admin.keys.keys_of(acme)[0].prefix, overlap)
    assert everything(admin) == before


@pytest.mark.parametrize("prefix", ["", "c", "cmb_", "cmb_zz", "x", "\x1b[31", "\udcff"])
def test_a_prefix_that_names_no_key_is_refused(admin: AccountAdmin, acme: Account, prefix: str) -> None:
    before, is_of_all = everything(admin), "cmb_".startswith(prefix)
    said = r"Every key begins with \[cmb_\]" if is_of_all else r"\[acme\] has no key that begins with"
    for attempt in (admin.keys.revoke, lambda *key: admin.keys.rotate(*key, HOUR)):
        with pytest.raises(BadParameter, match=said) as refused:
            attempt(acme, prefix)
        assert str(refused.value).isprintable()
    assert everything(admin) == before


def test_a_prefix_of_another_accounts_key_names_none(admin: AccountAdmin, acme: Account) -> None:
    other = admin.create("bolt", "one")[1]
    with pytest.raises(BadParameter, match=r"\[acme\] has no key"):
        admin.keys.revoke(acme, other.new.prefix)


def test_a_prefix_that_names_several_keys_is_refused(admin: AccountAdmin, acme: Account) -> None:
    for last in "xy":
        admin._store.accounts.add_key(acme, NewKey(digest(last), f"cmb_!!{last}"))
    with pytest.raises(BadParameter, match=r"has several keys that begin with \[cmb_!!\]: cmb_!!x, cmb_!!y"):
        admin.keys.revoke(acme, "cmb_!!")
    assert admin.keys.revoke(acme, "cmb_!!x").prefix == "cmb_!!x"


def test_a_missing_plans_file_is_refused_with_a_remedy_and_not_written(admin: AccountAdmin, folder: Path) -> None:
    (folder / "plans.toml").unlink()
    for attempt in (admin.check_plans, admin.reload_plans):
        with pytest.raises(
            PlansRefused, match=r"plans\.toml is missing: restore it from a backup, or write the default"
        ):
            attempt()
    assert not (folder / "plans.toml").exists()


def test_a_plans_file_that_is_there_is_left_as_it_is(admin: AccountAdmin, folder: Path) -> None:
    (folder / "plans.toml").write_text(default_plans() + GOLD)
    assert "gold" in admin.plans
    assert (folder / "plans.toml").read_text() == default_plans() + GOLD


def test_an_edit_of_the_plans_is_in_effect_after_a_reload(
    admin: AccountAdmin, folder: Path, acme: Account, rung: Callable[[], list[Topic]]
) -> None:
    publish_plans(folder, data_changes(folder))
    (folder / "plans.toml").write_text(default_plans() + GOLD)
    rung()
    with pytest.raises(BadParameter, match="Unknown plan"):
        admin.change_plan(acme, "gold")
    assert "gold" in admin.check_plans()
    assert "gold" not in current_plans(folder)
    assert rung() == []
    assert "gold" in admin.reload_plans()
    assert rung() == [Topic.PLANS]
    assert "gold" in current_plans(folder)
    assert admin.change_plan(acme, "gold").plan == "gold"


@pytest.mark.parametrize("content", [b"[unlimited", b'[unlimited]\ntags = ["\xff"]', b'[one]\ntags = ["admin"]'])
def test_a_malformed_edit_is_refused_and_the_old_plans_stay_in_effect(
    admin: AccountAdmin, folder: Path, rung: Callable[[], list[Topic]], content: bytes
) -> None:
    publish_plans(folder, data_changes(folder))
    rung()
    (folder / "plans.toml").write_bytes(content)
    for attempt in (admin.check_plans, admin.reload_plans):
        with pytest.raises(PlansRefused, match=r"plans\.toml, line [12]: "):
            attempt()
    assert list(current_plans(folder)) == ["one", "extra", "premium", "unlimited"]
    assert rung() == []


def test_a_plan_that_an_account_is_on_cannot_be_dropped(admin: AccountAdmin, folder: Path, acme: Account) -> None:
    (folder / "plans.toml").write_text('[unlimited]\ntags = ["admin"]\n')
    for attempt in (admin.check_plans, admin.reload_plans):
        with pytest.raises(PlansRefused, match=r"lacks the plan \[one\] of the account \[acme\]"):
            attempt()
    admin.delete(acme)
    assert list(admin.reload_plans()) == ["unlimited"]


def test_a_key_can_be_revoked_although_the_plans_are_malformed(folder: Path, acme: Account) -> None:
    (folder / "plans.toml").write_text("[")
    with AccountAdmin(Settings(data=folder), lambda: NOON) as later:
        assert later.keys.revoke(acme, later.keys.keys_of(acme)[0].prefix).revoked_at == NOON
        with pytest.raises(PlansRefused):
            later.create("bolt", "one")


def test_a_start_publishes_the_defaults(folder: Path, rung: Callable[[], list[Topic]]) -> None:
    (folder / "plans.toml").unlink()
    plans = publish_plans(folder, data_changes(folder))
    assert plans == current_plans(folder)
    assert rung() == [Topic.PLANS]
    assert (folder / "plans.current").read_text() == (folder / "plans.toml").read_text() == default_plans()


def test_a_start_without_its_plans_file_is_refused_when_customers_are_on_plans(
    admin: AccountAdmin, folder: Path, acme: Account
) -> None:
    publish_plans(folder, data_changes(folder), [acme])
    (folder / "plans.toml").unlink()
    with pytest.raises(
        PlansRefused, match=r"plans\.toml is missing: .* copy the plans last in force \(cp .*plans\.current"
    ):
        publish_plans(folder, data_changes(folder), admin.accounts())
    assert not (folder / "plans.toml").exists()


def test_a_start_with_plans_that_lack_a_customer_s_goes_on_with_its_last_plans(
    admin: AccountAdmin, folder: Path, acme: Account, caplog: pytest.LogCaptureFixture
) -> None:
    before = publish_plans(folder, data_changes(folder), [acme])
    (folder / "plans.toml").write_text('[unlimited]\ntags = ["admin"]\n')
    assert publish_plans(folder, data_changes(folder), admin.accounts()) == before
    assert "lacks the plan [one] of the account [acme]" in caplog.text


def test_a_start_applies_an_edit_of_the_plans(folder: Path) -> None:
    publish_plans(folder, data_changes(folder))
    (folder / "plans.toml").write_text(default_plans() + GOLD)
    assert "gold" in publish_plans(folder, data_changes(folder))
    assert "gold" in current_plans(folder)


def test_a_start_goes_on_with_its_last_plans_when_an_edit_is_malformed(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = publish_plans(folder, data_changes(folder))
    (folder / "plans.toml").write_text("[unlimited")
    assert publish_plans(folder, data_changes(folder)) == before == current_plans(folder)
    (warning,) = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert "plans.toml, line 1: " in warning


def test_a_first_start_with_malformed_plans_is_refused(folder: Path) -> None:
    (folder / "plans.toml").write_text("[unlimited")
    with pytest.raises(PlansRefused, match=r"plans\.toml, line 1: "):
        publish_plans(folder, data_changes(folder))
    assert not (folder / "plans.current").exists()


def test_no_file_of_the_folder_holds_the_text_of_a_key(admin: AccountAdmin, folder: Path, acme: Account) -> None:
    minted = admin.keys.create(acme)
    content = b"".join(file.read_bytes() for file in folder.iterdir())
    assert digest(minted.text) in content
    assert minted.text[8:20].encode() not in content


# A full disk


def test_a_key_is_revoked_and_an_account_suspended_in_the_reserved_space(
    admin: AccountAdmin, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    account, minted = admin.create("leaver", "one")
    reserve = DiskReserve(folder / "reserve")
    accounts = admin._store.accounts

    def needs_room(work: Callable[..., None]) -> Callable[..., None]:
        def worked(*what: Any) -> None:
            if (folder / "reserve").exists():
                raise StoreBroken("The database cannot be used: database or disk is full")
            work(*what)

        return worked

    monkeypatch.setattr(accounts, "revoke", needs_room(accounts.revoke))
    monkeypatch.setattr(accounts, "change", needs_room(accounts.change))
    reserve.allocate()
    admin.keys.revoke(account, minted.new.prefix)
    assert admin.keys.state(admin.keys.keys_of(account)[0]) is KeyState.REVOKED
    reserve.allocate()
    admin.suspend(account, suspended=True)
    assert admin.account("leaver").suspended
    reserve.allocate()
    with pytest.raises(StoreBroken, match="disk is full"):
        admin.change_plan(account, "premium")


def test_without_reserved_space_revoking_a_key_on_a_full_disk_is_refused(
    admin: AccountAdmin, monkeypatch: pytest.MonkeyPatch
) -> None:
    account, minted = admin.create("leaver", "one")

    def full(*_: Any) -> None:
        raise StoreBroken("The database cannot be used: database or disk is full")

    monkeypatch.setattr(admin._store.accounts, "revoke", full)
    with pytest.raises(StoreBroken, match="disk is full"):
        admin.keys.revoke(account, minted.new.prefix)

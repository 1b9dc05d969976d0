"""Accounts, API keys and plans of a data directory, whether its service runs or not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from cambist.accounts.account import OWNER, Account, DatetimeFormat
from cambist.accounts.account_search import AccountSearch, FoundAccounts
from cambist.accounts.names import check_account_name, check_anchor_day, check_email, check_note, echo, is_account_name
from cambist.accounts.plan import Plan
from cambist.accounts.quota import NO_QUOTA, Period, period_of, quota_of, spread_anchor_day
from cambist.admin.accounts.keys import CreatedKey, KeyAdmin, generate_key
from cambist.admin.accounts.prepared_store import open_prepared_store
from cambist.admin.operators.audit import AuditRecorder
from cambist.errors import BadParameter, StoreBroken
from cambist.registry.accounts.plans import (
    activate_plans,
    check_account_plans,
    current_plans,
    plans_file,
    read_plans_file,
)
from cambist.registry.accounts.shared_plans import plan_sharing
from cambist.settings import Settings
from cambist.storage.data_directory import DataDirectory
from cambist.storage.disk_reserve import DiskReserve
from cambist.storage.shared.change_notifier import Topic, data_changes
from cambist.suggestions import did_you_mean

_FARTHEST = timedelta(days=3653)


@dataclass(frozen=True, slots=True)
class DailyCalls:
    """The calls of one account to one endpoint on one day."""

    day: date
    account: str
    endpoint: str
    calls: int


@dataclass(frozen=True, slots=True)
class NewAccount:
    """An account that is wanted, as it was typed; without an anchor day it gets one by its name."""

    name: str
    plan: str
    anchor_day: int | None = None
    datetime_format: DatetimeFormat = DatetimeFormat.ISO
    email: str = ""


class AccountAdmin:
    """Manages the accounts, API keys and plans of a data directory, and notifies the API workers of each change.

    Every change is recorded in the audit log; `who` changes it, by default the user who runs this process.
    Errors when made: CannotStart for a directory that no service has prepared.
    """

    def __init__(self, settings: Settings, clock: Callable[[], datetime], who: str = "") -> None:
        self._folder = settings.data
        self._clock = clock
        self._store = open_prepared_store(settings)
        self._share_plans = plan_sharing(settings, self._store)
        self._changes = data_changes(self._folder)
        self._reserve = DiskReserve(DataDirectory(settings.data).reserve)
        self._audit = AuditRecorder(settings, clock, who)
        self.keys = KeyAdmin(self._store.accounts, clock, self._audit, self._notify, self._revoke_access)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._store.close()

    def create(
        self,
        name: str,
        plan: str,
        anchor_day: int | None = None,
        datetime_format: DatetimeFormat = DatetimeFormat.ISO,
        email: str = "",
    ) -> tuple[Account, CreatedKey]:
        """Create an account with a first key. Errors: BadParameter, NameTaken."""
        check_account_name(name)
        with self._audit.action("account.create", name, f"plan {echo(plan)}"):
            account = self.checked(NewAccount(name, plan, anchor_day, datetime_format, email))
            created = generate_key("first")
            account = self._store.accounts.create(account, created.new)
        self._notify()
        return account, created

    def create_all(self, wanted: Sequence[NewAccount]) -> list[tuple[Account, CreatedKey]]:
        """Create accounts with a first key each, all or none of them. Errors: BadParameter, NameTaken."""
        new = [(self.checked(each), generate_key("first")) for each in wanted]
        with self._audit.action("account.create-all", "", f"{len(new)} accounts"):
            made = self._store.accounts.create_all([(account, created.new) for account, created in new])
        self._notify()
        return [(account, created) for account, (_, created) in zip(made, new, strict=True)]

    def checked(self, wanted: NewAccount) -> Account:
        """Return the account that is wanted, which does not exist yet. Errors: BadParameter."""
        check_account_name(wanted.name)
        day = spread_anchor_day(wanted.name) if wanted.anchor_day is None else check_anchor_day(wanted.anchor_day)
        email = check_email(wanted.email)
        return Account(0, wanted.name, self._plan(wanted.plan).name, wanted.datetime_format, day, email=email)

    def accounts(self) -> Sequence[Account]:
        """Return all accounts, by name."""
        return self._store.accounts.all()

    def find(self, search: AccountSearch) -> FoundAccounts:
        """Return a page of the accounts that a search finds, with what they have used. Errors: PlansRefused."""
        quotas = {name: plan.calls_a_month for name, plan in self.plans.items()}
        return self._store.accounts.find(search, quotas, self._clock().date())

    def account(self, name: str) -> Account:
        """Return an account. Errors: BadParameter, which suggests the nearest name."""
        account = self._store.accounts.named(name) if is_account_name(name) else None
        if account is None:
            # An API key may have been typed by mistake, so only a possible name is repeated.
            typed = f" named [{echo(name)}]" if is_account_name(name) else " of such a name"
            raise BadParameter(
                f"There is no account{typed}; {did_you_mean(name, [one.name for one in self.accounts()])}"
            )
        return account

    def suspend(self, account: Account, *, suspended: bool) -> Account:
        """Suspend an account, so that its keys are refused, or resume it."""
        changed = replace(account, suspended=suspended)
        with self._audit.action("account.suspend" if suspended else "account.resume", account.name):
            self._revoke_access(lambda: self._store.accounts.change(changed))
        self._notify()
        return changed

    def change_plan(self, account: Account, plan: str) -> Account:
        """Put an account on another plan. Errors: BadParameter."""
        with self._audit.action("account.plan", account.name, f"from {account.plan} to {echo(plan)}"):
            return self._save(replace(account, plan=self._plan(plan).name))

    def change(
        self,
        account: Account,
        anchor_day: int | None = None,
        datetime_format: DatetimeFormat | None = None,
        email: str | None = None,
        note: str | None = None,
    ) -> Account:
        """Change anchor day, time format, address or note of an account; None keeps it. Errors: BadParameter."""
        changes: dict[str, object] = {"anchor day": anchor_day, "datetime format": datetime_format}
        changes |= {"email": email and echo(email), "note": note and echo(note)}
        detail = ", ".join(f"{name} {value}" for name, value in changes.items() if value is not None)
        with self._audit.action("account.change", account.name, detail):
            if anchor_day is not None:
                account = self._with_anchor_day(account, check_anchor_day(anchor_day))
            if datetime_format is not None:
                account = replace(account, datetime_format=datetime_format)
            if email is not None:
                account = replace(account, email=check_email(email))
            if note is not None:
                check_note(note)
                account = replace(account, note=note)
            return self._save(account)

    def add_calls(self, account: Account, calls: int, day: date | None = None) -> tuple[Account, Period]:
        """Add calls to the quota of the current period, or of the one that contains `day`. Errors: BadParameter."""
        with self._audit.action("account.buy", account.name, f"{calls} calls") as action:
            period = self._period_of_purchase(account, day)
            action.detail = f"{calls} calls for the period from {period.start}"
            self._check_purchase(account, calls, period)
            self._store.accounts.buy(account, period.start, calls)
        self._notify()
        return self.account(account.name), period

    def check_deletion(self, account: Account, *, force: bool = False) -> None:
        """Check that an account can be deleted; one with usage needs `force`. Errors: BadParameter."""
        if account.name == OWNER:
            raise BadParameter(f"The account [{OWNER}] cannot be deleted: the next start would create it again")
        if not force and self._store.usage.rows(account=account.number):
            raise BadParameter(f"The account [{account.name}] has usage: --force closes it and keeps its usage")

    def delete(self, account: Account, *, force: bool = False) -> None:
        """Delete an account for good; its usage stays. Errors: BadParameter."""
        with self._audit.action("account.delete", account.name):
            self.check_deletion(account, force=force)
            self._revoke_access(lambda: self._store.accounts.delete(account))
        self._notify()

    def period(self, account: Account, day: date | None = None) -> Period:
        """Return an account's current period, or the one that contains `day`."""
        return period_of(account.anchor_day, day or self._clock().date())

    def calls_used(self, account: Account) -> int:
        """Return the calls of an account in its current period, as far as the usage writer has written them."""
        since = self.period(account).start
        return sum(row.calls for row in self._store.usage.rows(since, account.number))

    def plan_of(self, account: Account) -> Plan:
        """Return an account's plan. Errors: BadParameter if it no longer exists."""
        return self._plan(account.plan)

    @cached_property
    def plans(self) -> Mapping[str, Plan]:
        """The plans in effect. Errors: PlansRefused.

        They are read at the first use, so that a malformed file does not keep a key from being revoked.
        """
        return current_plans(self._folder)

    def usage(self, account: Account | None, since: date | None) -> list[DailyCalls]:
        """Return the calls of one account or of all, oldest day first; a deleted account is named by its number."""
        rows = self._store.usage.rows(since, account.number if account else None)
        names = {one.number: one.name for one in self.accounts()}
        return [DailyCalls(row.day, names.get(row.account, f"#{row.account}"), row.endpoint, row.calls) for row in rows]

    def calls_since(self, day: date) -> int:
        """Return the calls of all accounts from a day on."""
        return self._store.usage.calls_since(day)

    @property
    def plans_file(self) -> Path:
        """The file that the operator edits."""
        return plans_file(self._folder)

    def check_plans(self) -> Mapping[str, Plan]:
        """Read the plans file as `reload_plans` does, and change nothing. Errors: PlansRefused."""
        return self._read_plans()[1]

    def reload_plans(self) -> Mapping[str, Plan]:
        """Put the plans file into effect. Errors: PlansRefused, StoreBroken, and the old plans stay in effect."""
        with self._audit.action("plans.reload", self.plans_file.name) as action:
            text, self.plans = self._read_plans()
            action.detail = ", ".join(self.plans)
            activate_plans(self._folder, text, self._changes, self._share_plans)
        return self.plans

    def _read_plans(self) -> tuple[str, Mapping[str, Plan]]:
        text, plans = read_plans_file(self.plans_file)
        check_account_plans(self.accounts(), plans, self.plans_file)
        return text, plans

    def _plan(self, name: str) -> Plan:
        if name not in self.plans:
            raise BadParameter(f"Unknown plan: [{echo(name)}]; {did_you_mean(name, self.plans)}")
        return self.plans[name]

    def _with_anchor_day(self, account: Account, anchor_day: int) -> Account:
        # Purchases are stored by the first day of their period, which another anchor day would change.
        current = self.period(account)
        if anchor_day != account.anchor_day and any(start >= current.start for start, _ in account.bought):
            last = self.period(account, max(start for start, _ in account.bought))
            raise BadParameter(
                f"The account [{account.name}] has bought calls for its periods up to {last.end}: "
                "until then its anchor day stays"
            )
        return replace(account, anchor_day=anchor_day)

    def _check_purchase(self, account: Account, calls: int, period: Period) -> None:
        quota = quota_of(self.plan_of(account), account, period)
        if quota is None:
            raise BadParameter(f"The plan [{account.plan}] of the account [{account.name}] has no quota to add to")
        if not 1 <= calls < NO_QUOTA - quota:
            most = NO_QUOTA - quota - 1
            raise BadParameter(f"Invalid calls: [{echo(str(calls))}], it takes a whole number from 1 to {most}")

    def _period_of_purchase(self, account: Account, day: date | None) -> Period:
        current = self.period(account)
        if day is None:
            return current
        if day < current.start:
            raise BadParameter(f"Invalid period: [{day}] lies before the current one, which began on {current.start}")
        if day > current.start + _FARTHEST:
            raise BadParameter(f"Invalid period: [{day}] lies more than ten years ahead")
        return self.period(account, day)

    def _save(self, account: Account) -> Account:
        self._store.accounts.change(account)
        self._notify()
        return account

    def _revoke_access(self, change: Callable[[], None]) -> None:
        """Make a change that revokes access; on a full disk it uses the reserved space. Errors: StoreBroken."""
        try:
            change()
        except StoreBroken:
            if not self._reserve.free():
                raise
            change()

    def _notify(self) -> None:
        self._changes.notify(Topic.ACCOUNTS)

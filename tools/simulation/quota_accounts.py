"""The accounts of a simulation of quotas."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date

from msgspec import structs

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.plan import default_plans, read_plans
from cambist.accounts.principal import Principal
from cambist.accounts.quota import AccountQuota, period_of, quota_of
from cambist.storage.sql import SqlStore


class QuotaAccounts:
    """Some accounts with a quota of so many calls a month, whose periods begin on `anchor_day`."""

    def __init__(self, count: int, quota: int, anchor_day: int, nodes: int) -> None:
        plan = read_plans(default_plans(), "plans.toml")["unlimited"]
        self._plan = structs.replace(plan, name="simulated", calls_a_month=quota, offline_calls=0)
        self._anchor_day = anchor_day
        self._names = [f"account {number}" for number in range(1, count + 1)]
        self.nodes = nodes
        self.principals: dict[int, Principal] = {}

    def create(self, store: SqlStore) -> None:
        """Create the accounts in a database."""
        for name in self._names:
            account = store.accounts.create(Account(0, name, self._plan.name, anchor_day=self._anchor_day))
            plans = {self._plan.name: self._plan}
            self.principals[account.number] = Principal.build(StoredKey(account.number, account), plans)

    def quotas(self, numbers: Collection[int], today: date) -> Mapping[int, AccountQuota]:
        """Return the current periods and quotas of accounts."""
        return {number: self.quota(number, today) for number in sorted(numbers) if number in self.principals}

    def quota(self, number: int, today: date) -> AccountQuota:
        """Return the current period and the quota of an account."""
        account = self.principals[number].account
        period = period_of(account.anchor_day, today)
        return AccountQuota(period, quota_of(self._plan, account, period) or 0)

"""Planted faults in metering, quota leases and the folding of counted calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from tools.simulation.patches import Patch

from cambist.accounts.meter import Meter
from cambist.accounts.node_leases import HeldLease
from cambist.accounts.node_meter import NodeMeter
from cambist.accounts.usage_counters import CounterTotal
from cambist.storage.shared.usage.lease_file import LeaseFile, place
from cambist.storage.shared.usage.usage_writer import UsageWriter
from cambist.storage.shared.usage.worker_counters import WorkerCounters
from cambist.storage.sql import quota_leases
from cambist.storage.sql.usage import SqlUsage


def _granted_twice() -> list[Patch]:
    following = quota_leases._next_lease  # noqa: SLF001  what is broken is inside

    def next_lease(node: str, request: Any, granted: Counter[str], used: Counter[str], nodes: int) -> Any:
        own = Counter({name: calls for name, calls in granted.items() if name == node})
        return following(node, request, own, Counter({name: used[name] for name in own}), nodes)

    return [(quota_leases, "_next_lease", next_lease)]


def _folded_twice() -> list[Patch]:
    store = SqlUsage.store_totals

    def store_totals(self: SqlUsage, totals: Iterable[CounterTotal], node: str = "") -> None:
        found = list(totals)
        store(self, [*found, *(replace(each, file=each.file + 1000) for each in found)], node)

    return [(SqlUsage, "store_totals", store_totals)]


def _never_folded() -> list[Patch]:
    write = UsageWriter.write

    def write_today(self: UsageWriter, store: Any, today: date) -> int:
        return 0 if today.day % 2 else write(self, store, today)

    return [(UsageWriter, "write", write_today)]


def _without_lease() -> list[Patch]:
    attempt = NodeMeter._attempt  # noqa: SLF001  as above

    def always(self: NodeMeter, limits: Any, cost: int) -> Any:
        return attempt(self, limits, cost)._replace(is_reserved=True)

    return [(NodeMeter, "_attempt", always)]


def _counted_as_one() -> list[Patch]:
    spend = WorkerCounters.spend

    def spend_one(self: WorkerCounters, account: int, endpoint: str, calls: int, today: date) -> None:
        del calls
        spend(self, account, endpoint, 1, today)

    return [(WorkerCounters, "spend", spend_one)]


def _day_of_yesterday() -> list[Patch]:
    def today(self: Meter, now: float) -> date:
        del self
        return date(1970, 1, 1) + timedelta(seconds=now - 3600)  # as in a zone an hour behind UTC

    def counted(self: Meter, now: float) -> date:
        begins = now // 86_400 * 86_400
        self._day = begins, begins, today(self, now)
        return today(self, now)

    return [(Meter, "today", counted)]


def _lease_of_last_period() -> list[Patch]:
    def lease(self: LeaseFile, account: int, period_start: date) -> HeldLease | None:
        del period_start
        words = self.words
        for at in (place(account, date(1971, month, 1)) for month in (1, 2)):
            if account < self.accounts and words[at]:
                return HeldLease(words[at + 1], words[at + 2], words[at + 3], words[at + 4])
        return None

    return [(LeaseFile, "lease", lease)]


QUOTA_FAULTS: Mapping[str, Callable[[], list[Patch]]] = {
    "two nodes are granted the same calls": _granted_twice,
    "counted calls are folded twice": _folded_twice,
    "counted calls are not folded on some days": _never_folded,
    "calls are answered without a lease": _without_lease,
    "a call that costs several is counted as one": _counted_as_one,
    "calls after midnight are counted on the day before": _day_of_yesterday,
    "a lease is used after its period": _lease_of_last_period,
}

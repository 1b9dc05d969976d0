"""Midnight and the end of a period under load: each call lands on one side, and no restart is needed."""

import threading
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from cambist.accounts.account import Account, StoredKey
from cambist.accounts.meter import Meter
from cambist.accounts.plan import default_plans, read_plans
from cambist.accounts.principal import Principal
from cambist.errors import QuotaSpent, StoreBroken
from cambist.storage.shared.usage.worker_counters import WorkerCounters

MIDNIGHT = datetime(2026, 12, 1, tzinfo=UTC)
BEFORE, AFTER = date(2026, 11, 30), date(2026, 12, 1)
THREADS, CALLS, QUOTA = 4, 3000, 9000


def principal(quota: int) -> Principal:
    text = default_plans().replace("calls_a_month = 1_000_000", f"calls_a_month = {quota}", 1)
    plan = read_plans(text, "plans")["one"]
    account = Account(1, "shop", "one", anchor_day=1)
    return Principal.build(StoredKey(1, account), {"one": plan})


@pytest.fixture
def ledger(tmp_path: Path):
    ledger = WorkerCounters(tmp_path / "ledger", ["/fetch-one"], THREADS)
    yield ledger
    ledger.close()


def test_over_midnight_and_the_end_of_a_period_each_call_lands_on_one_side(ledger):
    shop, meter = principal(QUOTA), Meter(ledger, {})
    answered: list[Counter[date]] = [Counter() for _ in range(THREADS)]

    def ask(answered: Counter[date], thread: int) -> None:
        for call in range(CALLS):
            # Each thread crosses midnight at another of its calls: some still write into the old day.
            now = (MIDNIGHT + timedelta(milliseconds=call - CALLS // 2 + 40 * thread)).timestamp()
            meter.check_quota(shop, 1, now)
            meter.spend(shop, "/fetch-one", 1, now)
            answered[meter.today(now)] += 1

    threads = [threading.Thread(target=ask, args=(answered[number], number)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counted = sum(answered, Counter())
    assert {BEFORE, AFTER} == set(counted)
    assert {day: ledger.spent(1, day) for day in counted} == counted
    assert sum(counted.values()) == THREADS * CALLS
    assert meter.usage(shop, MIDNIGHT.timestamp() + 60).used == counted[AFTER]
    assert meter.usage(shop, MIDNIGHT.timestamp() - 60).used == counted[BEFORE]


def test_a_spent_quota_is_there_again_at_the_first_second_of_the_period(ledger):
    shop, meter = principal(5), Meter(ledger, {})
    last = MIDNIGHT.timestamp() - 0.5
    for _ in range(5):
        meter.check_quota(shop, 1, last)
        meter.spend(shop, "/fetch-one", 1, last)
    with pytest.raises(QuotaSpent) as spent:
        meter.check_quota(shop, 1, last)
    assert spent.value.retry_after == 1
    meter.check_quota(shop, 5, MIDNIGHT.timestamp())


def test_limits_that_one_thread_still_works_out_refuse_no_call_of_another(ledger, monkeypatch):
    shop, meter = principal(QUOTA), Meter(ledger, {})
    now, spent = MIDNIGHT.timestamp() - 60, ledger.spent
    refused: list[QuotaSpent] = []

    def ask() -> None:
        try:
            meter.check_quota(shop, 1, now)
        except QuotaSpent as error:
            refused.append(error)

    def spent_while_another_thread_asks(account: int, day: date) -> int:
        monkeypatch.setattr(ledger, "spent", spent)
        other = threading.Thread(target=ask)
        other.start()
        other.join()
        return spent(account, day)

    monkeypatch.setattr(ledger, "spent", spent_while_another_thread_asks)
    meter.check_quota(shop, 1, now)
    assert not refused


def test_without_room_in_the_ledger_answers_go_on_and_are_counted_later(ledger, monkeypatch):
    told: list[str] = []
    shop, meter = principal(QUOTA), Meter(ledger, {}, told.append)
    now = MIDNIGHT.timestamp()
    spend = ledger.spend

    def no_room(*_: object) -> None:
        raise StoreBroken("no space left")

    monkeypatch.setattr(ledger, "spend", no_room)
    for _ in range(7):
        meter.spend(shop, "/fetch-one", 2, now)
    meter.tick({}.get, now)
    assert ledger.spent(1, AFTER) == 0
    assert len(told) == 1
    assert "no room" in told[0]
    monkeypatch.setattr(ledger, "spend", spend)
    meter.tick({}.get, now)
    assert ledger.spent(1, AFTER) == 14
    assert "room again" in told[1]

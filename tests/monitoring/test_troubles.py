"""What is wrong with sources, the rate book, quotas, the disk and the certificate."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from cambist.accounts.account import Account
from cambist.accounts.plan import Plan
from cambist.history.dispute import Dispute, Disputes, ServedRate
from cambist.monitoring.troubles import certificate_troubles, disk_troubles, quota_troubles, source_troubles
from cambist.status.source_report import SourceReport, SourceReports

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
GB, MB = 10**9, 10**6


def report(key: str = "ecb", **rest: Any) -> SourceReport:
    facts = dict.fromkeys(("name", "home", "terms", "licence", "redistribution", "rate_type", "covers"), "a test's")
    given = {"enabled": True, "last_success": NOW, "newest": NOW - MINUTE, "pace": "daily"} | rest
    return SourceReport(key=key, **facts, **given)


def found(*reports: SourceReport, age: timedelta = MINUTE / 60, **rest: Any) -> dict[str, str]:
    troubles = source_troubles(SourceReports(NOW - age, reports, **rest), NOW)
    return {trouble.key: trouble.text for trouble in troubles}


def test_a_source_that_is_late_or_fails_is_named_with_the_reason() -> None:
    late = report("ecb", newest=NOW - 5 * DAY)
    failing = report("fed", last_success=None, failures=3, last_failure=NOW, why="no answer in time")
    assert found(late, failing, report("boc"), report("imf", enabled=False, newest=NOW - 50 * DAY)) == {
        "source:ecb": "The source ecb is late: its newest data is 5 days old",
        "source:fed": "The source fed fails: no answer in time",
    }


def test_held_fixings_are_a_trouble_of_their_own() -> None:
    since = date(2026, 11, 19)
    assert found(report(held=3, held_since=since)) == {
        "held:ecb": "3 of the newest fixings of the source ecb are held, the first since 2026-11-19"
    }
    assert found(report(held=3, held_since=since, only_held=True)) == {
        "held:ecb": "All newest fixings of the source ecb are held, the first since 2026-11-19"
    }


@pytest.mark.parametrize(("since", "is_told"), [(date(2026, 11, 19), False), (date(2026, 11, 18), True)])
def test_a_dispute_is_a_trouble_when_it_is_open_for_more_than_a_day(since: date, *, is_told: bool) -> None:
    served = ServedRate("fed", NOW.date(), 0.86)
    dispute = Dispute("EUR", since, NOW.date(), "disputed", served, None, None, ())
    text = f"Sources disagree about EUR since {since}; the rate of fed is served"
    assert found(disputes=Disputes((dispute,), 1)) == ({"dispute:EUR": text} if is_told else {})


def test_a_book_is_old_only_where_prices_come_all_the_time() -> None:
    live = report("kraken", pace="realtime")
    assert found(live, book_at=NOW - 14 * MINUTE) == {}
    assert found(live, book_at=NOW - 16 * MINUTE) == {"book:": "The newest rate book is 16 minutes old"}
    assert found(report("ecb"), book_at=NOW - 2 * DAY) == {}
    assert found(live, book_at=None) == {}


def test_a_silent_ingest_hides_what_its_last_report_says() -> None:
    late = report("ecb", newest=NOW - 5 * DAY)
    assert found(late, age=2 * MINUTE) == {
        "ingest:": "No source has been asked for 2 minutes: the ingest process does not run"
    }
    assert list(source_troubles(None, NOW)) == []


# Quotas

PLANS = {"small": Plan(name="small", calls_a_month=1000, tags=()), "free": Plan(name="free", tags=())}


@pytest.mark.parametrize(
    ("used", "level", "text"),
    [
        (799, 0, ""),
        (800, 1, "The account acme has used 80 % of its quota of 1000 calls until 2026-11-30"),
        (999, 1, "The account acme has used 80 % of its quota of 1000 calls until 2026-11-30"),
        (1000, 2, "The account acme has used 100 % of its quota of 1000 calls until 2026-11-30"),
        (1500, 2, "The account acme has used 100 % of its quota of 1000 calls until 2026-11-30"),
    ],
)
def test_a_quota_is_told_of_at_80_and_at_100_percent(used: int, level: int, text: str) -> None:
    calls = {1: {date(2026, 10, 31): 5000, date(2026, 11, 1): 300, date(2026, 11, 20): used - 300}}
    troubles = list(quota_troubles([Account(1, "acme", "small")], PLANS, calls, NOW.date()))
    assert [(each.level, each.text) for each in troubles] == ([(level, text)] if level else [])


def test_bought_calls_and_the_day_on_which_periods_begin_count() -> None:
    calls = {1: {date(2026, 11, 1): 900, date(2026, 11, 20): 100}}
    bought = Account(1, "acme", "small", bought=((date(2026, 11, 1), 500),))
    later = Account(1, "acme", "small", anchor_day=15)
    assert list(quota_troubles([bought, later], PLANS, calls, NOW.date())) == []


def test_accounts_without_a_quota_or_with_an_unknown_plan_are_left_out() -> None:
    accounts = [Account(1, "acme", "free"), Account(2, "gone", "unheard")]
    assert list(quota_troubles(accounts, PLANS, {1: {NOW.date(): 10**9}, 2: {NOW.date(): 9}}, NOW.date())) == []


# Disk and certificate


@pytest.mark.parametrize(
    ("free", "size", "level"),
    [
        (50 * GB, 100 * GB, 0),
        (5 * GB + 1, 100 * GB, 0),
        (4 * GB, 100 * GB, 1),
        (11 * GB, 4000 * GB, 0),
        (2 * GB, 20 * GB, 0),
        (999 * MB, 20 * GB, 1),
        (99 * MB, 20 * GB, 2),
        (900 * MB, 1000 * GB, 2),
    ],
)
def test_a_disk_is_nearly_full_or_full(free: int, size: int, level: int) -> None:
    assert [trouble.level for trouble in disk_troubles(free, size)] == ([level] if level else [])


@pytest.mark.parametrize(("days", "level"), [(15, 0), (14, 1), (4, 1), (3, 2), (0.5, 2), (0, 3), (-2, 3)])
def test_a_certificate_is_told_of_two_weeks_before_three_days_before_and_at_its_end(days: float, level: int) -> None:
    troubles = list(certificate_troubles(NOW + days * DAY, NOW))
    assert [trouble.level for trouble in troubles] == ([level] if level else [])
    assert all(("has ended" in trouble.text) == (days <= 0) for trouble in troubles)


def test_no_certificate_is_no_trouble() -> None:
    assert list(certificate_troubles(None, NOW)) == []

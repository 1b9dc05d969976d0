"""What is wrong now with sources, the rate book, quotas, the disk and the certificate, as troubles to tell of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta

from cambist.accounts.account import Account
from cambist.accounts.plan import Plan
from cambist.accounts.quota import period_of, quota_of
from cambist.history.dispute import Dispute
from cambist.status.alarm import Trouble
from cambist.status.source_report import Condition, SourceReport, SourceReports

BOOK_AGE = timedelta(minutes=15)
"""From this age on a rate book is old, if a source with real-time prices is asked."""

SILENT_AFTER = timedelta(minutes=1)
DISPUTED_FOR = timedelta(days=1)
"""An operator is told of a dispute when it is open for longer than this after its first day."""

QUOTA_PERCENTS = (80, 100)
QUOTA = "quota"
"""The kind of troubles that are about the quota of an account."""
CERTIFICATE_DAYS = (14, 3, 0)

_GB, _MB = 10**9, 10**6
_REALTIME = "realtime"


def source_troubles(reports: SourceReports | None, now: datetime) -> Iterator[Trouble]:
    """Yield what is wrong with sources and the rate book; nothing before the first report."""
    if reports is None:
        return
    if (silent := now - reports.written_at) > SILENT_AFTER:
        yield Trouble("ingest:", f"No source has been asked for {_span(silent)}: the ingest process does not run")
        return
    enabled = [report for report in reports.reports if report.enabled]
    for report in enabled:
        yield from _source_troubles(report, now)
    yield from _dispute_troubles(reports.disputes.disputes, now)
    is_live = any(report.pace == _REALTIME for report in enabled)
    if is_live and reports.book_at is not None and (age := now - reports.book_at) > BOOK_AGE:
        yield Trouble("book:", f"The newest rate book is {_span(age)} old")


def _source_troubles(report: SourceReport, now: datetime) -> Iterator[Trouble]:
    key, condition, lag = report.key, report.condition(now), report.lag(now)
    if condition is Condition.FAILING:
        yield Trouble(f"source:{key}", f"The source {key} fails: {report.why or 'no reason is known'}")
    elif condition is Condition.LATE and lag is not None:
        yield Trouble(f"source:{key}", f"The source {key} is late: its newest data is {_span(lag)} old")

    if report.held and report.held_since is not None:
        which = "All newest fixings" if report.only_held else f"{report.held} of the newest fixings"
        yield Trouble(f"held:{key}", f"{which} of the source {key} are held, the first since {report.held_since}")


def _dispute_troubles(disputes: Iterable[Dispute], now: datetime) -> Iterator[Trouble]:
    for dispute in disputes:
        ended = datetime.combine(dispute.since, time(), UTC) + timedelta(days=1)
        if now - ended > DISPUTED_FOR:
            served = "nothing" if dispute.served is None else f"the rate of {dispute.served.source}"
            text = f"Sources disagree about {dispute.code} since {dispute.since}; {served} is served"
            yield Trouble(f"dispute:{dispute.code}", text)


def quota_troubles(
    accounts: Iterable[Account], plans: Mapping[str, Plan], calls: Mapping[int, Mapping[date, int]], today: date
) -> Iterator[Trouble]:
    """Yield the accounts that have used 80 or 100 % of the quota of their period; `calls` are by account and day."""
    for account in accounts:
        plan = plans.get(account.plan)
        period = period_of(account.anchor_day, today)
        quota = quota_of(plan, account, period) if plan else None
        if not quota:
            continue
        used = sum(count for day, count in calls.get(account.number, {}).items() if period.start <= day <= today)
        level = sum(used * 100 >= quota * percent for percent in QUOTA_PERCENTS)
        if level:
            percent = QUOTA_PERCENTS[level - 1]
            text = f"The account {account.name} has used {percent} % of its quota of {quota} calls until {period.end}"
            yield Trouble(f"{QUOTA}:{account.name}", text, level, at_once=True)


def disk_troubles(free: int, size: int) -> Iterator[Trouble]:
    """Yield whether the disk of the data folder is nearly full (level 1) or full (level 2); sizes are in bytes."""
    if free < 100 * _MB or free < size // 1000:
        yield Trouble("disk:", f"The disk of the data folder is full: {free // _MB} MB are free", 2, at_once=True)
    elif free < _GB or free < min(size // 20, 10 * _GB):
        yield Trouble("disk:", f"The disk of the data folder is nearly full: {free // _MB} MB are free")


def certificate_troubles(ends: datetime | None, now: datetime) -> Iterator[Trouble]:
    """Yield whether the certificate for HTTPS ends soon; it is told again shortly before, and when it has ended."""
    if ends is None:
        return
    level = sum(ends - now <= timedelta(days=days) for days in CERTIFICATE_DAYS)
    if level:
        verb = "has ended" if ends <= now else "ends"
        yield Trouble(
            "certificate:", f"The certificate for HTTPS {verb} on {ends:%Y-%m-%d %H:%M} UTC", level, at_once=True
        )


def _span(length: timedelta) -> str:
    """Return a length of time in words, in its largest whole unit."""
    seconds = int(length.total_seconds())
    for name, size in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds // size} {name}"
    return f"{seconds} seconds"

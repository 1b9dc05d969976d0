"""What must hold for a cluster whatever happened to it: each check returns sentences about what does not."""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from tools.cluster.callers import Failure, Tally
from tools.cluster.cluster import Cluster
from tools.cluster.node import Node

from cambist.pricing.pair import Pair
from cambist.pricing.trading_hours import is_open

_FIXINGS = (
    "SELECT s.source, s.base, s.quote, s.unit, cast(f.day AS varchar), f.nominal, f.value "
    "FROM fixings f JOIN series s ON s.id = f.series_id"
)
_MINUTE = 60
_UNKNOWN = "quota_unknown"
_CLOSED = "RemoteDisconnected"
_LATE_GRANTS = 20
SMALL = "small-"
"""What the names of accounts with a small quota begin with."""


Fixing = tuple[object, ...]
"""Source, base, quote, unit, day, nominal and value."""


def archived(cluster: Cluster) -> list[Fixing]:
    """Return all fixings of the nodes' database."""
    return cluster.postgresql.rows(_FIXINGS)


def archived_alone(data: Path) -> list[Fixing]:
    """Return all fixings of a service on one machine."""
    with closing(sqlite3.connect(data / "cambist.db")) as database:
        return database.execute(_FIXINGS).fetchall()


def doubled_fixings(cluster: Cluster) -> list[str]:
    """See that no fixing is filed twice, and that each delivery has as many as it says."""
    twice = cluster.postgresql.rows(
        "SELECT s.source, s.base, s.quote, f.day, f.value, count(*) FROM fixings f JOIN series s ON s.id = f.series_id "
        "GROUP BY s.source, s.base, s.quote, f.day, f.nominal, f.value HAVING count(*) > 1"
    )
    wrong = [f"filed {count} times: {fixing}" for *fixing, count in twice]
    halves = cluster.postgresql.rows(
        "SELECT r.id, r.source, r.added + r.corrected, count(f.delivery_id) FROM deliveries r "
        "LEFT JOIN fixings f ON f.delivery_id = r.id GROUP BY r.id HAVING r.added + r.corrected <> count(f.delivery_id)"
    )
    return wrong + [
        f"the delivery {number} of {source} says {said} fixings and has {has}" for number, source, said, has in halves
    ]


def differences(found: Iterable[Fixing], expected: Iterable[Fixing], what: str) -> list[str]:
    """See that two archives have the same fixings."""
    ours, theirs = set(found), set(expected)
    return [
        *(f"only after the faults, not in {what}: {fixing}" for fixing in sorted(ours - theirs, key=str)[:20]),
        *(f"lost, but in {what}: {fixing}" for fixing in sorted(theirs - ours, key=str)[:20]),
    ]


def unlike_published(cluster: Cluster, published: Mapping[tuple[str, str], str]) -> list[str]:
    """See that the archive has what the bank has published, and nothing else of it."""
    found = {(str(row[4]), str(row[2])): str(row[6]) for row in archived(cluster) if row[0] == "bank"}
    wrong = {key for key in found.keys() | published.keys() if not _is_same(found.get(key), published.get(key))}
    return [
        f"bank {code} of {day}: published {published.get((day, code))}, filed {found.get((day, code))}"
        for day, code in sorted(wrong)
    ]


def _is_same(one: str | None, other: str | None) -> bool:
    return one is not None and other is not None and float(one) == float(other)


def whole_minutes(since: float, until: float) -> range:
    """Return the whole minutes between two times at which EUR/USD is traded, as seconds since 1970.

    None if the market was closed at either of them, which is enough for a run of some hours.
    """
    if not all(is_open(Pair("EUR", "USD"), datetime.fromtimestamp(moment, UTC)) for moment in (since, until)):
        return range(0)
    return range(int(-(-since // _MINUTE)) * _MINUTE, int(until // _MINUTE) * _MINUTE, _MINUTE)


def lost_bars(cluster: Cluster, since: float, until: float) -> list[str]:
    """See that each whole minute of the time has a bar of EUR/USD."""
    rows = cluster.postgresql.rows(
        f"SELECT b.start FROM bars b JOIN bar_series s ON s.id = b.series_id "  # noqa: S608  numbers only
        f"WHERE s.base = 'EUR' AND s.quote = 'USD' AND s.interval = 'PT1M' AND b.start >= {int(since)}"
    )
    found = {int(str(row[0])) for row in rows}
    return [f"no bar of the minute {start}" for start in whole_minutes(since, until) if start not in found]


def miscounted(cluster: Cluster, tallies: Iterable[Tally], lost: float) -> list[str]:
    """See that the calls counted are those answered; those in flight when a fault came may be either.

    So many may be `lost` of each account, because the database has lost commits.
    """
    counted = dict(
        cluster.postgresql.rows(
            "SELECT a.name, sum(u.calls) FROM usage u JOIN accounts a ON a.id = u.account_id GROUP BY a.name"
        )
    )
    wrong = []
    for tally in tallies:
        calls = int(str(counted.get(tally.account, 0)))
        if not tally.answered - lost <= calls <= tally.answered + tally.unknown:
            wrong.append(f"{tally.account}: {tally.answered} answered, {tally.unknown} in flight, {calls} counted")
    return wrong


def overshot(tallies: Iterable[Tally], quota: int, lost: float) -> list[str]:
    """See that no account with a small quota was answered more calls than that, and than its lost calls."""
    small = [each for each in tallies if each.account.startswith(SMALL)]
    return [f"{each.account}: {each.answered} of {quota} answered" for each in small if each.answered > quota + lost]


def unexpected(
    failures: Iterable[Failure],
    disturbed: set[int],
    without_grants: Collection[int] = (),
    disturbed_before: Collection[int] = (),
) -> list[str]:
    """See that only calls to disturbed nodes failed, or those of small accounts where no calls could be granted.

    On a busy machine it may take longer than a call waits until a node has its first share of a small quota. A node
    that was disturbed in the round before may have closed a connection meanwhile, which its client notices now.
    """
    wrong = Counter(
        (each.node, each.account, each.reason)
        for each in failures
        if each.node not in disturbed and not (each.node in disturbed_before and each.reason.startswith(_CLOSED))
    )
    return [
        f"node-{node} failed {count} times, undisturbed, for {account}: {reason}"
        for (node, account, reason), count in wrong.items()
        if not (account.startswith(SMALL) and reason.endswith(_UNKNOWN))
        or (node not in without_grants and count > _LATE_GRANTS)
    ]


def tracebacks(nodes: Iterable[Node]) -> list[str]:
    """See that no log has the trace of an unexpected error."""
    found = []
    for node in nodes:
        before, mark, after = node.log.read_text(encoding="utf-8", errors="replace").partition("Traceback")
        if mark:
            found.append(f"{node.name} logged an unexpected error: {before[-300:]}{mark}{after[:2000]}")
    return found


def unsettled(cluster: Cluster, tallies: Iterable[Tally], seconds: float, lost: float) -> list[str]:
    """Wait until the calls counted are those answered; return what is still wrong after that time."""
    kept, end = list(tallies), time.monotonic() + seconds
    while (wrong := miscounted(cluster, kept, lost)) and time.monotonic() < end:
        time.sleep(0.5)
    return wrong

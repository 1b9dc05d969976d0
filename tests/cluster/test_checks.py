"""The checks after rounds of faults find what they look for."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine, insert
from tools.cluster import checks
from tools.cluster.callers import Failure, Tally
from tools.cluster.feeds import price, published

from cambist.storage.sql import schema

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
DAY = date(2026, 11, 19)


@dataclass
class Database:
    """Tables as the nodes have them."""

    engine: Engine = field(default_factory=lambda: create_engine("sqlite://"))

    def __post_init__(self) -> None:
        schema.metadata.create_all(self.engine)

    def rows(self, question: str) -> list[tuple[object, ...]]:
        with self.engine.connect() as connection:
            return [tuple(row) for row in connection.exec_driver_sql(question)]

    def add(self, table: Any, **values: object) -> None:
        with self.engine.begin() as connection:
            connection.execute(insert(table).values(**values))


@dataclass
class Cluster:
    """The part of a cluster that checks look at."""

    postgresql: Database = field(default_factory=Database)


@pytest.fixture
def cluster() -> Any:
    """A database with one account, and one delivery of one fixing of the bank."""
    database = Database()
    database.add(schema.accounts, id=1, name="small-1", plan="small", created_at=NOW)
    database.add(schema.series, id=1, source="bank", base="USD", quote="AMD")
    _deliver(database, 1, added=1)
    database.add(schema.fixings, series_id=1, day=DAY, delivery_id=1, nominal=1, value="10.0300")
    return Cluster(database)


def _deliver(database: Database, number: int, added: int) -> None:
    row = {
        "id": number,
        "source": "bank",
        "received_at": NOW,
        "origin": "",
        "digest": "",
        "added": added,
        "corrected": 0,
    }
    database.add(schema.deliveries, **row)


def test_a_sound_archive_has_nothing_doubled(cluster: Any) -> None:
    assert checks.doubled_fixings(cluster) == []
    assert checks.unlike_published(cluster, {("2026-11-19", "AMD"): "10.03"}) == []


def test_a_fixing_that_is_filed_twice_is_found(cluster: Any) -> None:
    _deliver(cluster.postgresql, 2, added=1)
    cluster.postgresql.add(schema.fixings, series_id=1, day=DAY, delivery_id=2, nominal=1, value="10.0300")
    (sentence,) = checks.doubled_fixings(cluster)
    assert sentence.startswith("filed 2 times: ['bank', 'USD', 'AMD'")


def test_a_delivery_that_is_filed_by_half_is_found(cluster: Any) -> None:
    _deliver(cluster.postgresql, 2, added=3)
    assert checks.doubled_fixings(cluster) == ["the delivery 2 of bank says 3 fixings and has 0"]


@pytest.mark.parametrize(
    "bank", [{}, {("2026-11-19", "AMD"): "10.04"}, {("2026-11-19", "AMD"): "10.03", ("2026-11-18", "AMD"): "10.03"}]
)
def test_an_archive_unlike_what_was_published_is_found(cluster: Any, bank: dict[tuple[str, str], str]) -> None:
    (sentence,) = checks.unlike_published(cluster, bank)
    assert sentence.startswith("bank AMD of 2026-11-1")


def test_what_only_one_archive_has_is_found() -> None:
    one, other = ("bank", "USD", "AMD", "", "2026-11-19", 1, "1"), ("bank", "USD", "AMD", "", "2026-11-18", 1, "1")
    assert checks.differences([one], [one], "the other") == []
    found = checks.differences([one], [other], "the other")
    assert [sentence.partition(":")[0] for sentence in found] == [
        "only after the faults, not in the other",
        "lost, but in the other",
    ]


@pytest.mark.parametrize(
    ("answered", "unknown", "is_right"), [(6, 0, False), (7, 0, True), (5, 2, True), (5, 1, False), (8, 3, False)]
)
def test_calls_are_counted_right_if_those_in_flight_explain_the_rest(
    cluster: Any, answered: int, unknown: int, *, is_right: bool
) -> None:
    for endpoint, calls in (("/fetch-one", 5), ("/convert", 2)):
        cluster.postgresql.add(schema.usage, day=DAY, page=1, account_id=1, endpoint=endpoint, calls=calls)
    wrong = checks.miscounted(cluster, [Tally("small-1", "", answered, unknown)], 0)
    assert bool(wrong) is not is_right


def test_an_account_beyond_its_quota_is_found() -> None:
    tallies = [Tally("small-1", "", 300), Tally("small-2", "", 301), Tally("steady", "", 9_000)]
    assert checks.overshot(tallies, 300, 0) == ["small-2: 301 of 300 answered"]
    assert checks.overshot(tallies, 300, 1) == []


@pytest.mark.parametrize(("lost", "is_right"), [(0, False), (1, False), (2, True), (9, True)])
def test_calls_may_be_missing_that_the_database_has_lost(cluster: Any, lost: int, *, is_right: bool) -> None:
    cluster.postgresql.add(schema.usage, day=DAY, page=1, account_id=1, endpoint="/fetch-one", calls=7)
    assert bool(checks.miscounted(cluster, [Tally("small-1", "", 9, 0)], lost)) is not is_right
    assert checks.miscounted(cluster, [Tally("small-1", "", 6, 0)], lost), "a call too many is never right"


def test_failures_of_undisturbed_nodes_are_found() -> None:
    failures = [Failure("steady", node, "503 quota_unknown") for node in (1, 2, 2)]
    assert checks.unexpected(failures, {1}, [2]) == [
        "node-2 failed 2 times, undisturbed, for steady: 503 quota_unknown"
    ]


def test_a_connection_that_was_closed_while_its_node_was_cut_off_may_fail_in_the_next_round() -> None:
    failures = [Failure("steady", 1, "RemoteDisconnected Remote end closed"), Failure("steady", 2, "TimeoutError")]
    assert checks.unexpected(failures[:1], set(), disturbed_before={1}) == []
    assert len(checks.unexpected(failures, set(), disturbed_before={2})) == 2


def test_only_accounts_with_a_small_quota_may_use_up_what_a_node_holds() -> None:
    failures = [Failure("small-1", node, "503 quota_unknown") for node in (1, 2) for _ in range(30)]
    (sentence,) = checks.unexpected(failures, set(), [1])
    assert sentence == "node-2 failed 30 times, undisturbed, for small-1: 503 quota_unknown"
    assert checks.unexpected(failures[-20:], set()) == []
    assert checks.unexpected([Failure("small-1", 1, "no connection")], set(), [1]) != []


def test_a_minute_without_a_bar_is_found_while_the_market_is_open(cluster: Any) -> None:
    friday = datetime(2026, 11, 20, 12, 0, 30, tzinfo=UTC).timestamp()
    assert list(checks.whole_minutes(friday, friday + 150)) == [friday + 30, friday + 90]
    cluster.postgresql.add(schema.bar_series, id=1, base="EUR", quote="USD", interval="PT1M")
    prices = {column.name: "1" for column in schema.bars.columns if column.name not in ("series_id", "start")}
    cluster.postgresql.add(schema.bars, series_id=1, start=int(friday + 30), **prices)
    assert checks.lost_bars(cluster, friday, friday + 150) == [f"no bar of the minute {int(friday + 90)}"]
    saturday = friday + 86_400
    assert checks.lost_bars(cluster, saturday, saturday + 150) == []


def test_the_bank_publishes_each_fixing_once_and_changes_none() -> None:
    before = published(30, NOW.date())
    assert len(before) == 30
    assert before.items() <= published(60, NOW.date()).items()


def test_the_prices_of_the_venue_only_rise() -> None:
    prices = [float(price("BTC/USD", second / 10)[0]) for second in range(0, 864_000, 1000)]
    assert prices == sorted(set(prices))

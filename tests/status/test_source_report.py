"""The report on a source, and its condition: fresh, late, failing, waiting or off."""

from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from cambist.status.source_report import Condition, SourceReport, SourceReports

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def report(**rest: object) -> SourceReport:
    facts = {
        "key": "ecb",
        "name": "European Central Bank",
        "home": "https://www.ecb.europa.eu",
        "terms": "https://www.ecb.europa.eu/terms",
        "licence": "free reuse with source",
        "redistribution": "allowed",
        "pace": "daily",
        "rate_type": "official",
        "covers": "30 currencies per euro",
        "enabled": True,
    }
    return SourceReport(**facts | rest)  # type: ignore[arg-type]


def condition(**rest: object) -> Condition:
    return report(**rest).condition(NOW)


def test_a_source_with_a_recent_price_is_fresh() -> None:
    assert condition(newest=NOW - HOUR, last_success=NOW) is Condition.FRESH


@pytest.mark.parametrize(
    ("age", "expected"), [(4 * 24 * HOUR, Condition.FRESH), (4 * 24 * HOUR + HOUR, Condition.LATE)]
)
def test_a_source_is_late_when_its_newest_price_is_older_than_allowed(age: timedelta, expected: Condition) -> None:
    assert condition(newest=NOW - age) is expected
    assert condition(newest=NOW - age / 24, late_after=timedelta(days=4) / 24) is expected


def test_a_source_without_any_price_is_waiting() -> None:
    assert condition() is Condition.WAITING
    assert condition(last_success=NOW) is Condition.WAITING


def test_a_source_fails_from_its_failure_until_its_next_success() -> None:
    failed = {"failures": 3, "newest": NOW, "last_failure": NOW - HOUR}
    assert condition(**failed) is Condition.FAILING
    assert condition(**failed, last_success=NOW - 2 * HOUR) is Condition.FAILING
    assert condition(**failed, last_success=NOW) is Condition.FRESH
    assert condition(failures=1, newest=NOW, last_success=NOW - HOUR) is Condition.FAILING
    assert condition(failures=0, newest=NOW, last_failure=NOW) is Condition.FRESH


def test_failing_comes_before_late_and_off_before_all() -> None:
    failing = {"failures": 1, "last_failure": NOW, "newest": NOW - 999 * HOUR}
    assert condition(**failing) is Condition.FAILING
    assert condition(**failing, enabled=False) is Condition.OFF
    assert condition(enabled=False, why="its terms forbid redistribution") is Condition.OFF


def test_the_lag_is_the_age_of_the_newest_price_and_never_negative() -> None:
    assert report().lag(NOW) is None
    assert report(newest=NOW - HOUR).lag(NOW) == HOUR
    assert report(newest=NOW + HOUR).lag(NOW) == timedelta(0)


def test_two_reports_do_not_share_their_counts() -> None:
    report().refused["bid above ask"] = 1
    assert report().refused == {}


def test_source_reports_can_be_written_and_read_again() -> None:
    reports = SourceReports(NOW, (report(refused={"bid above ask": 2}, newest=NOW, late_after=HOUR), report()), 7, NOW)
    assert msgspec.json.decode(msgspec.json.encode(reports), type=SourceReports) == reports
    assert reports.environment == "live"

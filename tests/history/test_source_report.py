"""How a source does: off, failing, waiting, fresh or late."""

from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from cambist.history.source_report import Condition, SourceReport, SourceReports

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


def test_what_has_spoken_lately_is_fresh() -> None:
    assert condition(newest=NOW - HOUR, last_success=NOW) is Condition.FRESH


@pytest.mark.parametrize(("age", "how"), [(4 * 24 * HOUR, Condition.FRESH), (4 * 24 * HOUR + HOUR, Condition.LATE)])
def test_a_source_is_late_when_its_newest_is_older_than_it_should_be(age: timedelta, how: Condition) -> None:
    assert condition(newest=NOW - age) is how
    assert condition(newest=NOW - age / 24, late_after=timedelta(days=4) / 24) is how


def test_a_source_of_which_nothing_was_heard_is_waited_for() -> None:
    assert condition() is Condition.WAITING
    assert condition(last_success=NOW) is Condition.WAITING


def test_a_source_fails_from_its_failure_until_its_next_success() -> None:
    failed = {"failures": 3, "newest": NOW, "last_failure": NOW - HOUR}
    assert condition(**failed) is Condition.FAILING
    assert condition(**failed, last_success=NOW - 2 * HOUR) is Condition.FAILING
    assert condition(**failed, last_success=NOW) is Condition.FRESH
    assert condition(failures=1, newest=NOW, last_success=NOW - HOUR) is Condition.FAILING
    assert condition(failures=0, newest=NOW, last_failure=NOW) is Condition.FRESH


def test_failing_is_told_before_late_and_off_before_everything() -> None:
    failing = {"failures": 1, "last_failure": NOW, "newest": NOW - 999 * HOUR}
    assert condition(**failing) is Condition.FAILING
    assert condition(**failing, enabled=False) is Condition.OFF
    assert condition(enabled=False, why="its terms forbid redistribution") is Condition.OFF


def test_the_lag_is_how_old_the_newest_is_and_never_below_nothing() -> None:
    assert report().lag(NOW) is None
    assert report(newest=NOW - HOUR).lag(NOW) == HOUR
    assert report(newest=NOW + HOUR).lag(NOW) == timedelta(0)


def test_two_reports_do_not_share_what_they_count() -> None:
    report().refused["bid above ask"] = 1
    assert report().refused == {}


def test_a_bulletin_can_be_written_and_read_again() -> None:
    given = SourceReports(NOW, (report(refused={"bid above ask": 2}, newest=NOW, late_after=HOUR), report()), 7, NOW)
    assert msgspec.json.decode(msgspec.json.encode(given), type=SourceReports) == given
    assert given.environment == "live"

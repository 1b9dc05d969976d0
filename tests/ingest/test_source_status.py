from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from cambist.history.dispute import HeldFixings
from cambist.history.fixing import Coverage
from cambist.ingest.source_status import SourceStatus, SourceStatuses
from cambist.pricing.source_kind import Pace, RateType
from cambist.status.source_report import Condition, SourceReport

NOON = datetime(2026, 3, 6, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def source_status(a_source) -> SourceStatus:
    return SourceStatus(a_source(), enabled=True)


def test_a_new_status_is_empty(source_status: SourceStatus) -> None:
    report = source_status.report(0, {})
    assert (report.last_success, report.last_failure, report.newest, report.failures) == (None, None, None, 0)
    assert (report.pairs, report.first, report.last, report.why) == (0, None, None, "")
    assert report.condition(NOON) is Condition.WAITING


def test_failures_are_counted_and_the_last_reason_is_kept(source_status: SourceStatus) -> None:
    source_status.record_failure(NOON, "no answer in time")
    source_status.record_failure(NOON + MINUTE, "answered 503")
    assert (source_status.failures, source_status.last_failure, source_status.why) == (2, NOON + MINUTE, "answered 503")
    assert source_status.report(0, {}).condition(NOON) is Condition.FAILING


def test_a_success_resets_the_failures(source_status: SourceStatus) -> None:
    source_status.record_failure(NOON, "no answer in time")
    source_status.record_success(NOON + MINUTE)
    assert (source_status.failures, source_status.last_success, source_status.last_failure, source_status.why) == (
        0,
        NOON + MINUTE,
        NOON,
        "",
    )


def test_the_newest_market_time_never_goes_back(source_status: SourceStatus) -> None:
    for moment in (NOON, NOON + MINUTE, NOON - MINUTE):
        source_status.record_market_time(moment)
    assert source_status.newest == NOON + MINUTE


def test_a_report_has_the_sources_facts_and_what_is_stored(a_source) -> None:
    source_status = SourceStatus(a_source("bank", rate_type=RateType.MARKET), enabled=True)
    source_status.record_market_time(NOON)
    source_status.record_success(NOON)
    source_status.codes, source_status.held = 31, HeldFixings(2, date(2026, 3, 5), all=False)
    source_status.coverage = Coverage(40, date(1999, 1, 4), date(2026, 3, 6))
    assert source_status.report(7, {"bid above ask": 3}) == SourceReport(
        key="bank",
        name="The Mint",
        home="https://mint.example/",
        terms="https://mint.example/terms",
        licence="a test's",
        redistribution="allowed",
        pace="daily",
        rate_type="market",
        covers="what a test needs",
        enabled=True,
        last_success=NOON,
        newest=NOON,
        late_after=timedelta(days=5),
        codes=31,
        pairs=40,
        first=date(1999, 1, 4),
        last=date(2026, 3, 6),
        held=2,
        held_since=date(2026, 3, 5),
        ticks=7,
        refused={"bid above ask": 3},
        anchor="USD",
        first_day=date(2000, 1, 1),
    )


@pytest.mark.parametrize(
    ("pace", "late_after"),
    [
        (Pace.REALTIME, timedelta(minutes=2)),
        (Pace.INTRADAY, timedelta(hours=6)),
        (Pace.DAILY, timedelta(days=5)),
        (Pace.MONTHLY, timedelta(days=62)),
    ],
)
def test_when_a_source_is_late_depends_on_its_pace(a_source, pace: Pace, late_after: timedelta) -> None:
    source_status = SourceStatus(a_source(pace=pace), enabled=True)
    source_status.record_market_time(NOON)
    report = source_status.report(0, {})
    assert report.condition(NOON + late_after) is Condition.FRESH
    assert report.condition(NOON + late_after + MINUTE) is Condition.LATE


def test_a_report_does_not_change_afterwards(source_status: SourceStatus) -> None:
    refused = {"bid above ask": 3}
    report = source_status.report(0, refused)
    refused["bid above ask"] = 4
    assert report.refused == {"bid above ask": 3}


def test_the_reports_have_every_source_in_order_with_its_tick_counts(a_source) -> None:
    source_statuses = SourceStatuses.for_sources(
        [a_source("mint"), a_source("bank"), a_source("exchange")], {"bank": "switched off"}
    )
    source_reports = source_statuses.report(NOON, {"exchange": 5}, {"exchange": {"out of order": 1}}, 12, NOON - MINUTE)
    assert (source_reports.written_at, source_reports.book_version, source_reports.book_at) == (NOON, 12, NOON - MINUTE)
    told = [(one.key, one.enabled, one.why, one.ticks, one.refused) for one in source_reports.reports]
    assert told == [
        ("mint", True, "", 0, {}),
        ("bank", False, "switched off", 0, {}),
        ("exchange", True, "", 5, {"out of order": 1}),
    ]
    assert source_reports.reports[1].condition(NOON) is Condition.OFF


def test_answers_failures_and_held_fixings_are_counted_for_the_last_day(a_source) -> None:
    source = a_source()
    statuses = SourceStatuses.for_sources([source], {})
    status = statuses.by_source[source.key]
    status.record_success(NOON)
    status.record_failure(NOON, "no answer in time")
    status.held = HeldFixings(count=3)
    (slot,) = statuses.activity(NOON).sources[source.key]
    assert (slot.answers, slot.failures, slot.held) == (1, 1, 3)
    later = SourceStatuses.for_sources([source], {})
    later.resume_activity(statuses.activity(NOON), NOON + MINUTE)
    assert later.by_source[source.key].activity.last_day(NOON)[0].failures == 1


def test_a_source_that_is_off_has_no_counts(a_source) -> None:
    source = a_source()
    assert SourceStatuses.for_sources([source], {source.key: "its terms"}).activity(NOON).sources == {}

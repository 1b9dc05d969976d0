"""The report on the stream: what the operator's port says of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from cambist.monitoring.health_server import readiness
from cambist.monitoring.stream_report import StreamMetrics, StreamReport, join_reports

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def report(*, age: timedelta = SECOND, listens: bool = True) -> StreamReport:
    return StreamReport(NOW - age, listens, 7, 5, 12, 3400, 2)


def streams(given: StreamReport | None) -> StreamMetrics:
    return StreamMetrics(lambda: given, lambda: NOW)


@pytest.mark.parametrize(
    ("given", "problems"),
    [
        (report(), []),
        (report(age=20 * SECOND), []),
        (report(age=21 * SECOND), ["the stream has been silent for 21 s"]),
        (report(listens=False), ["the stream cannot listen on its port"]),
        (None, ["the stream has not begun yet"]),
    ],
    ids=["does well", "a little late", "silent", "without its port", "not there"],
)
def test_a_problem_of_the_stream_makes_the_service_not_ready(given: StreamReport | None, problems: list[str]) -> None:
    found = readiness(None, NOW, polls_sources=False, other_problems=streams(given).problems())
    assert (found.ready, list(found.problems)) == (not problems, problems)


def test_the_figures_of_the_stream_are_metrics() -> None:
    registry = CollectorRegistry()
    registry.register(streams(report()))
    lines = generate_latest(registry).decode().splitlines()
    found = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    assert {name.removeprefix("cambist_stream_"): float(value) for name, value in found.items()} == {
        "listens": 1,
        "connections": 7,
        "subscribers": 5,
        "pairs": 12,
        "report_age_seconds": 1,
        "prices_total": 3400,
        "lost_total": 2,
    }


def test_before_the_first_report_of_the_stream_there_are_no_metrics() -> None:
    registry = CollectorRegistry()
    registry.register(streams(None))
    assert generate_latest(registry) == b""


def test_the_reports_of_several_processes_are_added_up() -> None:
    joined = join_reports([report(), report(age=9 * SECOND)])
    assert joined == StreamReport(
        NOW - 9 * SECOND, listens=True, connections=14, subscribers=10, pairs=24, prices=6800, lost=4
    )
    one_without_port = join_reports([report(), report(listens=False)])
    assert one_without_port is not None
    assert not one_without_port.listens
    assert join_reports([report()]) == report()


def test_without_the_report_of_each_process_the_stream_has_not_begun() -> None:
    assert join_reports([report(), None]) is None

"""The report on the nodes: what the operator's port says of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
from prometheus_client import CollectorRegistry, generate_latest

from cambist.monitoring.cluster_metrics import ClusterMetrics
from cambist.monitoring.health_server import readiness
from cambist.status.cluster_report import ClusterReport, NodeReport

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def report(**more: object) -> ClusterReport:
    own = NodeReport(
        name="a", instance="i", roles=("api",), version="1.2.0", written_at=NOW, leads=True, leader_epoch=1763640000,
        book_epoch=1763640000, book_version=7, book_lag=0.012, matrix_behind=2.5, leases=3, clock_ahead=-0.002,
    )  # fmt: skip
    other = msgspec.structs.replace(own, name="b", leads=False)
    fields = {"written_at": NOW - timedelta(seconds=2), "node": "a", "nodes": (own, other), "silent": ("c", "d", "e")}
    return ClusterReport(**{**fields, **more})  # type: ignore[arg-type]


def figures(found: ClusterReport | None) -> dict[str, float]:
    registry = CollectorRegistry()
    registry.register(ClusterMetrics(lambda: found, lambda: NOW))
    lines = generate_latest(registry).decode().splitlines()
    rows = [line.rsplit(" ", 1) for line in lines if not line.startswith("#")]
    return {name.removeprefix("cambist_"): float(value) for name, value in rows}


def test_the_figures_of_the_nodes_are_metrics() -> None:
    assert figures(report()) == {
        'nodes{state="live"}': 2,
        'nodes{state="silent"}': 3,
        "redis_linked": 1,
        "database_reachable": 1,
        "nodes_report_age_seconds": 2,
        "node_leads": 1,
        "leader_epoch": 1763640000,
        "book_lag_seconds": 0.012,
        "matrix_behind_seconds": 2.5,
        "clock_ahead_seconds": -0.002,
        "quota_leases": 3,
    }


def test_what_is_lost_and_not_known_yet_shows_in_the_metrics() -> None:
    found = figures(report(redis_lost_at=NOW, database_lost_at=NOW, nodes=()))
    assert (found["redis_linked"], found["database_reachable"]) == (0, 0)
    assert "book_lag_seconds" not in found
    assert figures(None) == {}


def test_a_node_without_redis_is_not_ready() -> None:
    metrics = ClusterMetrics(lambda: report(redis_lost_at=NOW - timedelta(seconds=5)), lambda: NOW)
    found = readiness(None, NOW, polls_sources=False, other_problems=metrics.problems())
    assert not found.ready
    assert found.problems[0].startswith("Redis cannot be reached, for 5 s")

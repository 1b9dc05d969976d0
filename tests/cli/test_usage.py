"""`cambist usage`: the calls of accounts."""

import csv
import io
import json
from datetime import date, timedelta

import pytest

from cambist.accounts.usage_counters import CounterTotal
from cambist.registry.wiring.components import open_store
from cambist.settings import Settings

TODAY = date(2026, 11, 20)


@pytest.fixture
def spent(folder):
    """Calls of the owner on two days."""
    store = open_store(Settings(data=folder))
    store.usage.store_totals(
        [
            CounterTotal(TODAY, 0, 1, "/fetch-one", 1234),
            CounterTotal(TODAY, 1, 1, "/fetch-one", 6),
            CounterTotal(TODAY, 0, 1, "/usage", 2),
            CounterTotal(TODAY - timedelta(days=1), 0, 1, "/convert", 7),
        ]
    )
    store.close()


@pytest.mark.usefixtures("spent")
def test_csv_has_a_row_for_each_day_account_and_endpoint(shell):
    rows = list(csv.reader(io.StringIO(shell("usage", "--csv").out)))
    assert rows == [
        ["day", "account", "endpoint", "calls"],
        ["2026-11-19", "owner", "/convert", "7"],
        ["2026-11-20", "owner", "/fetch-one", "1240"],
        ["2026-11-20", "owner", "/usage", "2"],
    ]


@pytest.mark.usefixtures("spent")
def test_since_leaves_out_earlier_days(shell):
    rows = json.loads(shell("usage", "--account", "owner", "--since", "2026-11-20", "--json").out)
    assert [row["endpoint"] for row in rows] == ["/fetch-one", "/usage"]


@pytest.mark.usefixtures("spent")
def test_the_table_has_a_total_for_each_account(shell):
    assert "1,249" in shell("usage").out
    assert "total" in shell("usage").out


@pytest.mark.usefixtures("spent")
def test_the_table_of_one_account_has_its_days_and_endpoints_and_a_total_for_each_endpoint(shell):
    table = shell("usage", "--account", "owner").out
    rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in table.splitlines() if line[0] == "│"]
    assert rows == [
        ["2026-11-19", "/convert", "7"],
        ["2026-11-20", "/fetch-one", "1,240"],
        ["2026-11-20", "/usage", "2"],
        ["total", "/fetch-one", "1,240"],
        ["total", "/convert", "7"],
        ["total", "/usage", "2"],
        ["total", "", "1,249"],
    ]


def test_an_unknown_account_or_invalid_day_is_refused_in_one_sentence(shell):
    for arguments in (["--account", "nobody"], ["--since", "yesterday"]):
        refused = shell("usage", *arguments)
        assert refused.code == 2
        assert len(refused.err.strip().splitlines()) == 1


def test_csv_and_json_together_are_refused(error_of):
    assert error_of("usage", "--csv", "--json") == "It is written as CSV or as JSON: give --csv or --json, not both"

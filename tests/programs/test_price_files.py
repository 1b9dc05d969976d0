"""Beancount, Ledger and hledger read the price files of an export, and find the rates of its CSV files."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from tests.cli.conftest import CommandResult, address, finished, finished_folder, prepared_folder, run, wsgi_client
from tests.conftest import KEY, Client
from tests.contract.test_rate_types import report
from tests.reading import read_with

from cambist.admin.export.export_folder import verify_export
from cambist.admin.export.exporter import Exporter
from cambist.admin.export.plan import ExportPlan
from cambist.history.source_rates import read_source_rates
from cambist.settings import Settings
from cambist.status.source_report import SourceReports
from cambist.storage.sql import SqlStore

__all__ = ["address", "finished", "finished_folder", "prepared_folder", "run", "wsgi_client"]

NOW = datetime(2026, 3, 9, tzinfo=UTC)
_PRICE = re.compile(r"P (\d{4})[-/](\d\d)[-/](\d\d) (?:00:00:00 )?GBP ([\d.]+ [A-Z]{3}|[A-Z]{3} ?[\d.]+)")
_DIRECTIVE = re.compile(r"(\d{4})-(\d\d)-(\d\d) price GBP +([\d.]+ [A-Z]{3})")

Prices = dict[tuple[str, str], Decimal]


def export(data: Path, folder: Path, format_name: str) -> Path:
    """Export the rates of the pound to some codes."""
    plan = ExportPlan(
        since=NOW.date().replace(month=1, day=1),
        until=NOW.date(),
        base="GBP",
        codes=("EUR", "JPY", "USD", "XOF"),
        format=format_name,
    )
    Exporter(Settings(data=data), NOW).run(folder, plan, lambda *_: None)
    assert verify_export(folder) == []
    return folder


@pytest.fixture
def expected(finished: Path, tmp_path: Path) -> Prices:
    """The rates by day and code, as the CSV file has them."""
    rows = csv.DictReader((export(finished, tmp_path / "csv", "csv") / "2026.csv").read_text().splitlines())
    return {(row["date"], row["quote"]): Decimal(row["rate"]) for row in rows}


def program(name: str) -> str:
    """Return the path of a program, in the environment with the programs or on this machine, or skip the test."""
    path = shutil.which(name, path=str(Path(sys.prefix) / "programs" / "bin")) or shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed here")
    return path


def output(*command: object) -> str:
    return subprocess.run(list(map(str, command)), capture_output=True, check=True, text=True).stdout


def prices(text: str, pattern: re.Pattern[str]) -> Prices:
    found: Prices = {}
    for year, month, day, amount in pattern.findall(text):
        (code,), (number,) = re.findall("[A-Z]{3}", amount), re.findall(r"[\d.]+", amount)
        found[f"{year}-{month}-{day}", code] = Decimal(number)
    return found


@pytest.mark.long
def test_beancount_accepts_the_prices(finished: Path, tmp_path: Path, expected: Prices) -> None:
    checker = program("bean-check")
    file = export(finished, tmp_path / "out", "beancount") / "2026.beancount"
    assert output(checker, file) == ""
    assert prices(file.read_text(), _DIRECTIVE) == expected
    book = tmp_path / "book.beancount"
    book.write_text(f'include "{file}"\n2026-03-10 price GBP one USD\n')
    assert subprocess.run([checker, book], capture_output=True, check=False).returncode != 0  # it does check prices


LOAD_PRICES = """
import sys
from beancount import loader
from beancount.core.data import Price

entries, errors, _ = loader.load_file(sys.argv[1])
assert not errors, errors
for price in entries:
    assert isinstance(price, Price), price
    print(price.date, price.currency, price.amount.number, price.amount.currency)
"""


def test_beancount_finds_the_rates(finished: Path, tmp_path: Path, expected: Prices, programs_python: str) -> None:
    file = export(finished, tmp_path / "out", "beancount") / "2026.beancount"
    rows = [line.split() for line in output(programs_python, "-c", LOAD_PRICES, file).splitlines()]
    assert {base for _, base, *_ in rows} == {"GBP"}
    assert {(day, code): Decimal(number) for day, _, number, code in rows} == expected


def test_ledger_finds_the_rates(finished: Path, tmp_path: Path, expected: Prices) -> None:
    ledger = program("ledger")
    file = export(finished, tmp_path / "out", "ledger") / "2026.ledger"
    book = tmp_path / "book.ledger"
    book.write_text(f"include {file}\n2026-03-06 cash\n  Assets:Cash  1 GBP\n  Equity\n")
    assert prices(output(ledger, "-f", book, "pricedb"), _PRICE) == expected
    valued = output(
        ledger,
        "-f",
        book,
        "bal",
        "Assets",
        "-X",
        "JPY",
        "--now",
        "2026-03-06",
        "--format",
        "%(quantity(display_total))",
    )
    assert Decimal(valued) == expected["2026-03-06", "JPY"]


def test_hledger_finds_the_rates(finished: Path, tmp_path: Path, expected: Prices) -> None:
    hledger = program("hledger")
    file = export(finished, tmp_path / "out", "hledger") / "2026.journal"
    assert prices(output(hledger, "-f", file, "prices"), _PRICE) == expected
    book = tmp_path / "book.journal"
    book.write_text(f"include {file}\ncommodity 1.00 JPY\n2026-03-06 cash\n  Assets:Cash  100 GBP\n  Equity\n")
    valued = output(hledger, "-f", book, "bal", "Assets", "--value=2026-03-06,JPY", "-N")
    assert Decimal(valued.split()[0]) == 100 * expected["2026-03-06", "JPY"]


# The same of one pair, by `cambist series`, whose rates may be those that a publisher or an authority's rule gives


@pytest.fixture
def publisher(wsgi_client: Client, finished: Path) -> Iterator[Client]:
    """A service that knows one publisher, the ECB."""
    store = SqlStore(f"sqlite:///{finished / 'cambist.db'}")
    read_with(
        wsgi_client.worker_state,
        coverage=store.archive.pair_coverage,
        source_rates=lambda *asked: read_source_rates(store.archive.pair_series, *asked),
    )
    assert wsgi_client.worker_state is not None
    wsgi_client.worker_state.apply_source_reports(SourceReports(NOW, (report("ecb", "EUR"),)))
    yield wsgi_client
    store.close()


@pytest.mark.parametrize("chosen", ["source=ecb", "booking=lv-books"])
def test_the_programs_read_what_the_series_writes(
    publisher: Client,
    address: str,
    run: Callable[..., CommandResult],
    tmp_path: Path,
    programs_python: str,
    chosen: str,
) -> None:
    answer = publisher.get(f"/time-series?from=GBP&to=JPY&start=2026-03-03&end=2026-03-06&{chosen}").json
    expected = {(day, "JPY"): Decimal(str(rate)) for day, rate in answer["results"]["JPY"].items()}
    assert len(expected) >= 3
    period = ("--since", "2026-03-03", "--until", "2026-03-06", "--url", address, "--key", KEY)
    written = {
        form: run("series", "GBP", "JPY", *period, f"--{form}", f"--{chosen}").out for form in ("ledger", "beancount")
    }
    assert chosen.replace("=", " ") in written["ledger"].splitlines()[0]
    book = tmp_path / "book.journal"
    book.write_text(written["ledger"])
    assert prices(output(program("hledger"), "-f", book, "prices"), _PRICE) == expected
    book.write_text(f"{written['ledger']}\n2026-03-06 cash\n  Assets:Cash  1 GBP\n  Equity\n")
    assert prices(output(program("ledger"), "-f", book, "pricedb"), _PRICE) == expected
    book.with_suffix(".beancount").write_text(written["beancount"])
    loaded = output(programs_python, "-c", LOAD_PRICES, book.with_suffix(".beancount"))
    rows = [line.split() for line in loaded.splitlines()]
    assert {(day, code): Decimal(number) for day, _, number, code in rows} == expected

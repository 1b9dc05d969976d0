"""A sandbox as an operator starts it: the real process on a simulated market, without a network."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE
from tests.service.processes import COMMAND, ended_in_the_end, environment, until
from tools.ports import free_port

from cambist.pricing.rate_book import RateBook
from cambist.reference.assets import COINS, METALS
from cambist.storage.shared.rate_book_file import RateBookFile

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

"""Seconds for what takes few on a machine of its own."""

PAST = "/historical?date=2026-03-06&from=EUR"


@dataclass
class Got:
    status: int
    headers: dict[str, str]
    content: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.content)


@dataclass
class Sandbox:
    """A started sandbox: where it answers, what it keeps, what it says."""

    process: subprocess.Popen[bytes]
    port: int
    data: Path
    log: Path

    def ask(self, target: str, method: str = "GET", **headers: str) -> Got:
        sent = {"X-API-Key": (self.data / "owner.key").read_text().strip()} | headers
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)) as connection:
            connection.request(method, target, headers={name.replace("_", "-"): each for name, each in sent.items()})
            response = connection.getresponse()
            content = response.read()
            return Got(response.status, {name.lower(): value for name, value in response.getheaders()}, content)

    def rate(self, code: str) -> float:
        return float(self.ask(f"/fetch-one?from=USD&to={code}").json["result"][code])

    def fault(self, *arguments: str) -> None:
        command = [COMMAND, "sandbox", "fault", *arguments, "--data", self.data]
        subprocess.run(command, env=environment(), check=True, capture_output=True, timeout=PATIENCE)

    def is_up(self) -> bool:
        try:
            return self.ask("/openapi.json").status == 200
        except OSError:
            return False


@contextmanager
def playing(folder: Path, *flags: str) -> Iterator[Sandbox]:
    """Start a sandbox in a folder, naming no data folder, and wait until it answers."""
    folder.mkdir(exist_ok=True)
    port = free_port()
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [COMMAND, "serve", "--sandbox", "--port", str(port), "--workers", "1", *flags],
            cwd=folder,
            env=environment(),
            stdout=log,
            stderr=log,
        )
    sandbox = Sandbox(process, port, folder / "sandbox-data", folder / "log")
    with ended_in_the_end(process):
        assert until(sandbox.is_up, PATIENCE), sandbox.log.read_text()
        yield sandbox


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    with playing(tmp_path_factory.mktemp("sandbox")) as sandbox:
        yield sandbox


def book_of(sandbox: Sandbox) -> RateBook:
    book = RateBookFile(sandbox.data).current()
    assert book is not None
    return book


def test_the_first_start_says_what_it_is(sandbox: Sandbox) -> None:
    assert "Sandbox: every price is simulated, by the seed 1" in sandbox.log.read_text()
    assert (sandbox.data / "environment").read_text() == "sandbox\n"


def test_prices_move(sandbox: Sandbox) -> None:
    before = book_of(sandbox)
    assert until(lambda: book_of(sandbox).version >= before.version + 4, PATIENCE)
    assert book_of(sandbox).quotes["BTC"].mid != before.quotes["BTC"].mid


def test_a_currency_moves_in_the_week_and_stands_still_at_the_weekend(sandbox: Sandbox) -> None:
    rates = []
    for _ in range(4):
        rates.append(sandbox.rate("EUR"))
        time.sleep(0.8)
    as_of = book_of(sandbox).quotes["EUR"].as_of
    is_open = datetime.now(UTC) - as_of < timedelta(seconds=10)
    assert len(set(rates)) > 1 if is_open else len(set(rates)) == 1


def test_every_kind_of_answer_names_the_sandbox(sandbox: Sandbox) -> None:
    etag = sandbox.ask(PAST).headers["etag"]
    answers = {
        200: sandbox.ask("/fetch-one?from=EUR&to=USD"),
        204: sandbox.ask("/fetch-one", "OPTIONS"),
        304: sandbox.ask(PAST, If_None_Match=etag),
        400: sandbox.ask("/fetch-one?to=ZZZ"),
        401: sandbox.ask(PAST, X_API_Key="nonsense"),
        404: sandbox.ask("/nowhere"),
        405: sandbox.ask(PAST, "POST"),
    }
    for status, got in answers.items():
        assert (got.status, got.headers["cambist-environment"]) == (status, "sandbox")
    for target in (PAST, PAST, "/docs", "/docs/config.json", "/openapi.json", "/sources"):
        assert sandbox.ask(target).headers["cambist-environment"] == "sandbox"
    assert sandbox.ask("/fetch-one?from=EUR&to=USD", "HEAD").headers["cambist-environment"] == "sandbox"


def test_the_past_reaches_back_and_stands_still_at_weekends(sandbox: Sandbox) -> None:
    assert sandbox.ask("/historical?date=1975-03-03&from=USD&to=DEM").json["results"]["DEM"] > 1
    today = datetime.now(UTC).date()
    saturday = today - timedelta(days=(today.weekday() - 5) % 7 or 7)
    friday, sunday = saturday - timedelta(days=1), saturday + timedelta(days=1)
    days: list[date] = [friday, saturday] + ([sunday] if sunday < today else [])
    found = [sandbox.ask(f"/historical?date={day}&from=USD&to=EUR,JPY").json["results"] for day in days]
    assert all(each == found[0] for each in found)
    earlier = sandbox.ask(f"/historical?date={friday - timedelta(days=1)}&from=USD&to=EUR,JPY").json["results"]
    assert earlier != found[0]


def test_every_kind_of_endpoint_answers(sandbox: Sandbox) -> None:
    book = book_of(sandbox)
    assert len(sandbox.ask("/fetch-all").json["results"]) >= 170
    assert len(book.quotes.keys() & COINS.keys()) >= 500
    assert len([pair for pair in book.pairs if pair.base in COINS]) >= 750
    assert len(book.quotes.keys() & METALS.keys()) == 9


def test_sources_and_explanations_name_the_sandbox(sandbox: Sandbox) -> None:
    assert until(lambda: sandbox.ask("/sources").status == 200, PATIENCE)
    found = sandbox.ask("/sources").json
    assert (found["environment"], found["sources"]["sandbox"]["state"]) == ("sandbox", "fresh")
    for target in ("/explain?from=EUR&to=JPY", "/explain?from=EUR&to=JPY&date=2026-03-06"):
        assert all(leg["sources"] == ["sandbox"] for leg in sandbox.ask(target).json["legs"])


def test_a_fault_is_seen_within_two_seconds_and_so_is_its_end(sandbox: Sandbox) -> None:
    honest = sandbox.rate("EUR")
    sandbox.fault("outlier", "EUR", "2")
    assert until(lambda: sandbox.rate("EUR") < honest * 0.6, PATIENCE)
    sandbox.fault("clear")
    assert until(lambda: sandbox.rate("EUR") > honest * 0.9, PATIENCE)


@pytest.mark.long
def test_stale_quotes_grow_old(sandbox: Sandbox) -> None:
    sandbox.fault("stale", "all")
    time.sleep(2)
    before, as_of = sandbox.ask("/fetch-all").json["results"], book_of(sandbox).quotes["BTC"].as_of
    time.sleep(2)
    assert sandbox.ask("/fetch-all").json["results"] == before
    assert book_of(sandbox).quotes["BTC"].as_of == as_of
    assert sandbox.ask("/fetch-one?from=USD&to=EUR&max_age=PT1S").status == 503
    sandbox.fault("clear")
    assert until(lambda: book_of(sandbox).quotes["BTC"].as_of > as_of, PATIENCE)


@pytest.mark.long
def test_a_missing_day_is_carried_forward(sandbox: Sandbox) -> None:
    target = "/historical?date=2026-10-06&from=USD&to=EUR"
    before = sandbox.ask("/historical?date=2026-10-05&from=USD&to=EUR").json["results"]
    assert sandbox.ask(target).json["results"] != before
    sandbox.fault("missing", "2026-10-06")
    assert until(lambda: sandbox.ask(target).json["results"] == before, PATIENCE)
    sandbox.fault("clear")
    assert until(lambda: sandbox.ask(target).json["results"] != before, PATIENCE)


@pytest.mark.long
def test_the_same_seed_is_the_same_past_and_its_folder_is_never_live(tmp_path: Path, sandbox: Sandbox) -> None:
    with playing(tmp_path / "other") as other:
        for target in (PAST, "/historical?date=1975-03-03&from=USD", "/historical?date=2001-07-14&from=DEM"):
            mine, its = sandbox.ask(target).json, other.ask(target).json
            assert {**mine, "ms": 0} == {**its, "ms": 0}
        other.process.terminate()
        assert other.process.wait(20) == 0
        assert "Traceback" not in other.log.read_text()
        command = [COMMAND, "serve", "--data", other.data, "--no-fetch"]
        done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 2
    assert "is a sandbox and stays one" in done.stderr.splitlines()[-1]


@pytest.mark.long
def test_another_seed_is_another_market(tmp_path: Path, sandbox: Sandbox) -> None:
    with playing(tmp_path / "other", "--sandbox-seed", "7") as other:
        assert other.ask(PAST).json["results"] != sandbox.ask(PAST).json["results"]


def test_a_killed_sandbox_process_is_replaced(sandbox: Sandbox) -> None:
    assert "Traceback" not in sandbox.log.read_text()
    tasks = Path(f"/proc/{sandbox.process.pid}/task")
    children = {int(number) for path in tasks.glob("*/children") for number in path.read_text().split()}
    _usage_writer, sandbox_process, *_workers = sorted(
        child for child in children if b"resource_tracker" not in Path(f"/proc/{child}/cmdline").read_bytes()
    )
    before = book_of(sandbox).version
    os.kill(sandbox_process, signal.SIGKILL)
    assert until(lambda: "The sandbox died" in sandbox.log.read_text(), PATIENCE)
    assert until(lambda: book_of(sandbox).version > before + 2, PATIENCE)
    assert sandbox.ask("/fetch-one?from=USD&to=EUR").status == 200


def test_it_has_bars_of_days_long_before_it_began(sandbox: Sandbox) -> None:
    target = "/fx/ohlc/time-series?pair=USDJPY&interval=PT1M&end=1987-10-20&dtmfmt=ISO"
    page = sandbox.ask(target).json["results"]
    assert [row["dtm"] for row in page[:2]] == ["1987-10-19T23:59:00Z", "1987-10-19T23:58:00Z"]
    assert len(page) == 100
    assert sandbox.ask(target).json["results"] == page
    newest = sandbox.ask("/fx/quote/time-series?pair=EURUSD").json["results"]
    assert timedelta() < datetime.now(UTC) - datetime.fromisoformat(newest[0]["dtm"]) < timedelta(days=6)
    assert sandbox.ask("/fx/pairs/historical-limits").json["pairs"]["USDJPY"] == "1970-01-01T00:00:00Z"

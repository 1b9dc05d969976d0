"""`cambist backfill`, with fake sources on a loopback port: the ECB and a declared source."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from click.testing import Result
from stamina.instrumentation import get_on_retry_hooks, set_on_retry_hooks
from tests.patience import PATIENCE
from typer.testing import CliRunner

from cambist.cli import main as program
from cambist.status.environment import Environment
from cambist.storage.data_directory import DataDirectory

TODAY = datetime.now(UTC).date()
COMMAND = Path(sys.executable).parent / "cambist"
ECB = "/www.ecb.europa.eu/stats/eurofxref/"

PRESS = f"""\
key = "press"
name = "The press"
licence = "a test's"
rate_type = "official"
first_day = {TODAY - timedelta(days=69)}
[request]
url = "https://press.example/rates?from={{first}}&to={{last}}"
span = 1
media = ["text/csv"]
absent = [404]
[rates]
anchor = "EUR"
direction = "other_per_anchor"
may_be_empty = true
[day]
at = "Date"
[schedule]
zone = "UTC"
days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
pause = "PT0S"
[csv]
layout = "wide"
"""
"""A source with a request for each of the last seventy days."""


def zip_bytes(content: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("eurofxref-hist.csv", content)
    return packed.getvalue()


@dataclass
class FakeSources:
    """Fake sources: the ECB's file, and `press`, which has rates for every day. `asked` has all requests in order."""

    address: str = ""
    ecb: bytes = b""
    status: int = 200
    media: str = "application/zip"
    broken_days: set[date] = field(default_factory=set)
    empty_days: set[date] = field(default_factory=set)
    stops_after: int | None = None
    """The number of answers after which `press` stops answering."""

    asked: list[str] = field(default_factory=list)
    days: list[date] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def answer(self, target: str) -> tuple[int, str, bytes]:
        self.asked.append(target)
        if target.startswith(ECB):
            return self.status, self.media, self.ecb
        day = date.fromisoformat(parse_qs(urlsplit(target).query)["from"][0])
        self.days.append(day)
        if self.stops_after is not None and len(self.days) > self.stops_after:
            self.over.wait(PATIENCE)
        if day in self.empty_days:
            return 404, "text/plain", b""
        if day in self.broken_days:
            return 200, "text/html", b"<html>We are sorry</html>"
        return 200, "text/csv", f"Date,USD,JPY\n{day},1.1000,180.00\n".encode()


@pytest.fixture
def fake_sources(small_ecb: bytes) -> Iterator[FakeSources]:
    fake_sources = FakeSources(ecb=zip_bytes(small_ecb))

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, media, content = fake_sources.answer(self.path)
            try:
                self.send_response(status)
                self.send_header("Content-Type", media)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            except ConnectionError:
                pass  # the client was killed

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        fake_sources.address = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            yield fake_sources
        finally:
            fake_sources.over.set()
            server.shutdown()
            thread.join()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A live data folder without fixings."""
    folder = DataDirectory(tmp_path / "data")
    folder.claim(Environment.LIVE)
    folder.release()
    return folder.path


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, fake_sources: FakeSources, tmp_path: Path) -> Iterator[None]:
    """A wide terminal without colours, and the fake sources as gateway. Each call names the folder."""
    for variable in [name for name in os.environ if name.startswith("CAMBIST_")]:
        monkeypatch.delenv(variable)
    for variable in ("FORCE_COLOR", "GITHUB_ACTIONS", "PY_COLORS"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("CAMBIST_GATEWAY", fake_sources.address)
    monkeypatch.chdir(tmp_path)
    before = get_on_retry_hooks()
    yield
    set_on_retry_hooks(before)


def run_backfill(*arguments: str) -> Result:
    return CliRunner().invoke(program.app, ["backfill", *arguments])


def error_of(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run a command that must be refused in one sentence, and return the sentence."""
    monkeypatch.setattr(sys, "argv", ["cambist", "backfill", *arguments])
    with pytest.raises(SystemExit) as ended:
        program.main()
    said = capsys.readouterr()
    assert (ended.value.code, said.out, said.err.count("\n")) == (2, "", 1)
    return said.err.removeprefix("cambist: ").rstrip("\n")


def declare(data: Path) -> None:
    (data / "sources").mkdir()
    (data / "sources" / "press.toml").write_text(PRESS)


def query(data: Path, question: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(data / "cambist.db")) as database:
        return database.execute(question).fetchall()


def stored_values(data: Path) -> list[tuple[str, str, str]]:
    """Return all stored fixings: day, pair and value, corrections included."""
    return query(
        data,
        "SELECT f.day, s.base || '/' || s.quote, f.value FROM fixings f JOIN series s ON s.id = f.series_id "
        "ORDER BY f.day, s.base, s.quote, f.delivery_id",
    )


# Storing history


@pytest.mark.long
def test_the_whole_file_of_the_ecb_is_requested_and_stored(data: Path, fake_sources: FakeSources) -> None:
    result = run_backfill("ecb", "--data", str(data), "--json")
    assert result.exit_code == 0, result.output
    assert fake_sources.asked == [f"{ECB}eurofxref-hist.zip"]
    # SMALL_ECB has a dollar, a yen and a pound on each of five days, a lev on one and a krona on another. Between
    # New Year's Eve and the 27th of February nothing is there, and from a Friday to a Tuesday is no gap.
    assert json.loads(result.stdout) == [
        {
            "source": "ecb",
            "parts": 1,
            "filed_before": 0,
            "added": 17,
            "corrected": 0,
            "failed": 0,
            "gaps": ["2026-01-01 to 2026-02-26"],
        }
    ]
    filed = stored_values(data)
    assert len(filed) == 17
    assert ("2026-03-06", "EUR/USD", "1.2500") in filed
    assert ("2025-12-31", "EUR/BGN", "1.9558") in filed


@pytest.mark.long
def test_a_second_backfill_requests_what_may_have_changed_and_adds_nothing(
    data: Path, fake_sources: FakeSources
) -> None:
    run_backfill("ecb", "--data", str(data))
    before = stored_values(data)
    (again,) = json.loads(run_backfill("ecb", "--data", str(data), "--json").stdout)
    assert (again["added"], again["corrected"], again["filed_before"]) == (0, 0, 0)
    assert len(fake_sources.asked) == 2
    assert stored_values(data) == before


@pytest.mark.long
def test_a_correction_of_the_source_is_stored_beside_the_first_value(
    data: Path, fake_sources: FakeSources, small_ecb: bytes
) -> None:
    run_backfill("ecb", "--data", str(data))
    fake_sources.ecb = zip_bytes(small_ecb.replace(b"1.2500", b"1.2510"))
    (again,) = json.loads(run_backfill("ecb", "--data", str(data), "--json").stdout)
    assert (again["added"], again["corrected"]) == (0, 1)
    assert [row[2] for row in stored_values(data) if row[:2] == ("2026-03-06", "EUR/USD")] == ["1.2500", "1.2510"]


@pytest.mark.long
def test_recent_days_are_requested_from_a_smaller_file(data: Path, fake_sources: FakeSources) -> None:
    day = TODAY - timedelta(days=4)
    fake_sources.media = "text/xml"
    fake_sources.ecb = (
        '<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" '
        f'xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref"><Cube><Cube time="{day}">'
        '<Cube currency="USD" rate="1.1200"/></Cube></Cube></gesmes:Envelope>'
    ).encode()
    result = run_backfill("ecb", "--from", f"{TODAY - timedelta(days=9)}", "--data", str(data), "--json")
    assert fake_sources.asked == [f"{ECB}eurofxref-hist-90d.xml"]
    assert json.loads(result.stdout)[0]["added"] == 1
    assert stored_values(data) == [(f"{day}", "EUR/USD", "1.1200")]


@pytest.mark.long
def test_without_json_the_result_is_a_table(data: Path) -> None:
    result = run_backfill("ecb", "--data", str(data))
    assert (result.exit_code, result.stderr) == (0, "")
    heading, cells = (
        [cell.strip() for cell in re.split("[┃│]", line)[1:-1]] for line in result.stdout.splitlines()[1:4:2]
    )
    assert heading == ["Source", "Parts", "Filed before", "Added", "Corrected", "Failed", "Longest gaps"]
    assert cells == ["ecb", "1", "0", "17", "0", "0", "2026-01-01 to 2026-02-26"]


@pytest.mark.long
def test_all_sources_that_are_on_are_backfilled_unless_one_is_named(
    data: Path, fake_sources: FakeSources, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cambist.registry.sources.source_adapters import fixing_adapters  # noqa: PLC0415  the table of feeds is wanted here alone
    from cambist.settings import Settings  # noqa: PLC0415

    declare(data)
    ours = [key for key in fixing_adapters(Settings(data=data)) if key not in ("ecb", "press")]
    monkeypatch.setenv("CAMBIST_FEEDS_OFF", ",".join(ours))
    since = str(TODAY - timedelta(days=100))
    filled = json.loads(run_backfill("--from", since, "--data", str(data), "--json").stdout)
    assert [(each["source"], each["parts"]) for each in filled] == [("ecb", 1), ("press", 70)]
    assert len(fake_sources.days) == 70


@pytest.mark.long
def test_a_day_without_rates_is_recorded_and_is_not_a_failure(data: Path, fake_sources: FakeSources) -> None:
    declare(data)
    fake_sources.empty_days = {TODAY - timedelta(days=day) for day in (40, 41, 42, 43, 44)}
    (first,) = json.loads(run_backfill("press", "--data", str(data), "--json").stdout)
    assert (first["added"], first["failed"]) == (130, 0)
    fake_sources.days.clear()
    (again,) = json.loads(run_backfill("press", "--data", str(data), "--json").stdout)
    # Today and the fourteen days before are asked again.
    assert (again["filed_before"], fake_sources.days) == (
        55,
        [TODAY - timedelta(days=back) for back in range(14, -1, -1)],
    )


# Failures


@pytest.mark.long
def test_a_part_that_fails_is_reported_and_the_exit_code_is_1(data: Path, fake_sources: FakeSources) -> None:
    declare(data)
    day = TODAY - timedelta(days=50)
    fake_sources.broken_days = {day}
    result = run_backfill("press", "--data", str(data), "--json")
    (course,) = json.loads(result.stdout)
    assert (result.exit_code, course["failed"], course["added"]) == (1, 1, 138)
    result = run_backfill("press", "--data", str(data))
    assert result.exit_code == 1
    assert result.stderr == f"press: {day} to {day}: press: sent [text/html] instead of text/csv\n"
    fake_sources.broken_days = set()
    assert run_backfill("press", "--data", str(data)).exit_code == 0
    assert len(stored_values(data)) == 140


@pytest.mark.long
def test_only_the_first_three_failures_are_printed(data: Path, fake_sources: FakeSources) -> None:
    declare(data)
    broken = [TODAY - timedelta(days=back) for back in (60, 50, 40, 30)]
    fake_sources.broken_days = {*broken}
    result = run_backfill("press", "--data", str(data))
    assert [line.partition(" to ")[0] for line in result.stderr.splitlines()] == [f"press: {day}" for day in broken[:3]]


@pytest.mark.long
def test_a_backfill_of_a_source_that_keeps_failing_stops(data: Path, fake_sources: FakeSources) -> None:
    declare(data)
    fake_sources.broken_days = {TODAY - timedelta(days=back) for back in range(61)}
    result = run_backfill("press", "--data", str(data), "--json")
    (course,) = json.loads(result.stdout)
    assert (result.exit_code, course["failed"], course["added"], course["parts"]) == (1, 3, 18, 70)
    assert len(fake_sources.days) == 12
    fake_sources.broken_days = set()
    fake_sources.days.clear()
    (course,) = json.loads(run_backfill("press", "--data", str(data), "--json").stdout)
    assert fake_sources.days[0] == TODAY - timedelta(days=60)
    assert (course["filed_before"], course["added"]) == (9, 122)


@pytest.mark.long(every=3)
@pytest.mark.parametrize("content", [b"<html>maintenance</html>", b"PK\x03\x04 cut off", b""])
def test_an_invalid_file_does_not_change_what_is_stored(data: Path, fake_sources: FakeSources, content: bytes) -> None:
    run_backfill("ecb", "--data", str(data))
    before = stored_values(data)
    fake_sources.ecb = content
    result = run_backfill("ecb", "--data", str(data))
    assert result.exit_code == 1
    assert result.stderr.startswith("ecb: 1999-01-04 to ")
    assert stored_values(data) == before


# Refused requests


def test_an_unknown_source_is_refused(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sentence = error_of(monkeypatch, capsys, "ecd", "--data", str(data))
    assert sentence == "No source [ecd] publishes fixings; did you mean [ecb]?"


def test_a_source_that_is_off_is_refused_with_the_reason(
    data: Path, fake_sources: FakeSources, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CAMBIST_FEEDS_OFF", "ecb")
    sentence = error_of(monkeypatch, capsys, "ecb", "--data", str(data))
    assert sentence == "The source [ecb] is off: switched off by the setting feeds_off"
    assert fake_sources.asked == []


def test_a_missing_folder_is_refused_and_not_created(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sentence = error_of(monkeypatch, capsys, "ecb", "--data", str(tmp_path / "dta"))
    assert sentence == f"There is no data folder {tmp_path / 'dta'}: run [cambist serve] once, or name --data"
    assert not (tmp_path / "dta").exists()


def test_the_folder_of_a_sandbox_is_refused(
    tmp_path: Path, fake_sources: FakeSources, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = DataDirectory(tmp_path / "sandbox")
    folder.claim(Environment.SANDBOX)
    folder.release()
    there = sorted(folder.path.iterdir())
    assert "is a sandbox and stays one" in error_of(monkeypatch, capsys, "ecb", "--data", str(folder.path))
    assert (sorted(folder.path.iterdir()), fake_sources.asked) == (there, [])


@pytest.mark.parametrize("day", ["30.10.2026", "2026-02-30", "yesterday", ""])
def test_an_invalid_first_day_is_refused_before_the_database_is_created(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], day: str
) -> None:
    sentence = error_of(monkeypatch, capsys, "ecb", "--from", day, "--data", str(data))
    assert sentence == f"Invalid --from: [{day}], it takes a day such as 2026-12-31"
    assert not (data / "cambist.db").exists()


def test_a_first_day_in_the_future_is_refused(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sentence = error_of(monkeypatch, capsys, "ecb", "--from", "2099-01-01", "--data", str(data))
    assert sentence == "Invalid --from: [2099-01-01] lies ahead, it takes a day up to today"
    assert not (data / "cambist.db").exists()


# Offline


@pytest.mark.long
def test_if_no_source_can_be_reached_one_line_says_so(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAMBIST_GATEWAY", "http://127.0.0.1:1")
    result = run_backfill("--data", str(data))
    assert (result.exit_code, result.stdout) == (1, "")
    assert re.fullmatch(r"cambist: No source can be reached: .*: cannot be asked: .*\n", result.stderr)


@pytest.mark.long
def test_a_source_that_cannot_be_reached_is_reported_in_one_line(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAMBIST_GATEWAY", "http://127.0.0.1:1")
    (data / "sources").mkdir()
    (data / "sources" / "press.toml").write_text(PRESS)
    result = run_backfill("press", "--data", str(data))
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert result.stderr.startswith("press: ")


# Interruptions


@pytest.mark.long(every=4)
@pytest.mark.parametrize("answered", [0, 1, 23, 69])
def test_a_backfill_that_was_killed_continues_and_loses_or_repeats_nothing(
    data: Path, fake_sources: FakeSources, answered: int
) -> None:
    declare(data)
    fake_sources.stops_after = answered
    arguments = [COMMAND, "backfill", "press", "--data", data, "--json"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        end = time.monotonic() + PATIENCE
        while len(fake_sources.days) <= answered and time.monotonic() < end and process.poll() is None:
            time.sleep(0.02)
        assert process.poll() is None
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert query(data, "PRAGMA integrity_check") == [("ok",)]
    every_day = [TODAY - timedelta(days=back) for back in range(69, -1, -1)]
    filed = sorted({row[0] for row in stored_values(data)})
    assert filed == [str(day) for day in every_day[:answered]]

    fake_sources.stops_after = None
    fake_sources.days.clear()
    result = run_backfill("press", "--data", str(data), "--json")
    (course,) = json.loads(result.stdout)
    assert (result.exit_code, course["filed_before"], course["added"]) == (0, min(answered, 55), 2 * (70 - answered))
    assert fake_sources.days == every_day[min(answered, 55) :]
    assert [row[:2] for row in stored_values(data)] == [
        (str(day), pair) for day in every_day for pair in ("EUR/JPY", "EUR/USD")
    ]
    assert query(data, "PRAGMA integrity_check") == [("ok",)]
    assert (data / "rates.image").exists()


@pytest.mark.long(every=2)
@pytest.mark.parametrize("name", ["CAMBIST_FEEDS_OFF", "CAMBIST_FEEDS_ON"])
def test_a_source_without_fixings_may_be_switched(data: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "kraken,okx")
    assert run_backfill("ecb", "--data", str(data)).exit_code == 0

"""`cambist backfill`, with the ECB and a source of one's own played on a loopback port."""

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
from typer.testing import CliRunner

from cambist.cli import main as program
from cambist.status.environment import Environment
from cambist.storage.data_directory import DataDirectory

TODAY = datetime.now(UTC).date()
COMMAND = Path(sys.executable).parent / "cambist"
ECB = "/www.ecb.europa.eu/stats/eurofxref/"
PATIENCE = 60

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
"""Seventy parts of a day each, today's the last."""


def zipped(content: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("eurofxref-hist.csv", content)
    return packed.getvalue()


@dataclass
class Played:
    """What plays the sources: the ECB's file, and a press that prices every day; what it was asked, in order."""

    address: str = ""
    ecb: bytes = b""
    status: int = 200
    media: str = "application/zip"
    broken_days: set[date] = field(default_factory=set)
    empty_days: set[date] = field(default_factory=set)
    stands_at: int | None = None
    """After so many answers of the press it says nothing more."""

    asked: list[str] = field(default_factory=list)
    days: list[date] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def answer(self, target: str) -> tuple[int, str, bytes]:
        self.asked.append(target)
        if target.startswith(ECB):
            return self.status, self.media, self.ecb
        day = date.fromisoformat(parse_qs(urlsplit(target).query)["from"][0])
        self.days.append(day)
        if self.stands_at is not None and len(self.days) > self.stands_at:
            self.over.wait(PATIENCE)
        if day in self.empty_days:
            return 404, "text/plain", b""
        if day in self.broken_days:
            return 200, "text/html", b"<html>We are sorry</html>"
        return 200, "text/csv", f"Date,USD,JPY\n{day},1.1000,180.00\n".encode()


@pytest.fixture
def played(small_ecb: bytes) -> Iterator[Played]:
    played = Played(ecb=zipped(small_ecb))

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, media, content = played.answer(self.path)
            try:
                self.send_response(status)
                self.send_header("Content-Type", media)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            except ConnectionError:
                pass  # who asked has been killed

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        played.address = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            yield played
        finally:
            played.over.set()
            server.shutdown()
            thread.join()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A live folder that nothing has been filed in yet."""
    folder = DataDirectory(tmp_path / "data")
    folder.claim(Environment.LIVE)
    folder.release()
    return folder.path


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, played: Played, tmp_path: Path) -> Iterator[None]:
    """A wide terminal without colours, and a gateway; the folder is named in each call."""
    for variable in [name for name in os.environ if name.startswith("CAMBIST_")]:
        monkeypatch.delenv(variable)
    for variable in ("FORCE_COLOR", "GITHUB_ACTIONS", "PY_COLORS"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("CAMBIST_GATEWAY", played.address)
    monkeypatch.chdir(tmp_path)
    before = get_on_retry_hooks()
    yield
    set_on_retry_hooks(before)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(program.app, ["backfill", *arguments])


def refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Type a command that must be refused in one sentence, and give the sentence."""
    monkeypatch.setattr(sys, "argv", ["cambist", "backfill", *arguments])
    with pytest.raises(SystemExit) as ended:
        program.main()
    said = capsys.readouterr()
    assert (ended.value.code, said.out, said.err.count("\n")) == (2, "", 1)
    return said.err.removeprefix("cambist: ").rstrip("\n")


def declare(data: Path) -> None:
    (data / "sources").mkdir()
    (data / "sources" / "press.toml").write_text(PRESS)


def on_file(data: Path, question: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(data / "cambist.db")) as database:
        return database.execute(question).fetchall()


def values(data: Path) -> list[tuple[str, str, str]]:
    """Give every row that was ever filed: day, pair, value; a second one of the same cell shows."""
    return on_file(
        data,
        "SELECT f.day, s.base || '/' || s.quote, f.value FROM fixings f JOIN series s ON s.id = f.series_id "
        "ORDER BY f.day, s.base, s.quote, f.receipt_id",
    )


# What it does


def test_the_whole_file_of_the_ecb_is_asked_for_and_filed(data: Path, played: Played) -> None:
    result = run("ecb", "--data", str(data), "--json")
    assert result.exit_code == 0, result.output
    assert played.asked == [f"{ECB}eurofxref-hist.zip"]
    # SMALL_ECB has a dollar, a yen and a pound on each of five days, a lev on one and a krona on another. Between
    # New Year's Eve and the 27th of February nothing is there, and from a Friday to a Tuesday is no gap.
    assert json.loads(result.stdout) == [
        {
            "source": "ecb",
            "parts": 1,
            "filed_before": 0,
            "added": 17,
            "corrected": 0,
            "quarantined": 0,
            "failed": 0,
            "gaps": ["2026-01-01 to 2026-02-26"],
        }
    ]
    filed = values(data)
    assert len(filed) == 17
    assert ("2026-03-06", "EUR/USD", "1.2500") in filed
    assert ("2025-12-31", "EUR/BGN", "1.9558") in filed


def test_run_again_it_asks_what_may_have_changed_and_adds_nothing(data: Path, played: Played) -> None:
    run("ecb", "--data", str(data))
    before = values(data)
    (again,) = json.loads(run("ecb", "--data", str(data), "--json").stdout)
    assert (again["added"], again["corrected"], again["filed_before"]) == (0, 0, 0)
    assert len(played.asked) == 2
    assert values(data) == before


def test_what_the_source_corrected_is_filed_beside_what_it_said_before(
    data: Path, played: Played, small_ecb: bytes
) -> None:
    run("ecb", "--data", str(data))
    played.ecb = zipped(small_ecb.replace(b"1.2500", b"1.2510"))
    (again,) = json.loads(run("ecb", "--data", str(data), "--json").stdout)
    assert (again["added"], again["corrected"]) == (0, 1)
    assert [row[2] for row in values(data) if row[:2] == ("2026-03-06", "EUR/USD")] == ["1.2500", "1.2510"]


def test_recent_days_alone_are_asked_of_a_smaller_file(data: Path, played: Played) -> None:
    day = TODAY - timedelta(days=4)
    played.media = "text/xml"
    played.ecb = (
        '<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" '
        f'xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref"><Cube><Cube time="{day}">'
        '<Cube currency="USD" rate="1.1200"/></Cube></Cube></gesmes:Envelope>'
    ).encode()
    result = run("ecb", "--from", f"{TODAY - timedelta(days=9)}", "--data", str(data), "--json")
    assert played.asked == [f"{ECB}eurofxref-hist-90d.xml"]
    assert json.loads(result.stdout)[0]["added"] == 1
    assert values(data) == [(f"{day}", "EUR/USD", "1.1200")]


def test_people_get_a_table_and_nothing_else(data: Path) -> None:
    result = run("ecb", "--data", str(data))
    assert (result.exit_code, result.stderr) == (0, "")
    heading, cells = (
        [cell.strip() for cell in re.split("[┃│]", line)[1:-1]] for line in result.stdout.splitlines()[1:4:2]
    )
    assert heading == ["Source", "Parts", "Filed before", "Added", "Corrected", "Quarantined", "Failed", "Longest gaps"]
    assert cells == ["ecb", "1", "0", "17", "0", "0", "0", "2026-01-01 to 2026-02-26"]


def test_all_sources_that_are_on_are_filled_unless_one_is_named(
    data: Path, played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cambist.registry.sources import fixing_adapters  # noqa: PLC0415  the table of feeds is wanted here alone
    from cambist.settings import Settings  # noqa: PLC0415

    declare(data)
    ours = [key for key in fixing_adapters(Settings(data=data)) if key not in ("ecb", "press")]
    monkeypatch.setenv("CAMBIST_FEEDS_OFF", ",".join(ours))
    since = str(TODAY - timedelta(days=100))
    filled = json.loads(run("--from", since, "--data", str(data), "--json").stdout)
    assert [(each["source"], each["parts"]) for each in filled] == [("ecb", 1), ("press", 70)]
    assert len(played.days) == 70


def test_that_a_day_had_nothing_is_kept_and_shown_as_no_failure(data: Path, played: Played) -> None:
    declare(data)
    played.empty_days = {TODAY - timedelta(days=day) for day in (40, 41, 42, 43, 44)}
    (first,) = json.loads(run("press", "--data", str(data), "--json").stdout)
    assert (first["added"], first["failed"]) == (130, 0)
    played.days.clear()
    (again,) = json.loads(run("press", "--data", str(data), "--json").stdout)
    # Today and the fourteen days before are asked again.
    assert (again["filed_before"], played.days) == (55, [TODAY - timedelta(days=back) for back in range(14, -1, -1)])


# What fails


def test_a_part_that_fails_is_said_and_ends_it_with_1(data: Path, played: Played) -> None:
    declare(data)
    day = TODAY - timedelta(days=50)
    played.broken_days = {day}
    result = run("press", "--data", str(data), "--json")
    (course,) = json.loads(result.stdout)
    assert (result.exit_code, course["failed"], course["added"]) == (1, 1, 138)
    result = run("press", "--data", str(data))
    assert result.exit_code == 1
    assert result.stderr == f"press: {day} to {day}: press: sent [text/html] instead of text/csv\n"
    played.broken_days = set()
    assert run("press", "--data", str(data)).exit_code == 0
    assert len(values(data)) == 140


def test_of_many_failures_the_first_three_are_said(data: Path, played: Played) -> None:
    declare(data)
    broken = [TODAY - timedelta(days=back) for back in (60, 50, 40, 30)]
    played.broken_days = {*broken}
    result = run("press", "--data", str(data))
    assert [line.partition(" to ")[0] for line in result.stderr.splitlines()] == [f"press: {day}" for day in broken[:3]]


def test_a_source_that_keeps_failing_is_left_where_it_fails(data: Path, played: Played) -> None:
    declare(data)
    played.broken_days = {TODAY - timedelta(days=back) for back in range(61)}
    result = run("press", "--data", str(data), "--json")
    (course,) = json.loads(result.stdout)
    assert (result.exit_code, course["failed"], course["added"], course["parts"]) == (1, 3, 18, 70)
    assert len(played.days) == 12
    played.broken_days = set()
    played.days.clear()
    (course,) = json.loads(run("press", "--data", str(data), "--json").stdout)
    assert played.days[0] == TODAY - timedelta(days=60)
    assert (course["filed_before"], course["added"]) == (9, 122)


@pytest.mark.parametrize("content", [b"<html>maintenance</html>", b"PK\x03\x04 cut off", b""])
def test_a_file_that_is_none_of_the_ecbs_leaves_what_is_here(data: Path, played: Played, content: bytes) -> None:
    run("ecb", "--data", str(data))
    before = values(data)
    played.ecb = content
    result = run("ecb", "--data", str(data))
    assert result.exit_code == 1
    assert result.stderr.startswith("ecb: 1999-01-04 to ")
    assert values(data) == before


# What is refused


def test_a_source_that_nobody_knows_is_refused(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sentence = refused(monkeypatch, capsys, "ecd", "--data", str(data))
    assert sentence.startswith("No source [ecd] publishes fixings; there are ecb, fed, ")


def test_a_source_that_is_off_is_refused_with_the_reason(
    data: Path, played: Played, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CAMBIST_FEEDS_OFF", "ecb")
    sentence = refused(monkeypatch, capsys, "ecb", "--data", str(data))
    assert sentence == "The source [ecb] is off: switched off by the setting feeds_off"
    assert played.asked == []


def test_a_folder_that_is_none_is_refused_and_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sentence = refused(monkeypatch, capsys, "ecb", "--data", str(tmp_path / "dta"))
    assert sentence == f"There is no data folder {tmp_path / 'dta'}: run [cambist serve] once, or name --data"
    assert not (tmp_path / "dta").exists()


def test_the_folder_of_a_sandbox_is_refused(
    tmp_path: Path, played: Played, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = DataDirectory(tmp_path / "sandbox")
    folder.claim(Environment.SANDBOX)
    folder.release()
    there = sorted(folder.path.iterdir())
    assert "is a sandbox and stays one" in refused(monkeypatch, capsys, "ecb", "--data", str(folder.path))
    assert (sorted(folder.path.iterdir()), played.asked) == (there, [])


@pytest.mark.parametrize("day", ["30.10.2026", "2026-02-30", "yesterday", ""])
def test_a_first_day_that_is_none_is_refused_before_anything_is_opened(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], day: str
) -> None:
    sentence = refused(monkeypatch, capsys, "ecb", "--from", day, "--data", str(data))
    assert sentence == f"Invalid --from: [{day}], it takes a day such as 2026-12-31"
    assert not (data / "cambist.db").exists()


def test_a_first_day_that_lies_ahead_is_refused(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sentence = refused(monkeypatch, capsys, "ecb", "--from", "2099-01-01", "--data", str(data))
    assert sentence == "Invalid --from: [2099-01-01] lies ahead, it takes a day up to today"
    assert not (data / "cambist.db").exists()


# Offline


def test_where_no_source_can_be_reached_one_line_says_so(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAMBIST_GATEWAY", "http://127.0.0.1:1")
    result = run("--data", str(data))
    assert (result.exit_code, result.stdout) == (1, "")
    assert re.fullmatch(r"cambist: No source can be reached: .*: cannot be asked: .*\n", result.stderr)


def test_a_source_that_cannot_be_reached_is_one_line(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAMBIST_GATEWAY", "http://127.0.0.1:1")
    (data / "sources").mkdir()
    (data / "sources" / "press.toml").write_text(PRESS)
    result = run("press", "--data", str(data))
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert result.stderr.startswith("press: ")


# Cut off


@pytest.mark.parametrize("answered", [0, 1, 23, 69])
def test_killed_in_the_middle_and_run_again_it_loses_and_doubles_nothing(
    data: Path, played: Played, answered: int
) -> None:
    declare(data)
    played.stands_at = answered
    arguments = [COMMAND, "backfill", "press", "--data", data, "--json"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        end = time.monotonic() + PATIENCE
        while len(played.days) <= answered and time.monotonic() < end and process.poll() is None:
            time.sleep(0.02)
        assert process.poll() is None
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert on_file(data, "PRAGMA integrity_check") == [("ok",)]
    every_day = [TODAY - timedelta(days=back) for back in range(69, -1, -1)]
    filed = sorted({row[0] for row in values(data)})
    assert filed == [str(day) for day in every_day[:answered]]

    played.stands_at = None
    played.days.clear()
    result = run("press", "--data", str(data), "--json")
    (course,) = json.loads(result.stdout)
    assert (result.exit_code, course["filed_before"], course["added"]) == (0, min(answered, 55), 2 * (70 - answered))
    assert played.days == every_day[min(answered, 55) :]
    assert [row[:2] for row in values(data)] == [
        (str(day), pair) for day in every_day for pair in ("EUR/JPY", "EUR/USD")
    ]
    assert on_file(data, "PRAGMA integrity_check") == [("ok",)]
    assert (data / "rates.image").exists()

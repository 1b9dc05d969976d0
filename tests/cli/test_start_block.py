"""What `cambist serve` prints when it serves, and where its log is meanwhile."""

from __future__ import annotations

import logging
import logging.config
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cambist import __version__
from cambist.admin.data_folder.served_rates import ServedRates, read_served_rates
from cambist.cli import run_service
from cambist.cli.start_block import print_start
from cambist.settings import Settings

NOW = datetime(2026, 11, 27, 10, tzinfo=UTC)
RATES = ServedRates(309, datetime(2026, 11, 27, 9, 58, tzinfo=UTC))
KEY = "cmb_fake"
FILE = Path("data/owner.key")


def block(capsys: pytest.CaptureFixture[str], key: str | None = None, **settings: Any) -> dict[str, str]:
    """Return the rows of a block; a row without a name continues the one before."""
    print_start(Settings(**settings), key, FILE, RATES, NOW)
    first, title, *lines = capsys.readouterr().out.splitlines()
    assert (first, title) == ("", f"Cambist {__version__}")
    rows: dict[str, str] = {}
    for line in filter(None, lines):
        name, text = re.fullmatch(r"  (\w*) +(.*)", line).groups()  # type: ignore[union-attr]
        last = name or last  # noqa: F821  the first row has a name
        rows[last] = f"{rows[last]}; {text}" if last in rows else text
    return rows


def test_the_first_start_shows_address_key_freshness_and_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    rows = block(capsys, KEY)
    curl = "sed 's/^/X-API-Key: /' data/owner.key | curl -H @- 'http://127.0.0.1:8000/fetch-one?from=EUR&to=USD'"
    assert rows == {
        "Address": "http://127.0.0.1:8000/",
        "Stream": "ws://127.0.0.1:8001",
        "Data": str(Path("data").resolve()),
        "Rates": "309 codes, the newest of 2026-11-27 09:58 UTC, 2min old; sources are asked for newer ones",
        "Key": f"{KEY}; shown only now; it stays in data/owner.key for scripts",
        "Next": f"open the address in a browser and paste the key, or type; {curl}",
        "Stop": "Ctrl-C",
    }


def test_a_later_start_shows_no_key_but_a_command_that_finds_the_service(capsys: pytest.CaptureFixture[str]) -> None:
    rows = block(capsys, fetch=False)
    assert "Key" not in rows
    assert rows["Next"] == "cambist rate EUR USD --data data"
    assert rows["Rates"].endswith("; no source is asked here")


def test_simulated_prices_are_called_simulated(capsys: pytest.CaptureFixture[str]) -> None:
    rows = block(capsys, sandbox=True)
    assert "simulated" in rows["Data"]
    assert "simulated" in rows["Rates"]


def test_a_node_without_the_api_shows_no_address(capsys: pytest.CaptureFixture[str]) -> None:
    assert {"Address", "Stream", "Next"} & {*block(capsys, KEY, roles="ingest")} == set()


@pytest.mark.parametrize("no_color", ["", "1"])
def test_no_color_is_respected_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, no_color: str
) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    print_start(Settings(), KEY, FILE, RATES, NOW)
    assert ("\x1b[" in capsys.readouterr().out) is (not no_color)


def test_rates_are_those_of_the_last_book(finished: Path, tmp_path: Path) -> None:
    rates = read_served_rates(finished)
    assert rates is not None
    assert rates.codes > 5
    assert read_served_rates(tmp_path / "nowhere") is None


# The start itself


@pytest.fixture
def sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """The settings of a sandbox, whose processes are not started."""
    logger, access = logging.getLogger("cambist"), logging.getLogger("cambist.access")
    before = [(each, [*each.handlers], each.level, each.propagate) for each in (logger, access)]
    monkeypatch.setattr("os.umask", lambda _: 0)
    monkeypatch.setattr(run_service, "supervise", lambda *_, **__: logger.info("All processes run"))
    yield Settings(data=tmp_path / "data", sandbox=True, port=1)
    for each, *state in before:
        each.handlers, each.level, each.propagate = state


@pytest.mark.long
def test_in_a_pipe_the_log_is_on_standard_error_and_the_block_on_standard_output(
    sandbox: Settings, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_service, "free_address", lambda *_: "")
    run_service.run_service(sandbox)
    shown = capsys.readouterr()
    key = (sandbox.data / "owner.key").read_text().strip()
    assert shown.out.count(key) == 1
    assert key not in shown.err
    assert all(re.match(r"\d{4}-\d\d-\d\dT[\d:]+Z (INFO|WARNING)", line) for line in shown.err.splitlines())


@pytest.mark.long
def test_a_quiet_start_prints_only_the_log(
    sandbox: Settings, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_service, "free_address", lambda *_: "")
    run_service.run_service(sandbox, is_quiet=True)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "All processes run" in shown.err
    assert (sandbox.data / "owner.key").exists()


@pytest.mark.long
def test_on_a_terminal_the_log_follows_the_block(
    sandbox: Settings, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_service, "free_address", lambda *_: "")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    logged: list[str] = []
    monkeypatch.setattr(run_service, "print_start", lambda *_: logged.append(capsys.readouterr().err))
    run_service.run_service(sandbox)
    assert not re.search(r"INFO", logged[0])
    after = capsys.readouterr().err
    assert re.search(r"Cambist .*, data in", after)
    assert after.index("data in") < after.index("Serving") < after.index("All processes run")


def test_what_was_held_is_logged_if_the_start_fails(
    sandbox: Settings, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    refused = msgspec.structs.replace(sandbox, tls_cert=Path("nowhere.pem"), tls_key=Path("nowhere.key"))
    with pytest.raises(Exception, match="nowhere"):
        run_service.run_service(refused)
    assert "data in" in capsys.readouterr().err

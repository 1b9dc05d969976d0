"""The check of real sources, with all of them on loopback behind the gateway."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from typer.testing import CliRunner

from cambist.admin.source_check import answers
from cambist.admin.source_check.check import SourceCheck
from cambist.admin.source_check.comparison import CheckedSource, Verdict
from cambist.admin.source_check.record import record
from cambist.admin.source_check.report import CheckReport, markdown
from cambist.cli.main import app
from cambist.errors import BadParameter, SourceBroken
from cambist.registry.sources.source_adapters import adapters
from cambist.settings import Settings
from cambist.sources.base import FixingAdapter

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

NOW = datetime(2026, 3, 6, 18, tzinfo=UTC)
KEYS = {"CAMBIST_FRED_KEY": "5ecre7"}


@dataclass
class Answers:
    """What each host answers: status, content type and content; and what was asked for."""

    by_host: dict[str, tuple[int, str, bytes]]
    address: str = ""
    asked: list[str] = field(default_factory=list)


@contextmanager
def served(**by_host: tuple[int, str, bytes]) -> Iterator[Answers]:
    """Serve answers by a part of the host's name."""
    found = Answers(by_host)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.asked.append(self.path)
            host = self.path.split("/")[1]
            status, media, content = next(
                (each for part, each in by_host.items() if part in host), (404, "text/plain", b"")
            )
            self.send_response(status)
            self.send_header("Content-Type", media)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        found.address = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            yield found
        finally:
            server.shutdown()
            thread.join()


def nbg(**rates: str) -> tuple[int, str, bytes]:
    """Return an answer of the National Bank of Georgia of 2026-03-05."""
    entries = [
        {
            "code": code,
            "quantity": 1,
            "rateFormated": rate,
            "diffFormated": "0.0",
            "rate": float(rate),
            "name": code,
            "diff": 0.0,
            "date": "2026-03-04T17:00:58.114Z",
            "validFromDate": "2026-03-05T00:00:00.000Z",
        }
        for code, rate in rates.items()
    ]
    document = [{"date": "2026-03-05T00:00:00.000Z", "currencies": entries}]
    return 200, "application/json; charset=utf-8", json.dumps(document).encode()


def ecb(**rates: str) -> tuple[int, str, bytes]:
    """Return the ECB's file of 2026-03-05."""
    cubes = "".join(f'<Cube currency="{code}" rate="{rate}"/>' for code, rate in rates.items())
    head = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<gesmes:Envelope '
        'xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">'
        "<gesmes:subject>Reference rates</gesmes:subject><gesmes:Sender>"
        "<gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>"
    )
    body = f'<Cube><Cube time="2026-03-05">{cubes}</Cube></Cube></gesmes:Envelope>'
    return 200, "text/xml", (head + body).encode()


def check(address: str, keys: list[str]) -> tuple[CheckReport, dict[str, CheckedSource]]:
    source_check = SourceCheck(Settings(gateway=address), {}, lambda: NOW)
    report = source_check.run(source_check.choose(keys))
    return report, {each.key: each for each in report.sources}


def test_an_answer_is_read_and_described() -> None:
    with served(nbg=nbg(USD="2.7", EUR="3.0")) as there:
        _, found = check(there.address, ["nbg"])
    assert len(there.asked) == 1
    nbg_found = found["nbg"]
    assert (nbg_found.status, nbg_found.content_type) == ("200 OK", "application/json; charset=utf-8")
    assert (nbg_found.fixings, nbg_found.newest, nbg_found.codes) == (2, date(2026, 3, 5), ("EUR", "USD"))
    assert nbg_found.bytes > 0
    assert nbg_found.url.startswith("https://nbg.gov.ge/")


def test_listed_currencies_that_do_not_come_are_named() -> None:
    with served(nbg=nbg(USD="2.7", EUR="3.0", HTG="0.02")) as there:
        _, found = check(there.address, ["nbg"])
    assert found["nbg"].verdict is Verdict.DIFFERS
    assert "GBP" in found["nbg"].missing
    assert found["nbg"].unlisted == ("HTG",)


def test_a_rate_far_from_the_others_is_named_with_its_deviation() -> None:
    with served(nbg=nbg(USD="2.7", EUR="3.0", GBP="7.2"), ecb=ecb(USD="1.111", GBP="0.83")) as there:
        _, found = check(there.address, ["nbg", "ecb"])
    assert found["nbg"].compared == 2
    assert found["nbg"].apart == {"GBP": pytest.approx(-49.8, abs=1)}
    assert any(remark.startswith("GBP is -49.8 % from the median") for remark in found["nbg"].remarks)


@pytest.mark.parametrize(
    ("answer", "status", "reason"),
    [
        ((503, "text/html", b"busy"), "503 Service Unavailable", "nbg: answered 503"),
        ((200, "text/html", b"<html>"), "200 OK", "nbg: sent [text/html] instead of"),
        ((200, "application/json", b"[]"), "200 OK", ""),
    ],
)
def test_what_cannot_be_read_is_a_failure_with_its_reason(
    answer: tuple[int, str, bytes], status: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "_MOST_ASKED", 1)
    with served(nbg=answer) as there:
        report, found = check(there.address, ["nbg"])
    assert found["nbg"].verdict is Verdict.FAILED
    assert found["nbg"].status == status
    assert reason in found["nbg"].remarks[0]
    assert not report.is_as_expected


def test_an_old_answer_is_remarked() -> None:
    with served(nbg=nbg(USD="2.7")) as there:
        source_check = SourceCheck(Settings(gateway=there.address), {}, lambda: datetime(2026, 4, 1, 9, tzinfo=UTC))
        report = source_check.run(source_check.choose(["nbg"]))
    assert "the newest rate is of 2026-03-05" in report.sources[0].remarks


def test_the_report_can_be_sent() -> None:
    with served(nbg=nbg(USD="2.7", EUR="3.0", GBP="7.2"), ecb=ecb(USD="1.111", GBP="0.83")) as there:
        report, _ = check(there.address, ["nbg", "ecb"])
    text = markdown(report)
    assert text.startswith("# Check of sources\n")
    assert "2026-03-06 18:00 UTC, 2 sources: 0 as expected, 2 differs, 0 failed." in text
    assert "## nbg: National Bank of Georgia" in text
    assert "- GBP is -49.8 % from the median of the others" in text


def test_a_report_holds_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "_MOST_ASKED", 1)
    with served(stlouisfed=(400, "application/json", b"{}")) as there:
        source_check = SourceCheck(Settings(gateway=there.address, fred_key="5ecre7"), {}, lambda: NOW)
        report = source_check.run(source_check.choose(["fred"]))
    assert any("5ecre7" in path for path in there.asked)
    assert "5ecre7" not in markdown(report)
    assert "5ecre7" not in repr(report)


def test_an_unknown_source_and_one_without_its_key_are_refused() -> None:
    source_check = SourceCheck(Settings(), {}, lambda: NOW)
    with pytest.raises(BadParameter, match=r"Unknown source: \[nbx\]"):
        source_check.choose(["nbx"])
    with pytest.raises(BadParameter, match=r"\[fred\] cannot be asked: it needs a key"):
        source_check.choose(["fred"])


def test_without_names_all_that_are_on_are_chosen() -> None:
    chosen = {adapter.source.key for adapter in SourceCheck(Settings(feeds_off="nbg"), {}, lambda: NOW).choose([])}
    assert {"ecb", "kraken"} <= chosen
    assert not {"nbg", "fred"} & chosen


def test_an_answer_is_recorded_with_a_draft_of_its_sample(tmp_path: Path) -> None:
    adapter = adapters()["nbg"]
    assert isinstance(adapter, FixingAdapter)
    with served(nbg=nbg(USD="2.7123", EUR="3.0456")) as there:
        source_check = SourceCheck(Settings(gateway=there.address), {}, lambda: NOW)
        found = record(adapter, source_check.answer(adapter), tmp_path)
    assert found.path == tmp_path / "nbg" / "recorded.json"
    assert found.path.read_bytes() == there.by_host["nbg"][2]
    (sample,) = tomllib.loads((tmp_path / "nbg" / "samples.toml").read_text())["sample"]
    assert sample["file"] == "recorded.json"
    assert sample["fixings"] == 2


def test_a_draft_never_replaces_samples(tmp_path: Path) -> None:
    adapter = adapters()["nbg"]
    assert isinstance(adapter, FixingAdapter)
    (tmp_path / "nbg").mkdir()
    (tmp_path / "nbg" / "samples.toml").write_text("# mine\n")
    with served(nbg=nbg(USD="2.7123")) as there:
        answer = SourceCheck(Settings(gateway=there.address), {}, lambda: NOW).answer(adapter)
        record(adapter, answer, tmp_path)
    assert (tmp_path / "nbg" / "samples.toml").read_text() == "# mine\n"


def test_an_answer_that_cannot_be_read_is_not_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "_MOST_ASKED", 1)
    adapter = adapters()["nbg"]
    assert isinstance(adapter, FixingAdapter)
    with served(nbg=(500, "text/plain", b"")) as there:
        answer = SourceCheck(Settings(gateway=there.address), {}, lambda: NOW).answer(adapter)
        with pytest.raises(SourceBroken, match="answered 500"):
            record(adapter, answer, tmp_path)
    assert [*tmp_path.iterdir()] == []


def test_the_command_writes_both_reports_and_its_exit_code_says_whether_all_is_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with served(nbg=nbg(USD="2.7", EUR="3.0")) as there:
        monkeypatch.setenv("CAMBIST_GATEWAY", there.address)
        result = CliRunner().invoke(app, ["sources", "check", "nbg", "--report", "found.md"])
    assert result.exit_code == 1, result.output
    assert "The report is in found.md" in result.output
    assert (tmp_path / "found.md").read_text().startswith("# Check of sources")
    assert json.loads((tmp_path / "found.json").read_text())["sources"][0]["key"] == "nbg"

"""The dry run of a declaration, with a source on loopback behind the gateway."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from cambist.admin.sources.declaration_dry_run import DeclarationDryRun, DryRunResult
from cambist.errors import BadParameter, NothingPublished, SourceBroken, SourceRefused, SourceUnreachable
from cambist.settings import Settings

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

PAGE = (Path(__file__).parents[3] / "docs" / "guides" / "own-sources.md").read_text(encoding="utf-8")
HARBOUR, MERIDIAN = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
(TABLE,) = re.findall(r"```csv\n(.*?)```", PAGE, re.DOTALL)
(TREE,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
FRIDAY, SATURDAY = date(2026, 10, 30), date(2026, 10, 31)
KEYS = {"MERIDIAN_KEY": "5ecre7"}


@dataclass
class ServedSource:
    """A host that always returns the same answer, and the requests that it received."""

    address: str
    asked: list[tuple[str, str | None]] = field(default_factory=list)


@contextmanager
def serve_source(status: int, body: str, media: str) -> Iterator[ServedSource]:
    """Serve a source on loopback."""
    source = ServedSource("")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            source.asked.append((self.path, self.headers["Authorization"]))
            content = body.encode()
            self.send_response(status)
            self.send_header("Content-Type", media)
            if status != 304:
                self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content if status != 304 else b"")

        def log_message(self, *_: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        source.address = f"http://127.0.0.1:{server.server_address[1]}/through"
        try:
            yield source
        finally:
            server.shutdown()
            thread.join()


def write_declaration(folder: Path, text: str, name: str = "own.toml") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def dry_run_of(
    folder: Path, source: ServedSource, text: str, first: date | None = None, today: date = FRIDAY
) -> DryRunResult:
    settings = Settings(data=folder / "data", gateway=source.address)
    return DeclarationDryRun(settings, KEYS, today).fetch(write_declaration(folder, text), first)


def test_the_newest_days_are_fetched_once_through_the_gateway(tmp_path: Path) -> None:
    with serve_source(200, TABLE, "text/csv") as source:
        tried = dry_run_of(tmp_path, source, HARBOUR)
    assert [path for path, _ in source.asked] == [
        "/through/rates.harbour.example/daily.csv?from=2026-10-16&to=2026-10-30"
    ]
    assert (tried.source.key, tried.source.name) == ("harbour", "Harbour Bank")
    assert tried.origin == "https://rates.harbour.example/daily.csv?from=2026-10-16&to=2026-10-30"
    assert (tried.summary.fixings, tried.summary.warnings) == (5, ())
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("span", "today", "first", "days"),
    [
        ("1", FRIDAY, None, "from=2026-10-30&to=2026-10-30"),
        ("1", SATURDAY, None, "from=2026-10-30&to=2026-10-30"),
        ("4", FRIDAY, None, "from=2026-10-27&to=2026-10-30"),
        ('"all"', FRIDAY, None, "from=2026-10-16&to=2026-10-30"),
        ("1", FRIDAY, date(2026, 10, 24), "from=2026-10-26&to=2026-10-26"),
        ("4", FRIDAY, date(2026, 10, 21), "from=2026-10-21&to=2026-10-24"),
        ("4", FRIDAY, FRIDAY, "from=2026-10-30&to=2026-10-30"),
    ],
)
def test_as_many_days_are_requested_as_one_answer_covers(
    tmp_path: Path, span: str, today: date, first: date | None, days: str
) -> None:
    with serve_source(200, TABLE, "text/csv") as source:
        dry_run_of(tmp_path, source, HARBOUR.replace("span = 365", f"span = {span}"), first, today)
    assert [path.partition("?")[2] for path, _ in source.asked] == [days]


def test_the_key_is_sent_and_never_shown(tmp_path: Path) -> None:
    with serve_source(200, TREE, "application/json") as source:
        tried = dry_run_of(tmp_path, source, MERIDIAN)
    assert source.asked == [("/through/api.meridian.example/v1/rates/20261030", "Bearer 5ecre7")]
    assert tried.summary.sample == ("1 USD = 3.8412 PLN on 2026-10-30", "100 JPY = 2.5090 PLN on 2026-10-30")
    assert "5ecre7" not in repr(tried)


def test_without_its_key_a_source_is_not_fetched(tmp_path: Path) -> None:
    with serve_source(200, TREE, "application/json") as source:
        dry_run = DeclarationDryRun(Settings(data=tmp_path, gateway=source.address), {}, FRIDAY)
        with pytest.raises(BadParameter, match="set the variable MERIDIAN_KEY"):
            dry_run.fetch(write_declaration(tmp_path, MERIDIAN), None)
    assert source.asked == []


@pytest.mark.parametrize(
    ("status", "media", "error", "reason"),
    [
        (404, "text/html", NothingPublished, "2026-10-30 to 2026-10-30; --from asks for other days"),
        (503, "text/html", SourceUnreachable, "answered 503"),
        (401, "text/html", SourceBroken, "answered 401"),
        (304, "text/html", SourceBroken, "nothing has changed"),
        (200, "text/html", SourceBroken, r"sent \[text/html\]"),
        (200, "application/json", SourceBroken, "meridian: "),
    ],
)
def test_an_invalid_answer_is_reported_after_one_request(
    tmp_path: Path, status: int, media: str, error: type[SourceBroken], reason: str
) -> None:
    with serve_source(status, "{", media) as source, pytest.raises(error, match=reason):
        dry_run_of(tmp_path, source, MERIDIAN)
    assert len(source.asked) == 1


def test_a_source_without_a_day_to_request_is_refused(tmp_path: Path) -> None:
    with (
        serve_source(200, TABLE, "text/csv") as source,
        pytest.raises(BadParameter, match=r"\[harbour\] would be asked"),
    ):
        dry_run_of(tmp_path, source, HARBOUR, today=date(2014, 12, 30))
    assert source.asked == []


def dry_run_of_file(folder: Path, text: str, payload: str, first: date | None = None) -> DryRunResult:
    (folder / "answer").write_text(payload, encoding="utf-8")
    return DeclarationDryRun(Settings(data=folder), {}, FRIDAY).read(
        write_declaration(folder, text), folder / "answer", first
    )


def test_a_saved_answer_of_any_days_is_read_without_a_key(tmp_path: Path) -> None:
    tried = dry_run_of_file(tmp_path, MERIDIAN, TREE.replace("2026-10-30", "2021-03-05"))
    assert (tried.summary.first, tried.summary.warnings) == (date(2021, 3, 5), ())
    assert tried.origin == str(tmp_path / "answer")


def test_a_saved_answer_that_does_not_say_its_day_needs_it(tmp_path: Path) -> None:
    declared = MERIDIAN.replace('of = "block"\nat = "valid.on"', 'of = "asked"')
    with pytest.raises(BadParameter, match="--from names the one"):
        dry_run_of_file(tmp_path, declared, TREE)
    tried = dry_run_of_file(tmp_path, declared, TREE, date(2026, 10, 28))
    assert (tried.summary.first, tried.summary.last) == (date(2026, 10, 28), date(2026, 10, 28))


def test_the_key_of_another_source_is_refused(tmp_path: Path) -> None:
    mine = write_declaration(tmp_path / "sources", HARBOUR, "mine.toml")
    write_declaration(tmp_path / "sources", "broken", "broken.toml")
    (tmp_path / "answer").write_text(TABLE, encoding="utf-8")
    dry_run = DeclarationDryRun(Settings(data=tmp_path), {}, FRIDAY)
    assert dry_run.read(mine, tmp_path / "answer", None).summary.fixings == 5
    with pytest.raises(SourceRefused, match="harbour"):
        dry_run.read(write_declaration(tmp_path, HARBOUR, "twin.toml"), tmp_path / "answer", None)


@pytest.mark.parametrize("key", ["ecb", "sandbox", "closes"])
def test_a_key_that_the_service_would_refuse_is_refused_here_too(tmp_path: Path, key: str) -> None:
    declared = write_declaration(tmp_path / "elsewhere", HARBOUR.replace('key = "harbour"', f'key = "{key}"'))
    (tmp_path / "answer").write_text(TABLE, encoding="utf-8")
    with pytest.raises(SourceRefused, match=key):
        DeclarationDryRun(Settings(data=tmp_path), {}, FRIDAY).read(declared, tmp_path / "answer", None)

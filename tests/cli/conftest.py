"""Fixtures for the tests of commands: a data folder, and a shell that runs commands on it."""

from __future__ import annotations

import json
import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from tests.conftest import NOW, Client, client_of
from tests.reading import read_with

from cambist.accounts.account import OWNER, UNLIMITED, Account
from cambist.accounts.plan import default_plans
from cambist.admin.history.stored_answers import StoredAnswers
from cambist.cli import main
from cambist.ingest.filing import Delivery, file_delivery
from cambist.ingest.snapshot_builder import rate_book_from_archive, rate_matrix_from_archive
from cambist.settings import Settings
from cambist.sources.adapters.ecb import adapter
from cambist.storage.shared.rate_book_file import RateBookFile, stored_rate_book
from cambist.storage.shared.rate_matrix_file import open_rate_matrix, write_rate_matrix
from cambist.storage.sql import SqlStore


@dataclass(frozen=True)
class CommandResult:
    """The exit code and the output of a command."""

    code: object
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert (self.code, self.err) == (0, "")
        return json.loads(self.out)


Shell = Callable[..., CommandResult]


@pytest.fixture(scope="session")
def prepared_folder(tmp_path_factory: pytest.TempPathFactory, small_ecb: bytes) -> Path:
    """A data folder with fixings and the owner's account."""
    folder = tmp_path_factory.mktemp("prepared")
    store = SqlStore(f"sqlite:///{folder / 'cambist.db'}")
    store.migrate()
    file_delivery(
        store.archive,
        adapter,
        Delivery(small_ecb, "a test", datetime(2026, 3, 7, tzinfo=UTC)),
        lambda _: None,
    )
    store.accounts.create(Account(0, OWNER, UNLIMITED))
    store.close()
    (folder / "plans.toml").write_text(default_plans())
    return folder


@pytest.fixture(scope="session")
def finished_folder(tmp_path_factory: pytest.TempPathFactory, prepared_folder: Path) -> Path:
    """A data folder as a service leaves it: with a rate matrix and a rate book."""
    folder = tmp_path_factory.mktemp("finished") / "data"
    shutil.copytree(prepared_folder, folder)
    store = SqlStore(f"sqlite:///{folder / 'cambist.db'}")
    write_rate_matrix(folder / "rates.image", rate_matrix_from_archive(store, [adapter.source], NOW.date()))
    RateBookFile(folder).publish(rate_book_from_archive(store, [adapter.source], 1, NOW))
    store.close()
    return folder


@pytest.fixture
def finished(finished_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished_folder, tmp_path / "finished"))


@pytest.fixture
def folder(tmp_path: Path, prepared_folder: Path) -> Path:
    shutil.copytree(prepared_folder, tmp_path / "data")
    return tmp_path / "data"


@pytest.fixture
def shell(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """Run commands on the folder as in a pipe, without colours."""
    for variable in [name for name in os.environ if name.startswith("CAMBIST_")]:
        monkeypatch.delenv(variable)
    for variable in ("FORCE_COLOR", "GITHUB_ACTIONS", "PY_COLORS", "COLUMNS"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("CAMBIST_DATA", str(folder))

    def shell(*arguments: str) -> CommandResult:
        monkeypatch.setattr(sys, "argv", ["cambist", *arguments])
        with pytest.raises(SystemExit) as ended:
            main.main()
        output = capsys.readouterr()
        return CommandResult(ended.value.code or 0, output.out, output.err)

    return shell


@pytest.fixture
def error_of(shell: Shell) -> Callable[..., str]:
    """Run commands that must be refused in one sentence, and return the sentence."""

    def error_of(*arguments: str) -> str:
        ended = shell(*arguments)
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.startswith("cambist: ")
        assert ended.err.endswith("\n")
        assert ended.err[:-1].isprintable()
        return ended.err.removeprefix("cambist: ")[:-1]

    return error_of


@pytest.fixture
def wsgi_client(finished: Path) -> Client:
    book = stored_rate_book(finished)
    assert book is not None
    client = client_of(book, open_rate_matrix(finished / "rates.image"))
    assert client.worker_state is not None
    stored = StoredAnswers(Settings(data=finished))._state
    read_with(client.worker_state, votes=stored.readers.votes, fixings=stored.readers.fixings)
    return client


class QuietHandler(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def address(wsgi_client: Client) -> Iterator[str]:
    """A service on the rates of the folder, whose key is KEY."""

    def app(environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
        def start(status: str, headers: list[tuple[str, str]], *rest: object) -> object:
            return start_response(status, [pair for pair in headers if pair[0].lower() != "keep-alive"], *rest)

        return wsgi_client.app(environ, start)  # the server of the standard library allows no Keep-Alive

    with make_server("127.0.0.1", 0, app, handler_class=QuietHandler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def run(
    finished: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., CommandResult]:
    """Run a command on the folder. Nothing listens where the settings expect the service."""
    for variable in ("CAMBIST_KEY", "CAMBIST_URL", "CAMBIST_CONFIG", "CAMBIST_SANDBOX"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("CAMBIST_DATA", str(finished))
    monkeypatch.setenv("CAMBIST_PORT", "1")

    def run(*arguments: str) -> CommandResult:
        monkeypatch.setattr(sys, "argv", ["cambist", *arguments])
        with pytest.raises(SystemExit) as ended:
            main.main()
        output = capsys.readouterr()
        return CommandResult(ended.value.code or 0, output.out, output.err)

    return run

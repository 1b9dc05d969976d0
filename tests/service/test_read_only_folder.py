"""A data folder that cannot be written, at the start and from some moment on."""

from __future__ import annotations

import contextlib
import ctypes
import http.client
import os
import socket
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.patience import PATIENCE
from tests.service.processes import COMMAND, ended_in_the_end, environment, until
from tools.ports import free_port

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]
PATH = "/fetch-one?from=EUR&to=USD"
CALLS = "SELECT coalesce(sum(calls), 0) FROM usage WHERE account_id = 1"
_PR_CAPBSET_DROP = 24
_OVERRIDES = (1, 2)
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: with them, modes mean nothing to root."""

Start = Callable[[], subprocess.Popen[bytes]]


def heed_modes() -> None:
    """Let modes of files hold for this process although it may be root's."""
    if os.geteuid() == 0:
        kernel = ctypes.CDLL(None, use_errno=True)
        for capability in _OVERRIDES:
            if kernel.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0):
                os._exit(99)


def set_writable(folder: Path, *, writable: bool) -> None:
    bits = 0o200 if writable else 0
    for path in (folder, *folder.rglob("*")):
        path.chmod(bits | (0o500 if path.is_dir() else 0o400))


class Installation:
    """A data folder, and a service in it."""

    def __init__(self, folder: Path) -> None:
        self.data, self.log, self.port = folder / "data", folder / "log", free_port()

    @contextlib.contextmanager
    def serving(self) -> Iterator[subprocess.Popen[bytes]]:
        process = self.started()
        with ended_in_the_end(process):
            assert until(self.is_up, PATIENCE), self.log.read_text()
            yield process

    def started(self) -> subprocess.Popen[bytes]:
        flags = ["--port", str(self.port), "--stream-port", "0", "--operator-port", "0", "--data", str(self.data)]
        command = [COMMAND, "serve", "--no-fetch", "--workers", "2", *flags]
        with self.log.open("wb") as log:
            return subprocess.Popen(command, env=environment(), stdout=log, stderr=log, preexec_fn=heed_modes)  # noqa: PLW1509

    def is_up(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
        except OSError:
            return False
        return True

    def status(self) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        with contextlib.closing(connection):
            connection.request("GET", PATH, headers={"X-API-Key": (self.data / "owner.key").read_text().strip()})
            return connection.getresponse().status

    def calls(self) -> int:
        with contextlib.closing(sqlite3.connect(self.data / "cambist.db")) as database:
            return int(database.execute(CALLS).fetchone()[0])


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    installation = Installation(tmp_path)
    yield installation
    set_writable(installation.data, writable=True)


def refused(installation: Installation) -> str:
    """Start in a folder that cannot be written, and return what is said."""
    set_writable(installation.data, writable=False)
    assert installation.started().wait(180) == 2
    text = installation.log.read_text()
    assert "Traceback" not in text
    return text


def test_a_service_says_once_that_its_new_folder_cannot_be_written(installation: Installation) -> None:
    installation.data.mkdir()
    said = f"cambist: The data folder {installation.data} cannot be written: Permission denied"
    assert refused(installation).count(said) == 1


def test_a_folder_that_becomes_read_only_is_logged_once_answers_go_on_and_no_call_is_lost(
    installation: Installation,
) -> None:
    with installation.serving() as process:
        assert installation.status() == 200
        assert until(lambda: installation.calls() == 1, PATIENCE)
        set_writable(installation.data, writable=False)
        answers = []

        def is_logged() -> bool:  # by the first worker that needs a page for this account; one may start late
            answers.extend(installation.status() for _ in range(20))
            return "cannot be written: Permission denied" in installation.log.read_text()

        assert until(is_logged, PATIENCE), installation.log.read_text()
        answers.extend(installation.status() for _ in range(60))
        assert set(answers) == {200}
        assert installation.log.read_text().count("cannot be written") == 1
        assert process.poll() is None
        set_writable(installation.data, writable=True)
        assert until(lambda: installation.calls() == 1 + len(answers), PATIENCE), installation.calls()
        assert "Traceback" not in installation.log.read_text()
    said = f"cambist: The data folder {installation.data} cannot be written: Permission denied"
    assert refused(installation).count(said) == 1

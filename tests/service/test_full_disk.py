"""A disk that is full under a running service: a small file system of its own, filled to the last block."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.patience import PATIENCE
from tests.service.test_ledger import PATH, Service, metric, run, wait_until

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 160 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=160m", "tmpfs", folder], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("no file system can be mounted here: only root may")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.fixture
def service(disk: Path, tmp_path: Path) -> Iterator[Service]:
    service = Service(disk / "data", log_file=tmp_path / "log")
    service.start()
    try:
        yield service
    finally:
        with contextlib.suppress(ProcessLookupError):
            service.stop()
            service.kill_everything()


def fill(disk: Path) -> None:
    """Take every block that is left."""
    with (disk / "filling").open("ab", buffering=0) as file:
        for size in (1 << 20, 4096, 1):
            with contextlib.suppress(OSError):
                while True:
                    file.write(bytes(size))


def test_on_a_full_disk_answers_limits_and_revocation_go_on(service: Service, disk: Path) -> None:
    rated = run(service, "account", "create", "rated", "--plan", "premium").strip()
    leaver = run(service, "account", "create", "leaver", "--plan", "premium").strip()
    wait_until(lambda: all(service.ask(PATH, key)[0] == 200 for key in (rated, leaver)), PATIENCE)
    wait_until((service.data / "reserve").exists, PATIENCE)
    fill(disk)
    before = service.used()
    assert {service.ask(PATH, rated)[0] for _ in range(20)} == {200}
    os.kill(service.children()[0][0], signal.SIGKILL)
    time.sleep(2)
    assert {service.ask(PATH, rated)[0] for _ in range(40)} == {200}
    assert service.used() == before + 1
    run(service, "key", "revoke", "leaver", leaver[:8])
    fill(disk)
    time.sleep(1.5)
    assert {service.ask(PATH, leaver)[0] for _ in range(20)} == {401}
    wait_until(lambda: metric(service, "cambist_usage_write_failures_total") >= 1)
    wait_until(lambda: "free some space on its disk" in service.log.read_text(), PATIENCE)
    assert service.process is not None
    assert service.process.poll() is None
    assert "Traceback" not in service.log.read_text()
    (disk / "filling").unlink()
    expected = service.used() + 1
    owners = "SELECT sum(calls) FROM usage WHERE account_id = 1"
    with contextlib.closing(sqlite3.connect(service.data / "cambist.db", isolation_level=None)) as database:
        wait_until(lambda: database.execute(owners).fetchone() == (expected,))

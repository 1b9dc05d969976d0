"""`make cluster`: nodes, PostgreSQL and Redis on this machine, of which nothing remains when it ends."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.patience import PATIENCE
from tests.service.processes import ended_in_the_end, until
from tools.ports import free_port

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

ROOT = Path(__file__).parents[2]
ENDINGS = [([], signal.SIGINT), (["--ports"], signal.SIGKILL)]
if os.environ.get("LONGER"):  # make long-rounds
    ENDINGS += [([], signal.SIGKILL), (["--ports"], signal.SIGINT)]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that other users may enter: PostgreSQL is one if root runs the tests."""
    with tempfile.TemporaryDirectory(prefix="cluster-test-") as name:
        Path(name).chmod(0o711)
        yield Path(name)


@contextmanager
def started(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[bytes], int, Path]]:
    """Start a cluster of one node; yield its process, the port of the node, and what it has printed."""
    port, printed = free_port(), folder / "printed"
    command = [sys.executable, "-m", "tools.cluster.start", "--nodes", "1", "--port", str(port), *options]
    with printed.open("wb") as to:
        process = subprocess.Popen(command, cwd=ROOT, stdout=to, stderr=to, env={**os.environ, "TMPDIR": str(folder)})
    with ended_in_the_end(process):
        assert until(lambda: process.poll() is not None or "Ctrl-C ends" in printed.read_text(), PATIENCE)
        if "are not installed" in printed.read_text():
            pytest.skip(printed.read_text())
        assert process.poll() is None, printed.read_text()
        yield process, port, printed


def processes_of(folder: Path) -> list[str]:
    """Return the commands of the processes that have something to do with a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if str(folder) in (path / "cmdline").read_text() + (path / "environ").read_text():
                found.append((path / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found


@pytest.mark.parametrize(("options", "number"), ENDINGS)
def test_a_cluster_answers_as_it_prints_and_leaves_no_process(
    folder: Path, options: list[str], number: signal.Signals
) -> None:
    with started(folder, *options) as (process, port, printed):
        (key,) = re.findall(r"X-API-Key: (\w+)", printed.read_text())
        assert f"http://127.0.0.1:{port}/fetch-one?from=BTC&to=USD" in printed.read_text()
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
            connection.request("GET", "/fetch-one?from=BTC&to=USD", headers={"X-API-Key": key})
            answer = json.loads(connection.getresponse().read())
        assert 50_000 < answer["result"]["USD"] < 60_000
        assert len(processes_of(folder)) > 5
        process.send_signal(number)
        process.wait(PATIENCE)
        assert until(lambda: not processes_of(folder), PATIENCE), processes_of(folder)

"""The TypeScript client in Node, against a sandbox."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.patience import PATIENCE
from tests.service.processes import environment
from tests.web.sandbox import PageService, serving_page

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

TESTS = Path(__file__).parent / "typescript" / "client.test.mjs"


@pytest.fixture(scope="module")
def service(compiled: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageService]:
    """A sandbox; none is started where the client cannot be compiled."""
    assert compiled
    with serving_page(tmp_path_factory.mktemp("service")) as service:
        yield service
        assert "Traceback" not in service.log.read_text()


def test_the_client_passes_its_tests_in_node(node: str, compiled: Path, service: PageService) -> None:
    given = {
        "CLIENT": (compiled / "cambist-client" / "dist" / "index.js").as_uri(),
        "URL": service.url.rstrip("/"),
        "STREAM": f"ws://127.0.0.1:{service.stream_port}",
        "KEY": service.key,
    }
    # Node has a WebSocket of its own from version 22 on, and behind this flag before.
    command = [node, "--experimental-websocket", "--test", "--test-reporter=tap", str(TESTS)]
    done = subprocess.run(
        command, env=environment() | given, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stdout + done.stderr
    passed = re.search(r"^# pass (\d+)$", done.stdout, re.MULTILINE)
    assert passed is not None
    assert int(passed[1]) == TESTS.read_text().count('\ntest("')

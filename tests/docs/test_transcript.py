"""The transcript in docs/guides/accounts.md is what a shell shows."""

import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def transcript() -> list[tuple[str, str]]:
    """Return each command with what the document says it prints."""
    text = (ROOT / "docs" / "guides" / "accounts.md").read_text(encoding="utf-8")
    block = text.split("<!-- transcript -->\n```console\n", 1)[1].split("\n```", 1)[0]
    steps = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [(command, "".join(f"{line}\n" for line in printed)) for command, *printed in map(str.splitlines, steps)]


def as_pattern(printed: str) -> str:
    return ".*".join(re.escape(part) for part in printed.split("…"))


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def folder(tmp_path: Path, port: int):
    """A folder with a service that keeps its data in `./data`."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CAMBIST_")}
    environment |= {"CAMBIST_FETCH": "false", "CAMBIST_OPERATOR_PORT": "0", "CAMBIST_STREAM_PORT": "0"}
    command = [str(BIN / "cambist"), "serve", "--data", "data", "--port", str(port), "--workers", "2"]
    with (tmp_path / "log").open("wb") as log:
        service = subprocess.Popen(command, cwd=tmp_path, stdout=log, stderr=log, env=environment)
    try:
        probe = (
            f"curl -s --retry 150 --retry-delay 0 --retry-connrefused --retry-max-time 110 http://127.0.0.1:{port}/x"
        )
        subprocess.run(probe.split(), check=True, capture_output=True, timeout=120)
        yield tmp_path
    finally:
        service.terminate()
        service.wait(30)


@pytest.mark.skipif(not shutil.which("curl"), reason="the transcript shows curl")
def test_the_transcript_shows_what_the_commands_print(folder: Path, port: int):
    steps = transcript()
    assert len(steps) > 5
    script = "".join(f"{command}\nprintf '\\0'\n" for command, _ in steps).replace(":8000", f":{port}")
    environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "CAMBIST_DATA": "data"}
    shown = subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=True
    ).stdout.split("\0")
    for (command, printed), seen in zip(steps, shown, strict=False):
        assert re.fullmatch(as_pattern(printed), seen, re.DOTALL), f"$ {command}\n{seen}"

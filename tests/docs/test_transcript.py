"""The transcripts of the tutorial and of guides are what a shell shows."""

from __future__ import annotations

import http.client
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.service.first_start import copy_first_start
from tests.service.processes import COMMAND, ended_in_the_end, environment, until
from tools.ports import free_port

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

ROOT = Path(__file__).parents[2]
START_SECONDS = 180
LONGEST_SECONDS = 400
"""How long the commands of a page may take on a busy machine."""
PAGES = {
    "guides/accounts.md": 6,
    "tutorial.md": 12,
    "guides/operator.md": 8,
    "guides/accounting.md": 2,
    "guides/price-list.md": 3,
}
"""Each page with transcripts, and how many commands they have at least."""


def transcript(page: str) -> list[tuple[str, str]]:
    """Return each command of the marked blocks of a page, with what the page says it prints."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    blocks = re.findall(r"<!-- transcript -->\n```console\n(.*?)\n```", text, re.DOTALL)
    steps = [step for block in blocks for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [read_step(step.splitlines()) for step in steps]


def read_step(lines: list[str]) -> tuple[str, str]:
    """Split a command, of one line or of several that end in a backslash, from what it prints."""
    last = next(number for number, line in enumerate(lines) if not line.endswith("\\"))
    return "\n".join(lines[: last + 1]), "\n".join(lines[last + 1 :])


def as_pattern(printed: str) -> str:
    return ".*".join(re.escape(part) for part in printed.split("…"))


@pytest.fixture
def ports() -> tuple[int, int]:
    return free_port(), free_port()


@pytest.fixture
def folder(tmp_path: Path, ports: tuple[int, int]) -> Iterator[Path]:
    """A folder with a service that keeps its data in `./data`."""
    copy_first_start(tmp_path / "data")
    port, operator_port = map(str, ports)
    chosen = environment(CAMBIST_FETCH="false", CAMBIST_PORT=port, CAMBIST_WORKERS="2") | {
        "CAMBIST_OPERATOR_PORT": operator_port
    }
    with (tmp_path / "log").open("wb") as log:
        service = subprocess.Popen(
            [COMMAND, "serve", "--data", "data"], cwd=tmp_path, stdout=log, stderr=log, env=chosen
        )
    with ended_in_the_end(service):
        assert until(lambda: all(map(is_answering, ports)), START_SECONDS), (tmp_path / "log").read_text()
        yield tmp_path


def is_answering(port: int) -> bool:
    try:
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
            connection.request("GET", "/docs")
            return connection.getresponse().status in {200, 404}
    except OSError:
        return False


@pytest.mark.skipif(not shutil.which("curl"), reason="the transcripts show curl")
@pytest.mark.parametrize(("page", "steps"), PAGES.items())
def test_a_transcript_shows_what_the_commands_print(
    folder: Path, ports: tuple[int, int], page: str, steps: int
) -> None:
    found = transcript(page)
    assert len(found) >= steps
    for command, printed in found:
        if command.startswith("cat "):  # the page shows a file of its reader
            (folder / command.removeprefix("cat ")).write_text(f"{printed}\n", encoding="utf-8")
    script = "".join(f"{command}\nprintf '\\0'\n" for command, _ in found)
    script = script.replace(":8000", f":{ports[0]}").replace(":8002", f":{ports[1]}")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CAMBIST_")}
    path = f"{Path(COMMAND).parent}:{os.environ['PATH']}"
    key = (folder / "data" / "owner.key").read_text(encoding="utf-8").strip()
    shown = subprocess.run(
        ["bash", "-c", script], cwd=folder, env={**kept, "PATH": path, "KEY": key}, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, timeout=LONGEST_SECONDS, check=True,
    ).stdout.split("\0")  # fmt: skip
    for (command, printed), seen in zip(found, shown, strict=False):
        assert re.fullmatch(as_pattern(printed), seen.rstrip("\n"), re.DOTALL), f"$ {command}\n{seen}"

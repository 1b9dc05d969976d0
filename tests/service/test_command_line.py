"""The commands that show rates, with a real sandbox and then without it, and what doctor says of both."""

import json
import subprocess
from pathlib import Path

import pytest
from tests.patience import PATIENCE
from tests.service.processes import COMMAND, ended_in_the_end, environment, until
from tools.ports import free_port

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

PAST = (
    ("rate", "EUR", "USD", "--date", "2024-02-29"),
    ("convert", "19.99", "GBP", "JPY", "--date", "2024-02-29"),
    ("series", "EUR", "JPY", "--since", "2024-01", "--until", "2024-02"),
    ("explain", "EUR", "AED", "--date", "2024-03-02"),
)


def test_a_sandbox_and_the_folder_it_leaves_print_the_same(tmp_path: Path):
    port, stream = free_port(), free_port()
    chosen = environment(CAMBIST_PORT=str(port), CAMBIST_STREAM_PORT=str(stream), CAMBIST_SANDBOX="true")

    def run(*arguments: str) -> tuple[str, str]:
        ended = subprocess.run(
            [COMMAND, *arguments],
            cwd=tmp_path,
            env=chosen,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert (ended.returncode, ended.stdout) != (2, ""), ended.stderr
        return ended.stdout, ended.stderr

    def doctor() -> dict[str, str]:
        return {each["check"]: each["severity"] for each in json.loads(run("doctor", "--json")[0])}

    with (tmp_path / "log").open("wb") as log:
        service = subprocess.Popen([COMMAND, "serve"], cwd=tmp_path, env=chosen, stdout=log, stderr=log)
        with ended_in_the_end(service):
            is_ready = until(lambda: f"Stream: ws://127.0.0.1:{stream}" in (tmp_path / "log").read_text(), PATIENCE)
            assert is_ready, (tmp_path / "log").read_text()
            assert until(
                lambda: f"From the service at http://127.0.0.1:{port}." in run("rate", "EUR", "USD")[1], 60, pause=1
            )
            live, said = run("rate", "BTC", "EUR")
            assert live.startswith("1 BTC = ")
            assert said.endswith("SIMULATED prices of a sandbox.\n")
            served = [run(*command) for command in PAST]
            assert all(f"From the service at http://127.0.0.1:{port}." in said for _, said in served)
            found = doctor()
            assert (found["port"], found["stream"], found["database"]) == ("ok", "ok", "ok")
            assert "problem" not in found.values(), found
    stored = [run(*command) for command in PAST]
    assert [shown for shown, _ in stored] == [shown for shown, _ in served]
    for _, said in stored:
        assert f"From the data folder {tmp_path / 'sandbox-data'}. SIMULATED prices of a sandbox.\n" in said
    assert "problem" not in doctor().values()

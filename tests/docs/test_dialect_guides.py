"""The first commands of each guide of a dialect work as they stand, from an empty folder."""

from __future__ import annotations

import http.client
import os
import re
import shlex
import subprocess
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from tests.patience import PATIENCE
from tests.service.first_start import copy_first_start
from tests.service.processes import COMMAND, ended_in_the_end, environment, until
from tools.ports import free_port

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

GUIDES = Path(__file__).parents[2] / "docs" / "guides"
START_SECONDS = 180


def first_commands(guide: str) -> list[str]:
    """Return the commands before the first heading below that of the page."""
    beginning = (GUIDES / f"{guide}.md").read_text(encoding="utf-8").split("\n## ", 1)[0]
    return "".join(re.findall(r"^```(?:sh|console)\n(.*?)^```", beginning, flags=re.MULTILINE | re.DOTALL)).splitlines()


def answer(port: int, path: str) -> int:
    try:
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
            connection.request("GET", path)
            return connection.getresponse().status
    except OSError:
        return 0


@pytest.mark.parametrize(
    ("guide", "path", "is_keyed", "is_empty"),
    [
        ("dialect-frankfurter", "/v2/rate/EUR/USD", False, True),
        ("dialect-ecb-files", "/stats/eurofxref/eurofxref-daily.xml", False, False),
        ("dialect-sdmx", "/service/data/EXR/D.USD.EUR.SP00.A?lastNObservations=1", False, False),
        ("dialect-fixer", "/fixer/latest?access_key={key}", True, False),
        ("dialect-currencylayer", "/live?access_key={key}", True, False),
        ("dialects-of-prices", "/api/v7/convert?q=USD_EUR&compact=ultra", False, False),
        ("dialects-of-banks", "/api/exchangerates/rates/a/usd?format=csv", False, False),
        ("dialect-firefly", "/firefly/2024/10/EUR.json", False, False),
        ("dialect-coingecko", "/api/v3/coins/list?x_cg_demo_api_key={key}", True, False),
        ("dialect-exchangerate-api", "/v6/{key}/latest/USD", True, False),
        ("dialect-open-exchange-rates", "/api/latest.json?app_id={key}", True, False),
    ],
)
def test_the_first_commands_work(tmp_path: Path, guide: str, path: str, is_keyed: bool, is_empty: bool) -> None:  # noqa: FBT001
    commands, port = first_commands(guide), free_port()
    assert [command for command in commands if " serve " in command] == commands[:1]
    if not is_empty:  # what a first start does takes long
        copy_first_start(tmp_path / "data")
    chosen = environment(CAMBIST_PORT=str(port), CAMBIST_FETCH="false", CAMBIST_WORKERS="1")
    chosen["PATH"] = f"{Path(COMMAND).parent}:{os.environ['PATH']}"
    out = ""
    with ExitStack() as stack, (tmp_path / "log").open("wb") as log:
        for command in commands:
            words = ["env", *shlex.split(command)]
            if " serve " in command:
                service = subprocess.Popen(words, cwd=tmp_path, env=chosen, stdout=log, stderr=log)
                stack.enter_context(ended_in_the_end(service))
                assert until(lambda: answer(port, "/docs") == 200, START_SECONDS), (tmp_path / "log").read_text()
            else:
                ended = subprocess.run(words, cwd=tmp_path, env=chosen, capture_output=True, text=True, check=False)
                assert ended.returncode == 0, ended.stderr
                out += ended.stdout
        key = re.findall(r"cmb_\w+", out)[-1] if is_keyed else ""
        # A first start has nothing of the banks: a wrong question shows that they answer, and that the account pays.
        status = 400 if guide == "dialects-of-banks" else 200
        assert until(lambda: answer(port, path.format(key=key)) == status, PATIENCE)

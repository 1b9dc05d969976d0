"""The examples of docs/guides/python-client.md run as they stand, against a sandbox."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cambist.client import Cambist

pytestmark = [pytest.mark.long, pytest.mark.service, pytest.mark.allow_hosts(["127.0.0.1"])]

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "python-client.md"
TEXT = GUIDE.read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
SETTINGS = re.findall(r'^```python title="settings.py"\n(.*?)^```', TEXT, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Cambist]:
    with Cambist.sandbox() as client:
        yield client


def filled(code: str, client: Cambist) -> str:
    """Put the address and the key of the sandbox in the place of those of the guide."""
    where = client.configuration
    return code.replace("http://127.0.0.1:8000", where.url).replace("cmb_…", where.key)


def run(python: str, *arguments: str, folder: Path, **environment: str) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CAMBIST_")}
    done = subprocess.run(
        [python, *arguments],
        cwd=folder,
        env=kept | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_guide_has_examples() -> None:
    assert len(EXAMPLES) >= 9
    assert len(SETTINGS) == 1
    assert sum("moneyed" in example for example in EXAMPLES) == 1


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda code: str(EXAMPLES.index(code)))
def test_an_example_runs(
    example: str, sandbox: Cambist, programs_python: str, client_folder: str, tmp_path: Path
) -> None:
    where = sandbox.configuration
    named = {"CAMBIST_URL": where.url, "CAMBIST_KEY": where.key, "CAMBIST_STREAM_URL": where.stream_url}
    if "sandbox(" in example:  # which needs the service
        run(sys.executable, "-c", example, folder=tmp_path)
        return
    shown = run(programs_python, "-c", filled(example, sandbox), folder=tmp_path, PYTHONPATH=client_folder, **named)
    prints = len(re.findall(r"^ *print\(", example, re.MULTILINE))
    assert len(shown.splitlines()) >= min(prints, 1)
    if "moneyed" in example:
        yen = sandbox.convert("1234.50", "EUR", "JPY", precision=0).converted
        amount = int(re.sub(r"\D", "", shown.splitlines()[0]))
        assert abs(amount - yen) < yen / 100  # the market of a sandbox moves
        assert "￥" in shown
        assert "¥" in shown.splitlines()[-1]


def test_the_settings_work_in_a_django_project(
    sandbox: Cambist, programs_python: str, client_folder: str, tmp_path: Path
) -> None:
    run(programs_python, "-m", "django", "startproject", "shop", str(tmp_path), folder=tmp_path)
    with (tmp_path / "shop" / "settings.py").open("a", encoding="utf-8") as settings:
        settings.write(filled(SETTINGS[0], sandbox))
    for command in ("migrate", "update_rates"):
        run(programs_python, "manage.py", command, "--verbosity", "0", folder=tmp_path, PYTHONPATH=client_folder)
    code = "from djmoney.money import Money; from djmoney.contrib.exchange.models import convert_money, Rate; "
    code += "print('rates', Rate.objects.count()); print('yen', convert_money(Money(100, 'EUR'), 'JPY').amount)"
    shown = run(programs_python, "manage.py", "shell", "-c", code, folder=tmp_path, PYTHONPATH=client_folder)
    assert int(re.search(r"rates (\d+)", shown)[1]) > 100  # type: ignore[index]
    yen = float(sandbox.convert(100, "EUR", "JPY").converted)
    assert float(re.search(r"yen ([\d.]+)", shown)[1]) == pytest.approx(yen, rel=0.01)  # type: ignore[index]

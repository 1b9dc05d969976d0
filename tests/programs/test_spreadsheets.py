"""The formulas of the guide compute in LibreOffice what the service answers."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.programs.conftest import SCRIPTS, Place

GUIDE = (Path(__file__).parents[2] / "docs" / "guides" / "spreadsheets.md").read_text(encoding="utf-8")
PYTHON = "/usr/bin/python3"
SERIES = "/time-series.{}?from=EUR&to=USD,JPY&start=2026-01-05&end=2026-01-09"


def formulas_of(language: str) -> list[str]:
    blocks = re.findall(rf"```{language}\n(.*?)\n```", GUIDE, re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def in_place(formula: str, place: Place) -> str:
    return formula.replace("https://rates.example", "http://127.0.0.1").replace("KEY", place.key)


@pytest.fixture(scope="module")
def found(place: Place, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What LibreOffice computes and reads."""
    if not (shutil.which("soffice") and Path(PYTHON).exists()):
        pytest.skip("there is no LibreOffice")
    has_uno = subprocess.run([PYTHON, "-c", "import uno"], capture_output=True, check=False)
    if has_uno.returncode:
        pytest.skip("the python3-uno of the system is not installed")
    calc = formulas_of("calc")
    cell = f"B{len(calc) + 1}"  # where the answer is that the guide has in B1
    everywhere = [line.replace(",", ";").replace("B1", cell) for line in formulas_of("excel")[-2:]]
    formulas = [in_place(line, place) for line in (*calc, *everywhere)]
    addresses = [f"http://127.0.0.1{SERIES.format(suffix)}&api_key={place.key}" for suffix in ("csv", "xlsx")]
    out = place.run(
        PYTHON,
        str(SCRIPTS / "run_libreoffice.py"),
        str(tmp_path_factory.mktemp("office")),
        json.dumps(formulas),
        json.dumps(addresses),
    )
    return json.loads(out.splitlines()[-1])


def test_each_formula_gives_the_number_of_the_service(found: Any, place: Place) -> None:
    values, errors = [value for _, value, _ in found["formulas"]], [error for *_, error in found["formulas"]]
    assert errors == [0] * len(errors)
    rate, converted, gold, moment, ecb, excel_text, excel = values
    assert rate == excel == place.ask("/fetch-one?from=EUR&to=USD")["result"]["USD"]
    assert excel_text == 0
    assert converted == place.ask("/convert?amount=100&from=EUR&to=JPY&date=2026-10-30")["result"]["JPY"]
    assert gold == float(place.ask("/metals/spot?metal=XAU&currency=EUR")["ask"])
    assert 46_000 < moment < 60_000  # days since the last day of 1899
    assert ecb > 0.5


def test_tables_are_opened_from_their_addresses(found: Any, place: Place) -> None:
    results = place.ask(SERIES.replace(".{}", ""))["results"]
    expected = [[day, "EUR", quote, rate] for quote, rates in results.items() for day, rate in rates.items()]
    assert len(found["tables"]) == 2
    for header, *rows in found["tables"].values():
        assert header == ["date", "base", "quote", "rate", "fixed_on"]
        assert [[*row[:3], pytest.approx(float(row[3]), rel=1e-9)] for row in rows] == expected


def test_the_guide_has_the_formulas() -> None:
    assert len(formulas_of("calc")) == 5
    assert len(formulas_of("excel")) == 3
    assert len(formulas_of("sheets")) == 2

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
FORMULAS = Path(__file__).parents[2] / "src" / "cambist" / "web" / "static" / "page" / "sheets" / "formulas.js"
DAY = "2024-02-29"
PYTHON = "/usr/bin/python3"
SERIES = "/time-series.{}?from=EUR&to=USD,JPY&start=2026-01-05&end=2026-01-09"


def formulas_of(language: str) -> list[str]:
    blocks = re.findall(rf"```{language}\n(.*?)\n```", GUIDE, re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def in_place(formula: str, place: Place) -> str:
    return formula.replace("https://rates.example", "http://127.0.0.1").replace("KEY", place.key)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The formulas that the page's view writes for LibreOffice: of now, of a day, and of the day in a cell."""
    node = shutil.which("node")
    if node is None:
        return []
    module = shutil.copy(FORMULAS, tmp_path_factory.mktemp("formulas") / "formulas.mjs")
    asked = {
        "program": "libreoffice",
        "root": "http://127.0.0.1",
        "from": "EUR",
        "to": "CHF",
        "start": DAY,
        "key": True,
    }
    written = f"JSON.stringify(formulasFor({json.dumps(asked)}))"
    script = f"import {{ formulasFor }} from {json.dumps(str(module))}; console.log({written})"
    command = [node, "--input-type=module", "-e", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [formula["text"] for formula in json.loads(done.stdout)]


@pytest.fixture(scope="module")
def found(place: Place, written: list[str], tmp_path_factory: pytest.TempPathFactory) -> Any:
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
    key_row = len(formulas) + 1
    formulas += [place.key, "=DATE(2026;10;30)"]  # the cells that the page's formulas name
    formulas += [line.replace("$B$1", f"$B${key_row}").replace("A2", f"B{key_row + 1}") for line in written]
    addresses = [f"http://127.0.0.1{SERIES.format(suffix)}&api_key={place.key}" for suffix in ("csv", "xlsx")]
    out = place.run(
        PYTHON,
        str(SCRIPTS / "run_libreoffice.py"),
        str(tmp_path_factory.mktemp("office")),
        json.dumps(formulas),
        json.dumps(addresses),
    )
    return json.loads(out.splitlines()[-1])


@pytest.mark.long
def test_each_formula_gives_the_number_of_the_service(found: Any, place: Place) -> None:
    values, errors = [value for _, value, _ in found["formulas"]], [error for *_, error in found["formulas"]]
    assert errors == [0] * len(errors)
    rate, converted, gold, moment, ecb, excel_text, excel = values[:7]
    assert rate == excel == place.ask("/fetch-one?from=EUR&to=USD")["result"]["USD"]
    assert excel_text == 0
    assert converted == place.ask("/convert?amount=100&from=EUR&to=JPY&date=2026-10-30")["result"]["JPY"]
    assert gold == float(place.ask("/metals/spot?metal=XAU&currency=EUR")["ask"])
    assert 46_000 < moment < 60_000  # days since the last day of 1899
    assert ecb > 0.5


@pytest.mark.long
def test_the_formulas_of_the_page_give_the_numbers_of_the_service(found: Any, written: list[str], place: Place) -> None:
    if not written:
        pytest.skip("there is no node to write the formulas")
    assert len(written) == 3
    latest = place.ask("/fetch-one?from=EUR&to=CHF")["result"]["CHF"]
    days = [place.ask(f"/historical?date={day}&from=EUR&to=CHF")["results"]["CHF"] for day in (DAY, "2026-10-30")]
    assert len({latest, *days}) == 3
    assert [value for _, value, _ in found["formulas"][-3:]] == [latest, *days]


@pytest.mark.long
def test_the_columns_that_the_formulas_for_google_name_are_the_rates(place: Place) -> None:
    """They do not run here: their address and their column are tried."""
    for target, column in (
        (f"/historical.csv?date={DAY}&from=EUR&to=CHF", 4),
        ("/price-list.csv?from=EUR&to=CHF&amount=1", 8),
    ):
        code = f"import urllib.request; print(urllib.request.urlopen('http://127.0.0.1{target}&api_key={place.key}').read().decode())"
        header, row, *_ = place.run(place.python, "-c", code).splitlines()
        assert header.split(",")[column - 1] == "rate"
        path = target.replace(".csv", "")
        answer = place.ask(path if "historical" in path else "/fetch-one?from=EUR&to=CHF")
        assert float(row.split(",")[column - 1]) == answer.get("results", answer.get("result"))["CHF"]


@pytest.mark.long
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

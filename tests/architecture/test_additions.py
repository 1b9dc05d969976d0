"""The table of CONTRIBUTING.md: each row names every file that its addition touches, as its example shows."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
READ = (".css", ".csv", ".html", ".js", ".json", ".py", ".toml")
PATH = re.compile(r"`((?:src|tests|docs|tools|mkdocs)[/.][^`]+)`")
SAME = "the same"
WRITE, REGISTER, PASS, EXAMPLE = 1, 2, 3, 4


def table() -> list[list[str]]:
    """Read the rows; `the same` stands for what the row above says."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("| to add |")[2].partition("\n\n")[0]
    rows: list[list[str]] = []
    for line in text.splitlines()[2:]:
        cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
        above = rows[-1] if rows else cells
        rows.append(
            [
                cell.replace(SAME, said) if cell.startswith(SAME) else cell
                for cell, said in zip(cells, above, strict=True)
            ]
        )
    return rows


ROWS = table()


@cache
def texts() -> dict[Path, str]:
    """Read the package, and the file that lists the pages of the documentation."""
    files = [path for path in (ROOT / "src" / "cambist").rglob("*") if path.suffix in READ and path.is_file()]
    return {path: path.read_text(encoding="utf-8") for path in [*files, ROOT / "mkdocs.yml"]}


def example(row: list[str]) -> str:
    return row[EXAMPLE].strip("`")


def shows(row: list[str], text: str) -> bool:
    """Return whether a text has the example, which is an address too where `_` is `-`; in quotes as they are."""
    key = example(row)
    pattern = re.escape(key) if key.startswith('"') else rf"\b{key.replace('_', '[-_]')}\b"
    return re.search(pattern, text) is not None


def named(row: list[str], *columns: int) -> dict[str, list[Path]]:
    """Return what stands at each path of a row: `<key>` is the example, `<tag>` and `*` are any name."""
    key = example(row).strip('"')
    paths = [path for column in columns for path in PATH.findall(row[column])]
    return {path: [*ROOT.glob(path.replace("<key>", key).replace("<tag>", "*"))] for path in paths}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_every_path_exists(row: list[str]) -> None:
    assert len(row) == EXAMPLE + 1
    assert {path for path, found in named(row, WRITE, REGISTER, PASS).items() if not found} == set()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_an_example_is_in_every_file_that_its_row_names(row: list[str]) -> None:
    without = {
        path
        for path, found in named(row, WRITE, REGISTER).items()
        if "<key>" not in path and not any(shows(row, file.read_text(encoding="utf-8")) for file in found)
    }
    assert without == set()


@pytest.mark.long(every=2)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_an_example_is_in_no_other_file_of_the_package(row: list[str]) -> None:
    places = {place for found in named(row, WRITE, REGISTER).values() for place in found}
    others = [
        str(path.relative_to(ROOT))
        for path, text in texts().items()
        if shows(row, text) and not places & {path, *path.parents}
    ]
    assert others == []


@pytest.mark.parametrize("addition", ["a limit of plans", "a dialect", "an endpoint on new data"])
def test_the_table_has_what_touches_many_files(addition: str) -> None:
    assert addition in [row[0] for row in ROWS]

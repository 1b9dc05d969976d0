"""The tables and plots of measured figures are those of docs/performance.json."""

import json
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the tools and of the pages that they write."""
    shutil.copytree(ROOT / "tools", tmp_path / "tools")
    (tmp_path / "docs" / "diagrams").mkdir(parents=True)
    curve = {
        "of": "accounts",
        "amounts": [1, 1000],
        "series": [
            {"name": "`/fetch-one`, ratio", "unit": "", "figures": [0.8, 0.79]},
            {"name": "memory", "unit": "MB", "figures": [60, 1234.5]},
        ],
    }
    measured = {"day": "2026-01-02", "machine": "2 cores", "software": "Python", "load": 0.1, "figures": curve}
    (tmp_path / "docs" / "performance.json").write_text(json.dumps({"growth-accounts": measured}), encoding="utf-8")
    return tmp_path


def run(folder: Path, tool: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(folder / "tools" / f"{tool}.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_plots_are_up_to_date():
    checked = run(ROOT, "write_plots", "--check")
    assert (checked.returncode, checked.stderr) == (0, "")


def test_a_plot_has_a_point_for_each_figure_and_is_reported_once_it_differs(copy):
    plot = copy / "docs" / "diagrams" / "growth-accounts.svg"
    assert run(copy, "write_plots", "--check").returncode == 1
    assert run(copy, "write_plots").returncode == 0
    assert run(copy, "write_plots", "--check").returncode == 0
    drawn = ET.fromstring(plot.read_text(encoding="utf-8"))  # noqa: S314  drawn by our own tool
    points = [one.findtext("{*}title") for one in drawn.iter("{http://www.w3.org/2000/svg}circle")]
    assert points == ["1: 0.8", "1,000: 0.79", "1: 60", "1,000: 1,234"]
    figures = copy / "docs" / "performance.json"
    figures.write_text(figures.read_text(encoding="utf-8").replace("0.79", "0.5"), encoding="utf-8")
    changed = run(copy, "write_plots", "--check")
    assert (changed.returncode, str(plot) in changed.stderr) == (1, True)


def test_a_table_has_a_row_for_each_amount_with_the_machine(copy):
    page = copy / "docs" / "page.md"
    page.write_text("<!-- table: growth-accounts -->\n<!-- end of table -->\n", encoding="utf-8")
    assert run(copy, "write_tables", str(page)).returncode == 0
    lines = page.read_text(encoding="utf-8").splitlines()
    assert "| accounts | `/fetch-one`, ratio | memory, MB |" in lines
    assert "| 1,000 | 0.79 | 1,234 |" in lines
    assert "Measured on 2026-01-02: 2 cores; Python; load average 0.1 at the end." in lines

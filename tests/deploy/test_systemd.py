"""The units for systemd, checked with systemd's own program."""

from __future__ import annotations

import configparser
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.patience import PATIENCE

UNITS = Path(__file__).parents[2] / "deploy/systemd"

needs_systemd = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")


def unit(name: str) -> configparser.ConfigParser:
    """Return the sections of a unit; the last value of a repeated name stays."""
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read(UNITS / name)
    return parser


def analyze(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["systemd-analyze", *arguments, "--no-pager"], capture_output=True, text=True, check=False, timeout=PATIENCE
    )


@needs_systemd
@pytest.mark.parametrize("name", ["cambist.service", "cambist-backup.service"])
def test_the_exposure_of_a_unit_is_at_most_2(name: str) -> None:
    found = analyze("security", "--offline=true", "--threshold=20", str(UNITS / name))
    assert found.returncode == 0, found.stdout + found.stderr


@needs_systemd
def test_the_units_are_valid(tmp_path: Path) -> None:
    names = [path.name for path in sorted(UNITS.iterdir())]
    for name in names:
        # The program is not installed where the units look for it.
        text = (UNITS / name).read_text().replace("/opt/cambist/.venv/bin/cambist", "/bin/true")
        (tmp_path / name).write_text(text)
    found = analyze("verify", "--man=no", *(str(tmp_path / name) for name in names))
    assert (found.returncode, found.stdout, found.stderr) == (0, "", "")


def test_the_service_tells_systemd_how_it_is_and_may_write_only_its_own_folders() -> None:
    service = unit("cambist.service")["Service"]
    assert service["Type"] == "notify"
    assert service["WatchdogSec"] == "3min"
    assert service["ExecReload"] == "/bin/kill -HUP $MAINPID"
    assert service["User"] == "cambist"
    assert (service["ProtectSystem"], service["StateDirectory"]) == ("strict", "cambist")
    assert "ReadWritePaths" not in service


def test_the_timer_starts_the_backup_of_the_unit_beside_it() -> None:
    assert unit("cambist-backup.timer")["Timer"]["OnCalendar"] == "*-*-* 02:15:00 UTC"
    backup = unit("cambist-backup.service")["Service"]
    assert "/cambist backup " in backup["ExecStart"]
    assert backup["ReadWritePaths"] == "/var/backups/cambist"


@pytest.mark.parametrize("name", ["cambist.service", "cambist-backup.service"])
def test_memory_and_processes_of_a_unit_are_bounded(name: str) -> None:
    service = unit(name)["Service"]
    assert service["MemoryMax"].endswith("%")
    assert int(service["TasksMax"]) > 0


def test_a_process_that_the_kernel_ends_does_not_end_the_service() -> None:
    assert unit("cambist.service")["Service"]["OOMPolicy"] == "continue"

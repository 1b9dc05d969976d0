"""Write figures to a JSON file, with the machine and the day, one section for each benchmark."""

import json
import os
import platform
import re
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self


@dataclass(frozen=True)
class Recorded:
    """The figures of one benchmark: when and on which machine they were measured.

    `load` is the load average when they were written, which is high if something else ran at the same time.
    """

    day: str
    machine: str
    software: str
    load: float
    figures: Any

    @classmethod
    def now(cls, figures: Any) -> Self:
        """Return figures that were measured now, on this machine."""
        software = f"Python {platform.python_version()}, Granian {version('granian')}"
        return cls(datetime.now(UTC).date().isoformat(), machine(), software, round(os.getloadavg()[0], 1), figures)


def machine() -> str:
    """Return the cores, processor and memory of this machine."""
    cores = f"{os.cpu_count()} cores"
    try:
        model = re.search(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        return f"{cores}, {platform.machine()}"
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return f"{cores}, {model[1] if model else platform.machine()}, {memory:.0f} GB"


def record(path: Path, section: str, recorded: Recorded) -> None:
    """Write one section of the file; the others stay."""
    sections = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    sections[section] = asdict(recorded)
    path.write_text(json.dumps(sections, indent=1, sort_keys=True) + "\n", encoding="utf-8")

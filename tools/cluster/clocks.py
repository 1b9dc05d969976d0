"""Clocks of nodes that are wrong: a library that their processes preload adds to the time what a file says."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

_SOURCE = Path(__file__).with_name("clock.c")


def built_library(folder: Path) -> Path | None:
    """Compile the library into a folder; return None where no C compiler is installed."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    library = folder / "clock.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-o", library, _SOURCE, "-ldl"], check=True)
    return library


class WrongClock:
    """The clock of one node, which can be set at any time; only the times that the system gives to files stay right."""

    def __init__(self, library: Path, file: Path) -> None:
        self._file = file
        self.variables = {"LD_PRELOAD": str(library), "WRONG_CLOCK": str(file)}
        self.set(0)

    def set(self, seconds: int) -> None:
        """Set how many seconds it is ahead."""
        with self._file.open("r+b" if self._file.exists() else "wb") as file:
            file.write(seconds.to_bytes(8, "little", signed=True))

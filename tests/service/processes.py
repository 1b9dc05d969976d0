"""What the tests of whole services begin with: the command, a port, an environment, and patience."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

COMMAND = str(Path(sys.executable).parent / "cambist")
_STOP_SECONDS = 20


def environment(**more: str) -> dict[str, str]:
    """Give this environment without settings of its own, and without ports that two services would both want."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CAMBIST_")}
    return {**kept, "CAMBIST_OPERATOR_PORT": "0", "CAMBIST_STREAM_PORT": "0", **more}


def until(happens: Callable[[], object], seconds: float, pause: float = 0.05) -> bool:
    """Wait until something happens; say whether it did in time. A question that starts a program takes a pause."""
    end = time.monotonic() + seconds
    while not happens():
        if time.monotonic() > end:
            return False
        time.sleep(pause)
    return True


@contextlib.contextmanager
def ended_in_the_end(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """End a process whatever happens, politely first."""
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(_STOP_SECONDS)
        finally:
            process.kill()
            process.wait(_STOP_SECONDS)

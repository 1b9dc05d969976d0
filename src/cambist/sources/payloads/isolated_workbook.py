"""Reading a workbook in a process of its own: for those whose size nothing tells before they are read.

The library ends the process if it cannot get memory. So the process has a bound on memory and time, and its end is an
error of the source.
"""

from __future__ import annotations

import resource
import subprocess
import sys

import msgspec

from cambist.sources.payloads.bounds import MOST_SHEET_CELLS
from cambist.sources.payloads.calamine import Sheets, read_sheets
from cambist.sources.payloads.memory import memory_limited

_MOST_BYTES = 512 * 1024 * 1024
_MOST_SECONDS = 60


class _Answer(msgspec.Struct):
    """What the process writes: the sheets, or what is wrong with the workbook."""

    sheets: Sheets = {}
    error: str = ""


def read_in_own_process(content: bytes, chosen: str | int | None) -> Sheets:
    """Return what `read_sheets` returns. Errors: ValueError, also if the process ends or takes too long."""
    command = [sys.executable, "-m", __spec__.name, *([] if chosen is None else [msgspec.json.encode(chosen).decode()])]
    try:
        done = subprocess.run(command, input=content, capture_output=True, timeout=_MOST_SECONDS, check=False)  # noqa: S603  our own module
    except subprocess.TimeoutExpired as error:
        raise ValueError("the workbook cannot be read in time") from error
    if done.returncode:
        raise ValueError("the workbook cannot be read: it needs more memory than any")
    answer = msgspec.json.decode(done.stdout, type=_Answer)
    if answer.error:
        raise ValueError(answer.error)
    return answer.sheets


def _main() -> None:
    chosen = msgspec.json.decode(sys.argv[1], type=str | int) if len(sys.argv) > 1 else None
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    content = sys.stdin.buffer.read()
    try:
        with memory_limited(_MOST_BYTES):
            answer = msgspec.json.encode(_Answer(_bounded(read_sheets(content, chosen))))
    except ValueError as error:
        answer = msgspec.json.encode(_Answer(error=str(error)))
    sys.stdout.buffer.write(answer)


def _bounded(sheets: Sheets) -> Sheets:
    if sum(len(lines) * len(lines[0]) for lines in sheets.values() if lines) > MOST_SHEET_CELLS:
        raise ValueError(f"the sheets have more than {MOST_SHEET_CELLS:,} cells")
    return sheets


if __name__ == "__main__":
    _main()

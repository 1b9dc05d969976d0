"""What is written down of each request: one JSON object a line, in files of bounded size."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from cambist.admin.shadow.differences import AnswerDifference
from cambist.errors import BadParameter
from cambist.log_file import RotatedFileHandler, check_log_file

_MOST_BYTES = 32 * 1024 * 1024
_KEPT = 3


class ShadowSide(Struct, frozen=True, omit_defaults=True):
    """How one of the two services answered: status, and milliseconds until its answer began; 0 if it did not."""

    status: int = 0
    ms: float | None = None


class ShadowRecord(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One request and how its two answers differ. No field contains a key.

    `calls` is what ours says that it cost, `environment` is `sandbox` if ours is simulated. `not_compared` is the
    reason why the answers were not compared; `more` counts the differences beyond those listed.
    """

    at: datetime
    method: str
    target: str
    endpoint: str
    pair: str = ""
    answered: str
    tolerance: str
    theirs: ShadowSide
    ours: ShadowSide = ShadowSide()
    calls: int | None = None
    environment: str = ""
    not_compared: str = ""
    differences: tuple[AnswerDifference, ...] = ()
    more: int = 0


class ShadowLog:
    """Appends records to a file; when it is large, it becomes `PATH.1`, and so on to `PATH.3`.

    Errors: CannotStart if it cannot be written.
    """

    def __init__(self, path: Path, most_bytes: int = _MOST_BYTES) -> None:
        check_log_file(str(path), "The log of differences")
        self._handler = RotatedFileHandler(str(path), most_bytes, _KEPT)

    def write(self, record: ShadowRecord) -> None:
        """Append a record. On a full disk it is lost: no request fails because of it."""
        line = msgspec.json.encode(record).decode()
        self._handler.handle(logging.makeLogRecord({"msg": line}))

    def close(self) -> None:
        """Close the file."""
        self._handler.close()


def log_files(path: Path) -> list[Path]:
    """Return the files of a log, oldest first. Errors: BadParameter if there is none."""
    numbered = [path.with_name(f"{path.name}.{number}") for number in range(_KEPT, 0, -1)]
    found = [each for each in (*numbered, path) if each.is_file()]
    if not found:
        raise BadParameter(f"There is no log [{path}]: name the file that `cambist shadow --log` has written")
    return found


def read_records(paths: list[Path]) -> Iterator[ShadowRecord | None]:
    """Yield the records of files; None for a line that is none, such as one that a crash has cut."""
    decoder = msgspec.json.Decoder(ShadowRecord)
    for path in paths:
        with path.open("rb") as file:
            for line in file:
                if line.strip():
                    yield _record(decoder, line)


def _record(decoder: msgspec.json.Decoder[ShadowRecord], line: bytes) -> ShadowRecord | None:
    try:
        return decoder.decode(line)
    except (ValueError, RecursionError):
        return None

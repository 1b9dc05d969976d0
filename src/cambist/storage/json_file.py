"""Records as files: one process writes its newest, everybody else reads it."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from cambist.storage.atomic_file import write_atomically

T = TypeVar("T", bound=msgspec.Struct)


def write_json_file(path: Path, record: msgspec.Struct) -> None:
    """Put a record in place of the last one. Errors: OSError."""
    write_atomically(path, msgspec.json.encode(record), durable=False)


def read_json_file(path: Path, kind: type[T]) -> T | None:
    """Read the last record; None where there is none, or none that can be read: the next one comes in seconds."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.MsgspecError):
        return None

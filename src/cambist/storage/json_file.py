"""JSON files that one process writes and others read."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from cambist.storage.atomic_file import write_atomically

T = TypeVar("T", bound=msgspec.Struct)


def write_json_file(path: Path, record: msgspec.Struct) -> None:
    """Replace the file. Errors: Unwritable."""
    write_atomically(path, msgspec.json.encode(record), durable=False)


def read_json_file(path: Path, kind: type[T]) -> T | None:
    """Read the file; None if it is missing or invalid, because its process writes it again within seconds."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, ValueError, RecursionError):
        return None

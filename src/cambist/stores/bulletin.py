"""The bulletin on the sources as a file: ingest writes it, everybody else reads it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from cambist.history.report import Bulletin
from cambist.stores.replace import write_atomically


def write_bulletin(path: Path, bulletin: Bulletin) -> None:
    """Put a bulletin in place of the last one."""
    write_atomically(path, msgspec.json.encode(bulletin), durable=False)


def read_bulletin(path: Path) -> Bulletin | None:
    """Read the last bulletin; None where there is none, or none that can be read: the next one comes in a second."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Bulletin)
    except (OSError, msgspec.MsgspecError):
        return None

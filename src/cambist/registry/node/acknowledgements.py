"""The alarms that an operator has acknowledged: a file for each, until the alarm ends."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import msgspec

from cambist.status.alarm import Acknowledgement
from cambist.storage.atomic_file import write_atomically
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import read_json_file

_MOST = 1000
"""Acknowledgements that are read: there are fewer alarms than that, unless somebody fills the folder."""


def record_acknowledgement(folder: DataDirectory, made: Acknowledgement) -> None:
    """Keep an acknowledgement, in place of an earlier one of the same alarm. Errors: Unwritable."""
    folder.acknowledged.mkdir(mode=0o700, exist_ok=True)
    write_atomically(_file(folder, made.key), msgspec.json.encode(made))


def forget_acknowledgement(folder: DataDirectory, key: str) -> None:
    """Remove the acknowledgement of an alarm, if there is one. Errors: OSError."""
    _file(folder, key).unlink(missing_ok=True)


def acknowledgements(folder: DataDirectory) -> dict[str, Acknowledgement]:
    """Return all acknowledgements by the key of their alarm."""
    try:
        paths = sorted(folder.acknowledged.glob("*.json"))[:_MOST]
    except OSError:
        return {}
    found = (read_json_file(path, Acknowledgement) for path in paths)
    return {each.key: each for each in found if each is not None}


def _file(folder: DataDirectory, key: str) -> Path:
    # A key has names of accounts, which may differ in case only.
    return folder.acknowledged / f"{sha256(key.encode()).hexdigest()[:32]}.json"

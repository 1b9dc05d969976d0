"""Sources that an operator wants to be asked now: a file for each, whose time says when."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from cambist.storage.atomic_file import write_atomically
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.change_notifier import Topic, data_changes

_LOOK_SECONDS = 0.2


def ask_source(folder: DataDirectory, key: str, at: datetime) -> None:
    """Ask the ingest process to poll a source now. Errors: Unwritable."""
    folder.asked_sources.mkdir(mode=0o700, exist_ok=True)
    write_atomically(folder.asked_sources / key, f"{at.isoformat()}\n".encode())
    data_changes(folder.path).notify(Topic.ASKED)


def asked_at(folder: DataDirectory, key: str) -> datetime | None:
    """Return when an operator last asked for a source; None if never."""
    try:
        text = (folder.asked_sources / key).read_text(encoding="utf-8")
        return datetime.fromisoformat(text.strip()).astimezone(UTC)
    except (OSError, ValueError):
        return None


def moments_asked(folder: DataDirectory) -> dict[str, datetime]:
    """Return when an operator last asked for each source that was ever asked for."""
    try:
        keys = [path.name for path in folder.asked_sources.iterdir() if not path.name.startswith(".")]
    except OSError:
        return {}
    return {key: at for key in keys if (at := asked_at(folder, key)) is not None}


async def watch_asked_sources(folder: DataDirectory, asked: Mapping[str, Callable[[], None]]) -> None:
    """Call the function of each source that is asked for, from now on."""
    changes = data_changes(folder.path)
    version = changes.version(Topic.ASKED)
    seen = {key: asked_at(folder, key) for key in asked}
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        if version == (version := changes.version(Topic.ASKED)):
            continue
        for key, ask in asked.items():
            if (at := asked_at(folder, key)) != seen[key]:
                seen[key] = at
                ask()

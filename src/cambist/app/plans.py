"""The plans of a data folder: `plans.toml` is the operator's to edit, `plans.current` is what holds now."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path

from cambist.accounts.plan import Plan, default_plans, read_plans
from cambist.errors import PlansRefused
from cambist.stores.board import FileBoard, News
from cambist.stores.replace import write_atomically

log = logging.getLogger(__name__)

Read = tuple[str, Mapping[str, Plan]]
"""The text of a plans file, and the plans in it."""


def plans_file(folder: Path) -> Path:
    """Give the file that the operator edits, written with the defaults when it is not there."""
    path = folder / "plans.toml"
    if not path.exists():
        write_atomically(path, default_plans().encode())
    return path


def read_plans_file(path: Path) -> Read:
    """Read a plans file. Errors: PlansRefused naming the file, the line and the reason; OSError."""
    content = path.read_bytes()
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise PlansRefused(f"{path}, line {line}: it is not UTF-8") from None
    return text, read_plans(text, str(path))


def put_into_effect(folder: Path, text: str, board: FileBoard) -> None:
    """Make a text that `read_plans` has read what holds now, and ring."""
    write_atomically(_current(folder), text.encode())
    board.ring(News.PLANS)


def publish_plans(folder: Path, board: FileBoard) -> Mapping[str, Plan]:
    """Put the plans of `plans.toml` into effect, as a start does.

    An edit that went wrong does not keep a service that ran before from starting: its last plans hold, with a warning.
    Errors: PlansRefused where there are none.
    """
    try:
        text, plans = read_plans_file(plans_file(folder))
    except PlansRefused as refused:
        if not _current(folder).exists():
            raise
        plans = current_plans(folder)
        log.warning("Plans: %s; the plans from before hold", refused)
        return plans
    put_into_effect(folder, text, board)
    return plans


def current_plans(folder: Path) -> Mapping[str, Plan]:
    """Give the plans that hold now: what `plans.toml` was when it was last put into effect.

    Errors: PlansRefused, OSError.
    """
    path = _current(folder)
    return read_plans_file(path if path.exists() else plans_file(folder))[1]


def _current(folder: Path) -> Path:
    return folder / "plans.current"

"""The bars that form, as a file of the data folder: what killed their process has cost a second of ticks."""

from __future__ import annotations

import logging
from pathlib import Path

from cambist.history.folding import Folding
from cambist.stores.replace import write_atomically

log = logging.getLogger(__name__)


def read_open_bars(path: Path) -> Folding:
    """Go on from what was saved; from nothing where nothing was, or nothing that can be read, which is logged."""
    try:
        folding = Folding.restored(path.read_bytes())
    except FileNotFoundError:
        return Folding()
    except OSError as error:
        log.error("Bars: %s cannot be read, they begin anew: %s", path, error.strerror)  # noqa: TRY400  no fault of ours
        return Folding()
    if folding is None:
        log.error("Bars: %s is damaged, they begin anew", path)
        return Folding()
    return folding


def write_open_bars(path: Path, content: bytes) -> None:
    """Put what is saved now in place of what was. Errors: OSError."""
    write_atomically(path, content, durable=False)

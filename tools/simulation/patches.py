"""Replace functions of the code under test for as long as a block runs: clocks, sources, and planted faults."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from importlib import import_module
from typing import Any

from cambist import clock

Patch = tuple[Any, str, Any]
"""A module (or its name) or a class, the name of what is replaced in it, and the replacement."""


@contextmanager
def patched(patches: list[Patch]) -> Iterator[None]:
    """Apply patches for the time of a block, and undo them in reverse order."""
    undone: list[Patch] = []
    try:
        for named, name, replacement in patches:
            owner = import_module(named) if isinstance(named, str) else named
            undone.append((owner, name, vars(owner)[name]))
            setattr(owner, name, replacement)
        yield
    finally:
        for owner, name, original in reversed(undone):
            setattr(owner, name, original)


def clock_patches(now: Callable[[], datetime]) -> list[Patch]:
    """Return patches that let every module that was imported read the virtual time."""
    return [
        (module, "utc_now", now)
        for name, module in sorted(sys.modules.items())
        if name.startswith("cambist.") and vars(module).get("utc_now") is clock.utc_now
    ]

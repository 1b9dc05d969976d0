"""Garbage: books are trees without cycles, so counting references frees them; looking for cycles would only hold up."""

from __future__ import annotations

import gc

_YOUNG, _MIDDLE, _OLD = 100_000, 20, 100


def collect_seldom() -> None:
    """Leave out what is there already, and look for cycles seldom: a look through all books takes 50 ms."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG, _MIDDLE, _OLD)

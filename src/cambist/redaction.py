"""Keys are removed from what is logged, recorded or repeated in errors."""

from __future__ import annotations

import re

_KEY = re.compile(r"(cmb_[0-9A-Z]{4})[0-9A-Z]+", re.IGNORECASE)
"""What may be an API key: longer than the beginning by which lists name it."""


def without_keys(text: str) -> str:
    """Return a text that may be logged or sent: each API key is cut to the beginning by which lists name it."""
    return _KEY.sub(r"\1…", text)

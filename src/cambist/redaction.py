"""Keys are removed from what is logged or repeated in errors."""

from __future__ import annotations

import re

_KEY = re.compile(r"cmb_[0-9A-Za-z]{5,}", re.IGNORECASE)
"""What may be an API key: longer than the prefix that names one."""


def without_keys(text: str) -> str:
    """Return a text that may be logged or sent: without API keys."""
    return _KEY.sub("cmb_…", text)

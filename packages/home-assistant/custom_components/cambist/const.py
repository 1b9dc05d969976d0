"""What the parts of the integration share."""

from __future__ import annotations

import re

DOMAIN = "cambist"
CONF_PAIRS = "pairs"
CONF_MINUTES = "minutes"
DEFAULT_URL = "http://127.0.0.1:8000"
DEFAULT_PAIRS = "EUR/USD, XAU/EUR"
DEFAULT_MINUTES = 15

_PAIR = re.compile(r"([A-Za-z0-9]{2,15})[/-]([A-Za-z0-9]{2,15})", re.ASCII)


def read_pairs(text: str) -> list[tuple[str, str]]:
    """Return the pairs of a list with commas, such as "EUR/USD, XAU/EUR". Errors: ValueError names what is no pair."""
    pairs = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        found = _PAIR.fullmatch(part)
        if found is None:
            raise ValueError(part)
        pairs.append((found[1].upper(), found[2].upper()))
    if not pairs:
        raise ValueError(text)
    return list(dict.fromkeys(pairs))

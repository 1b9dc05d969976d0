"""The currencies and metals that each built-in source publishes now, as the file `currencies.csv` lists them.

The list is what `cambist sources check` expects of an answer, and what the coverage table of the documentation is made
from. A source that is not in the file has no list yet.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from importlib import resources

_FILE = "currencies.csv"


@cache
def published_currencies() -> Mapping[str, tuple[str, ...]]:
    """Return the codes by source, without the currency that all rates of the source share."""
    text = resources.files(__package__).joinpath(_FILE).read_text(encoding="utf-8")
    return {row["source"]: tuple(row["currencies"].split()) for row in csv.DictReader(text.splitlines())}

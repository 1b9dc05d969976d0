"""What a request asked for that its answer does not say: the day, and one of several codes or tables."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple


class Asked(NamedTuple):
    """The parts of a request's subject."""

    day: str = ""
    each: str = ""


def write_subject(day: date | None, each: str) -> str:
    """Return the subject of a request."""
    return " ".join(filter(None, (day.isoformat() if day else "", each)))


def read_subject(subject: str, *, has_day: bool) -> Asked:
    """Return the parts of a subject."""
    if not has_day:
        return Asked(each=subject)
    day, _, each = subject.partition(" ")
    return Asked(day, each)

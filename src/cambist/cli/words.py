"""Sentences about the age of a rate."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from cambist.cli.formats import format_age
from cambist.clock import utc_now


def time_words(answer: dict[str, Any]) -> str:
    """Return when the market made a live rate, and how long ago that is."""
    updated = str(answer["updated"])
    try:
        moment = datetime.fromisoformat(updated)
    except ValueError:  # the account has another format
        return f"Rate of {updated}."
    age = f", {format_age(utc_now() - moment)} old" if moment.tzinfo else ""
    return f"Rate of {updated}{age}."


def is_old(answer: dict[str, Any]) -> bool:
    """Return whether a live rate is older than a day, so that it is worth asking why."""
    try:
        moment = datetime.fromisoformat(str(answer["updated"]))
    except ValueError:
        return False
    return moment.tzinfo is not None and utc_now() - moment > timedelta(days=1)


def day_words(answer: dict[str, Any]) -> str:
    """Return the day of a past rate, and the day of the fixing that it uses, if that is another."""
    day, fixed_on = answer["date"], answer.get("fixed_on", answer["date"])
    if fixed_on is None:
        return f"Rate of {day}, fixed by law."
    return f"Rate of {day}." if fixed_on == day else f"Rate of {day}, which uses the fixing of {fixed_on}."

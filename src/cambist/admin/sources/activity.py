"""The last 24 hours of each source: requests, how long they took, failures and held fixings, by half hours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from cambist.accounts.names import echo
from cambist.errors import BadParameter
from cambist.settings import Settings
from cambist.status.source_activity import ActivitySlot, SourceActivity, aligned
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import read_json_file
from cambist.suggestions import did_you_mean


@dataclass(frozen=True, slots=True)
class SourceDay:
    """The last 24 hours of one source: a slot for each half hour, oldest first."""

    key: str
    slots: tuple[ActivitySlot, ...]

    @property
    def total(self) -> ActivitySlot:
        """All slots as one: sums of what is counted, and the most of what is not."""
        found = ActivitySlot(self.slots[0].start)
        for slot in self.slots:
            for name in ("polls", "answers", "failures", "milliseconds"):
                setattr(found, name, getattr(found, name) + getattr(slot, name))
            found.slowest, found.held = max(found.slowest, slot.slowest), max(found.held, slot.held)
        return found


def source_days(settings: Settings, now: datetime, key: str | None = None) -> list[SourceDay]:
    """Return the last 24 hours of all sources that were asked, or of one. Errors: BadParameter for an unknown key."""
    recorded = read_json_file(DataDirectory(settings.data).source_activity, SourceActivity)
    sources = recorded.sources if recorded else {}
    if key is not None and key not in sources:
        raise BadParameter(f"Nothing is known of the source [{echo(key)}]; {did_you_mean(key, sources)}")
    chosen = sources if key is None else {key: sources[key]}
    return [SourceDay(each, tuple(aligned(slots, now))) for each, slots in chosen.items()]


def slot_record(slot: ActivitySlot) -> dict[str, Any]:
    """Return a slot as JSON has it; times are in milliseconds."""
    return {
        "start": slot.start,
        "polls": slot.polls,
        "answers": slot.answers,
        "failures": slot.failures,
        "mean_ms": None if slot.mean is None else round(slot.mean, 1),
        "slowest_ms": round(slot.slowest, 1),
        "held": slot.held,
    }


def day_columns(slots: Sequence[ActivitySlot]) -> dict[str, list[Any]]:
    """Return slots as columns, which are shorter than rows."""
    records = [slot_record(slot) for slot in slots]
    return {name: [record[name] for record in records] for name in records[0] if name != "start"}

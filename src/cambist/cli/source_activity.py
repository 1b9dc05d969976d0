"""`cambist sources activity`: what was asked of the sources in the last day."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from cambist.cli.completed_words import complete_sources
from cambist.cli.options import AsJson, DataFolder, read_folder_settings
from cambist.cli.output import print_json
from cambist.cli.printed_tables import print_table

if TYPE_CHECKING:
    from cambist.status.source_activity import ActivitySlot

_COLUMNS = ("Requests", "Answers", "Failures", "Mean", "Slowest", "Held")


def activity(
    key: Annotated[
        str | None,
        typer.Argument(
            metavar="SOURCE",
            help="Key of a source, to see each half hour. Default: all.",
            autocompletion=complete_sources,
        ),
    ] = None,
    *,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Show what was asked of the sources in the last 24 hours: requests, how long they took, failures, held fixings.

    Answers: complete rounds of requests, and prices that were heard. Mean and slowest are the times of requests.
    """
    from cambist.admin.sources.activity import slot_record, source_days
    from cambist.clock import utc_now

    days = source_days(read_folder_settings(data), utc_now(), key)
    if as_json:
        print_json({day.key: [slot_record(slot) for slot in day.slots] for day in days})
    elif key is None:
        print_table(("Source", *_COLUMNS), ((day.key, *_row(day.total)) for day in days))
    else:
        slots = (slot for day in days for slot in day.slots)
        print_table(("From", *_COLUMNS), ((f"{slot.start:%Y-%m-%d %H:%M}", *_row(slot)) for slot in slots))


def _row(slot: ActivitySlot) -> Sequence[object]:
    mean = "" if slot.mean is None else f"{slot.mean:.0f} ms"
    slowest = f"{slot.slowest:.0f} ms" if slot.polls else ""
    return slot.polls, slot.answers, slot.failures, mean, slowest, slot.held

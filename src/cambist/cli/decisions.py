"""The commands that leave a source out for a code, and decide about all held fixings of a source at once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from cambist.admin.operators.parsing import parse_day
from cambist.cli.completed_words import complete_codes
from cambist.cli.options import AsJson, DataFolder, read_folder_settings
from cambist.cli.output import print_json
from cambist.cli.printed_tables import print_table
from cambist.errors import BadParameter

if TYPE_CHECKING:
    from cambist.admin.history.decisions import DecisionPreview, WantedDecision, WantedException
    from cambist.admin.history.disputes import DisputeAdmin
    from cambist.history.dispute import ServedRate

Code = Annotated[
    str,
    typer.Argument(metavar="CODE", help="Code of a currency or a metal, such as EUR.", autocompletion=complete_codes),
]
FromDay = Annotated[
    str | None, typer.Option("--from", help="First day such as 2026-12-31. Default: that of the dispute.")
]
Reason = Annotated[str, typer.Option(help="Why, for the audit log.")]
Preview = Annotated[bool, typer.Option("--preview", help="Only show what would be served; decide nothing.")]


def leave_out(  # noqa: PLR0913  the options of a command
    code: Code,
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="Key of the source, such as ecb.")],
    *,
    until: Annotated[str, typer.Option(help="Last day without it, such as 2026-12-31.")],
    from_day: Annotated[str | None, typer.Option("--from", help="First day without it. Default: today.")] = None,
    reason: Reason = "",
    preview: Preview = False,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Leave a source out for a code until a day: none of its fixings counts. `take-back` ends that earlier."""
    from cambist.admin.history.decisions import WantedException

    last = cast("date", parse_day("--until", until))
    wanted = WantedException(code, source, last, parse_day("--from", from_day), reason)
    _decide_all([wanted], data, preview=preview, as_json=as_json)


def held(  # noqa: PLR0913  the options of a command
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="Key of the source, such as ecb.")],
    codes: Annotated[
        list[str] | None, typer.Argument(metavar="[CODE]...", help="Only these codes. Default: all that it holds.")
    ] = None,
    *,
    accept: Annotated[bool, typer.Option("--accept", help="Accept them.")] = False,
    reject: Annotated[bool, typer.Option("--reject", help="Reject them.")] = False,
    reason: Reason = "",
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Show what accepting and rejecting each held fixing of a source would serve, or decide about all of them at once.

    At most 20 are decided at once; if one is refused, none is decided.
    """
    from cambist.admin.history.decisions import WantedDecision, preview_record

    if accept and reject:
        raise BadParameter("Give --accept or --reject, not both")
    with open_disputes(data) as admin:
        chosen = [each.upper() for each in codes or admin.held_by(source)]
    if not chosen:
        typer.echo(f"No newest fixing of {source} is held in a dispute")
    elif accept or reject:
        wanted = [WantedDecision(each, source, accept, reason=reason) for each in chosen]
        _decide_all(wanted, data, preview=False, as_json=as_json)
    else:
        with open_disputes(data) as admin:
            found = [
                preview
                for each in chosen
                for accepts in (True, False)
                for preview in admin.preview_all([WantedDecision(each, source, accepts)])
            ]
        if as_json:
            print_json([preview_record(each) for each in found])
        else:
            _print_previews(found)


def open_disputes(data: Path | None) -> DisputeAdmin:
    """Open the disputes of the data folder that the settings name. Errors: CannotStart, SettingRefused."""
    from cambist.admin.history.disputes import DisputeAdmin
    from cambist.clock import utc_now

    return DisputeAdmin(read_folder_settings(data), utc_now)


def served_text(rate: ServedRate | None) -> str:
    """Return what is served in words."""
    return "nothing" if rate is None else f"{rate.units:.8g} by {rate.source} for {rate.day}"


def _decide_all(
    wanted: Sequence[WantedDecision | WantedException], data: Path | None, *, preview: bool, as_json: bool
) -> None:
    from cambist.admin.history.decisions import decision_record, preview_record

    with open_disputes(data) as admin:
        if preview:
            found = admin.preview_all(wanted)
            if as_json:
                print_json([preview_record(each) for each in found])
            else:
                _print_previews(found)
            return
        done = [decision_record(each) for each in admin.decide_all(wanted)]
    if as_json:
        print_json(done)
    for each in () if as_json else done:
        until = f" until {each['until']}" if each["until"] else " on"
        what = each["level"] or each["source"]
        typer.echo(
            f"Decision {each['number']}: {each['decision']} {what} of {each['code']} from {each['from']}{until}."
        )


def _print_previews(found: Sequence[DecisionPreview]) -> None:
    from cambist.admin.history.decisions import preview_record

    rows = []
    for each in found:
        record = preview_record(each)
        what = record["level"] or record["source"]
        rows.append(
            [
                record["code"],
                record["decision"],
                what,
                served_text(each.now),
                served_text(each.choice.serves),
                record["days"],
            ]
        )
    print_table(["Code", "Decision", "Level or source", "Served now", "Would serve", "Days that change"], rows)

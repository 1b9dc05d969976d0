"""`cambist disputes`: list what sources disagree about, and accept or reject a level."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from cambist.admin.operators.parsing import parse_day
from cambist.cli.decisions import Code, FromDay, Preview, Reason, held, leave_out, open_disputes, served_text
from cambist.cli.options import AsJson, DataFolder
from cambist.cli.output import print_json, print_result
from cambist.cli.printed_tables import print_table

if TYPE_CHECKING:
    from cambist.admin.history.decisions import WantedDecision
    from cambist.history.choices import Choice
    from cambist.history.dispute import Dispute, SaidRate

app = typer.Typer(
    add_completion=False, help="List what sources disagree about, and accept or reject a level.", no_args_is_help=True
)
app.command("leave-out")(leave_out)
app.command()(held)

Level = Annotated[
    str,
    typer.Argument(
        metavar="LEVEL",
        help="Units per US dollar, such as 1.25, or the key of a source whose newest fixing is meant.",
    ),
]
UntilDay = Annotated[str | None, typer.Option("--until", help="Last day. Default: no end.")]


@app.command("list")
def list_disputes(*, data: DataFolder = None, as_json: AsJson = False) -> None:
    """List the codes that sources disagree about, oldest first, with what is served until it is settled."""
    with open_disputes(data) as admin:
        found = admin.disputes()
    if not found.complete:
        typer.echo("The service still judges: the list may change within seconds.", err=True)
    if as_json:
        print_json(_plain(found.disputes))
        return
    columns = ["Code", "Since", "State", "Served", "By", "Other level", "Held", "Originals needed"]
    print_table(columns, [_row(each) for each in found.disputes])
    if found.total > len(found.disputes):
        typer.echo(f"{found.total - len(found.disputes)} more are not listed.", err=True)


@app.command()
def show(code: Code, *, data: DataFolder = None, as_json: AsJson = False) -> None:
    """Show what each source says about a code, and what accepting or rejecting each level would serve."""
    with open_disputes(data) as admin:
        found = admin.examine(code)
    if as_json:
        print_json(_plain(found))
        return
    dispute = found.dispute
    state = f"{dispute.status} since {dispute.since}" if found.is_open else f"{dispute.status}, and not in dispute"
    typer.echo(f"{dispute.code} is {state}. Served: {served_text(dispute.served)}.")
    columns = ["Source", "Day", "Per US dollar", "From the level", "Weight", "State", "Why"]
    print_table(columns, [_said_row(each) for each in dispute.fixings])
    columns = ["Decision", "Level", "Said by", "Would serve", "State", "Days that change"]
    print_table(columns, [_choice_row(each) for each in found.choices])


@app.command()
def accept(  # noqa: PLR0913  the options of a command
    code: Code,
    level: Level,
    *,
    from_day: FromDay = None,
    until: UntilDay = None,
    reason: Reason = "",
    preview: Preview = False,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Accept a level: fixings within 2 % of it outweigh the others. A running service uses that within seconds."""
    _decide(_wanted(code, level, from_day, until, reason, accepts=True), data, preview=preview, as_json=as_json)


@app.command()
def reject(  # noqa: PLR0913  the options of a command
    code: Code,
    level: Level,
    *,
    from_day: FromDay = None,
    until: UntilDay = None,
    reason: Reason = "",
    preview: Preview = False,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Reject a level: fixings within 2 % of it do not count. A running service uses that within seconds."""
    _decide(_wanted(code, level, from_day, until, reason, accepts=False), data, preview=preview, as_json=as_json)


@app.command("take-back")
def take_back(
    number: Annotated[int, typer.Argument(metavar="NUMBER", help="Number from `cambist disputes decisions`.")],
    *,
    reason: Reason = "",
    preview: Preview = False,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Take a decision back: the fixings count as if it had not been taken. It stays on record."""
    from cambist.admin.history.decisions import decision_record

    with open_disputes(data) as admin:
        if preview:
            _print_choice(admin.preview_without(number), as_json=as_json)
            return
        done = admin.take_back(number, reason)
    print_result(decision_record(done), f"Decision {number} was taken back.", as_json=as_json)


@app.command()
def decisions(*, data: DataFolder = None, as_json: AsJson = False) -> None:
    """List all decisions, newest first, also those that were taken back."""
    from cambist.admin.history.decisions import decision_record

    with open_disputes(data) as admin:
        records = [decision_record(each) for each in admin.decisions()]
    if as_json:
        print_json(records)
        return
    names = ("number", "code", "decision", "level", "source", "from", "until", "reason", "made_at", "taken_back_by")
    columns = [
        "Number",
        "Code",
        "Decision",
        "Level",
        "Source",
        "From",
        "Until",
        "Reason",
        "Made (UTC)",
        "Taken back by",
    ]
    print_table(columns, [[each[name] for name in names] for each in records])


def _wanted(
    code: str, level: str, from_day: str | None, until: str | None, reason: str, *, accepts: bool
) -> WantedDecision:
    from cambist.admin.history.decisions import WantedDecision

    return WantedDecision(code, level, accepts, parse_day("--from", from_day), parse_day("--until", until), reason)


def _decide(wanted: WantedDecision, data: Path | None, *, preview: bool, as_json: bool) -> None:
    from cambist.admin.history.decisions import decision_record

    with open_disputes(data) as admin:
        if preview:
            _print_choice(admin.preview(wanted), as_json=as_json)
            return
        done = decision_record(admin.decide(wanted))
    verb = "accepted" if wanted.accepts else "rejected"
    until = f" until {done['until']}" if done["until"] else ""
    sentence = f"Decision {done['number']}: {done['code']} at {done['level']} is {verb} from {done['from']}{until} on."
    print_result(done, sentence, as_json=as_json)


def _print_choice(choice: Choice, *, as_json: bool) -> None:
    sentence = f"Would be served: {served_text(choice.serves)} ({choice.status}); {choice.days} days would change."
    print_result(_plain(choice), sentence, as_json=as_json)


def _plain(found: object) -> Any:
    return msgspec.to_builtins(found)


def _row(each: Dispute) -> Sequence[object]:
    held = ", ".join(said.source for said in each.fixings if said.status == "held")
    served = ("nothing", "") if each.served is None else (f"{each.served.units:.8g}", each.served.source)
    other = None if each.other is None else f"{each.other:.8g}"
    return [each.code, each.since.isoformat(), each.status, *served, other, held, each.originals_needed]


def _said_row(each: SaidRate) -> Sequence[object]:
    percent = "" if each.percent is None else f"{each.percent:+.3f} %"
    return [each.source, each.day.isoformat(), f"{each.units:.8g}", percent, f"{each.weight:g}", each.status, each.why]


def _choice_row(each: Choice) -> Sequence[object]:
    verb = "accept" if each.accepts else "reject"
    return [verb, each.level, ", ".join(each.sources), served_text(each.serves), each.status, each.days]

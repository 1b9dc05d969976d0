"""`cambist report`: the rates of a period as a file to print and to keep, with a receipt in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cambist.cli.completed_words import complete_codes
from cambist.cli.options import BaseCode, BookingKey, DataFolder, PublisherKey, ServiceKey, ServiceUrl
from cambist.cli.series import first_day, last_day
from cambist.errors import BadParameter

if TYPE_CHECKING:
    from cambist.admin.history.stored_answers import StoredAnswers
    from cambist.admin.report.rates_report import RatesReport, ReportQuestion
    from cambist.cli.remote_service import RemoteService

_Quotes = Annotated[
    str,
    typer.Argument(metavar="TO", help="Codes of up to ten targets, such as USD,GBP.", autocompletion=complete_codes),
]
_Since = Annotated[str, typer.Option(help="First day, as 2026, 2026-10 or 2026-10-31.")]
_Until = Annotated[str | None, typer.Option(help="Last day, written the same way. Default: the end of SINCE.")]
_By = Annotated[str, typer.Option(help="Length of the periods of which means are shown: week, month, quarter or year.")]
_Output = Annotated[Path, typer.Option(help="File to write, which must not exist.")]

_JOSE = "application/jose"


def report(  # noqa: PLR0913  the options of a command
    base: BaseCode,
    quotes: _Quotes,
    *,
    since: _Since,
    until: _Until = None,
    by: _By = "month",
    source: PublisherKey = None,
    booking: BookingKey = None,
    output: _Output = Path("report.html"),
    url: ServiceUrl = None,
    key: ServiceKey = None,
    data: DataFolder = None,
) -> None:
    """Write the rates of a period, their means, publishers and terms into an HTML file that prints on A4 and Letter.

    The running service answers and signs: the file contains its receipt, and `cambist verify` checks both.
    """
    from cambist.admin.report.rates_report import ReportQuestion
    from cambist.admin.report.report_page import report_page
    from cambist.cli.service_answers import Target, consult

    if output.exists():
        raise BadParameter(f"There is a file [{output}] already: choose another with --output")
    first, last = _days(since, until)
    codes = tuple(code.strip().upper() for code in quotes.split(",") if code.strip())
    question = ReportQuestion(
        base=base.upper(), quotes=codes, start=first, end=last, by=by, source=source or "", booking=booking or ""
    )
    made = consult(Target(data, url, key), lambda answers: _make(answers, question))
    output.write_text(report_page(made), encoding="utf-8")
    carried = f", {made.carried} of them of another day's fixing" if made.carried else ""
    count = sum(map(len, made.rates.values()))
    typer.echo(f"{output}: {count} rates{carried}. Check it with: cambist verify {output}")


def _days(since: str, until: str | None) -> tuple[Any, Any]:
    from datetime import date

    first, last = first_day(since), last_day(until if until is not None else since)
    return date.fromisoformat(str(first)), date.fromisoformat(str(last))


def _make(answers: RemoteService | StoredAnswers, question: ReportQuestion) -> RatesReport:
    import json

    from cambist.admin.report.rates_report import make_report
    from cambist.cli.remote_service import RemoteService
    from cambist.clock import utc_now

    if not isinstance(answers, RemoteService):
        raise BadParameter("No service answers: start it, a report has its receipt")
    service = answers
    return make_report(
        question,
        lambda path, query: json.loads(service.get(path, query), parse_float=str, parse_int=str),
        lambda target: service.post("/receipts", json.dumps({"get": target}).encode(), _JOSE).decode().strip(),
        service.configuration.url,
        utc_now(),
    )

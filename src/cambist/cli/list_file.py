"""Files of articles, pieces or positions: posted to the running service, and its answer as CSV or XLSX."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cambist.errors import BadParameter

if TYPE_CHECKING:
    from cambist.admin.history.stored_answers import StoredAnswers
    from cambist.cli.remote_service import RemoteService
    from cambist.cli.service_answers import Target

_CSV, _XLSX = "text/csv", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

ListFile = Annotated[Path, typer.Argument(help="CSV or XLSX file whose first line names the columns; - for CSV here.")]
OutputFile = Annotated[Path | None, typer.Option(help="File to write, .csv or .xlsx. Default: CSV on standard output.")]
DecimalMark = Annotated[str | None, typer.Option("--decimal", help="How a CSV writes decimals: point or comma.")]


def answer_file(target: Target, path: str, file: Path, output: Path | None, terms: Mapping[str, str | None]) -> None:
    """Post a file and write the answer. Errors: CambistError, OSError; nothing is written if there is no answer."""
    from cambist.cli.service_answers import consult

    if output is not None and output.exists():
        raise BadParameter(f"There is a file [{output}] already: choose another with --output")
    content = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    asked = {name: value for name, value in terms.items() if value is not None}
    kinds = [_XLSX if each is not None and each.suffix.lower() == ".xlsx" else _CSV for each in (file, output)]
    answer = consult(target, lambda service: _posted(service, path, content, asked, kinds))
    if output is None:
        sys.stdout.write(answer.decode())
    else:
        output.write_bytes(answer)
        typer.echo(f"{output}: written", err=True)


def _posted(
    answers: RemoteService | StoredAnswers, path: str, content: bytes, terms: Mapping[str, str], kinds: list[str]
) -> bytes:
    from cambist.cli.remote_service import RemoteService

    if not isinstance(answers, RemoteService):
        raise BadParameter("No service answers: start it with [cambist serve], lists are priced by a running one")
    return answers.post_file(path, content, terms, *kinds)

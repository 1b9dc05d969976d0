"""Convert the rows of a file with a progress bar."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from io import StringIO
from pathlib import Path

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from cambist.admin.history.stored_answers import StoredAnswers
from cambist.api.faces.bulk.conversion_file import ConversionFile, split_file
from cambist.api.faces.bulk.converting import BulkParams
from cambist.api.faces.bulk.file_text import read_text
from cambist.api.questions.parameters import ParamsReader
from cambist.cli.remote_service import RemoteService
from cambist.cli.service_answers import Target, consult
from cambist.errors import BadParameter, shorten
from cambist.status.environment import Environment
from cambist.storage.atomic_file import write_atomically

_ROWS = 500
"""How many rows are converted at once."""
_MODE = 0o644


@dataclass(frozen=True, slots=True)
class ConversionOptions:
    """The options of a file, as they were given."""

    precision: str | None
    decimal: str | None
    delimiter: str | None
    dates: str | None
    encoding: str | None
    source: str | None = None
    rule: str | None = None
    booking: str | None = None


@dataclass(slots=True)
class _Converted:
    """A file with its results, how many of its rows have none, and who converted it."""

    text: str
    rows: int
    errors: int
    place: str
    environment: Environment


def convert_file(target: Target, name: str, output: Path | None, options: ConversionOptions) -> bool:
    """Convert the rows of a file; return whether all have a result. Errors: CambistError, OSError.

    Nothing is written before all rows are answered or explained.
    """
    query = {option: text for option, text in asdict(options).items() if text is not None}
    params = ParamsReader(BulkParams).read(query)
    file = ConversionFile(_read(name, params.encoding), params.delimiter)
    query.pop("encoding", None)  # parts are sent as UTF-8
    console = Console(stderr=True)
    columns = (TextColumn("Rows"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        task = bars.add_task("rows", total=file.row_count)
        found = consult(target, lambda one: _convert(one, file, query, lambda n: bars.update(task, completed=n)))
    content = f"{file.preamble}{found.text}".encode(params.encoding, errors="replace")
    if output is None:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    else:
        write_atomically(output, content, _MODE)
    _print_summary(found, name)
    return not found.errors


def _read(name: str, encoding: str) -> str:
    """Return the text of a file, or of standard input. Errors: BadParameter."""
    try:
        content = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except FileNotFoundError:
        hint = "an amount is followed by two codes, such as cambist convert 100 EUR USD"
        raise BadParameter(f"There is no file [{shorten(name)}]; {hint}") from None
    return read_text(content, encoding, f"[{shorten(name)}]")


def _convert(
    answers: RemoteService | StoredAnswers, file: ConversionFile, query: dict[str, str], show: Callable[[int], None]
) -> _Converted:
    """Convert a file in parts. Errors: RequestRefused, ConnectionError."""
    text = StringIO(newline="")
    writer = csv.writer(text, delimiter=file.delimiter)
    errors = done = 0
    # Each part is a file of its own, with the delimiter of the whole.
    sent = {**query, "delimiter": file.delimiter}
    for part in split_file(file, _ROWS) if file.row_count else [file.text]:
        content = answers.convert_file(part, sent)
        header, *rows = csv.reader(StringIO(content.decode(), newline=""), delimiter=file.delimiter)
        writer.writerows(rows if done else [header, *rows])
        errors += sum(1 for row in rows if row[-1])
        done += len(rows)
        show(done)
    return _Converted(text.getvalue(), done, errors, answers.place, answers.environment)


def _print_summary(found: _Converted, name: str) -> None:
    simulated = ["SIMULATED prices of a sandbox."] if found.environment is Environment.SANDBOX else []
    sentences = [f"{name}: {found.rows - found.errors} of {found.rows} amounts converted."]
    if found.errors:
        sentences.append(f"The column error says why {found.errors} {'was' if found.errors == 1 else 'were'} not.")
    typer.echo(" ".join([*sentences, f"From {found.place}.", *simulated]), err=True)

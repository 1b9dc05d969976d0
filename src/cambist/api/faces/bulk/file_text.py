"""The text of a file and how it is written: its encoding, its decimals, and what stands between its cells."""

from __future__ import annotations

import re
from typing import Annotated, NamedTuple

from msgspec import Struct

from cambist.api.faces.tables.options import csv_decimal, csv_delimiter
from cambist.api.questions.parameter_types import choice
from cambist.errors import BadParameter

UTF_8 = "utf-8"
ENCODINGS = (
    UTF_8,
    "utf-16",
    *(f"windows-{number}" for number in (1250, 1251, 1252, 1253, 1254, 1257)),
    *(f"iso-8859-{number}" for number in (1, 2, 15)),
)
"""The encodings of files, those of spreadsheets and banks."""

_HINT = " If a spreadsheet in Western Europe wrote it, declare encoding=windows-1252."

_DELIMITERS = (",", ";", "\t", "|")
_SAID = re.compile(r'\s*"?sep=([,;\t|])"?[ \t]*(?:\r?\n|\Z)', re.IGNORECASE)


class FileParams(Struct, frozen=True, kw_only=True):
    """How a file is written."""

    decimal: Annotated[str | None, csv_decimal(None)]
    delimiter: Annotated[str | None, csv_delimiter()]
    encoding: Annotated[
        str,
        choice(
            "encoding",
            ENCODINGS,
            default=UTF_8,
            selects_data=False,
            description="The encoding of the file; spreadsheets in Western Europe often write windows-1252.",
        ),
    ]


class DelimitedText(NamedTuple):
    """The lines of a file, what stands between their cells, and a first line such as `sep=;` that says so."""

    preamble: str
    text: str
    delimiter: str


def read_delimited(text: str, delimiter: str | None) -> DelimitedText:
    """Return the lines of a file; without a `delimiter` it is the one that the first line has most often.

    Errors: BadParameter if the file says another one.
    """
    text = text.removeprefix("\ufeff")
    said = _SAID.match(text)
    preamble = said[0] if said else ""
    lines = text[len(preamble) :]
    first_line = lines.lstrip().partition("\n")[0]
    found = delimiter or (said[1] if said else max(_DELIMITERS, key=first_line.count))
    if said and said[1] != found:
        raise BadParameter(f"Invalid delimiter: [{found}], the first line of the file says [{said[0].strip()}]")
    return DelimitedText(preamble, lines, found)


def read_text(content: bytes, encoding: str, what: str = "The body") -> str:
    """Return the text of a file. Errors: BadParameter with the line that cannot be read, and what to declare."""
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        hint = (
            " If a spreadsheet in Western Europe wrote it, declare encoding=windows-1252." if encoding == UTF_8 else ""
        )
        raise BadParameter(f"{what} is not text in {encoding.upper()}: line {line} cannot be read.{hint}") from None

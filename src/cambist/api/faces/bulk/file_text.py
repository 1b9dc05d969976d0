"""The text of a file, in the encoding that it is declared to have; without a declaration it is UTF-8."""

from __future__ import annotations

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

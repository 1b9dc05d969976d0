"""The parameters of CSV answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from msgspec import Struct

from cambist.api.faces.tables.text_files import CsvOptions
from cambist.api.questions.parameters import Param
from cambist.errors import BadParameter, shorten

_DECIMALS: Mapping[str, str] = {".": ".", "point": ".", ",": ",", "comma": ","}
_DELIMITERS: Mapping[str, str] = {
    ",": ",",
    "comma": ",",
    ";": ";",
    "semicolon": ";",
    "\t": "\t",
    "tab": "\t",
    "|": "|",
    "pipe": "|",
}


def _parse_decimal(name: str, text: str) -> str:
    return _parse(name, text, _DECIMALS, "point or comma")


def _parse_delimiter(name: str, text: str) -> str:
    return _parse(name, text, _DELIMITERS, "comma, semicolon, tab or pipe")


def _parse(name: str, text: str, values: Mapping[str, str], accepted: str) -> str:
    found = values.get(text.lower())
    if found is None:
        raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes {accepted}, or the character itself")
    return found


def csv_decimal(default: str | None) -> Param:
    """Declare what stands before the decimals."""
    return Param(
        "decimal",
        _parse_decimal,
        "CSV: what stands before the decimals: point or comma.",
        {"type": "string", "enum": [*_DECIMALS]},
        default=default,
        selects_data=False,
    )


def csv_delimiter() -> Param:
    """Declare what stands between two cells."""
    return Param(
        "delimiter",
        _parse_delimiter,
        "CSV: what stands between two cells: comma, semicolon, tab or pipe.",
        {"type": "string", "enum": [*_DELIMITERS]},
        default=None,
        selects_data=False,
    )


class CsvParams(Struct, frozen=True):
    """How numbers and cells are separated."""

    decimal: Annotated[str, csv_decimal(".")]
    delimiter: Annotated[str | None, csv_delimiter()]

    def options(self) -> CsvOptions:
        """Return the options of a file. After a decimal comma, cells are separated by semicolons.

        Errors: BadParameter if both are commas.
        """
        delimiter = self.delimiter or (";" if self.decimal == "," else ",")
        if delimiter == self.decimal:
            raise BadParameter("Invalid delimiter: [,], with decimal=comma it takes semicolon, tab or pipe")
        return CsvOptions(self.decimal, delimiter)

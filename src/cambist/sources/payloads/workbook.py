"""Excel workbooks within bounds.

The library that reads them allocates what a workbook says of itself, and ends the process if it cannot. So an XLSX is
unpacked, measured, and packed anew from what was measured. What cannot be measured is read in a process of its own.
"""

from __future__ import annotations

import re
from io import BytesIO
from zipfile import ZIP_STORED, ZipFile

from cambist.sources.payloads.bounds import MOST_SHEET_CELLS, check_size
from cambist.sources.payloads.calamine import Sheets, read_sheets
from cambist.sources.payloads.isolated_workbook import read_in_own_process
from cambist.sources.payloads.sheet_size import check_sheet
from cambist.sources.payloads.unpacking import Unpacker

_XLSX, _XLS = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_BOOK = "xl/workbook.xml"
_SHARED_TEXT = re.compile(rb"</(?:[A-Za-z0-9_.-]+:)?si>")
_MOST_TEXT = 64 * 1024 * 1024
"""Bytes that the texts of a workbook may have when each cell has the longest: cells share texts, readers copy them."""


def read_workbook(content: bytes, chosen: str | int | None = None) -> Sheets:
    """Return the lines of the sheet with a name, or a number from 1, or of all sheets.

    Days become ISO dates, numbers have the fewest digits that stand for them. Errors: ValueError.
    """
    check_size(content)
    if content.startswith(_XLS):
        return read_in_own_process(content, chosen)
    if not content.startswith(_XLSX):
        raise ValueError("what it sent is not a workbook")
    packed, most_text = _measured(content)
    return (read_in_own_process if most_text > _MOST_TEXT else read_sheets)(packed, chosen)


def _measured(content: bytes) -> tuple[bytes, int]:
    """Return the workbook, packed from the members that were measured, and how long its texts can be."""
    members = Unpacker(content)
    lower = [name.lower() for name in members.names]
    if _BOOK not in lower or len({*lower}) != len(lower) or any(map(_is_of_other_format, lower)):
        raise ValueError("the workbook is not an XLSX")
    packed, cells, longest = BytesIO(), 0, 0
    with ZipFile(packed, "w", ZIP_STORED) as book:
        for name in filter(_is_read, members.names):
            unpacked = members.read(name)
            cells += check_sheet(name, unpacked)
            if cells > MOST_SHEET_CELLS:
                raise ValueError(f"the sheets have more than {MOST_SHEET_CELLS:,} cells")
            longest = max(longest, *map(len, _SHARED_TEXT.split(unpacked)))
            book.writestr(name, unpacked)
    return packed.getvalue(), cells * longest


def _is_read(name: str) -> bool:
    """Return whether a member is a part that is measured; pictures and macros are left out."""
    return name.lower().endswith((".xml", ".rels"))


def _is_of_other_format(name: str) -> bool:
    """Return whether a member belongs to an ODS or an XLSB, which the library would read too."""
    return name == "content.xml" or (name.startswith("xl/work") and name.endswith(".bin"))

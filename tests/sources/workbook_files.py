"""Workbooks for tests, packed from a CSV of their cells."""

import csv
import io
import re
from collections.abc import Mapping
from datetime import date
from functools import lru_cache

import xlsxwriter

SHEET = ".sheet.csv"
DAY = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9])")
NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")


@lru_cache(maxsize=64)
def packed(name: str, content: bytes) -> bytes:
    """Return a file as its source sends it: packed as a workbook if it is a CSV of cells, otherwise as it is.

    The sheet has the name of the file, with blanks for underscores.
    """
    if not name.endswith(SHEET):
        return content
    return packed_sheets({name.removesuffix(SHEET).replace("_", " "): content.decode()})


def packed_sheets(sheets: Mapping[str, str]) -> bytes:
    """Return a workbook with the cells of several CSVs, by the names of their sheets.

    Days and numbers become days and numbers of the workbook, all other cells texts.
    """
    book_file = io.BytesIO()
    with xlsxwriter.Workbook(book_file, {"in_memory": True}) as book:
        form = book.add_format({"num_format": "yyyy-mm-dd"})
        for name, text in sheets.items():
            sheet = book.add_worksheet(name)
            for line, cells in enumerate(csv.reader(io.StringIO(text))):
                for place, cell in enumerate(cells):
                    if DAY.fullmatch(cell):
                        sheet.write_datetime(line, place, date.fromisoformat(cell), form)
                    elif NUMBER.fullmatch(cell):
                        sheet.write_number(line, place, float(cell))
                    else:
                        sheet.write_string(line, place, cell)
    return book_file.getvalue()

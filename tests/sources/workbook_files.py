"""Workbooks for tests, packed from a CSV of their cells."""

import csv
import io
import re
from datetime import date
from functools import lru_cache

import xlsxwriter

SHEET = ".sheet.csv"
DAY = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9])")
NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")


@lru_cache(maxsize=64)
def packed(name: str, content: bytes) -> bytes:
    """Return a file as its source sends it: packed as a workbook if it is a CSV of cells, otherwise as it is.

    Days and numbers become days and numbers of the workbook, all other cells texts.
    """
    if not name.endswith(SHEET):
        return content
    book_file = io.BytesIO()
    with xlsxwriter.Workbook(book_file, {"in_memory": True}) as book:
        sheet, form = book.add_worksheet("Rates"), book.add_format({"num_format": "yyyy-mm-dd"})
        for line, cells in enumerate(csv.reader(io.StringIO(content.decode()))):
            for place, cell in enumerate(cells):
                if DAY.fullmatch(cell):
                    sheet.write_datetime(line, place, date.fromisoformat(cell), form)
                elif NUMBER.fullmatch(cell):
                    sheet.write_number(line, place, float(cell))
                else:
                    sheet.write_string(line, place, cell)
    return book_file.getvalue()

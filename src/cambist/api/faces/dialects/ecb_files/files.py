"""Writing the ECB's files: XML, CSV and zips of CSV, in the form of the real ones, byte for byte but for the numbers.

The daily XML is indented and has single quotes. The XML of several days has double quotes and a line for each day, the
newest first. The CSV of the history has a comma after every cell and `N/A` where there is no rate; the daily CSV writes
`, ` after every cell, and its day as `23 November 2026`. A zip holds its CSV alone.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Sequence
from datetime import date
from math import isnan
from xml.sax.saxutils import escape, quoteattr

from cambist.api.faces.dialects.euro_series import EuroSeries
from cambist.pricing.number_format import plain_float

SENDER = "Cambist"
"""Who sends the rates. The ECB's files name the ECB here; these are not its numbers."""

_PROLOG = '<?xml version="1.0" encoding="UTF-8"?>'
_ENVELOPE = (
    '<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01"'
    ' xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">'
)
_SUBJECT = "<gesmes:subject>Reference rates</gesmes:subject>"
_NAME = f"<gesmes:name>{escape(SENDER)}</gesmes:name>"
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_MISSING = "N/A"
_ARCHIVE_ATTRIBUTES = 0x20
"""The file attribute that the real zips have: `archive`, of MS-DOS."""

Texts = Sequence[str | None]


def daily_xml(series: EuroSeries) -> bytes:
    """Write the rates of the last day of a series; currencies without a rate are left out."""
    lines = [_PROLOG, _ENVELOPE, f"\t{_SUBJECT}", "\t<gesmes:Sender>", f"\t\t{_NAME}", "\t</gesmes:Sender>", "\t<Cube>"]
    day, texts = next(_newest_first(series))
    lines.append(f"\t\t<Cube time='{day}'>")
    lines += [f"\t\t\t<Cube currency='{code}' rate='{text}'/>" for code, text in _priced(series.codes, texts)]
    lines += ["\t\t</Cube>", "\t</Cube>", "</gesmes:Envelope>"]
    return "\n".join(lines).encode()


def history_xml(series: EuroSeries) -> bytes:
    """Write the rates of all days of a series, newest first, a line for each day."""
    starts = [f"<Cube currency={quoteattr(code)} rate=" for code in series.codes]
    days = []
    for day, texts in _newest_first(series):
        rates = "".join([f'{start}"{text}"/>' for start, text in _priced(starts, texts)])
        days.append(f'<Cube time="{day}">{rates}</Cube>')
    head = f"{_PROLOG}{_ENVELOPE}{_SUBJECT}<gesmes:Sender>{_NAME}</gesmes:Sender><Cube>"
    return "".join((head, "\n".join(days), "</Cube></gesmes:Envelope>")).encode()


def daily_csv(series: EuroSeries) -> bytes:
    """Write the rates of the last day of a series as CSV; currencies without a rate are left out."""
    day, texts = next(_newest_first(series))
    priced = _priced(series.codes, texts)
    rows = (("Date", *(code for code, _ in priced)), (_written_out(day), *(text for _, text in priced)))
    return "".join(["".join(f"{cell}, " for cell in row) + "\n" for row in rows]).encode()


def history_csv(series: EuroSeries) -> bytes:
    """Write the rates of all days of a series as CSV, newest first."""
    rows = [f"{day},{','.join([text or _MISSING for text in texts])},\n" for day, texts in _newest_first(series)]
    return f"Date,{','.join(series.codes)},\n{''.join(rows)}".encode()


def zipped(name: str, content: bytes, day: date) -> bytes:
    """Return a zip of one file. Its time is that of the day's publication, so that the same rates give the same zip."""
    member = zipfile.ZipInfo(name, (day.year, day.month, day.day, 16, 0, 0))
    member.compress_type = zipfile.ZIP_DEFLATED
    member.create_system = 0
    member.external_attr = _ARCHIVE_ATTRIBUTES
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(member, content)
    return buffer.getvalue()


def _newest_first(series: EuroSeries) -> Iterator[tuple[date, Texts]]:
    """Yield each day with its written rates, in the order of the codes; None where there is none."""
    columns = [[None if isnan(value) else plain_float(value) for value in column.tolist()] for column in series.columns]
    for row in range(len(series.days) - 1, -1, -1):
        yield series.days[row], [column[row] for column in columns]


def _priced(names: Sequence[str], texts: Texts) -> list[tuple[str, str]]:
    return [(name, text) for name, text in zip(names, texts, strict=True) if text is not None]


def _written_out(day: date) -> str:
    """Return a day in English, whatever the locale of the process."""
    return f"{day:%d} {_MONTHS[day.month - 1]} {day.year}"

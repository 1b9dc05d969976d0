"""Whether a report shows what its receipt proves."""

from __future__ import annotations

import json
import re

from selectolax.lexbor import LexborHTMLParser

from cambist.errors import ReceiptInvalid

_RECEIPT = re.compile(rb'<script type="application/jose" id="receipt">([A-Za-z0-9_.-]+)</script>')


def receipt_in_report(content: bytes) -> bytes | None:
    """Return the receipt that a report contains; None if the content is no report."""
    found = _RECEIPT.search(content)
    return found[1] if found and content.lstrip()[:9].lower() == b"<!doctype" else None


def check_shown_rates(report: bytes, answer: bytes) -> None:
    """Refuse a report whose table of days is not the answer that was signed. Errors: ReceiptInvalid."""
    signed = json.loads(answer, parse_float=str, parse_int=str)["results"]
    codes = list(signed)
    expected = {day: [signed[code].get(day, "") for code in codes] for rates in signed.values() for day in rates}
    shown = _rates_by_day(report, codes)
    if shown.keys() != expected.keys():
        raise ReceiptInvalid("the report shows other days than were signed")
    for day, rates in expected.items():
        if shown[day] != rates:
            raise ReceiptInvalid(f"the report shows {shown[day]} for {day}, and {rates} was signed")


def _rates_by_day(report: bytes, codes: list[str]) -> dict[str, list[str]]:
    for table in LexborHTMLParser(report).css("table"):
        if [cell.text() for cell in table.css("thead th")] == ["Day", *codes, "Fixing of"]:
            rows = [[cell.text() for cell in row.css("td")] for row in table.css("tbody tr")]
            return {row[0]: row[1 : len(codes) + 1] for row in rows}
    raise ReceiptInvalid("the report has no table of the days that were signed")

"""Exported files with the prices of plain-text accounting: Beancount, Ledger and hledger."""

from __future__ import annotations

from cambist.admin.export.rate_table import RateTable


def make_beancount(table: RateTable) -> bytes:
    """Return a table as price directives of Beancount."""
    return _make(table, "{day} price {base} {rate} {quote}\n")


def make_ledger(table: RateTable) -> bytes:
    """Return a table as market prices of Ledger, which hledger reads too."""
    return _make(table, "P {day} {base} {rate} {quote}\n")


def count_prices(content: bytes) -> int:
    """Return how many prices a file has."""
    return sum(not line.startswith(b";") for line in content.splitlines())


def _make(table: RateTable, form: str) -> bytes:
    sources = ", ".join(table.count_by_source()) or "none"
    header = f"; Prices of {table.base}, edition {table.edition}. Sources: {sources}.\n"
    lines = (form.format(day=day, base=table.base, rate=rate, quote=quote) for day, quote, rate, _ in table.rows())
    return "".join([header, *lines]).encode()

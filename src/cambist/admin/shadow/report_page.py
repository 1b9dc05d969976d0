"""A report as one HTML file without scripts, which asks nobody for anything."""

from __future__ import annotations

from html import escape

from cambist.admin.report.html_page import html_page, html_table
from cambist.admin.shadow.report_tables import endpoint_tables, sentences
from cambist.admin.shadow.shadow_report import ShadowReport


def shadow_page(report: ShadowReport) -> str:
    """Return a report as an HTML document."""
    first, *others = sentences(report)
    parts = ["<h1>What would change on the day of the switch</h1>", f"<p><strong>{escape(first)}</strong></p>"]
    parts += [f'<p class="muted">{escape(sentence)}</p>' for sentence in others]
    for title, tables in endpoint_tables(report):
        parts.append(f"<h2><code>{escape(title)}</code></h2>")
        for table in tables:
            shown = html_table(table.columns, table.rows, table.numbers)
            parts.append(f'<div>{shown}</div><p class="muted">{escape(table.caption)}</p>')
    return html_page("Before the switch", parts, layout="wide")

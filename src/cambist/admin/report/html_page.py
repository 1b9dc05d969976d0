"""An HTML file that prints on A4 and Letter, without scripts, and its tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_STYLE = """
@page { margin: 16mm 14mm; }
* { box-sizing: border-box; }
body { max-width: 180mm; margin: 8mm auto; padding: 0 4mm; color: #16211f; font: 10pt/1.45 system-ui, sans-serif; }
h1 { margin: 0 0 1mm; font-size: 18pt; } h2 { margin: 7mm 0 2mm; font-size: 12pt; break-after: avoid; }
.muted { color: #55615f; } .sandbox { padding: 2mm 3mm; background: #fdf0d3; border: 1px solid #d9a93a; }
table { width: 100%; font-size: 9pt; border-collapse: collapse; font-variant-numeric: tabular-nums; }
thead { display: table-header-group; } tr { break-inside: avoid; }
th, td { padding: 1mm 2mm 1mm 0; white-space: nowrap; text-align: left; vertical-align: baseline; }
th, td { border-bottom: 1px solid #cfd7d5; }
td.num, th.num { text-align: right; }
.proof { display: flex; gap: 6mm; align-items: flex-start; break-inside: avoid; }
.proof svg { flex: none; width: 32mm; height: 32mm; } code { overflow-wrap: anywhere; font-size: 8.5pt; }
@page wide { size: landscape; }
body.wide { max-width: 260mm; page: wide; } .wide > div { overflow-x: auto; }
.wide th { white-space: normal; } .wide td { min-width: 18mm; white-space: normal; overflow-wrap: anywhere; }
.terms td { white-space: normal; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: 34mm 1fr; gap: 1mm 4mm; margin: 0; } dt { color: #55615f; } dd { margin: 0; }
@media print { body { margin: 0; padding: 0; max-width: none; } }
"""


def html_page(title: str, parts: Iterable[str], end: str = "", layout: str = "") -> str:
    """Return a document of these parts, with `end` behind them; the layout `wide` has room for wide tables."""
    body = f'<body class="{layout}">' if layout else "<body>"
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n{body}\n{''.join(parts)}\n"
        f"{end}</body>\n</html>\n"
    )


def html_table(head: Sequence[str], rows: Iterable[Sequence[object]], numbers: Iterable[int] = ()) -> str:
    """Return a table; the columns of `numbers` are aligned at the right."""
    right = set(numbers)

    def cells(tag: str, texts: Sequence[object]) -> str:
        kinds = (' class="num"' if at in right else "" for at in range(len(texts)))
        return "".join(f"<{tag}{kind}>{escape(str(text))}</{tag}>" for kind, text in zip(kinds, texts, strict=True))

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return f"<table><thead><tr>{cells('th', head)}</tr></thead><tbody>{body}</tbody></table>"

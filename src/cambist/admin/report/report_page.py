"""A report as one HTML file that prints on A4 and Letter, with its receipt in it."""

from __future__ import annotations

import io
from html import escape
from typing import Any

import segno

from cambist.admin.report.html_page import html_page, html_table
from cambist.admin.report.rates_report import RatesReport

_MEANS = ("mean", "high", "low", "close")


def report_page(report: RatesReport) -> str:
    """Return a report as an HTML document without scripts, which asks nobody for anything."""
    asked = report.question
    title = f"{asked.base} in {', '.join(asked.quotes)}, {asked.start} to {asked.end}"
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="muted">Exchange rates by {escape(report.service)}, made on {report.made_at:%Y-%m-%d %H:%M} UTC</p>',
        _sandbox(report),
        _averages(report),
        _days(report),
        _method(report),
        _origins(report),
        _proof(report),
    ]
    receipt = f'<script type="application/jose" id="receipt">{report.receipt}</script>\n'
    return html_page(title, parts, receipt)


def _sandbox(report: RatesReport) -> str:
    if not report.environment:
        return ""
    return '<p class="sandbox"><strong>Sandbox.</strong> All rates are simulated: none of them is from a market.</p>'


def _averages(report: RatesReport) -> str:
    rows = [
        (each["start"], each["end"], code, *(each.get(name, "") for name in _MEANS), _used(each))
        for code, periods in report.averages.items()
        for each in periods
    ]
    head = ("From", "To", "Currency", "Mean", "High", "Low", "Last", "Days used")
    title = "By period" if report.rule else f"By {escape(report.question.by)}"
    return f"<h2>{title}</h2>{html_table(head, rows, numbers=range(3, 7))}"


def _used(period: Any) -> str:
    missing = str(period.get("missing", "0"))
    days = str(period.get("days", ""))
    return days if missing == "0" else f"{days}, {missing} missing"


def _days(report: RatesReport) -> str:
    codes = list(report.rates)
    days = sorted({day for rates in report.rates.values() for day in rates})
    rows = [(day, *(report.rates[code].get(day, "") for code in codes), _earlier(report, day)) for day in days]
    used = "" if report.carried else " Each rate is a fixing of its own day."
    words = f'<p class="muted">How much one {escape(report.question.base)} was worth.{used}</p>'
    head = ("Day", *codes, "Fixing of")
    return f"<h2>By day</h2>{words}{html_table(head, rows, numbers=range(1, len(codes) + 1))}"


def _earlier(report: RatesReport, day: str) -> str:
    found = {code: days[day] for code, days in report.fixed_on.items() if day in days}
    if not found:
        return "the day"
    if len(found) == len(report.rates) and len(set(found.values())) == 1:
        return next(iter(found.values()))
    return ", ".join(f"{code}: {earlier}" for code, earlier in found.items())


def _method(report: RatesReport) -> str:
    own = "Each rate is the publisher's own, or crossed within its table."
    agreed = "Each rate is made from the fixings of the day that stood against those of the other publishers."
    lines = [own if report.origins and not report.legs else agreed]
    if report.rule:
        lines.insert(0, f"{report.rule['purpose']} ({report.rule['country']}), by {report.rule['law']}.")
        lines.append("For each day counts the publication that the rule names: its day is in the last column.")
    elif report.carried:
        lines.append(f"{report.carried} rates are of days without a fixing: the last one before is used, and named.")
    lines.append("A mean is that of the days used, with the same weight each. Rates have ten significant digits.")
    return f"<h2>How it was computed</h2>{''.join(f'<p>{escape(line)}</p>' for line in lines)}{_legs(report)}"


def _legs(report: RatesReport) -> str:
    rows = {
        (
            f"{leg['base']}/{leg['quote']}",
            str(leg.get("rate", "")),
            leg.get("law") or ", ".join(leg.get("sources", ())),
        )
        for legs in report.legs.values()
        for leg in legs
    }
    if not rows:
        return ""
    words = f"<p>On {report.question.end} the rates were made of:</p>"
    return words + html_table(("Pair", "Rate", "By"), sorted(rows), numbers=(1,))


def _origins(report: RatesReport) -> str:
    if not report.origins:
        return ""
    rows = [(f"{each.name} ({each.key})", each.licence, each.terms or each.home) for each in report.origins]
    table = html_table(("Publisher", "Licence", "Terms"), rows)
    return f'<h2>Publishers and their terms</h2><div class="terms">{table}</div>'


def _proof(report: RatesReport) -> str:
    address = f"{report.service.rstrip('/')}{report.target}"
    if report.edition:
        address = f"{address}&as_of={report.edition}"
    kept = io.BytesIO()
    segno.make(address, error="m").save(kept, kind="svg", xmldecl=False, svgns=True, border=0, omitsize=True)
    code = kept.getvalue().decode()
    keys = f"{escape(report.service.rstrip('/'))}/.well-known/jwks.json"
    facts = {
        "Asked": f"<code>{escape(report.target)}</code>",
        "Edition": f"<code>{escape(report.edition)}</code>",
        "Ask again": f"<code>{escape(address)}</code>",
        "Verify": f"<code>cambist verify FILE --keys jwks.json</code>, with the keys at <code>{keys}</code>",
    }
    listed = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in facts.items())
    return (
        "<h2>Receipt</h2><p>This file contains a receipt: the signature of the service under the rates by day.</p>"
        f'<div class="proof">{code}<dl>{listed}</dl></div>'
    )

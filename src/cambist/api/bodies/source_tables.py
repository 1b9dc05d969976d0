"""Which sources have rates of which type, from their last reports."""

from __future__ import annotations

from cambist.api.answer.request_context import RequestContext
from cambist.errors import BadParameter, RateUnavailable, shorten
from cambist.history.typed_series import parse_series_key, series_key
from cambist.pricing.pair import PIVOT
from cambist.pricing.source_kind import Pace, RateType
from cambist.status.source_report import SourceReport

_MAIN_MARKET = (RateType.OFFICIAL, RateType.MARKET)


def reports(context: RequestContext) -> tuple[SourceReport, ...]:
    """Return the reports on all sources, the best source first. Errors: RateUnavailable if there are none yet."""
    if context.source_reports is None:
        raise RateUnavailable("No source has been asked yet")
    return context.source_reports.reports


def compiled_sources(context: RequestContext) -> frozenset[str]:
    """Return the sources that compile the rates of others."""
    found = context.source_reports.reports if context.source_reports else ()
    return frozenset(report.key for report in found if report.compiled)


def main_anchors(context: RequestContext) -> dict[str, str]:
    """Return the sources of the rates that are compared with each other, with the currency of all their pairs."""
    found = context.source_reports.reports if context.source_reports else ()
    return {
        one.key: one.anchor
        for one in found
        if one.anchor and one.rate_type in _MAIN_MARKET and one.pace != Pace.MONTHLY
    }


def anchors_of_type(context: RequestContext, rate_type: str) -> dict[str, str]:
    """Return the series of a type by key, with the currency of all their pairs.

    Errors: BadParameter for a type that no source has; RateUnavailable if no source was asked yet.
    """
    found: dict[str, str] = {}
    names: dict[str, None] = {}
    for one in reports(context):
        names.update(dict.fromkeys((one.rate_type, *one.rate_types)))
        if one.anchor and one.pace != Pace.MONTHLY:
            if one.rate_type == rate_type:
                found[one.key] = one.anchor
            elif rate_type in one.rate_types:
                found[series_key(one.key, rate_type)] = one.anchor
    if rate_type not in names:
        options = ", ".join(sorted(filter(None, names)))
        raise BadParameter(f"Invalid rate_type: [{shorten(rate_type)}]. Options are [{options}]")
    return found


def prices(key: str, anchor: str, code: str) -> bool:
    """Return whether a series prices a code. A further type of an issuer is a rate of its own currency only."""
    return not parse_series_key(key).rate_type or anchor in (PIVOT, code)


def types_of(context: RequestContext, code: str) -> list[str]:
    """Return the types of rates that a code has. Errors: RateUnavailable, StoreBusy."""
    by_key = {one.key: one for one in reports(context)}
    found = set()
    for each in context.state.coverage():
        source, further = parse_series_key(each.source)
        report = by_key.get(source)
        if report and code in (each.pair.base, each.pair.quote) and prices(each.source, report.anchor, code):
            found.add(further or report.rate_type)
    return sorted(found)

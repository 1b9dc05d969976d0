"""`GET /sources`: the sources, their state, and what is stored from them."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated

from msgspec import Meta, Struct

from cambist.api.endpoint import Endpoint
from cambist.api.parameters import NoParameters
from cambist.api.request_context import RequestContext, written
from cambist.errors import RateUnavailable
from cambist.status.source_report import Condition, SourceReport


class SourceCoverage(Struct, frozen=True):
    """What is stored from a source: the number of pairs, and the first and last day."""

    pairs: int
    first: date | None
    last: date | None


class SourceRecord(Struct, frozen=True):
    """A source: who it is, and its state.

    `state` is fresh, late, failing, waiting or off, and `why` the reason. `newest` is the newest market time received
    from it, and `lag` the age of that in seconds. `left_out` lists the cells and columns of its last answers that could
    not be read.
    """

    name: str
    home: str
    terms: str
    licence: str
    redistribution: str
    pace: str
    rate_type: str
    covers: str
    state: Condition
    why: str
    last_success: str | int | None
    newest: str | int | None
    lag: Annotated[int, Meta(ge=0)] | None
    quoted: Annotated[int, Meta(ge=0)]
    quarantined: Annotated[int, Meta(ge=0)]
    left_out: list[str]
    history: SourceCoverage


class SourcesResponse(Struct, frozen=True):
    """The sources by key, best first; `environment` is sandbox if the prices are simulated."""

    environment: str
    updated: str | int
    sources: dict[str, SourceRecord]


def answer(context: RequestContext, _params: NoParameters) -> SourcesResponse:
    """Return every source with its state, its last success, its lag and its coverage."""
    source_reports = context.source_reports
    if source_reports is None:
        raise RateUnavailable("No source has been asked yet")
    return SourcesResponse(
        environment=source_reports.environment,
        updated=written(source_reports.written_at, context.form),
        sources={report.key: _state(context, report) for report in source_reports.reports},
    )


def _state(context: RequestContext, report: SourceReport) -> SourceRecord:
    lag = report.lag(context.now)
    return SourceRecord(
        name=report.name,
        home=report.home,
        terms=report.terms,
        licence=report.licence,
        redistribution=report.redistribution,
        pace=report.pace,
        rate_type=report.rate_type,
        covers=report.covers,
        state=report.condition(context.now),
        why=report.why,
        last_success=_format_time(context, report.last_success),
        newest=_format_time(context, report.newest),
        lag=None if lag is None else int(lag.total_seconds()),
        quoted=report.codes,
        quarantined=report.waiting,
        left_out=list(report.left_out),
        history=SourceCoverage(report.pairs, report.first, report.last),
    )


def _format_time(context: RequestContext, at: datetime | None) -> str | int | None:
    return None if at is None else written(at, context.form)


endpoint: Endpoint[NoParameters, SourcesResponse] = Endpoint(
    path="/sources",
    tag="currency",
    summary="Status of the sources",
    params=NoParameters,
    body=SourcesResponse,
    answer=answer,
)

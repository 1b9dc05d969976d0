"""`GET /sources`: the sources, their state, and what is stored from them."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.request_context import RequestContext, written
from cambist.api.questions.parameter_types import flag
from cambist.errors import RateUnavailable
from cambist.reference.assets import METALS
from cambist.reference.currency_tables import CURRENCIES
from cambist.status.currency_coverage import currency_coverage, independent_sources
from cambist.status.network import no_network
from cambist.status.source_report import Condition, SourceReport, SourceReports


class SourcesParams(Struct, frozen=True, kw_only=True):
    """Whether to count the sources of each currency as well."""

    verbose: Annotated[bool, flag("verbose", description="Add `independent`: true, 1, yes or y.")]


class SourceCoverage(Struct, frozen=True):
    """What is stored from a source: the number of pairs, and the first and last day."""

    pairs: int
    first: date | None
    last: date | None


class SourceRecord(Struct, frozen=True):
    """A source: who it is, and its state.

    `state` is fresh, late, failing, waiting or off, and `why` the reason. `newest` is the newest market time received
    from it, and `lag` the age of that in seconds. `left_out` lists the cells and columns of its last answers that could
    not be read. `rate_types` are the further types of rates that can be asked for by `rate_type`.
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
    rate_types: tuple[str, ...] | UnsetType = UNSET


class UnreachedSources(Struct, frozen=True):
    """No source can be reached: a sentence for people, the keys of those that were asked, and the commonest reason."""

    sentence: str
    unreached: tuple[str, ...]
    why: str


class SourcesResponse(Struct, frozen=True):
    """The sources by key, best first; `environment` is sandbox if the prices are simulated.

    `no_network` is there while no source can be reached.
    `independent`, only with `verbose`, counts for each currency and metal the sources that publish it now and do not
    compile the rates of others.
    """

    environment: str
    updated: str | int
    sources: dict[str, SourceRecord]
    independent: dict[str, Annotated[int, Meta(ge=0)]] | UnsetType = UNSET
    no_network: UnreachedSources | UnsetType = UNSET


def answer(context: RequestContext, params: SourcesParams) -> SourcesResponse:
    """Return every source with its state, its last success, its lag and its coverage."""
    source_reports = context.source_reports
    if source_reports is None:
        raise RateUnavailable("No source has been asked yet")
    return SourcesResponse(
        environment=source_reports.environment,
        updated=written(source_reports.written_at, context.form),
        sources={report.key: _state(context, report) for report in source_reports.reports},
        independent=_independent(context, source_reports) if params.verbose else UNSET,
        no_network=_no_network(source_reports),
    )


def _no_network(source_reports: SourceReports) -> UnreachedSources | UnsetType:
    found = no_network(source_reports)
    return UNSET if found is None else UnreachedSources(found.sentence, found.unreached, found.why)


def _independent(context: RequestContext, source_reports: SourceReports) -> dict[str, int]:
    codes, pairs = [*CURRENCIES, *METALS], context.state.coverage()
    found = currency_coverage(codes, pairs, context.votes, source_reports.reports, context.today)
    return {code: independent_sources(by_source) for code, by_source in found.items()}


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
        quarantined=report.held,
        left_out=list(report.left_out),
        history=SourceCoverage(report.pairs, report.first, report.last),
        rate_types=report.rate_types or UNSET,
    )


def _format_time(context: RequestContext, at: datetime | None) -> str | int | None:
    return None if at is None else written(at, context.form)


endpoint: Endpoint[SourcesParams, SourcesResponse] = Endpoint(
    path="/sources",
    tag="currency",
    summary="Status of the sources",
    params=SourcesParams,
    body=SourcesResponse,
    answer=answer,
)

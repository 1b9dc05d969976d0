"""The sentences and tables of a report, as the terminal and the page show them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cambist.admin.shadow.differences import MOMENTS_APART, DifferenceKind
from cambist.admin.shadow.shadow_report import AnswerTimes, EndpointSums, ShadowChange, ShadowReport, ShadowSums

_SUM_COLUMNS = (
    *("Pair", "Requests", "Same", "Minor", "Different", "Not compared", "By kind", "Widest gap of numbers"),
    *("Theirs, ms", "Ours, ms", "Calls"),
)
_CHANGE_COLUMNS = (
    "What changes",
    "Field",
    "Requests",
    "Codes",
    "Theirs, in one request",
    "Ours, in the same",
    "Request",
)


@dataclass(frozen=True, slots=True)
class ShadowTable:
    """A table of texts, with a sentence below it that may be empty; `numbers` are the columns of numbers."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str
    numbers: Sequence[int]


def sentences(report: ShadowReport) -> Iterator[str]:
    """Yield what a report says in words, the most important first."""
    total = report.total
    compared = total.requests - total.not_compared
    if not compared:
        yield f"Of {_requests(total.requests)} none was compared."
    else:
        that = " that were compared" if total.not_compared else ""
        yield f"Of {_requests(compared)}{that} {total.same:,} would have the same answer."
        if total.minor:
            hours = MOMENTS_APART.total_seconds() / 3600
            yield (
                f"{total.minor:,} more differ only in fields that are added, in words, or in times more than {hours:g} "
                "hour apart."
            )
        if missing := total.kinds.get(DifferenceKind.NO_ANSWER):
            yield f"{missing:,} had no answer of ours."
        yield f"Numbers count as the same within {' or '.join(report.tolerances)}."
    for reason, count in report.reasons.items():
        yield f"Not compared: {count:,}, because {reason}."
    if report.simulated:
        yield f"{report.simulated:,} answers of ours are from a sandbox: all its rates are simulated."
    yield from _cost(total)
    if report.first is not None and report.last is not None:
        yield f"From {report.first:%Y-%m-%d %H:%M} to {report.last:%Y-%m-%d %H:%M} UTC."
    yield "Times are until an answer began: the median, and from 20 requests on the 95th percentile behind it."
    if report.unreadable:
        yield f"{report.unreadable:,} lines of the log could not be read and are not counted."


def endpoint_tables(report: ShadowReport) -> Iterator[tuple[str, list[ShadowTable]]]:
    """Yield for each endpoint its name and its tables: the sums by pair, and what would change if anything would."""
    for each in report.endpoints:
        tables = [_sum_table(each)]
        if each.changes:
            more = f"{each.more_changes:,} other changes are in fewer requests." if each.more_changes else ""
            tables.append(ShadowTable(_CHANGE_COLUMNS, [*map(_change_row, each.changes)], more, (2,)))
        yield each.endpoint, tables


def _cost(total: ShadowSums) -> Iterator[str]:
    named = f"Ours says that these requests cost {total.calls:,} calls"
    yield f"{named}; {total.without_cost:,} of its answers name no cost." if total.without_cost else f"{named}."


def _sum_table(each: EndpointSums) -> ShadowTable:
    rows = [_sum_row(pair, pair.pair) for pair in each.pairs]
    if len(each.pairs) > 1 or each.more_pairs:
        rows.append(_sum_row(each.total, "all"))
    more = f"{each.more_pairs:,} other pairs have fewer requests: they are in the last row." if each.more_pairs else ""
    return ShadowTable(_SUM_COLUMNS, rows, more, (1, 2, 3, 4, 5, 8, 9, 10))


def _sum_row(sums: ShadowSums, name: str) -> list[str]:
    counts = (sums.requests, sums.same, sums.minor, sums.different, sums.not_compared)
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in sums.kinds.items())
    gap = sums.widest
    widest = f"{_percent(gap.apart)} in {gap.where}: theirs {gap.theirs}, ours {gap.ours}" if gap else ""
    calls = f"{sums.calls:,}" if sums.calls or not sums.without_cost else ""
    return [name, *(f"{count:,}" for count in counts), kinds, widest, _times(sums.theirs), _times(sums.ours), calls]


def _change_row(change: ShadowChange) -> list[str]:
    codes = ", ".join(change.codes) + (f" and {change.more_codes:,} more" if change.more_codes else "")
    return [change.kind, change.where, f"{change.requests:,}", codes, change.theirs, change.ours, change.target]


def _times(times: AnswerTimes | None) -> str:
    if times is None:
        return ""
    return f"{times.median_ms:,.1f}" if times.p95_ms is None else f"{times.median_ms:,.1f} / {times.p95_ms:,.1f}"


def _percent(part: float) -> str:
    return f"{part * 100:,.3g} %" if part < 10 else f"{part:,.0f} times"


def _requests(count: int) -> str:
    return f"{count:,} request{'' if count == 1 else 's'}"

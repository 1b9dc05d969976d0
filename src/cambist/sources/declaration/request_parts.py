"""The requests of a declared source: the days asked for, in the parts that its answers cover."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import date, timedelta
from urllib.parse import quote

from cambist.sources.base import SourceRequest
from cambist.sources.declaration.address import fill
from cambist.sources.declaration.asked import write_subject
from cambist.sources.declaration.declaration import DeclaredRequest
from cambist.sources.declaration.request_body import build_body, content_type_of

_DECEMBER = 12


def build_requests(
    request: DeclaredRequest, first: date, last: date, weekdays: Collection[int], *, is_day_asked: bool
) -> Iterator[SourceRequest]:
    """Yield the requests for all days from `first` to `last`; with a span of 1, only for days on `weekdays`.

    A range of few days is requested at the address of single days, if there is one. `is_day_asked` says that answers
    have no day, so that the requested one must come back with the answer.
    """
    headers, content_type = tuple(request.headers.items()), content_type_of(request)
    if content_type:
        headers = (("Content-Type", content_type), *headers)
    first_of_two = request.before
    before = SourceRequest(url=first_of_two.url, content_types=first_of_two.media) if first_of_two else None
    is_few = request.few is not None and (last - first).days < request.few.days
    url, span = (request.few.url, 1) if request.few and is_few else (request.url, request.span)
    for start, end in _parts(span, first, last):
        for each in request.each or ("",) if span != 1 or start.weekday() in weekdays else ():
            yield SourceRequest(
                url=fill(url, start, end, quote(each)),
                first=start,
                last=end,
                subject=write_subject(start if is_day_asked else None, each),
                headers=headers,
                body=build_body(request, start, end, each),
                content_types=request.media,
                no_data_statuses=frozenset(request.absent),
                before=before,
                token_pattern=first_of_two.pattern if first_of_two else "",
                hidden_fields=first_of_two.fields if first_of_two else (),
            )


def _parts(span: int | str, first: date, last: date) -> Iterator[tuple[date, date]]:
    """Yield the first and the last day of each part."""
    start = first
    while start <= last:
        end = min(last, _end_of_part(span, start, last))
        yield start, end
        if end == date.max:
            return
        start = end + timedelta(days=1)


def _end_of_part(span: int | str, start: date, last: date) -> date:
    if isinstance(span, int):
        return date.fromordinal(min(start.toordinal() + span - 1, date.max.toordinal()))
    if span == "year":
        return date(start.year, _DECEMBER, 31)
    if span == "month":
        following = date(start.year, start.month, 28) + timedelta(days=4)
        return following - timedelta(days=following.day)
    return last

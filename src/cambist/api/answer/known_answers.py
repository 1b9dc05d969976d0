"""Answers as a past moment knew them: from the parameter `as_of` to what the answer is made from."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from math import isnan
from typing import Any

from msgspec import Struct

from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.request_context import RequestContext
from cambist.errors import BadParameter, NoRate, NotKnownThen
from cambist.history.known_state import PUBLISHED, Mark, Scope, has_rate
from cambist.pricing.pair import PIVOT
from cambist.reference.assets import COINS


def at_mark(context: RequestContext, endpoint: Endpoint[Any, Any], params: Struct) -> RequestContext:
    """Return the context that a request asks for: with `as_of` that of its mark, else the same.

    Errors: BadParameter, NotKnownThen, RateUnavailable, StoreBusy.
    """
    text = getattr(params, "as_of", None)
    if text is None or endpoint.scope is None:
        if getattr(params, "assume", None) is not None:
            raise BadParameter("Missing parameter: [as_of], without it nothing is assumed")
        return context
    _check_alone(endpoint, params)
    history = context.state.readers.known_history
    if history is None:
        raise BadParameter("Invalid as_of: the prices of a sandbox are computed, and have no editions")
    mark = history.mark(text, getattr(params, "assume", None))
    known = context.at(mark, context.matrix)
    scope = endpoint.scope(known, params)
    if scope.last > mark.today and scope.last <= context.today:
        raise _refusal(known, scope, f"[{scope.last}] is after [{text}]")
    if mark.name == context.matrix.edition and not mark.assumed:
        return known
    return context.at(mark, history.matrix(mark, scope, context.matrix))


def _check_alone(endpoint: Endpoint[Any, Any], params: Struct) -> None:
    """Refuse parameters whose answers are made from the archive as it is now. Errors: BadParameter."""
    names = [
        name
        for name in ("rate_type", "min_sources", "source", "rule", "booking")
        if getattr(params, name, None) is not None
    ]
    if endpoint.path == "/explain" and getattr(params, "verbose", False):
        names.append("verbose")
    if names:
        raise BadParameter(f"Invalid as_of: it cannot be combined with [{names[0]}], which asks for what is known now")


def is_final(mark: Mark) -> bool:
    """Return whether no answer at a mark can ever change."""
    return mark.is_settled and PUBLISHED not in mark.assumed


def no_rate(error: NoRate, context: RequestContext, endpoint: Endpoint[Any, Any], params: Struct) -> NoRate:
    """Return the error of an answer without a rate: NotKnownThen if the rate was learnt after the mark.

    Without a mark it names the backfill that brings such rates, if there is one.
    """
    if endpoint.scope is None:
        return error
    if context.mark is not None:
        return _refusal(context, endpoint.scope(context, params), "", error)
    is_live = endpoint.earliest_day is None or endpoint.earliest_day(context, params) is None
    if is_live or type(error) is not NoRate:
        return error
    scope = endpoint.scope(context, params)
    hint = _backfill_hint(context, {code for pair in scope.pairs for code in (pair.base, pair.quote)}, scope.last)
    return NoRate(f"{error}{hint}") if hint else error


def _backfill_hint(context: RequestContext, codes: Iterable[str], day: date) -> str:
    """Return which backfill brings rates of a day in currencies that have none: that of a source of their country."""
    found = context.source_reports.reports if context.source_reports else ()
    lacking = {code for code in codes if code != PIVOT and isnan(context.matrix.cell(day, code))}
    if lacking & COINS.keys():  # no backfill brings closes
        return ""
    for one in found:
        brought = lacking.intersection((one.anchor, *one.brings))
        if brought and one.enabled and one.first_day and one.first_day <= day < (one.first or date.max):
            return f"; [cambist backfill {one.key}] brings [{','.join(sorted(brought))}] since {one.first_day}"
    return ""


def _refusal(context: RequestContext, scope: Scope, sentence: str, error: NoRate | None = None) -> NoRate:
    mark, history = context.mark, context.state.readers.known_history
    if mark is None or history is None:
        return error or NoRate(sentence)
    current = context.state.matrix
    for pair in scope.pairs:
        if not has_rate(current, pair, scope.last) or has_rate(context.matrix, pair, scope.last):
            continue
        first = history.first_with(mark, pair, scope.last)
        if first is None:
            continue
        rate = f"The rate from [{pair.base}] to [{pair.quote}] on [{scope.last}]"
        return NotKnownThen(
            f"{rate} was not known at [{mark.name}]: the first edition with it is [{first.name}]", first.name
        )
    return error or NotKnownThen(f"{sentence}: nothing was known of that day")

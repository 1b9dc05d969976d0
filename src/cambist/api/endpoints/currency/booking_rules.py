"""`GET /booking-rules`: the rules of authorities by which rates can be asked for."""

from __future__ import annotations

from datetime import date

from msgspec import Struct

from cambist.api.answer.answer_table import DATE, AnswerTable, Column
from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.request_context import RequestContext
from cambist.api.questions.freshness_parameters import BookParameters
from cambist.reference.booking_rules import BOOKING_RULES, BookingRule


class BookingRuleRecord(Struct, frozen=True):
    """A rule: whose rate (`source`, a key of `/sources`), which publication of it (`rule`), and the law.

    `proven` if a test reproduces a figure that the authority published, such as the `example`. `unanswered` says why a
    rule is only listed; null if it is answered.
    """

    country: str
    purpose: str
    source: str | None
    rule: str | None
    decimals: str | None
    law: str
    since: date | None
    until: date | None
    proven: bool
    example: str | None
    unanswered: str | None


class BookingRulesResponse(Struct, frozen=True, rename={"rules": "booking-rules"}):
    """The rules by key."""

    rules: dict[str, BookingRuleRecord]


def answer(_context: RequestContext, _params: BookParameters) -> BookingRulesResponse:
    """Return all rules, also those that are not answered here, with the reason."""
    return BookingRulesResponse({key: _record(rule) for key, rule in BOOKING_RULES.items()})


def _record(rule: BookingRule) -> BookingRuleRecord:
    return BookingRuleRecord(
        country=rule.country,
        purpose=rule.purpose,
        source=rule.publisher,
        rule=rule.rule,
        decimals=rule.decimals,
        law=rule.law,
        since=rule.since,
        until=rule.until,
        proven=rule.proven == "yes",
        example=rule.example,
        unanswered=rule.unanswered,
    )


_TEXTS = ("country", "purpose", "source", "rule", "decimals", "law")
_COLUMNS = (
    Column("booking"),
    *map(Column, _TEXTS),
    Column("since", DATE),
    Column("until", DATE),
    *map(Column, ("proven", "example", "unanswered")),
)


def table(_context: RequestContext, _params: BookParameters) -> AnswerTable:
    """Return a row for each rule."""
    rows = [
        (
            key,
            *(getattr(_record(rule), name) for name in _TEXTS),
            *(str(day) if day else None for day in (rule.since, rule.until)),
            rule.proven,
            rule.example,
            rule.unanswered,
        )
        for key, rule in BOOKING_RULES.items()
    ]
    return AnswerTable(_COLUMNS, rows)


endpoint: Endpoint[BookParameters, BookingRulesResponse] = Endpoint(
    path="/booking-rules",
    tag="currency",
    summary="Rules of authorities",
    params=BookParameters,
    body=BookingRulesResponse,
    answer=answer,
    table=table,
    is_list=True,
)

"""What a report says: the rates of each day, their means, where they are from, and what proves them."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Any
from urllib.parse import urlencode

import msgspec
from msgspec import Struct

_MEANS_BY = {"month-mean": "month", "year-mean": "year", "mean-of-month-ends": "year"}
"""The rules that are means, with the length of their periods."""

Ask = Callable[[str, Mapping[str, str]], Any]
"""Asks a service and returns its JSON, in which numbers are texts with all digits. Errors: RequestRefused."""
Prove = Callable[[str], str]
"""Returns the receipt of a question, which contains its answer. Errors: RequestRefused."""


class ReportQuestion(Struct, frozen=True, kw_only=True):
    """A currency in others, from day to day; with a `source` by that publisher alone, or by the rule of a `booking`."""

    base: str
    quotes: tuple[str, ...]
    start: date
    end: date
    by: str = "month"
    source: str = ""
    booking: str = ""


class Publisher(Struct, frozen=True):
    """A publisher of the rates, with its terms."""

    key: str
    name: str
    home: str
    licence: str
    terms: str


class RatesReport(Struct, frozen=True, kw_only=True):
    """The parts of a report.

    `rates` are by currency and day, `fixed_on` has the other days whose fixing counts for a day. `rule` is that of an
    authority, as the service describes it.

    `averages` are those of `/averages` by currency. `receipt` proves the rates: it contains the answer to `target`.
    """

    question: ReportQuestion
    made_at: datetime
    service: str
    environment: str
    edition: str
    rates: Mapping[str, Mapping[str, str]]
    fixed_on: Mapping[str, Mapping[str, str]]
    averages: Mapping[str, Sequence[Mapping[str, Any]]]
    origins: Sequence[Publisher]
    legs: Mapping[str, Sequence[Mapping[str, Any]]]
    target: str
    receipt: str
    rule: Mapping[str, Any] | None = None

    @property
    def carried(self) -> int:
        """How many rates are those of another day."""
        return sum(len(days) for days in self.fixed_on.values())


def make_report(question: ReportQuestion, ask: Ask, prove: Prove, service: str, at: datetime) -> RatesReport:
    """Ask a service for everything that a report says. Errors: RequestRefused."""
    series = {
        "from": question.base,
        "to": ",".join(question.quotes),
        "start": str(question.start),
        "end": str(question.end),
        "verbose": "true",
        **{name: value for name in ("source", "booking") if (value := getattr(question, name))},
    }
    target = f"/time-series?{urlencode(series, safe=',')}"
    receipt = prove(target)
    claims = _claims(receipt)
    answer = _exact(claims["body"])
    source = answer.get("source", "")
    explained = () if source else question.quotes
    legs = {code: ask("/explain", _explained(question, code))["legs"] for code in explained}
    return RatesReport(
        question=question,
        made_at=at,
        service=service,
        environment=claims.get("environment", ""),
        edition=claims.get("edition", ""),
        rates=answer["results"],
        fixed_on=_fixed_on(answer),
        averages=_averages(question, ask, answer)["results"],
        origins=_origins(ask, source, legs),
        legs=legs,
        target=target,
        receipt=receipt,
        rule=answer.get("booking"),
    )


def _averages(question: ReportQuestion, ask: Ask, answer: Mapping[str, Any]) -> Any:
    """Return the means of the periods: as the rule wants them if it is one of means, else of what was published."""
    asked = {"from": question.base, "to": ",".join(question.quotes), "start": str(question.start)}
    asked |= {"end": str(question.end), "by": question.by}
    if answer.get("rule") in _MEANS_BY:
        return ask("/averages", asked | {"booking": question.booking, "by": _MEANS_BY[answer["rule"]]})
    return ask("/averages", asked | ({"source": answer["source"]} if answer.get("source") else {}))


def _fixed_on(answer: Mapping[str, Any]) -> Mapping[str, Mapping[str, str]]:
    """Return the days of earlier fixings by currency: an answer about one currency has them without its code."""
    found = answer.get("fixed_on", {})
    is_of_one = any(isinstance(value, str) for value in found.values())
    return dict.fromkeys(answer["results"], found) if is_of_one else found


def _explained(question: ReportQuestion, code: str) -> dict[str, str]:
    return {"from": question.base, "to": code, "date": str(question.end)}


def _origins(ask: Ask, source: str, legs: Mapping[str, Sequence[Mapping[str, Any]]]) -> Sequence[Publisher]:
    keys = {key for each in legs.values() for leg in each for key in leg.get("sources", ())}
    keys |= {source} if source else set()
    known = ask("/sources", {})["sources"]
    facts = {key: known[key] for key in sorted(keys) if key in known}
    return [Publisher(key, each["name"], each["home"], each["licence"], each["terms"]) for key, each in facts.items()]


def _claims(receipt: str) -> dict[str, Any]:
    payload = receipt.split(".")[1]
    claims = msgspec.json.decode(urlsafe_b64decode(payload + "=" * (-len(payload) % 4)), type=dict[str, Any])
    body = claims["body"]
    return claims | {"body": urlsafe_b64decode(body + "=" * (-len(body) % 4))}


def _exact(content: bytes) -> Any:
    # msgspec reads no number as a text.
    return json.loads(content, parse_float=str, parse_int=str)

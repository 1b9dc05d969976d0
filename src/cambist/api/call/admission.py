"""Admission: what is checked before a call is answered, in one order for every face of the API.

The order of refusals: 401 for the key, 429 for the rate, 403 for the group of endpoints, 400 for the question, 403 for
the history, 404 where there is no rate, and at last 429 for the quota, in `settlement`.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import date

from cambist.accounts.meter import Meter
from cambist.accounts.usage import UsageRecord
from cambist.api.call.call import QUERY_NAME, Call
from cambist.api.call.credentials import USUAL, Authenticator, KeyPlaces
from cambist.api.questions.parameters import parse_query
from cambist.errors import BadParameter, NotInPlan


class Admission:
    """Admits the calls of one worker."""

    def __init__(self, authenticator: Authenticator, meter: Meter) -> None:
        self._authenticator = authenticator
        self._meter = meter

    def admit(self, call: Call, tags: Collection[str], places: KeyPlaces = USUAL) -> None:
        """Find who asks, count the call against the rate limit, and check that the plan includes one of the `tags`.

        Its query is then there, without API keys. Errors: RequestRefused.
        """
        if call.is_admitted:
            return
        call.today = self._meter.today(call.now)
        broken: BadParameter | None = None
        try:
            query = parse_query(call.environ["QUERY_STRING"])
        except BadParameter as error:  # a key in a header is checked and counted all the same
            query, broken = {}, error
        principal = call.principal = self._authenticator.authenticate(call.environ, query, call.now, places)
        for name in (QUERY_NAME, *places.parameters):
            query.pop(name, None)
        call.query = query
        if principal is not None:
            if principal.is_limited:
                self._meter.check_rate(principal, call.now)
            if tags and principal.tags.isdisjoint(tags):
                raise not_included(principal.plan.name, next(iter(tags)))
        if broken is not None:
            raise broken
        call.is_admitted = True

    def count_again(self, call: Call) -> None:
        """Count one more question of an admitted call against the rate limit. Errors: RateLimited."""
        self._meter.check_rate(call.payer, call.now)

    def usage(self, call: Call) -> UsageRecord:
        """Return the usage of the account that asks."""
        return self._meter.usage(call.payer, call.now)


def check_tag(call: Call, tag: str) -> None:
    """Refuse a group of endpoints that the plan does not include. Errors: NotInPlan."""
    if call.principal is not None and tag not in call.principal.tags:
        raise not_included(call.principal.plan.name, tag)


def check_history(call: Call, earliest_day: date | None) -> None:
    """Refuse an answer about days before those that the plan includes; None is no day. Errors: NotInPlan."""
    if earliest_day is None or call.principal is None:
        return
    plan = call.principal.plan
    if plan.history_days is not None and earliest_day < plan.first_day(call.today):
        raise NotInPlan(
            f"History on the plan [{plan.name}] is limited to {plan.history_days} days: [{earliest_day}] is older"
        )


def not_included(plan: str, tag: str) -> NotInPlan:
    """Return the error of a group of endpoints that a plan does not include."""
    return NotInPlan(f"The plan [{plan}] does not include the group [{tag}]")

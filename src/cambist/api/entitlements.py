"""The terms of a plan: which groups of endpoints it includes, and how far back its history reaches."""

from __future__ import annotations

from datetime import date, timedelta

from cambist.api.principals import ApiPrincipal
from cambist.errors import NotInPlan


def check_tag(principal: ApiPrincipal, tag: str) -> None:
    """Refuse what the plan does not include. Errors: NotInPlan."""
    if tag not in principal.tags:
        raise NotInPlan(f"The plan [{principal.plan.name}] does not include the group [{tag}]")


def reach_of(principal: ApiPrincipal, today: date) -> date:
    """Give the first day that the plan includes."""
    days = principal.plan.history_days
    return date.min if days is None else today - timedelta(days=days)


def check_history(principal: ApiPrincipal, oldest: date | None, today: date) -> None:
    """Refuse days that lie further back than the plan reaches. Errors: NotInPlan."""
    days = principal.plan.history_days
    if days is not None and oldest is not None and oldest < reach_of(principal, today):
        raise NotInPlan(f"History on the plan [{principal.plan.name}] is limited to {days} days: [{oldest}] is older")

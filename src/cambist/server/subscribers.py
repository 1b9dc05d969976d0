"""Who may come in, by key: who brings it, and what is served to him."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cambist.accounts.account import Holder
from cambist.accounts.api_key import Digest
from cambist.accounts.bearer import Bearer
from cambist.accounts.plan import Plan
from cambist.server.shelf import Shelf, Shelves


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscriber(Bearer):
    """Who brings a key, and the shelf that he is served from."""

    shelf: Shelf


Subscribers = Mapping[Digest, Subscriber]


def subscribers(holders: Mapping[Digest, Holder], plans: Mapping[str, Plan], shelves: Shelves) -> Subscribers:
    """Put keys, accounts, plans and shelves together; an account on a plan that is gone gets no endpoint."""
    return {digest: _subscriber(holder, plans, shelves) for digest, holder in holders.items()}


def _subscriber(holder: Holder, plans: Mapping[str, Plan], shelves: Shelves) -> Subscriber:
    plan = plans.get(holder.account.plan)
    shelf = shelves.get(plan.book_refresh if plan else 0, holder.account.datetime_format)
    return Subscriber.of(holder, plans, shelf=shelf)

"""Who may come in, by key: who brings it, and what is served to him."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cambist.accounts.account import StoredKey
from cambist.accounts.api_key import Digest
from cambist.accounts.plan import Plan
from cambist.accounts.principal import Principal
from cambist.api.book_responses import BookResponses, BookResponsesByKind


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiPrincipal(Principal):
    """Who brings a key, and the shelf that he is served from."""

    shelf: BookResponses


ApiPrincipals = Mapping[Digest, ApiPrincipal]


def principals_by_key(
    stored_keys: Mapping[Digest, StoredKey], plans: Mapping[str, Plan], shelves: BookResponsesByKind
) -> ApiPrincipals:
    """Put keys, accounts, plans and shelves together; an account on a plan that is gone gets no endpoint."""
    return {digest: _subscriber(stored_key, plans, shelves) for digest, stored_key in stored_keys.items()}


def _subscriber(stored_key: StoredKey, plans: Mapping[str, Plan], shelves: BookResponsesByKind) -> ApiPrincipal:
    plan = plans.get(stored_key.account.plan)
    shelf = shelves.get(plan.book_refresh if plan else 0, stored_key.account.datetime_format)
    return ApiPrincipal.of(stored_key, plans, shelf=shelf)

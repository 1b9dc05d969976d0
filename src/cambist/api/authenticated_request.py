"""A request whose API key was checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cambist.accounts.principal import Principal


@dataclass(frozen=True, slots=True)
class AuthenticatedRequest:
    """Who asks, and with which parameters; `now` is the time of the request, in seconds since 1970."""

    principal: Principal
    query: Mapping[str, str]
    if_none_match: str
    now: float

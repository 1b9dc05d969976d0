"""An account: who pays, on which plan. It may hold several keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from cambist.accounts.api_key import Digest

OWNER = "owner"
"""The account that the first start creates."""

UNLIMITED = "unlimited"
"""The plan that it gets."""


@dataclass(frozen=True, slots=True)
class Account:
    """One account as the service knows it."""

    number: int
    name: str
    plan: str


class Accounts(Protocol):
    """Where accounts and the digests of their keys are kept."""

    def create(self, name: str, plan: str, key: Digest, key_prefix: str) -> Account:
        """Create an account with its first key, both or none."""

    def named(self, name: str) -> Account | None:
        """Give the account of that name, if there is one."""

    def by_key(self) -> Mapping[Digest, Account]:
        """Give every key that opens something, with its account: what a server keeps in memory."""

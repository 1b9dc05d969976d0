"""What shells complete beside commands and options: codes, pairs, sources, accounts and plans."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

import typer

from cambist.errors import CambistError
from cambist.settings import Settings, read_settings

if TYPE_CHECKING:
    from cambist.admin.accounts.account_admin import AccountAdmin

Completions = Iterator[tuple[str, str]]
"""What can be typed, each with a word about it, which zsh and fish show."""

_BEFORE_LAST = re.compile(r".*[/,]")
_CODE_LENGTH = 3


def complete_codes(incomplete: str) -> Completions:
    """Yield codes in the case of letters that was begun; after a slash or a comma the next code of a pair or list."""
    found = _BEFORE_LAST.match(incomplete)
    before = found[0] if found else ""
    return _codes(before, incomplete[len(before) :])


def complete_pairs(incomplete: str) -> Completions:
    """Yield pairs written as one word, such as EURUSD; before its first code is complete, yield codes."""
    base = incomplete[:_CODE_LENGTH]
    return _codes(base, incomplete[_CODE_LENGTH:]) if len(base) == _CODE_LENGTH else _codes("", incomplete)


def complete_sources(ctx: typer.Context, incomplete: str) -> Completions:
    """Yield the keys of the built-in sources, and of those that files in the data folder declare."""
    from cambist.registry.sources.source_adapters import OWN_SOURCES
    from cambist.sources.adapters import ADAPTERS

    keys = [*ADAPTERS]
    with suppress(CambistError, OSError):
        folder = _settings(ctx).data / OWN_SOURCES
        keys += sorted(path.stem for path in folder.glob("*.toml"))
    return ((key, "source") for key in keys if key.startswith(incomplete))


def complete_accounts(ctx: typer.Context, incomplete: str) -> Completions:
    """Yield the names of the accounts in the data folder."""
    with suppress(CambistError, OSError), _open_accounts(ctx) as admin:
        yield from ((each.name, each.plan) for each in admin.accounts() if each.name.startswith(incomplete))


def complete_plans(ctx: typer.Context, incomplete: str) -> Completions:
    """Yield the names of the plans that the service of the data folder uses."""
    with suppress(CambistError, OSError), _open_accounts(ctx) as admin:
        yield from ((name, "plan") for name in admin.plans if name.startswith(incomplete))


def _codes(before: str, begun: str) -> Completions:
    """Yield codes that begin so. There are too many coins to show them before two letters are typed."""
    from cambist.reference.assets import COINS, METALS, name_of
    from cambist.reference.currency_tables import CURRENCIES

    current = [each.code for each in CURRENCIES.values() if each.last_day is None]
    for code in [*current, *METALS, *(COINS if len(begun) > 1 else ())]:
        if code.startswith(begun.upper()):
            yield f"{before}{code.lower() if begun.islower() else code}", name_of(code) or ""


def _settings(ctx: typer.Context) -> Settings:
    """Return the settings with the data folder that the line names before the word that is completed."""
    return read_settings(os.environ, {"data": ctx.params.get("data")})


def _open_accounts(ctx: typer.Context) -> AccountAdmin:
    from cambist.admin.accounts.account_admin import AccountAdmin
    from cambist.clock import utc_now

    return AccountAdmin(_settings(ctx), utc_now)

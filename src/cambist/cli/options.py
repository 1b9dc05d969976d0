"""Options that several commands share, and the parsers of their values."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cambist.accounts.account import DatetimeFormat
from cambist.cli.completed_words import complete_accounts, complete_codes, complete_sources
from cambist.settings import Settings, read_settings

if TYPE_CHECKING:
    from cambist.admin.accounts.account_admin import AccountAdmin

DataFolder = Annotated[Path | None, typer.Option(help="The service's data folder.")]
AsJson = Annotated[bool, typer.Option("--json", help="Write the output as JSON.")]
AccountName = Annotated[
    str, typer.Argument(metavar="ACCOUNT", help="Name of the account.", autocompletion=complete_accounts)
]
BaseCode = Annotated[
    str,
    typer.Argument(
        metavar="FROM", help="Code of a currency, a metal or a coin, such as EUR.", autocompletion=complete_codes
    ),
]
QuoteCode = Annotated[
    str, typer.Argument(metavar="TO", help="Code of the target, such as USD.", autocompletion=complete_codes)
]
OtherCode = Annotated[
    str | None,
    typer.Argument(
        metavar="TO", help="Code of the target, such as USD; or write both as EUR/USD.", autocompletion=complete_codes
    ),
]
OnDay = Annotated[str | None, typer.Option("--date", help="Past day such as 2026-10-30, UTC. Default: now.")]
ServiceUrl = Annotated[
    str | None, typer.Option(help="Address of a service, such as https://rates.example. Default: CAMBIST_URL.")
]
ServiceKey = Annotated[
    str | None,
    typer.Option(
        help="API key of the service. Better set CAMBIST_KEY: others on this machine see a command's options."
    ),
]
PublisherKey = Annotated[
    str | None,
    typer.Option(
        "--source", help="Key of the one publisher whose rates are shown, such as ecb.", autocompletion=complete_sources
    ),
]
BookingKey = Annotated[
    str | None, typer.Option("--booking", help="Rule of an authority, such as de-vat: see /booking-rules.")
]
DayRuleName = Annotated[
    str | None, typer.Option("--rule", help="Which publication counts for a day, such as before. Default: its own.")
]
KeyPrefix = Annotated[str, typer.Argument(help="First characters of the key, as `cambist key list` shows them.")]
AnchorDay = Annotated[int | None, typer.Option(help="Day of the month on which the account's periods begin, 1 to 31.")]
DatetimeFormatName = Annotated[
    str | None,
    typer.Option("--datetime-format", help=f"Format of the times in its answers: {', '.join(DatetimeFormat)}."),
]
Email = Annotated[
    str | None,
    typer.Option(help="Address that is told when 80 and 100 % of its quota are used; an empty text removes it."),
]


def read_folder_settings(data: Path | None, **flags: Any) -> Settings:
    """Return the settings of a command: where a service uses the data folder, with what that was started with.

    Errors: SettingRefused.
    """
    from cambist.registry.node.serving import as_served

    settings = read_settings(os.environ, {"data": data, **flags})
    return as_served(settings, [name for name, value in flags.items() if value is not None])


def open_account_admin(data: Path | None) -> AccountAdmin:
    """Open the accounts of the data folder that the settings name.

    Errors: CannotStart, SettingRefused, PlansRefused.
    """
    from cambist.admin.accounts.account_admin import AccountAdmin
    from cambist.clock import utc_now

    return AccountAdmin(read_folder_settings(data), utc_now)

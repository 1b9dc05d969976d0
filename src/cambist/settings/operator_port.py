"""Whether the operator's port may listen where the settings say. Pure."""

from __future__ import annotations

import re

from cambist.errors import SettingRefused
from cambist.settings.addresses import is_loopback
from cambist.settings.fields import Settings

_TOKEN = re.compile(r"[!-~]{24,256}")


def check_operator_port(settings: Settings) -> None:
    """Check the settings of the operator's port together. Errors: SettingRefused, which does not show the token."""
    if (settings.operator_tls_cert is None) != (settings.operator_tls_key is None):
        names = "[operator_tls_cert] and [operator_tls_key]"
        raise SettingRefused(f"The settings {names} are refused: one is nothing without the other")
    if settings.operator_token and not _TOKEN.fullmatch(settings.operator_token):
        raise SettingRefused(
            "The setting [operator_token] is refused: it takes 24 to 256 letters, digits and signs of ASCII, no spaces"
        )
    if is_loopback(settings.operator_host) or not settings.operator_port or settings.operator_insecure:
        return
    named = {"operator_token": settings.operator_token, "operator_tls_cert": settings.operator_tls_cert}
    if missing := [name for name, value in named.items() if not value]:
        raise SettingRefused(
            f"The setting [operator_host] is refused: [{settings.operator_host}] is beyond this machine, which needs "
            f"{' and '.join(f'[{name}]' for name in missing)}; set [operator_insecure] to do without"
        )

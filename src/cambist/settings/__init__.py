"""The settings: read once, from defaults, a TOML file, `CAMBIST_*` variables and flags."""

from cambist.settings.addresses import authority, is_loopback, local_host, url_host
from cambist.settings.fields import Settings
from cambist.settings.lists import ROLES
from cambist.settings.operator_port import check_operator_port
from cambist.settings.reading import (
    FILE_VARIABLE,
    KEY_VARIABLE,
    NO_SETTINGS,
    PREFIX,
    SANDBOX_DATA,
    SETTING_NAMES,
    URL_VARIABLE,
    ignored_variables,
    read_settings,
    setting_descriptions,
    shown,
    without_password,
    written,
)

__all__ = [
    "FILE_VARIABLE",
    "KEY_VARIABLE",
    "NO_SETTINGS",
    "PREFIX",
    "ROLES",
    "SANDBOX_DATA",
    "SETTING_NAMES",
    "URL_VARIABLE",
    "Settings",
    "authority",
    "check_operator_port",
    "ignored_variables",
    "is_loopback",
    "local_host",
    "read_settings",
    "setting_descriptions",
    "shown",
    "url_host",
    "without_password",
    "written",
]

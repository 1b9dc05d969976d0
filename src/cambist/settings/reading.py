"""Reading the settings: from defaults, a TOML file, `CAMBIST_*` variables and flags."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Mapping
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from cambist.errors import SettingRefused, shorten
from cambist.settings.fields import Settings
from cambist.settings.mail import mail_url_without_password
from cambist.settings.service_links import service_links
from cambist.suggestions import did_you_mean
from cambist.validation import explain_validation_error

PREFIX = "CAMBIST_"
FILE_VARIABLE = "CAMBIST_CONFIG"
KEY_VARIABLE = "CAMBIST_KEY"
"""The variable of the API key for the commands that ask a service. It is not a setting."""

URL_VARIABLE = "CAMBIST_URL"
"""The variable of the address for the commands that ask a service. It is not a setting."""

NO_SETTINGS = (FILE_VARIABLE, KEY_VARIABLE, URL_VARIABLE)
"""Variables that begin as those of settings do."""

SANDBOX_DATA = Path("sandbox-data")
"""The default data folder of a sandbox, beside that of the live service."""

SETTING_NAMES = Settings.__struct_fields__

_AGES = ("notify_after", "closed_max_age", "fixing_max_age", "coin_max_age", "metal_max_age", "fx_max_age")
_RETENTIONS = ("minute_bars_for", "hour_bars_for", "day_bars_for")
_DURATIONS = (*_AGES, *_RETENTIONS)
_DURATION = re.compile(r"[+-]?P", re.IGNORECASE)
"""The start of a duration: a bare number has no unit."""


def read_settings(environment: Mapping[str, str], flags: Mapping[str, Any]) -> Settings:
    """Read the settings: defaults, then the file that CAMBIST_CONFIG names, then variables, then flags.

    A flag that is None is ignored. Errors: SettingRefused, with the place, the name and the nearest setting.
    """
    chosen = _from_file(environment.get(FILE_VARIABLE, ""))
    chosen |= _from_environment(environment)
    chosen |= {name: value for name, value in flags.items() if value is not None}
    settings = _convert(chosen)
    if settings.sandbox and "data" not in chosen:
        return msgspec.structs.replace(settings, data=SANDBOX_DATA)
    return settings


def _from_file(path: str) -> dict[str, Any]:
    if not path:
        return {}
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SettingRefused(f"The settings file [{path}] cannot be read: {error}") from error
    for name in content:
        _check_name(name, path, SETTING_NAMES)
    _convert(content, f" in {path}")
    return content


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    variables = [PREFIX + name.upper() for name in SETTING_NAMES]
    ignored = {*NO_SETTINGS, *ignored_variables(environment)}
    chosen = {}
    for variable, value in environment.items():
        if variable.startswith(PREFIX) and variable not in ignored:
            _check_name(variable, "the environment", [*variables, *NO_SETTINGS])
            chosen[variable.removeprefix(PREFIX).lower()] = value
    return chosen


def ignored_variables(environment: Mapping[str, str]) -> list[str]:
    """Return the variables that begin as those of settings do, and that Kubernetes sets for a Service called so."""
    return service_links(environment, PREFIX)


def _check_name(name: str, where: str, names: list[str] | tuple[str, ...]) -> None:
    if name not in names:
        raise SettingRefused(f"Unknown setting [{shorten(name)}] in {where}; {did_you_mean(name, names, len(names))}")


def _convert(chosen: Mapping[str, Any], where: str = "") -> Settings:
    for name in _DURATIONS:
        value = chosen.get(name)
        if value is not None and not isinstance(value, timedelta) and not _DURATION.match(str(value)):
            raise SettingRefused(
                f"The setting [{name}]{where} is refused: [{shorten(str(value))}] is no duration as P90D"
            )
    try:
        settings = msgspec.convert(chosen, Settings, strict=False, dec_hook=_decode)
    except msgspec.ValidationError as error:
        name, reason = explain_validation_error(error)
        value = shorten(without_password(str(chosen.get(name, ""))))
        raise SettingRefused(f"The setting [{name}]{where} is refused: [{value}], {_allowed(name, reason)}") from error
    for name in _DURATIONS:
        if (getattr(settings, name) or timedelta()) < timedelta():
            raise SettingRefused(f"The setting [{name}]{where} is refused: a duration below nothing")
    for name in _RETENTIONS:
        kept_for = getattr(settings, name)
        if kept_for is not None and kept_for < timedelta(days=1):
            raise SettingRefused(f"The setting [{name}]{where} is refused: bars are kept for a day at least")
    for name in ("tael_grams", "baht_grams"):
        grams = getattr(settings, name)
        if not (grams.is_finite() and 1 <= grams <= 1000):
            raise SettingRefused(f"The setting [{name}]{where} is refused: [{grams}] is not from 1 to 1000 grams")
    _ = settings.proxy_networks
    _ = settings.chosen_roles
    _ = settings.otlp_header_fields
    _check_notifications(settings, where)
    return settings


def _check_notifications(settings: Settings, where: str) -> None:
    """Check the settings of notifications. Errors: SettingRefused, which shows no value: they contain secrets."""
    _ = settings.mail_server
    if settings.notify_webhook:
        try:
            url = urlsplit(settings.notify_webhook)
            is_url = url.scheme in {"http", "https"} and bool(url.hostname) and (url.port or 1) > 0
        except ValueError:
            is_url = False
        if not (is_url and settings.notify_webhook.isprintable() and " " not in settings.notify_webhook):
            raise SettingRefused(f"The setting [notify_webhook]{where} is refused: it is no URL of http or https")
    try:
        shlex.split(settings.notify_command)
    except ValueError as error:
        raise SettingRefused(f"The setting [notify_command]{where} is refused: {error}") from None


def _allowed(name: str, reason: str) -> str:
    """Return what a setting allows, if its type says so, or else why a value is refused."""
    hint = get_type_hints(Settings, include_extras=True).get(name)
    if hint is None:
        return reason
    kind, meta = get_args(hint)
    if get_origin(kind) is Literal:
        return f"it takes {', '.join(get_args(kind)[:-1])} or {get_args(kind)[-1]}"
    if kind is int:
        most = f" to {meta.le}" if meta.le is not None else ""
        return f"it takes a whole number from {meta.ge}{most}"
    if meta.pattern:
        return f"it takes the {meta.description}"
    return reason.removesuffix(", not text")


def _decode(kind: type, value: object) -> object:
    if kind is Path:
        try:
            return Path(str(value)).expanduser()
        except RuntimeError as error:  # ~name of an unknown user
            raise ValueError(str(error)) from error
    raise NotImplementedError(kind)


@cache
def setting_descriptions() -> Mapping[str, str]:
    """Return the description of every setting, in order."""
    hints = get_type_hints(Settings, include_extras=True)
    metas = {name: next(extra for extra in get_args(hints[name]) if isinstance(extra, Meta)) for name in SETTING_NAMES}
    return {name: meta.description or "" for name, meta in metas.items()}


def written(value: object) -> str:
    """Return a setting's value as a variable would hold it; empty for None."""
    return "" if value is None else msgspec.json.encode(value, enc_hook=str).decode().strip('"')


def without_password(url: str) -> str:
    """Return a URL to show: `***` in place of its password."""
    return re.sub(r"(?<=://)([^:/@?]*):[^/]*@", r"\1:***@", re.sub(r"([?&]\w*password=)[^&]*", r"\1***", url))


def shown(name: str, value: object) -> object:
    """Return the value of a setting without secrets: a key, a webhook or a command is shown as `set`."""
    if name in {"database", "redis", "gateway", "proxy", "otlp_url"} and isinstance(value, str):
        return without_password(value)
    if name == "notify_email" and isinstance(value, str):
        return mail_url_without_password(value)
    is_secret = name in {"notify_webhook", "notify_command", "operator_token", "otlp_headers"} or (
        name.endswith("_key") and not name.endswith("tls_key")
    )
    return "set" if is_secret and value else value

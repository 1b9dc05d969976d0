"""The adapters of all sources: the built-in ones and the operator's, which of them are on, and their keys.

They are apart from the other parts because API workers have no sources and must not load their modules.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from pathlib import Path

from cambist import plugins
from cambist.accounts.names import echo
from cambist.errors import SettingRefused
from cambist.history.typed_series import CLOSES
from cambist.settings import Settings
from cambist.sources.adapters import ADAPTERS
from cambist.sources.base import Adapter, FixingAdapter
from cambist.sources.declaration import DeclaredAdapter, read_declaration
from cambist.status.environment import SIMULATED
from cambist.suggestions import did_you_mean

log = logging.getLogger(__name__)

RESERVED_KEYS = (SIMULATED, CLOSES, *ADAPTERS)
"""Keys that a declared source cannot have."""

OWN_SOURCES = "sources"
"""The folder of the operator's declarations of sources, in the data directory."""


_DECLARED = resources.files("cambist.sources").joinpath("declared")
"""The folder of the built-in declarations."""


def adapters() -> dict[str, Adapter]:
    """Return every built-in adapter by key, best first."""
    return {key: built_in(key) for key in ADAPTERS}


@cache
def built_in(key: str) -> Adapter:
    """Return one built-in adapter: that of its declaration, or of its module."""
    if not is_declared(key):
        return plugins.load("cambist.sources.adapters", [key], "adapter", Adapter)[key]
    declaration = _DECLARED.joinpath(f"{key}.toml")
    return read_declaration(declaration.read_text(encoding="utf-8"), declaration.name, is_built_in=True)


def is_declared(key: str) -> bool:
    """Return whether a built-in source is a declaration, not a module."""
    return _DECLARED.joinpath(f"{key}.toml").is_file()


def load_declared_adapters(folder: Path) -> dict[str, Adapter]:
    """Return the adapters that the files of `folder` declare. Errors: SourceRefused."""
    found: dict[str, Adapter] = {}
    for path in sorted(folder.glob("*.toml")):
        adapter = read_declaration(path, existing_keys=[*RESERVED_KEYS, *found])
        found[adapter.source.key] = adapter
    return found


def load_adapters(settings: Settings) -> dict[str, Adapter]:
    """Return every adapter by key, best first: the built-in ones, then declared ones.

    Errors: SourceRefused, and SettingRefused if the settings name a source that does not exist.
    """
    found = adapters() | load_declared_adapters(settings.data / OWN_SOURCES)
    on, off = settings.chosen_sources
    if refused := _unknown("feeds_on", on, found) or (not settings.is_node and _unknown("feeds_off", off, found)):
        raise SettingRefused(refused)
    if sentence := _of_other_versions(settings, found):
        log.warning("%s", sentence)
    return found


def sources_of_other_versions(settings: Settings) -> str:
    """Return what is wrong with the sources that several nodes switch off, a sentence; empty if all are known.

    Nodes share their settings, and during an upgrade not all of them know the same sources: it is no reason to stop.
    """
    return _of_other_versions(settings, adapters() | load_declared_adapters(settings.data / OWN_SOURCES))


def _of_other_versions(settings: Settings, found: Iterable[str]) -> str:
    sentence = _unknown("feeds_off", settings.chosen_sources[1], found) if settings.is_node else ""
    return f"{sentence}. Another version may know it: this node goes on without" if sentence else ""


def _unknown(name: str, chosen: frozenset[str], found: Iterable[str]) -> str:
    unknown = sorted(chosen - {*found})
    return (
        f"The setting [{name}] names no source: [{echo(unknown[0])}]; {did_you_mean(unknown[0], found)}"
        if unknown
        else ""
    )


def fixing_adapters(settings: Settings) -> dict[str, FixingAdapter]:
    """Return the adapters of fixings by key, best first. Errors: SourceRefused, SettingRefused."""
    return {key: adapter for key, adapter in load_adapters(settings).items() if isinstance(adapter, FixingAdapter)}


def source_keys(settings: Settings, found: Iterable[Adapter], environment: Mapping[str, str]) -> dict[str, str]:
    """Return the operator's key of each source that has one."""
    keys = {}
    for adapter in found:
        variable = adapter.key_variable if isinstance(adapter, DeclaredAdapter) else ""
        key = getattr(settings, adapter.source.setting, "") or environment.get(variable, "")
        if key:
            keys[adapter.source.key] = key
    return keys


def check_source_keys(settings: Settings, environment: Mapping[str, str]) -> dict[str, str]:
    """Check all declarations and settings of sources, and return the operator's keys of sources.

    Errors: SourceRefused, SettingRefused.
    """
    return source_keys(settings, load_adapters(settings).values(), environment)


def reasons_off(settings: Settings, found: Mapping[str, Adapter], keys: Mapping[str, str]) -> dict[str, str]:
    """Return why each source is off, of those that are."""
    on, off = settings.chosen_sources
    reasons = {}
    for key, adapter in found.items():
        source = adapter.source
        if key in off:
            reasons[key] = "switched off by the setting feeds_off"
        elif _key_setting(adapter) and key not in keys:
            reasons[key] = f"needs a key of your own: {_key_setting(adapter)}"
        elif source.disabled_reason and key not in on and not (source.setting and key in keys):
            reasons[key] = source.disabled_reason
    return reasons


def _key_setting(adapter: Adapter) -> str:
    variable = adapter.key_variable if isinstance(adapter, DeclaredAdapter) else ""
    return variable or adapter.source.setting

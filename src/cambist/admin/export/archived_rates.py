"""The rate matrix of a data folder's archive, and the terms of the sources in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime

import msgspec

from cambist.admin.export.manifest import SourceTerms
from cambist.errors import CannotStart, RateMatrixDamaged
from cambist.history.rate_matrix import RateMatrix
from cambist.registry.archiving.snapshots import open_snapshot_source
from cambist.registry.sources.source_adapters import load_adapters
from cambist.registry.wiring.components import open_store
from cambist.settings import Settings
from cambist.status.environment import SIMULATED, Environment, check_rate_matrix
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.rate_matrix_file import open_rate_matrix

_SIMULATED_TERMS = SourceTerms(
    key=SIMULATED,
    name="Simulated market",
    home="",
    terms="",
    licence="none: nobody published these numbers",
    redistribution="allowed",
)


def environment_of_folder(settings: Settings) -> Environment:
    """Return whether a data folder is live or a sandbox's. Errors: CannotStart if there is no archive in it."""
    environment = DataDirectory(settings.data).environment if settings.data.is_dir() else None
    has_archive = settings.database or (settings.data / "cambist.db").exists()
    if environment is None or not has_archive:
        raise CannotStart(f"There is no archive in {settings.data}: run [cambist serve] once, or name --data")
    return environment


def archived_rates(settings: Settings, environment: Environment, now: datetime) -> RateMatrix:
    """Return the rate matrix of all that is in the archive now: the file of it, or a new one if that is behind.

    Errors: CannotStart, StoreBroken, RateMatrixDamaged for a sandbox, whose rates are in no archive.
    """
    path = DataDirectory(settings.data).matrix
    if environment is Environment.SANDBOX:
        return check_rate_matrix(open_rate_matrix(path), environment)
    store = open_store(msgspec.structs.replace(settings, sandbox=False))
    try:
        snapshots = open_snapshot_source(settings, store)
        with suppress(RateMatrixDamaged):
            matrix = check_rate_matrix(open_rate_matrix(path), environment)
            if snapshots.is_current(matrix, now):
                return matrix
        return snapshots.build_matrix(now)
    finally:
        store.close()


def terms_of(settings: Settings, keys: tuple[str, ...]) -> dict[str, SourceTerms]:
    """Return the terms of sources by key. Errors: SourceRefused."""
    return dict(_terms_of(settings, keys))


def _terms_of(settings: Settings, keys: tuple[str, ...]) -> Iterator[tuple[str, SourceTerms]]:
    adapters = load_adapters(settings)
    for key in keys:
        if key == SIMULATED:
            yield key, _SIMULATED_TERMS
        elif key in adapters:
            source = adapters[key].source
            yield (
                key,
                SourceTerms(
                    key=key,
                    name=source.name,
                    home=source.home,
                    terms=source.terms,
                    licence=source.licence,
                    redistribution=source.redistribution,
                ),
            )
        else:
            yield key, SourceTerms(key=key, name=key, home="", terms="", licence="", redistribution="unknown")

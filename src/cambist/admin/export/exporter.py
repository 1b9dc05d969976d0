"""Write an export: a file for each year, and after each the manifest."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import numpy as np

from cambist.admin.export.archived_rates import archived_rates, environment_of_folder, terms_of
from cambist.admin.export.export_folder import open_export_folder
from cambist.admin.export.formats import FORMATS
from cambist.admin.export.manifest import READABLE, ExportedFile, Manifest, write_manifest
from cambist.admin.export.plan import ExportPlan
from cambist.admin.export.rate_table import RateTable, all_codes, build_rate_table
from cambist.errors import NoRate
from cambist.history.series import read_series
from cambist.pricing.pair import Pair
from cambist.settings import Settings
from cambist.sources.base import Redistribution
from cambist.storage.atomic_file import write_atomically

Progress = Callable[[int, int], None]
"""Is told how many of how many years are done."""


@dataclass(frozen=True, slots=True)
class ExportResult:
    """The manifest of a finished export, and the names of the files that were written now."""

    manifest: Manifest
    written: tuple[str, ...]


class Exporter:
    """Exports the rates of one data folder. Errors when made: CannotStart, StoreBroken, SourceRefused."""

    def __init__(self, settings: Settings, now: datetime) -> None:
        self._environment = environment_of_folder(settings)
        self._matrix = archived_rates(settings, self._environment, now)
        self._terms = terms_of(settings, self._matrix.sources)

    def run(self, folder: Path, plan: ExportPlan, report: Progress) -> ExportResult:
        """Write the years that are missing or have changed, and return what the export contains.

        Errors: BadParameter if the folder holds something else, NoRate if there is nothing to export, Unwritable.
        """
        years = list(plan.years(self._first_day(plan)))
        files = {file.name: file for file in open_export_folder(folder, plan, self._environment)}
        forbidden = [] if plan.forced else self._forbidden()
        written: list[str] = []
        write_manifest(folder, self._manifest(plan, files.values()))
        for done, period in enumerate(years):
            report(done, len(years))
            table = build_rate_table(self._matrix, plan.base, plan.codes, period, forbidden)
            name = f"{period[0].year}.{FORMATS[plan.format].suffix}"
            if not _is_written(folder, files.get(name), table, period):
                files[name] = _write(folder / name, table, plan.format, period)
                written.append(name)
                write_manifest(folder, self._manifest(plan, files.values()))
        report(len(years), len(years))
        manifest = self._manifest(plan, files.values(), is_complete=True)
        write_manifest(folder, manifest)
        return ExportResult(manifest, tuple(written))

    def _first_day(self, plan: ExportPlan) -> date:
        """Return the first day of the plan that has a rate. Errors: NoRate."""
        firsts = []
        for code in plan.codes or all_codes(self._matrix, plan.base):
            with suppress(NoRate):
                series = read_series(self._matrix, Pair(plan.base, code), plan.since, plan.until)
                firsts.append(series.first_day + timedelta(days=int(np.flatnonzero(~np.isnan(series.values))[0])))
        if not firsts:
            raise NoRate(f"There is no rate from [{plan.base}] between [{plan.since}] and [{plan.until}]")
        return min(firsts)

    def _forbidden(self) -> list[str]:
        return [key for key, terms in self._terms.items() if terms.redistribution == Redistribution.FORBIDDEN]

    def _manifest(self, plan: ExportPlan, files: Iterable[ExportedFile], *, is_complete: bool = False) -> Manifest:
        """Return the manifest of some files."""
        listed = tuple(sorted(files, key=lambda file: file.name))
        keys = sorted({key for file in listed for key in (*file.sources, *file.left_out)})
        return Manifest(
            format=plan.format,
            base=plan.base,
            codes=plan.codes,
            since=plan.since,
            until=plan.until,
            forced=plan.forced,
            environment=self._environment,
            archive=self._matrix.revision,
            complete=is_complete,
            sources=tuple(self._terms[key] for key in keys if key in self._terms),
            files=listed,
        )


def _is_written(folder: Path, file: ExportedFile | None, table: RateTable, period: tuple[date, date]) -> bool:
    """Return whether a file is there already, as the manifest has it, and was made from the same rates."""
    if file is None or (file.edition, file.first_day, file.last_day) != (table.edition, *period):
        return False
    path = folder / file.name
    return path.is_file() and sha256(path.read_bytes()).hexdigest() == file.sha256


def _write(path: Path, table: RateTable, name: str, period: tuple[date, date]) -> ExportedFile:
    content = FORMATS[name].write(table)
    write_atomically(path, content, READABLE)
    return ExportedFile(
        name=path.name,
        first_day=period[0],
        last_day=period[1],
        rows=len(table),
        sha256=sha256(content).hexdigest(),
        edition=table.edition,
        sources=table.count_by_source(),
        left_out=table.left_out,
    )

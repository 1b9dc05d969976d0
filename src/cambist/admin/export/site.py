"""Rates as static files that any web server can serve, with the names and the shape of fawazahmed0's currency-api.

A day has a folder, such as `2026-10-30/v1/currencies/eur.json`; `latest` is a copy of the newest. Each is written
beside its place and then moved there, so that a server never sees half of it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from datetime import date, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from cambist.admin.export.archived_rates import archived_rates, environment_of_folder, terms_of
from cambist.admin.export.manifest import MANIFEST, READABLE, SourceTerms
from cambist.admin.export.plan import ExportPlan
from cambist.admin.export.rate_table import all_codes, build_rate_table
from cambist.errors import BadParameter, NoRate
from cambist.history import as_of
from cambist.history.rate_matrix import RateMatrix
from cambist.pricing.number_format import plain_float
from cambist.pricing.pair import PIVOT
from cambist.reference.assets import METALS
from cambist.reference.currency_tables import CURRENCIES
from cambist.settings import Settings
from cambist.sources.base import Redistribution
from cambist.status.environment import SIMULATED, Environment
from cambist.storage.atomic_file import write_atomically

LATEST = "latest"
_ROOT = "v1"
_UNFINISHED = ".unfinished"

Progress = Callable[[int, int], None]
"""Is told how many of how many days are done."""


class SiteManifest(Struct, frozen=True, kw_only=True):
    """What a site contains: the SHA-256 of the manifest of each day, and the terms of the sources.

    `left_out` counts the rates of a day that a source forbids to pass on, by source, over all days.
    """

    kind: Literal["cambist-site"] = "cambist-site"
    environment: str
    forced: bool
    days: dict[str, str]
    sources: tuple[SourceTerms, ...]
    left_out: dict[str, int]


class DayManifest(Struct, frozen=True, kw_only=True):
    """The files of a day by name, with their SHA-256, and what they were made from."""

    date: date
    edition: str
    sources: dict[str, int]
    left_out: dict[str, int]
    files: dict[str, str]


class SiteWriter:
    """Writes the rates of one data folder. Errors when made: CannotStart, StoreBroken, SourceRefused."""

    def __init__(self, settings: Settings, now: datetime) -> None:
        self._environment = environment_of_folder(settings)
        self._matrix = archived_rates(settings, self._environment, now)
        self._terms = terms_of(settings, self._matrix.sources)

    def write(self, folder: Path, plan: ExportPlan, report: Progress) -> SiteManifest:
        """Write the days that are missing or have changed, and return what the site contains.

        Errors: BadParameter if the folder holds something else, NoRate if there is nothing to write, Unwritable.
        """
        before = self._opened(folder, plan)
        forbidden = [key for key, each in self._terms.items() if each.redistribution == Redistribution.FORBIDDEN]
        days = dict(before.days) if before else {}
        wanted = [plan.since + timedelta(days=n) for n in range((plan.until - plan.since).days + 1)]
        found: list[DayManifest] = []
        for done, day in enumerate(wanted):
            report(done, len(wanted))
            with suppress(NoRate):
                found.append(_write_day(self._matrix, folder, day, plan.codes, () if plan.forced else forbidden))
                days[str(day)] = sha256((folder / str(day) / MANIFEST).read_bytes()).hexdigest()
        report(len(wanted), len(wanted))
        if not found:
            raise NoRate(f"There is no rate between [{plan.since}] and [{plan.until}]")
        _copy_latest(folder, max(days))
        manifest = self._manifest(plan, days, found)
        content = msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"
        write_atomically(folder / MANIFEST, content, READABLE)
        return manifest

    def _opened(self, folder: Path, plan: ExportPlan) -> SiteManifest | None:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / MANIFEST
        try:
            found = msgspec.json.decode(path.read_bytes(), type=SiteManifest)
        except FileNotFoundError:
            if any(not each.name.endswith(_UNFINISHED) and not _is_day(each) for each in folder.iterdir()):
                raise BadParameter(f"The folder {folder} holds other files: name a new or empty one") from None
            return None
        except (ValueError, RecursionError) as error:
            raise BadParameter(f"The file {path} is not the manifest of a site: {error}") from error
        if (found.environment, found.forced) != (self._environment, plan.forced):
            raise BadParameter(f"The folder {folder} holds another site: name another folder")
        return found

    def _manifest(self, plan: ExportPlan, days: Mapping[str, str], found: Collection[DayManifest]) -> SiteManifest:
        left_out: dict[str, int] = {}
        for each in found:
            for key, count in each.left_out.items():
                left_out[key] = left_out.get(key, 0) + count
        keys = sorted({key for each in found for key in (*each.sources, *each.left_out)})
        return SiteManifest(
            environment=self._environment,
            forced=plan.forced,
            days=dict(sorted(days.items())),
            sources=tuple(self._terms[key] for key in keys if key in self._terms),
            left_out=left_out,
        )


def is_site(folder: Path) -> bool:
    """Return whether a folder has the manifest of a site."""
    with suppress(OSError, ValueError, RecursionError):
        return bool(msgspec.json.decode((folder / MANIFEST).read_bytes(), type=SiteManifest).days)
    return False


def verify_site(folder: Path) -> list[str]:
    """Return a sentence for each difference between a site and its manifests."""
    site = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=SiteManifest)
    return [sentence for name, expected in site.days.items() for sentence in _differences(folder / name, expected)]


def _differences(place: Path, expected: str) -> Iterator[str]:
    content = _content(place / MANIFEST)
    if content is None or sha256(content).hexdigest() != expected:
        yield f"{place.name}/{MANIFEST}: is not as it was written"
        return
    files = msgspec.json.decode(content, type=DayManifest).files
    for name, digest in files.items():
        found = _content(place / name)
        if found is None or sha256(found).hexdigest() != digest:
            yield f"{place.name}/{name}: is not as it was written"
    for path in sorted(place.rglob("*")):
        name = str(path.relative_to(place))
        if path.is_file() and name not in files and name != MANIFEST:
            yield f"{place.name}/{name}: is in no manifest"


def _content(path: Path) -> bytes | None:
    with suppress(OSError):
        return path.read_bytes()
    return None


def _write_day(
    matrix: RateMatrix, folder: Path, day: date, codes: Collection[str], forbidden: Collection[str]
) -> DayManifest:
    """Write the folder of a day, unless it is there from the same rates. Errors: NoRate."""
    table = build_rate_table(matrix, PIVOT, codes or all_codes(matrix, PIVOT), (day, day), forbidden)
    if not len(table):
        raise NoRate(f"There is no rate on [{day}]")
    place = folder / str(day)
    with suppress(FileNotFoundError, ValueError):
        known = msgspec.json.decode((place / MANIFEST).read_bytes(), type=DayManifest)
        if known.edition == table.edition:
            return known
    names = sorted({PIVOT, *(table.quotes[index] for index in table.quote_indexes.tolist())})
    unfinished = folder / f"{day}{_UNFINISHED}"
    shutil.rmtree(unfinished, ignore_errors=True)
    files: dict[str, str] = {}
    for name, content in _files(matrix, day, names):
        path = unfinished / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        files[name] = sha256(content).hexdigest()
    sources, left_out = table.count_by_source(), table.left_out
    manifest = DayManifest(date=day, edition=table.edition, sources=sources, left_out=left_out, files=files)
    (unfinished / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n")
    _replace(unfinished, place)
    return manifest


def _files(matrix: RateMatrix, day: date, codes: Collection[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each file of a day: the names of all codes, and the rates from each of them."""
    names = [_member(code.lower(), json.dumps(_name(code), ensure_ascii=False)) for code in codes]
    yield from _both("currencies", names)
    for base in codes:
        found = as_of.rates_on(matrix, day, base, [code for code in codes if code != base])
        rates = dict(zip(found.codes, map(plain_float, found.values), strict=True)) | {base: "1"}
        members = [_member(code.lower(), rates[code]) for code in sorted(rates)]
        head = [_member("date", f'"{day}"')]
        if SIMULATED in matrix.sources:
            head.append(_member("environment", f'"{Environment.SANDBOX}"'))
        yield from _both(f"currencies/{base.lower()}", head, base.lower(), members)


def _both(
    name: str, head: list[str], within: str = "", members: list[str] | None = None
) -> Iterator[tuple[str, bytes]]:
    """Yield a file in lines and in one line, as the original has both. Numbers have all their digits, no exponent."""
    for suffix, line, indent in ((".json", "\n", "\t"), (".min.json", "", "")):
        inner = ""
        if members is not None:
            listed = f",{line}".join(f"{indent * 2}{each}" for each in members)
            inner = f",{line}{indent}{_member(within, f'{{{line}{listed}{line}{indent}}}')}"
        text = f"{{{line}{f',{line}'.join(f'{indent}{each}' for each in head)}{inner}{line}}}"
        yield f"{_ROOT}/{name}{suffix}", text.encode()


def _member(name: str, value: str) -> str:
    return f'"{name}":{value}'


def _name(code: str) -> str:
    return CURRENCIES[code].name if code in CURRENCIES else METALS[code].name


def _is_day(path: Path) -> bool:
    with suppress(ValueError):
        return bool(date.fromisoformat(path.name))
    return path.name == LATEST


def _copy_latest(folder: Path, day: str) -> None:
    unfinished = folder / f"{LATEST}{_UNFINISHED}"
    shutil.rmtree(unfinished, ignore_errors=True)
    shutil.copytree(folder / day, unfinished)
    _replace(unfinished, folder / LATEST)


def _replace(unfinished: Path, place: Path) -> None:
    old = place.with_name(f"{place.name}.old{_UNFINISHED}")
    shutil.rmtree(old, ignore_errors=True)
    if place.exists():
        place.rename(old)
    unfinished.rename(place)
    shutil.rmtree(old, ignore_errors=True)

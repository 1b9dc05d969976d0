from __future__ import annotations

import dataclasses
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from pathlib import Path

import pytest

from cambist.history.rate_matrix import RateMatrix
from cambist.ingest import snapshot_builder
from cambist.ingest.filing import Delivery, file_delivery
from cambist.ingest.snapshot_builder import (
    is_current,
    rate_book_from_archive,
    rate_matrix_from_archive,
    record_edition,
)
from cambist.pricing.exact_midpoints import exact_midpoint
from cambist.pricing.pair import Pair
from cambist.pricing.quote import Derivation
from cambist.pricing.quoted_book import QuotedBook
from cambist.pricing.rate_book import RateBook
from cambist.pricing.source_kind import RateType
from cambist.sources.adapters.bdi import adapter as bdi
from cambist.sources.adapters.ecb import adapter
from cambist.storage.sql import SqlStore

SOURCES = [adapter.source]
FRANKFURT = datetime(2026, 3, 6, 13, 15, tzinfo=UTC)
"""14:15 in Frankfurt, on the small file's newest day, in winter."""


@pytest.fixture
def book(small_store: SqlStore, now: datetime) -> QuotedBook:
    return rate_book_from_archive(small_store, SOURCES, 3, now)


def built(store: SqlStore, now: datetime) -> RateMatrix:
    return record_edition(store.editions, rate_matrix_from_archive(store, SOURCES, now.date()), SOURCES)


def corrected(store: SqlStore, content: bytes, now: datetime) -> None:
    deliver(store, content, "a test", now)


def deliver(store: SqlStore, content: bytes, origin: str, now: datetime) -> None:
    file_delivery(store.archive, adapter, Delivery(content, origin, now), lambda _: None)


def test_a_rate_book_has_the_version_and_the_market_time(book: QuotedBook) -> None:
    assert book.version == 3
    assert book.as_of == FRANKFURT


def test_rates_of_a_parallel_market_are_not_in_the_book_or_the_matrix(small_store: SqlStore, now: datetime) -> None:
    street = dataclasses.replace(adapter.source, rate_type=RateType.PARALLEL)
    assert not rate_book_from_archive(small_store, [street], 1, now).quotes.keys() & {
        "EUR",
        "JPY",
    }
    assert not {"EUR", "JPY"} & set(rate_matrix_from_archive(small_store, [street], now.date()).codes)


def test_the_market_time_follows_summer_time_in_frankfurt(small_store: SqlStore, now: datetime) -> None:
    corrected(small_store, b"Date,USD,\n2026-07-01,1.3,\n", now)
    assert rate_book_from_archive(small_store, SOURCES, 1, now).as_of == datetime(2026, 7, 1, 12, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    ("base", "quote", "value"),
    [
        ("EUR", "USD", Fraction("1.2500")),
        ("USD", "EUR", 1 / Fraction("1.25")),
        ("EUR", "JPY", Fraction("180.00")),
        ("USD", "JPY", Fraction("180.00") / Fraction("1.25")),
        ("GBP", "JPY", Fraction("180.00") / Fraction("0.8")),
        ("EUR", "ISK", Fraction("150.10")),
        ("EUR", "BGN", Fraction("1.95583")),
        ("USD", "AED", Fraction("3.6725")),
        ("EUR", "XOF", Fraction("655.957")),
        ("GBP", "GIP", Fraction(1)),
    ],
)
def test_the_rate_book_of_the_small_file_is_exact(book: QuotedBook, base: str, quote: str, value: Fraction) -> None:
    assert Fraction(*exact_midpoint(RateBook.of(book), Pair(base, quote))) == value


def test_published_quotes_are_marked_and_crossed_quotes_name_their_legs(book: QuotedBook) -> None:
    assert book.quotes["EUR"].origin.made is Derivation.PUBLISHED
    assert book.quotes["EUR"].origin.sources == ("ecb",)
    assert book.quotes["JPY"].origin.made is Derivation.CROSSED
    assert book.quotes["JPY"].origin.legs == (Pair("EUR", "USD"), Pair("EUR", "JPY"))


def test_pegs_are_in_the_rate_book(book: QuotedBook) -> None:
    assert book.quotes["AED"].origin.made is Derivation.PEGGED
    assert "Central Bank of the United Arab Emirates" in book.quotes["AED"].origin.sources
    assert {"AED", "XOF", "GIP", "BAM"} <= set(book.listed)


def test_an_ended_currency_is_in_the_rate_book_but_not_listed(book: QuotedBook) -> None:
    assert book.quotes["BGN"].origin.made is Derivation.CONVERTED
    assert "BGN" not in book.listed


def test_a_currency_without_a_recent_fixing_has_the_rate_of_its_last_day(small_store: SqlStore, now: datetime) -> None:
    corrected(small_store, b"Date,USD,JPY,\n2026-03-09,1.5,N/A,\n", now)
    book = rate_book_from_archive(small_store, SOURCES, 1, now)
    assert book.quotes["JPY"].mid == Fraction("180.00") / Fraction("1.25")
    assert book.quotes["JPY"].as_of == FRANKFURT
    assert book.as_of == datetime(2026, 3, 9, 13, 15, tzinfo=UTC)


def test_without_a_source_the_rate_book_has_dollar_pegs_only(small_store: SqlStore, now: datetime) -> None:
    book = rate_book_from_archive(small_store, [], 1, now)
    assert "EUR" not in book.quotes
    assert book.quotes["AED"].mid == 1 / Fraction("3.6725")
    assert book.as_of == now


def test_a_correction_changes_the_rate_book(small_store: SqlStore, now: datetime) -> None:
    corrected(small_store, b"Date,USD,\n2026-03-06,1.2600,\n", now + timedelta(hours=1))
    book = rate_book_from_archive(small_store, SOURCES, 1, now)
    assert book.quotes["EUR"].mid == Fraction("1.26")
    assert book.quotes["JPY"].mid == Fraction(180) / Fraction("1.26")


def test_a_correction_changes_the_rate_matrix_and_its_revision(small_store: SqlStore, now: datetime) -> None:
    before = built(small_store, now)
    corrected(small_store, b"Date,USD,\n2026-03-05,1.3000,\n", now + timedelta(hours=1))
    after = built(small_store, now)
    assert (before.cell(date(2026, 3, 5), "EUR"), after.cell(date(2026, 3, 5), "EUR")) == (1 / 1.24, 1 / 1.3)
    assert after.revision != before.revision
    assert not is_current(before, small_store, now.date(), SOURCES)
    assert is_current(after, small_store, now.date(), SOURCES)


def test_a_delivery_without_changes_leaves_the_rate_matrix_current(
    small_store: SqlStore, small_ecb: bytes, now: datetime
) -> None:
    matrix = built(small_store, now)
    deliver(small_store, small_ecb, "elsewhere", now + timedelta(hours=1))
    assert is_current(matrix, small_store, now.date(), SOURCES)


@pytest.mark.long
def test_fixings_tables_verdicts_and_way_of_building_are_part_of_the_revision(
    small_store: SqlStore, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    revisions = {rate_matrix_from_archive(small_store, SOURCES, now.date()).revision}
    monkeypatch.setattr(snapshot_builder, "_BUILD", 1000)
    revisions.add(rate_matrix_from_archive(small_store, SOURCES, now.date()).revision)
    corrected(small_store, b"Date,USD,\n2026-03-05,1.3000,\n", now + timedelta(hours=1))
    revisions.add(rate_matrix_from_archive(small_store, SOURCES, now.date()).revision)
    monkeypatch.setattr(snapshot_builder, "reference_digest", lambda: "other tables")
    revisions.add(rate_matrix_from_archive(small_store, SOURCES, now.date()).revision)
    assert len(revisions) == 4


def test_a_rate_matrix_stops_being_current_before_its_days_end(small_store: SqlStore, now: datetime) -> None:
    matrix = built(small_store, now)
    assert is_current(matrix, small_store, now.date() + timedelta(days=300), SOURCES)
    assert not is_current(matrix, small_store, matrix.last_day, SOURCES)
    assert not is_current(matrix, small_store, matrix.last_day - timedelta(days=14), SOURCES)


def test_the_rate_matrix_has_the_newest_fixed_day(small_store: SqlStore, now: datetime) -> None:
    assert rate_matrix_from_archive(small_store, SOURCES, now.date()).last_fixing == date(2026, 3, 6)


RECORDED = Path(__file__).parents[3] / "shared/payloads/bdi/bdi_02.csv"


@pytest.mark.long
@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded payloads are not beside the project")
def test_one_day_of_the_banca_ditalia_and_legal_rates_list_at_least_130_currencies(tmp_path: Path) -> None:
    store, day_after = SqlStore(f"sqlite:///{tmp_path / 'a.db'}"), datetime(2026, 2, 11, 12, tzinfo=UTC)
    store.migrate()
    delivery = Delivery(RECORDED.read_bytes(), "a recording", day_after)
    filed = file_delivery(store.archive, bdi, delivery, lambda _: None)
    book = rate_book_from_archive(store, [bdi.source], 1, day_after)
    store.close()
    assert filed is not None
    assert filed.added == 150
    assert len(book.listed) == 158


def test_a_damaged_row_is_left_out_of_the_rate_matrix_and_logged(
    small_store: SqlStore, caplog: pytest.LogCaptureFixture
) -> None:
    archive, today = small_store.archive, date(2026, 3, 6)
    published = archive.published_fixings("ecb", "EUR", today)
    newest = next(known.fixing for known in published if known.fixing.pair == Pair("EUR", "USD"))
    sound = rate_matrix_from_archive(small_store, SOURCES, today)
    with small_store.archive._engine.begin() as connection:
        dollar = "(SELECT id FROM series WHERE quote = 'USD')"
        harm = f"UPDATE fixings SET value = '9.99' WHERE day = ? AND series_id = {dollar}"  # noqa: S608
        assert connection.exec_driver_sql(harm, (newest.day.isoformat(),)).rowcount == 1
    matrix = rate_matrix_from_archive(small_store, SOURCES, today)
    assert sound.damaged == 0
    assert matrix.damaged == 1
    assert matrix.cell(newest.day, "EUR") == matrix.cell(newest.day - timedelta(days=1), "EUR")
    assert f"ecb EUR/USD {newest.day} (delivery 1) is not what was filed" in caplog.text
    assert "restore the database from a backup" in caplog.text

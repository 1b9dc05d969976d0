"""Long series are cut out of years that are written once, and have the same bytes as if they were written whole."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

import pytest
from tests.conftest import NOW, Client, adapter, rate_matrix_from_archive

from cambist.api.answer import written_years
from cambist.api.answer.series_rendering import rates_by_day
from cambist.api.answer.written_years import WrittenYears
from cambist.errors import NoRate
from cambist.history.rate_matrix import RateMatrix
from cambist.history.series import read_series
from cambist.pricing.pair import Pair
from cambist.storage.sql import SqlStore

PAIRS = [Pair("EUR", "USD"), Pair("USD", "EUR"), Pair("GBP", "TRY"), Pair("DEM", "USD"), Pair("EUR", "ISK")]
"""The krona has none for years, the lira changes its powers of ten, and the mark has ended."""


@pytest.mark.parametrize("seed", range(4))
def test_what_is_cut_out_is_the_same_as_what_is_written_whole(real_matrix: RateMatrix, seed: int) -> None:
    chance, years = Random(seed), WrittenYears()  # noqa: S311  not cryptography
    span = (real_matrix.last_day - real_matrix.first_day).days
    for _ in range(40):
        pair = chance.choice(PAIRS)
        start = real_matrix.first_day + timedelta(days=chance.randrange(-40, span))
        end = chance.choice([start + timedelta(days=chance.randrange(span)), real_matrix.last_day, date(2002, 12, 31)])
        try:
            series = read_series(real_matrix, pair, start, end)
        except NoRate:
            continue
        assert years.written(real_matrix, series) == rates_by_day(series), (pair, start, end)


def test_another_matrix_has_years_of_its_own(real_matrix: RateMatrix, small_store: SqlStore) -> None:
    years, pair = WrittenYears(), Pair("EUR", "USD")
    small = rate_matrix_from_archive(small_store, [adapter.source], NOW.date())
    for matrix in (real_matrix, small, real_matrix):
        day = date(2026, 3, 2)
        assert years.period(matrix, pair, day, day) == rates_by_day(read_series(matrix, pair, day, day))


def test_a_second_question_writes_no_year_again(
    client: Client, real_matrix: RateMatrix, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = "/time-series?from=EUR&to=USD&start=2001-01-01&end=2026-06-{}"
    first = client.get(asked.format(29))
    monkeypatch.setattr(written_years, "read_series", None)
    second = client.get(asked.format(28))
    assert (first.status, second.status) == (200, 200)
    shown = first.json["results"]["USD"]
    assert shown.pop("2026-06-29")
    assert second.json["results"]["USD"] == shown
    with pytest.raises(TypeError):
        written_years.YEARS.period(real_matrix, Pair("EUR", "CHF"), date(2020, 1, 1), date(2020, 1, 2))

from datetime import date
from decimal import Decimal

import pytest

from cambist.errors import NothingPublished, SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.sources.adapters.sarb import adapter


def row(day: str, series: str, value: str) -> str:
    return f'{{"Period":"{day}T00:00:00","Timeseries":"{series}","Description":"","Value":{value}}}'


def read(*rows: str) -> list[Fixing]:
    return list(adapter.parse(f"[{','.join(rows)}]".encode()))


@pytest.mark.parametrize(
    ("series", "pair"),
    [
        ("Rand per US Dollar", Pair("USD", "ZAR")),
        ("Rand per Euro", Pair("EUR", "ZAR")),
        ("Japan: Yen per Rand", Pair("ZAR", "JPY")),
        ("Zambia: Kwacha per Rand", Pair("ZAR", "ZMW")),
    ],
)
def test_the_name_of_the_series_says_the_direction(series: str, pair: Pair) -> None:
    assert read(row("2026-03-05", series, "1.1048")) == [Fixing("sarb", pair, date(2026, 3, 5), Decimal("1.1048"))]


def test_the_kwacha_before_2013_is_the_old_one() -> None:
    fixings = read(
        row("2013-01-02", "Zambia: Kwacha per Rand", "0.6188"), row("2012-12-31", "Zambia: Kwacha per Rand", "612.34")
    )
    assert [fixing.pair.quote for fixing in fixings] == ["ZMW", "ZMK"]


def test_a_series_that_is_not_known_and_two_in_one_answer_are_refused() -> None:
    for rows in (
        [row("2026-03-05", "Rand per Yen", "0.1")],
        [row("2026-03-05", "Rand per Euro", "19.9"), row("2026-03-04", "Rand per US Dollar", "17.1")],
    ):
        with pytest.raises(SourceBroken, match="no series"):
            read(*rows)


def test_days_without_rates_are_no_fault() -> None:
    with pytest.raises(NothingPublished):
        read()


def test_each_series_is_asked_for_in_spans_of_a_year() -> None:
    asked = list(adapter.requests(date(2024, 1, 1), date(2026, 3, 5)))
    assert len(asked) == 3 * 22
    assert asked[0].url.endswith("/GetTimeseriesObservations/EXCX135D/2024-01-01/2024-12-31")
    assert asked[-1].last == date(2026, 3, 5)

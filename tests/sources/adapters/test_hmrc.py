from datetime import date

import pytest

from cambist.errors import SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.source_kind import Pace
from cambist.sources.adapters.hmrc import adapter

HEADER = "Country/Territories,Currency,Currency Code,Currency Units per £1,Start date,End date\n"


def read(*lines: str) -> list[Fixing]:
    return list(adapter.parse((HEADER + "".join(f"{line}\n" for line in lines)).encode()))


def test_a_rate_is_foreign_currency_per_pound_from_the_first_of_the_month() -> None:
    (fixing,) = read("USA,Dollar,USD,1.3482,01/03/2026,31/03/2026")
    assert (str(fixing.pair), str(fixing.value), fixing.day) == ("GBP/USD", "1.3482", date(2026, 3, 1))
    assert adapter.source.pace is Pace.MONTHLY


def test_countries_that_share_a_currency_give_one_rate_and_must_agree() -> None:
    emirates = [f"{place},Dirham,AED,4.9512,01/03/2026,31/03/2026" for place in ("Abu Dhabi", "Dubai")]
    assert len(read(*emirates)) == 1
    with pytest.raises(SourceBroken, match="two rates"):
        read(emirates[0], emirates[1].replace("4.9512", "4.9513"))


def test_a_correction_within_the_month_is_a_rate_of_its_own_day() -> None:
    fixings = read("V,B,VES,951.1,01/03/2026,31/03/2026", "V,B,VES,1051.7,16/03/2026,31/03/2026")
    assert [fixing.day.day for fixing in fixings] == [1, 16]


@pytest.mark.parametrize(
    ("label", "month", "codes"),
    [
        ("VED", "03/2026", ["VES"]),
        ("ZIG", "03/2026", ["ZWG"]),
        ("ECS", "03/2026", []),
        ("SLE", "11/2022", []),
        ("SLE", "03/2023", ["SLE"]),
    ],
)
def test_labels_are_the_currencies_that_they_mean(label: str, month: str, codes: list[str]) -> None:
    fixings = read(f"A,B,{label},15631.1,01/{month},28/{month}", f"USA,Dollar,USD,1.34,01/{month},28/{month}")
    assert [fixing.pair.quote for fixing in fixings] == [*codes, "USD"]


def test_a_rate_that_is_not_of_a_month_is_refused() -> None:
    for days in ("01/03/2026,30/04/2026", "01/03/2026,28/02/2026"):
        with pytest.raises(SourceBroken):
            read(f"USA,Dollar,USD,1.3482,{days}")


def test_the_file_of_each_month_is_requested() -> None:
    asked = list(adapter.requests(date(2025, 12, 20), date(2026, 2, 3)))
    assert [request.url.rpartition("_")[2] for request in asked] == ["2025-12.csv", "2026-1.csv", "2026-2.csv"]
    assert asked[-1].no_data_statuses == {404}

import json
from datetime import date

import pytest

from cambist.errors import NothingPublished, SourceBroken
from cambist.history.fixing import Fixing
from cambist.sources.adapters.bnm import adapter

META = {"quote": "rm", "session": "0900"}


def read(data: object, meta: dict[str, str] = META) -> list[Fixing]:
    return list(adapter.parse(json.dumps({"data": data, "meta": meta}).encode()))


def series(code: str, unit: int, rate: object) -> dict[str, object]:
    return {"currency_code": code, "unit": unit, "rate": rate}


def test_a_rate_is_ringgit_per_unit_of_the_series() -> None:
    (fixing,) = read(series("JPY", 100, [{"date": "2026-03-05", "middle_rate": 2.4506}]))
    assert (str(fixing.pair), str(fixing.value), fixing.nominal) == ("JPY/MYR", "2.4506", 100)


def test_one_day_may_be_an_object_and_the_sdr_has_its_code() -> None:
    (fixing,) = read(series("SDR", 1, {"date": "2026-03-05", "middle_rate": 5.3538}))
    assert (str(fixing.pair), fixing.day) == ("XDR/MYR", date(2026, 3, 5))


def test_a_month_without_rates_is_no_fault() -> None:
    for data in ([], series("USD", 1, [])):
        with pytest.raises(NothingPublished):
            read(data)


def test_another_session_is_refused() -> None:
    with pytest.raises(SourceBroken, match="1700"):
        read(series("USD", 1, [{"date": "2026-03-05", "middle_rate": 3.9}]), META | {"session": "1700"})


def test_each_currency_is_requested_for_each_month() -> None:
    asked = list(adapter.requests(date(2026, 2, 20), date(2026, 3, 5)))
    assert len(asked) == 2 * 27
    assert asked[0].url.endswith("/USD/year/2026/month/2?session=0900")
    assert (asked[0].first, asked[0].last, asked[-1].last) == (date(2026, 2, 20), date(2026, 2, 28), date(2026, 3, 5))

"""Programs that ask central banks, unmodified, against a running service that has what three banks published."""

from __future__ import annotations

import pytest
from tests.banks import working_days

pytestmark = [pytest.mark.service]

DAYS = ["2026-03-02", "2026-03-03", "2026-03-04", "2026-03-05", "2026-03-06"]


def published(place, source, base, quote, day):
    """Return the number that the endpoint says a source published, for one unit."""
    answer = place.ask(f"/historical?from={base}&to={quote}&date={day}&source={source}")
    (leg,) = answer["published"][quote]
    assert leg["date"] == day
    return float(leg["value"])


def test_pynbpapi(place_of_banks):
    found = place_of_banks.script("run_pynbpapi")
    usd = {day: published(place_of_banks, "nbp", "USD", "PLN", day) for day in DAYS}
    days = [str(day) for day in working_days("PL") if "2026-01-02" <= str(day) <= "2026-10-30"]
    assert list(found["rates"]) == [f"{pair} {day}" for pair in ("usdpln", "jpypln") for day in days]
    assert found["rates"].items() >= {f"usdpln {day}": rate for day, rate in usd.items()}.items()
    assert found["gold"] == {day: published(place_of_banks, "nbp", "XAU", "PLN", day) for day in DAYS}
    yen = {f"JPY {day}": published(place_of_banks, "nbp", "JPY", "PLN", day) for day in DAYS}
    assert found["tables"].items() >= ({f"USD {day}": rate for day, rate in usd.items()} | yen).items()


@pytest.mark.parametrize("module", ["cnb", "cnb_exchange_rate"])
def test_programs_for_the_czech_national_bank(place_of_banks, module):
    found = place_of_banks.script("run_cnb", module)
    days = ("2026-03-02", "2026-10-01")
    assert found["days"] == {day: published(place_of_banks, "cnb", "USD", "CZK", day) for day in days}
    assert found["refused"] == {"cnb": "KeyError", "cnb_exchange_rate": "ValueError"}[module]
    if module == "cnb":
        friday = published(place_of_banks, "cnb", "USD", "CZK", "2026-03-06")
        assert (found["before"], found["amounts"]) == (friday, [13.25, 100.0])
        assert found["converted"] == pytest.approx(10 * friday / 0.1325)

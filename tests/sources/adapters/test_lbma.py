from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from cambist.errors import SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.sources.adapters.lbma import adapter
from cambist.sources.base import Redistribution


def row(prices: str, day: str = "2026-03-05") -> str:
    return f'{{"is_cms_locked":0,"d":"{day}","v":[{prices}]}}'


def read(*rows: str, subject: str = "gold_pm") -> list[Fixing]:
    return list(adapter.parse(f"[{','.join(rows)}]".encode(), subject))


# What is read


@pytest.mark.parametrize(
    ("name", "metal"), [("gold_pm", "XAU"), ("silver", "XAG"), ("platinum_pm", "XPT"), ("palladium_pm", "XPD")]
)
def test_a_price_is_in_dollars_per_troy_ounce(name: str, metal: str) -> None:
    (fixing,) = read(row("5125.50,3850.25,4420.10"), subject=name)
    assert fixing == Fixing("lbma", Pair(metal, "USD"), date(2026, 3, 5), Decimal("5125.50"))
    assert (str(fixing.value), fixing.unit) == ("5125.50", "")


@pytest.mark.parametrize("others", ["0,0", "null,null", "16.25,0", "38.5,null"])
def test_pounds_and_euros_do_not_matter(others: str) -> None:
    assert [str(fixing.value) for fixing in read(row(f"38.5,{others}", "1968-04-02"))] == ["38.5"]


def test_the_saturday_that_is_known_to_be_bad_is_left_out() -> None:
    """Silver of 1983-02-05 stands there at half the price of its neighbours."""
    rows = (row("14.25,9,0", "1983-02-04"), row("7.5,9,0", "1983-02-05"))
    assert [fixing.day.day for fixing in read(*rows, subject="silver")] == [4]


def test_a_price_shows_the_market_of_three_in_the_afternoon_in_london() -> None:
    assert adapter.source.market_time(date(2026, 7, 1)) == datetime(2026, 7, 1, 14, tzinfo=UTC)


# What is refused


@pytest.mark.parametrize("day", ["1983-02-05", "1983-02-06", "2026-03-07"])
def test_any_other_weekend_is_refused(day: str) -> None:
    with pytest.raises(SourceBroken, match="no auction"):
        read(row("480.5,300,0", day))


@pytest.mark.parametrize("prices", ["", "5125.5", "5125.5,3850", "5125.5,3850,4420,1"])
def test_fewer_or_more_prices_than_three_are_refused(prices: str) -> None:
    with pytest.raises(SourceBroken, match="instead of 3"):
        read(row(prices))


@pytest.mark.parametrize("price", ["0", "null", "-5125.5", "1e400"])
def test_a_day_without_dollars_is_refused(price: str) -> None:
    with pytest.raises(SourceBroken, match="XAU/USD on 2026-03-05"):
        read(row(f"{price},3850,4420"))


def test_a_price_as_text_is_refused() -> None:
    with pytest.raises(SourceBroken):
        read(row('"x",3850,4420'))


@pytest.mark.parametrize("day", ["05/03/2026", "2026-3-5", "1967-12-29", ""])
def test_a_bad_date_is_refused(day: str) -> None:
    with pytest.raises(SourceBroken, match="date"):
        read(row("5125.5,3850,4420", day))


def test_a_day_twice_is_refused() -> None:
    with pytest.raises(SourceBroken, match="2026-03-05 is given twice"):
        read(row("5125.5,3850,4420"), row("5126.5,3850,4420"))


@pytest.mark.parametrize("subject", ["", "gold_am", "gold"])
def test_an_answer_for_another_request_is_refused(subject: str) -> None:
    with pytest.raises(SourceBroken, match="none of the prices"):
        read(row("5125.5,3850,4420"), subject=subject)


@pytest.mark.parametrize("rows", [(), (row("7.5,9,0", "1983-02-05"),)])
def test_a_history_without_a_price_is_refused(rows: tuple[str, ...]) -> None:
    with pytest.raises(SourceBroken, match="no price"):
        read(*rows, subject="silver")


# What is asked


def test_each_metals_whole_history_is_requested() -> None:
    asked = list(adapter.requests(date(1900, 1, 1), date(2026, 3, 5)))
    assert [request.url for request in asked] == [
        f"https://prices.lbma.org.uk/json/{name}.json" for name in ("gold_pm", "silver", "platinum_pm", "palladium_pm")
    ]
    assert {(request.first, request.last) for request in asked} == {(date(1968, 1, 2), date(2026, 3, 5))}
    assert list(adapter.requests(date(1900, 1, 1), date(1968, 1, 1))) == []


def test_it_is_off_for_it_needs_a_licence() -> None:
    assert "licence of the ICE Benchmark Administration (IBA)" in adapter.source.disabled_reason
    assert adapter.source.setting == ""
    assert adapter.source.redistribution is Redistribution.FORBIDDEN

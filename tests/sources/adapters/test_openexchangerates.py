import json
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from cambist.errors import SourceBroken
from cambist.history.fixing import Fixing
from cambist.pricing.pair import Pair
from cambist.sources.adapters.openexchangerates import adapter
from cambist.sources.base import Redistribution

NOON = int(datetime(2026, 3, 5, 12, tzinfo=UTC).timestamp())


def read(rates: str, *, moment: int = NOON, base: str = "USD", subject: str = "2026-03-05") -> list[Fixing]:
    head = f'"disclaimer": "d", "license": "l", "timestamp": {moment}, "base": "{base}"'
    return list(adapter.parse(f'{{{head}, "rates": {{"EUR": 0.8625, "USD": 1, {rates}}}}}'.encode(), subject))[1:]


# What is read


def test_rates_are_units_per_dollar_in_the_digits_published() -> None:
    (fixing,) = read('"JPY": 157.250')
    published_at = datetime(2026, 3, 5, 12, tzinfo=UTC)
    assert fixing == Fixing(
        "openexchangerates", Pair("USD", "JPY"), date(2026, 3, 5), Decimal("157.250"), published_at=published_at
    )
    assert str(fixing.value) == "157.250"


def test_a_metal_is_in_troy_ounces_per_dollar() -> None:
    (fixing,) = read('"XAU": 0.000225')
    assert (fixing.pair, fixing.unit) == (Pair("USD", "XAU"), "")


def test_the_bitcoin_is_no_currency_and_the_dollar_none_of_itself() -> None:
    assert read('"BTC": 0.0000125') == []


def test_ended_currencies_are_parsed_under_their_codes() -> None:
    """The history ends each currency on its last day, whoever goes on quoting it."""
    assert [fixing.pair.quote for fixing in read('"HRK": 6.4985')] == ["HRK"]


@pytest.mark.parametrize(
    "moment",
    [
        datetime(2026, 3, 5, tzinfo=UTC),
        datetime(2026, 3, 5, 16, tzinfo=UTC),
        datetime(2026, 3, 5, 23, 59, 59, tzinfo=UTC),
        datetime(2026, 3, 6, 0, 0, 37, tzinfo=UTC),
    ],
)
def test_the_day_is_the_one_that_was_requested(moment: datetime) -> None:
    (fixing,) = read('"JPY": 157.25', moment=int(moment.timestamp()))
    assert fixing.day == date(2026, 3, 5)


# What is refused


@pytest.mark.parametrize(
    "moment",
    [
        datetime(2026, 3, 4, 23, 59, 59, tzinfo=UTC),
        datetime(2026, 3, 6, 1, tzinfo=UTC),
        datetime(1970, 1, 1, tzinfo=UTC),
    ],
)
def test_an_answer_of_another_day_is_refused(moment: datetime) -> None:
    with pytest.raises(SourceBroken, match="2026-03-05"):
        read('"JPY": 157.25', moment=int(moment.timestamp()))


@pytest.mark.parametrize("subject", ["", "latest", "2026-3-5", "1998-12-31"])
def test_an_answer_about_no_day_is_refused(subject: str) -> None:
    with pytest.raises(SourceBroken, match="date"):
        read('"JPY": 157.25', subject=subject)


def test_another_base_is_refused() -> None:
    with pytest.raises(SourceBroken, match="per dollar"):
        read('"JPY": 157.25', base="EUR")


@pytest.mark.parametrize("rates", [{}, {"EUR": 0.8625}, {"USD": 1}, {"USD": 1.16, "EUR": 1}])
def test_rates_that_are_not_per_dollar_are_refused(rates: dict[str, float]) -> None:
    answer = {"timestamp": NOON, "base": "USD", "rates": rates}
    with pytest.raises(SourceBroken, match="per dollar"):
        list(adapter.parse(json.dumps(answer).encode(), "2026-03-05"))


@pytest.mark.parametrize("code", ["jpy", "VEF_BLKMKT", "", "YEN1"])
def test_an_invalid_code_is_refused(code: str) -> None:
    with pytest.raises(SourceBroken, match="code"):
        read(f'"{code}": 157.25')


@pytest.mark.parametrize("value", ["0", "-1.5", "1e400", "null", '"x"'])
def test_an_invalid_rate_is_refused(value: str) -> None:
    with pytest.raises(SourceBroken):
        read(f'"JPY": {value}')


def test_its_errors_are_no_rates() -> None:
    error = {"error": True, "status": 401, "message": "invalid_app_id", "description": "Invalid App ID."}
    with pytest.raises(SourceBroken, match="Open Exchange Rates: "):
        list(adapter.parse(json.dumps(error).encode(), "2026-03-05"))


# What is asked


def test_one_day_is_requested_after_the_other_with_the_operators_key() -> None:
    asked = list(adapter.requests(date(2026, 2, 28), date(2026, 3, 1)))
    assert [request.url for request in asked] == [
        "https://openexchangerates.org/api/historical/2026-02-28.json?app_id={key}",
        "https://openexchangerates.org/api/historical/2026-03-01.json?app_id={key}",
    ]
    assert [request.subject for request in asked] == ["2026-02-28", "2026-03-01"]


def test_nothing_is_requested_before_1999() -> None:
    assert [request.first for request in adapter.requests(date(1998, 1, 1), date(1999, 1, 1))] == [date(1999, 1, 1)]


def test_it_is_off_unless_the_operator_enables_it_and_never_passed_on() -> None:
    assert not adapter.source.is_on_by_default
    assert adapter.source.setting == "openexchangerates_key"
    assert adapter.source.redistribution is Redistribution.FORBIDDEN

"""Rates of now and of a day, pairs, and what the account has left."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from email.utils import format_datetime
from typing import Any

from cambist.api.faces.dialects.dialect import DialectAnswer, DialectRequest
from cambist.api.faces.dialects.plain_answers import answer_with
from cambist.api.faces.dialects.rates import DatedRates, latest_rates, priced_currencies, rates_on
from cambist.api.faces.dialects.reading import converted
from cambist.api.questions.amounts import read_amount
from cambist.api.questions.parameter_types import read_day
from cambist.api.questions.symbol_parameters import ANY_ASSET, read_code
from cambist.errors import BadParameter, shorten
from cambist.reference.countries import COUNTRIES
from cambist.reference.currency_names import ENGLISH, signs_in
from cambist.reference.currency_tables import CURRENCIES

_ONE_DAY = timedelta(days=1)
_UNLIMITED = 2**53 - 1
"""The quota of a plan without one: programs read a number, and this is the largest that all of them keep exact."""


def latest(request: DialectRequest) -> DialectAnswer:
    """Answer `/v6/KEY/latest/{base}`: rates of now."""
    base, found = _latest(request)
    return answer_with(_head(request, found) | {"base_code": base, "conversion_rates": _with_base(base, found)})


def open_latest(request: DialectRequest) -> DialectAnswer:
    """Answer `/v6/latest/{base}`: the same for programs without a key, whose field is `rates`."""
    base, found = _latest(request)
    head = _head(request, found)
    body = {"result": head.pop("result"), "provider": request.address, **head, "time_eol_unix": 0}
    return answer_with(body | {"base_code": base, "rates": _with_base(base, found)})


def former_latest(request: DialectRequest) -> DialectAnswer:
    """Answer `/v4/latest/{base}`: the same in the form before this one."""
    base, found = _latest(request)
    times = {
        "provider": request.address,
        "terms": f"{request.address}/sources",
        "base": base,
        "date": found.day(),
        "time_last_updated": found.timestamp(request.context.book.as_of),
    }
    return answer_with(times | {"rates": _with_base(base, found)})


def pair(request: DialectRequest) -> DialectAnswer:
    """Answer `/v6/KEY/pair/{base}/{target}`, with an amount behind it the amount converted too."""
    return answer_with(_pair(request))


def enriched(request: DialectRequest) -> DialectAnswer:
    """Answer `/v6/KEY/enriched/{base}/{target}`: a pair, and what is known of its target.

    The two letters of a country and the address of its flag are not known here, and left empty.
    """
    body = _pair(request)
    target = str(body["target_code"])
    currency, sign = CURRENCIES.get(target), signs_in(ENGLISH).get(target, "")
    name = target if currency is None else currency.name
    countries = COUNTRIES.get(target, ("",))
    data = {
        "locale": countries[0],
        "two_letter_code": "",
        "currency_name": name,
        "currency_name_short": name.rpartition(" ")[2],
        "display_symbol": ",".join(f"{ord(letter):04X}" for letter in sign),
        "flag_url": "",
    }
    return answer_with(body | {"target_data": data})


def history(request: DialectRequest) -> DialectAnswer:
    """Answer `/v6/KEY/history/{base}/{year}/{month}/{day}`, with an amount behind it all of them converted."""
    context, base = request.context, read_code(request.path["base"])
    day = _day(request)
    amount = read_amount("amount", request.path["amount"]) if "amount" in request.path else None
    request.check_history(day)
    found = rates_on(context, base, None, day)
    shown = found.day()
    body = _plain_head(request) | {"year": shown.year, "month": shown.month, "day": shown.day, "base_code": base}
    if amount is None:
        return answer_with(body | {"conversion_rates": _with_base(base, found)}, earliest_day=day)
    amounts = {code: converted(amount, rate) for code, rate in _with_base(base, found).items()}
    return answer_with(body | {"requested_amount": amount, "conversion_amounts": amounts}, earliest_day=day)


def codes(request: DialectRequest) -> DialectAnswer:
    """Answer `/v6/KEY/codes`: names by code, as pairs."""
    found = [[code, CURRENCIES[code].name] for code in priced_currencies(request.context)]
    return answer_with(_plain_head(request) | {"supported_codes": found})


def quota(request: DialectRequest) -> DialectAnswer:
    """Answer `/v6/KEY/quota`: what the account has left in its period."""
    usage = request.usage
    if usage is None or request.principal is None:
        raise TypeError("the route has no usage")
    body = {
        "plan_quota": _UNLIMITED if usage.quota is None else usage.quota,
        "requests_remaining": _UNLIMITED if usage.remaining is None else usage.remaining,
        "refresh_day_of_month": request.principal.account.anchor_day,
    }
    return answer_with(_plain_head(request) | body, cost=0)


def _latest(request: DialectRequest) -> tuple[str, DatedRates]:
    base = read_code(request.path["base"])
    return base, latest_rates(request.context, base)


def _pair(request: DialectRequest) -> dict[str, Any]:
    base = read_code(request.path["base"], "source", ANY_ASSET)
    target = read_code(request.path["target"], "target", ANY_ASSET)
    amount = read_amount("amount", request.path["amount"]) if "amount" in request.path else None
    found = latest_rates(request.context, base, [target])
    rate = found.values[target]
    body = _head(request, found) | {"base_code": base, "target_code": target, "conversion_rate": rate}
    return body if amount is None else body | {"conversion_result": converted(amount, rate)}


def _with_base(base: str, found: DatedRates) -> dict[str, float]:
    return {base: 1.0, **found.values}


def _day(request: DialectRequest) -> date:
    parts = [request.path[name] for name in ("year", "month", "day")]
    if not all(part.isascii() and part.isdigit() for part in parts):
        raise BadParameter(f"Invalid date: [{shorten('/'.join(parts))}], it takes a year, a month and a day")
    year, month, day = map(int, parts)
    return read_day("date", f"{year:04}-{month:02}-{day:02}", request.context.today)


def _plain_head(request: DialectRequest) -> dict[str, Any]:
    address = request.address
    return {"result": "success", "documentation": f"{address}/docs", "terms_of_use": f"{address}/sources"}


def _head(request: DialectRequest, found: DatedRates) -> dict[str, Any]:
    """Return what an answer begins with: where its terms are, its time, and the midnight after now."""
    last = datetime.fromtimestamp(found.timestamp(request.context.book.as_of), UTC)
    following = datetime.combine(request.context.now.date() + _ONE_DAY, time(), UTC)
    return _plain_head(request) | {
        "time_last_update_unix": int(last.timestamp()),
        "time_last_update_utc": format_datetime(last),
        "time_next_update_unix": int(following.timestamp()),
        "time_next_update_utc": format_datetime(following),
    }

"""Converting an amount, at the rate of now or of a day."""

from __future__ import annotations

from cambist.api.faces.dialects.dialect import DialectAnswer, DialectRequest
from cambist.api.faces.dialects.plain_answers import answer_with, found_on
from cambist.api.faces.dialects.rates import latest_rates
from cambist.api.faces.dialects.reading import converted
from cambist.api.questions.amounts import read_amount
from cambist.api.questions.parameter_types import read_day
from cambist.api.questions.symbol_parameters import ANY_ASSET, MONEY_AND_METALS, read_code
from cambist.errors import BadParameter


def convert(request: DialectRequest) -> DialectAnswer:
    """Answer `/convert`: `amount` of `from` in `to`, on `date` if it is given."""
    query, context = request.query, request.context
    for name in ("from", "to"):
        if not query.get(name):
            raise BadParameter(f"Missing parameter: [{name}]")
    day = read_day("date", query["date"], context.today) if query.get("date") else None
    kinds = ANY_ASSET if day is None else MONEY_AND_METALS
    base, quote = read_code(query["from"], "source", kinds), read_code(query["to"], "target", kinds)
    amount = read_amount("amount", query.get("amount") or "1")
    if day is not None:
        request.check_history(day)
    found = latest_rates(context, base, [quote]) if day is None else found_on(request, base, [quote], day)
    body = {
        "success": True,
        "query": {"from": base, "to": quote, "amount": amount},
        "info": {"timestamp": found.timestamp(context.book.as_of), "rate": found.values[quote]},
        "historical": day is not None,
        "date": found.day(),
        "result": converted(amount, found.values[quote]),
    }
    return answer_with(body, earliest_day=day)

"""Converting an amount at the rate of now."""

from __future__ import annotations

from cambist.api.faces.dialects.dialect import DialectAnswer, DialectRequest
from cambist.api.faces.dialects.open_exchange_rates.writing import written
from cambist.api.faces.dialects.rates import latest_rates
from cambist.api.faces.dialects.reading import converted
from cambist.api.questions.amounts import read_amount
from cambist.api.questions.symbol_parameters import ANY_ASSET, read_code


def convert(request: DialectRequest) -> DialectAnswer:
    """Answer `/api/convert/{value}/{from}/{to}`."""
    context, path = request.context, request.path
    amount = read_amount("value", path["value"])
    base, quote = read_code(path["base"], "source", ANY_ASSET), read_code(path["quote"], "target", ANY_ASSET)
    found = latest_rates(context, base, [quote])
    body = {
        "request": {
            "query": f"/convert/{path['value']}/{base}/{quote}",
            "amount": amount,
            "from": base,
            "to": quote,
        },
        "meta": {"timestamp": found.timestamp(context.book.as_of), "rate": found.values[quote]},
        "response": converted(amount, found.values[quote]),
    }
    return written(request, body, is_cacheable=False)

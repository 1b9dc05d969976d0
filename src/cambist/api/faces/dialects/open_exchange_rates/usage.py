"""The plan and the calls of the account."""

from __future__ import annotations

from cambist.api.faces.dialects.dialect import DialectAnswer, DialectRequest
from cambist.api.faces.dialects.open_exchange_rates.writing import written


def usage(request: DialectRequest) -> DialectAnswer:
    """Answer `/api/usage.json`. Without a quota the numbers of what is left are -1."""
    record, principal = request.usage, request.principal
    if record is None or principal is None:
        raise TypeError("the usage of an account needs the account")
    today = request.context.today
    elapsed = (today - record.period.start).days + 1
    quota, left = (-1 if count is None else count for count in (record.quota, record.remaining))
    data = {
        "status": "active",
        "plan": {
            "name": principal.plan.name,
            "quota": "unlimited" if record.quota is None else f"{record.quota} requests / month",
            "update_frequency": f"{principal.plan.book_refresh:g}s",
            "features": {"base": True, "symbols": True, "experimental": False, "time-series": True, "convert": True},
        },
        "usage": {
            "requests": record.used,
            "requests_quota": quota,
            "requests_remaining": left,
            "days_elapsed": elapsed,
            "days_remaining": (record.period.end - today).days,
            "daily_average": record.used // elapsed,
        },
    }
    return written(request, {"status": 200, "data": data}, is_cacheable=False, has_notes=False)

"""The dialect `exchangerateapi`: the interface of ExchangeRate-API, version 6 with a key in the path, and without one.

Known from the specification in api-evangelist/exchangerate-api and the documentation of its free access.
"""

from __future__ import annotations

import msgspec

from cambist.api.faces.dialects.dialect import Dialect, DialectRoute
from cambist.api.faces.dialects.exchangerate_api import answers
from cambist.errors import CambistError, UnknownSymbol

_TYPES = {
    "key_missing": "invalid-key",
    "key_malformed": "invalid-key",
    "key_unknown": "invalid-key",
    "key_ended": "invalid-key",
    "keys_differ": "invalid-key",
    "account_suspended": "inactive-account",
    "quota_spent": "quota-reached",
    "rate_limited": "quota-reached",
    "too_many_failures": "quota-reached",
    "not_in_plan": "plan-upgrade-required",
    "no_rate": "no-data-available",
    "rate_unavailable": "no-data-available",
}
_KEYED = "/v6-of-key"
"""The folder of requests whose key was in their path."""


def write_error(status: int, code: str, sentence: str, error: CambistError | None) -> tuple[int, bytes]:
    """Return an error as the original's: a type, and beside it our sentence."""
    kind = "unsupported-code" if isinstance(error, UnknownSymbol) else _TYPES.get(code, "malformed-request")
    return status, msgspec.json.encode({"result": "error", "error-type": kind, "extra-info": sentence})


dialect = Dialect(
    name="exchangerateapi",
    title="ExchangeRate-API",
    guide="dialect-exchangerate-api.md",
    routes=(
        DialectRoute(f"{_KEYED}/latest/{{base}}", answers.latest, live_with=(), names_address=True),
        DialectRoute(f"{_KEYED}/pair/{{base}}/{{target}}", answers.pair, live_with=(), names_address=True),
        DialectRoute(f"{_KEYED}/pair/{{base}}/{{target}}/{{amount}}", answers.pair, live_with=(), names_address=True),
        DialectRoute(f"{_KEYED}/enriched/{{base}}/{{target}}", answers.enriched),
        DialectRoute(f"{_KEYED}/history/{{base}}/{{year}}/{{month}}/{{day}}", answers.history),
        DialectRoute(f"{_KEYED}/history/{{base}}/{{year}}/{{month}}/{{day}}/{{amount}}", answers.history),
        DialectRoute(f"{_KEYED}/codes", answers.codes),
        DialectRoute(f"{_KEYED}/quota", answers.quota, tag="admin", needs_usage=True),
        DialectRoute("/v6/latest/{base}", answers.open_latest, live_with=(), names_address=True),
        DialectRoute("/v4/latest/{base}", answers.former_latest, live_with=(), names_address=True),
    ),
    write_error=write_error,
    key_folders={"/v6": _KEYED},
)

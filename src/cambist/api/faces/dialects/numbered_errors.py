"""The numbers and types of errors that the services of one family share: Fixer, exchangerate.host, currencylayer."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

NumberedErrors = Mapping[str, tuple[int, str]]
"""Numbers and types by the code of our error."""

ERRORS: NumberedErrors = MappingProxyType(
    {
        "key_missing": (101, "missing_access_key"),
        "key_malformed": (101, "invalid_access_key"),
        "key_unknown": (101, "invalid_access_key"),
        "key_ended": (101, "invalid_access_key"),
        "keys_differ": (101, "invalid_access_key"),
        "account_suspended": (102, "inactive_user"),
        "unknown_path": (103, "invalid_api_function"),
        "wrong_method": (103, "invalid_api_function"),
        "quota_spent": (104, "usage_limit_reached"),
        "rate_limited": (104, "rate_limit_reached"),
        "too_many_failures": (104, "rate_limit_reached"),
        "not_in_plan": (105, "function_access_restricted"),
        "no_rate": (106, "no_rates_available"),
        "rate_unavailable": (106, "no_rates_available"),
        "bad_parameter": (400, "invalid_parameter"),
    }
)

"""What the OpenAPI document says beside the endpoints: the introduction, the groups, and an example of each error."""

from __future__ import annotations

from typing import NamedTuple

INTRODUCTION = """\
Exchange rates, crypto prices and metals prices that say where they come from.

## A key

Every request needs an API key. The first start of the service prints one and leaves it in `owner.key` in its data
folder; further ones are made by its operator: `cambist account create shop --plan one`. It looks like `cmb_` and 38
letters and digits. Send it in one of four places:

| place | how |
|---|---|
| header, the best: it is in no log | `X-API-Key: cmb_…` |
| bearer token | `Authorization: Bearer cmb_…` |
| basic authorization | the key as user name or as password, the other half empty |
| query | `?api_key=cmb_…` |

On this page press **Authorize**, paste the key, and try any endpoint. In a terminal:

    curl -H 'X-API-Key: cmb_…' 'http://127.0.0.1:8000/fetch-one?from=EUR&to=USD'

## Requests

All requests are GET (or HEAD). Codes come in any case, lists with or without spaces and repeats. Days are UTC,
`YYYY-MM-DD`; a client's tomorrow reads as today. Parameters that an endpoint does not take are ignored and named in
the header `Cambist-Ignored`; one that looks like a typing error, or that would have changed the answer of another
endpoint, is refused.

## Answers

All answers are JSON and end with `ms`, the milliseconds that they took. Rates are midpoints with ten significant
digits, never in exponent notation. `updated` is the market's time of the oldest price in the answer. Errors are
`{"error": "<a sentence for people>", "code": "<for programs>"}`.

## Costs

Most answers cost one call; each endpoint says what it costs, and `X-Calls-Cost` says it of each answer. Errors cost
nothing.
"""

TAGS = {
    "currency": "Rates of currencies now, on past days and in series; several endpoints take metals and coins too.",
    "crypto": "Prices of cryptocurrencies from the venues that trade them.",
    "fx": "Pairs of currencies as they trade, with bid and ask.",
    "fx-series": "Bars of pairs of currencies: by minute, hour and day.",
    "metals": "Bid and ask of metals, by any unit of mass, in any currency, of any purity.",
    "admin": "What the account has used.",
}
"""What each group of endpoints is."""


class ErrorExample(NamedTuple):
    """When an error of this code is sent, and the sentence of one."""

    summary: str
    sentence: str


ERRORS = {
    "bad_parameter": ErrorExample(
        "A parameter is missing, malformed, out of range or misspelt", "Missing parameter: [to], such as to=EUR"
    ),
    "unknown_currency": ErrorExample("A code that is unknown", "Invalid/unsupported target currency: [ZZZ]"),
    "unknown_metal": ErrorExample(
        "A code that is no metal's",
        "Invalid/unsupported metal: [XXX], options are [XAU, XAG, XPT, XPD, XAL, XCU, XPB, XNI, XZN], one in a request",
    ),
    "unknown_pair": ErrorExample(
        "A pair that is not listed", "Invalid/unsupported fx pair: [EURZZZ], the pairs are found at /fx/pairs"
    ),
    "unknown_instrument": ErrorExample(
        "No instrument is known",
        "Invalid/unsupported metals instrument: [NOPE], the instruments are found at /metals/instruments",
    ),
    "malformed_request": ErrorExample("It is no request", "Malformed request: Invalid HTTP method"),
    "key_missing": ErrorExample(
        "No key was sent",
        "No API key: bring it as query parameter [api_key], as header [X-API-Key], or as [Authorization]",
    ),
    "key_malformed": ErrorExample(
        "The key is mistyped or cut off",
        "The API key is mistyped or cut off: keys look like cmb_ and 38 letters and digits",
    ),
    "key_unknown": ErrorExample("The key opens nothing here", "The API key is unknown here"),
    "key_ended": ErrorExample("The key is no longer good", "The API key was revoked or has expired"),
    "keys_differ": ErrorExample("Two keys in one request", "The request brings two different keys; bring one"),
    "account_suspended": ErrorExample("The account is suspended", "The account is suspended; its operator can say why"),
    "not_in_plan": ErrorExample("The plan does not include it", "The plan [one] does not include the group [metals]"),
    "no_rate": ErrorExample("No rate on that day", "No rate from [EUR] to [USD] between [1990-01-01] and [1998-12-31]"),
    "rate_limited": ErrorExample(
        "Too many requests at once",
        "Rate limit exceeded: [50] requests a second on the plan [one]",
    ),
    "quota_spent": ErrorExample(
        "The period's calls are spent",
        "Quota spent: [/fetch-one] costs [1] calls, [0] remain until the period ends on 2026-11-30",
    ),
    "too_many_failures": ErrorExample(
        "Too many failed keys", "Too many failed API keys from this address; try again later"
    ),
    "rate_unavailable": ErrorExample(
        "No rate, or none that is young enough", "No source has delivered a rate for [KPW] yet"
    ),
}
"""An example of each error that an endpoint sends, by its code."""

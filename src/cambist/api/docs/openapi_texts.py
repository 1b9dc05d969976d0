"""Texts of the OpenAPI document: the introduction, the groups of endpoints, and an example of each error."""

from __future__ import annotations

from typing import NamedTuple

from cambist.pricing.unavailable import SIMULATED

INTRODUCTION = """\
Exchange rates, crypto prices and metals prices that show their sources.

## A key

Every request needs an API key. The first start of the service prints one and writes it to `owner.key` in its data
folder. The operator creates more with `cambist account create shop --plan one`. A key is `cmb_` and 38 letters and
digits. Send it in one of four places:

| place | how |
|---|---|
| header (best: it does not appear in logs) | `X-API-Key: cmb_…` |
| bearer token | `Authorization: Bearer cmb_…` |
| basic authorization | the key as user name or as password, the other half empty |
| query | `?api_key=cmb_…` |

In a terminal:

    curl -H 'X-API-Key: cmb_…' 'http://127.0.0.1:8000/fetch-one?from=EUR&to=USD'

## Requests

Requests are GET (or HEAD); a few have a body, and are POST. Codes may be upper or lower case; lists may have spaces and
repeats. Days are UTC, `YYYY-MM-DD`; tomorrow, which has begun in some time zones, counts as today. Parameters that an
endpoint does not accept are ignored and named in the header `Cambist-Ignored`. One that looks misspelt, or that would
change the answer of another endpoint, is refused.

## Answers

All answers are JSON and end with `ms`, the time to answer in milliseconds. Rates are midpoints with ten significant
digits, never in exponent notation. `updated` is the market's time of the oldest price in the answer. Errors are
`{"error": "<a sentence for people>", "code": "<for programs>"}`.

## Receipts

Add `receipt=1` to any request: the header `Cambist-Receipt` is then a signature (a compact JWS, Ed25519) over the exact
bytes of the answer, with the question, the time and the edition of the rates. Or send the question with
`POST /receipts`, as `{"get": "/convert?from=EUR&to=USD&amount=100"}`: the answer is a receipt that contains the answer.
The keys that verify receipts are at `/.well-known/jwks.json`. A receipt costs nothing beside its answer.

## Costs

Most answers cost one call. The cost of an endpoint is in its description, and the cost of an answer in the header
`X-Calls-Cost`. Errors cost nothing.
"""

TAGS = {
    "currency": "Rates of currencies now, on past days and in series; several endpoints accept metals and coins too.",
    "crypto": "Prices of cryptocurrencies from the venues that trade them.",
    "fx": "Pairs of currencies as they trade, with bid and ask.",
    "fx-series": "Bars of pairs of currencies: by minute, hour and day.",
    "metals": "Bid and ask of metals, by any unit of mass, in any currency, of any purity.",
    "admin": "The calls that the account has used.",
}
"""The groups of endpoints."""


class ErrorExample(NamedTuple):
    """When an error with this code is sent, and an example of its sentence."""

    summary: str
    sentence: str


ERRORS = {
    "bad_parameter": ErrorExample(
        "A parameter is missing, malformed, out of range or misspelt", "Missing parameter: [to], such as to=EUR"
    ),
    "unknown_currency": ErrorExample("A code that is unknown", "Invalid/unsupported target currency: [ZZZ]"),
    "unknown_metal": ErrorExample(
        "No metal has this code",
        "Invalid/unsupported metal: [XXX], options are [XAU, XAG, XPT, XPD, XAL, XCU, XPB, XNI, XZN], one in a request",
    ),
    "unknown_pair": ErrorExample(
        "A pair that is not listed", "Invalid/unsupported fx pair: [EURZZZ], the pairs are found at /fx/pairs"
    ),
    "unknown_instrument": ErrorExample(
        "No instrument has one of these names",
        "Invalid/unsupported metals instrument: [NOPE], the instruments are found at /metals/instruments",
    ),
    "malformed_request": ErrorExample("The request is not valid HTTP", "Malformed request: Invalid HTTP method"),
    "key_missing": ErrorExample(
        "No key was sent",
        "No API key: bring it as query parameter [api_key], as header [X-API-Key], or as [Authorization]",
    ),
    "key_malformed": ErrorExample(
        "The key is mistyped or cut off",
        "The API key is mistyped or cut off: keys look like cmb_ and 38 letters and digits",
    ),
    "key_unknown": ErrorExample("The key does not exist here", "The API key is unknown here"),
    "key_ended": ErrorExample("The key was revoked or has expired", "The API key was revoked or has expired"),
    "keys_differ": ErrorExample("Two keys in one request", "The request brings two different keys; bring one"),
    "account_suspended": ErrorExample("The account is suspended", "The account is suspended; its operator can say why"),
    "not_in_plan": ErrorExample("The plan does not include it", "The plan [one] does not include the group [metals]"),
    "no_rate": ErrorExample("No rate on that day", "No rate from [EUR] to [USD] between [1990-01-01] and [1998-12-31]"),
    "not_known_then": ErrorExample(
        "The rate was learnt after the moment of as_of",
        "The rate from [EUR] to [USD] on [2026-03-05] was not known at [17-4f2a9c01d7be-9d0c33a1e8f25b70]: "
        "the first edition with it is [18-4f2a9c01d7be-1be7c0aa93f02d11]",
    ),
    "rate_limited": ErrorExample(
        "Too many requests at once",
        "Rate limit exceeded: [50] requests a second on the plan [one]",
    ),
    "no_rate_of_type": ErrorExample(
        "No rate of this type", "No [parallel] rate from [EUR] to [USD] on [2024-02-29]; [EUR] has [market, official]"
    ),
    "quota_spent": ErrorExample(
        "The period's calls are spent",
        "Quota spent: [/fetch-one] costs [1] calls, [0] remain until the period ends on 2026-11-30",
    ),
    "quota_unknown": ErrorExample(
        "This node has used its part of the quota, and cannot ask for more now",
        "How many calls the account has left cannot be found out now",
    ),
    "too_many_failures": ErrorExample(
        "Too many failed keys", "Too many failed API keys from this address; try again later"
    ),
    "receipt_unavailable": ErrorExample(
        "The answer cannot be signed now", "The file of the signing key cannot be read: Permission denied"
    ),
    "lock_ended": ErrorExample(
        "The rate lock has ended",
        "The lock ended at [2026-11-20T12:30:00Z]; the rate of [EUR/USD] is now [1.0826]",
    ),
    "rate_unavailable": ErrorExample(
        "No rate, or none that is fresh enough",
        f"No source has delivered a rate for [KPW] yet; {SIMULATED}",
    ),
    "too_few_sources": ErrorExample(
        "Fewer sources agree than `min_sources`",
        "Too few sources agree: [KPW] has [1]; the request asks for 2",
    ),
}
"""An example of each error that an endpoint sends, by code."""

TABLES = (
    "As a table: add `.csv`, `.ndjson`, `.xlsx`, `.arrow` or `.parquet` to the path, or name the media type in "
    "`Accept`. CSV takes two more parameters: `decimal` (`point`, `comma`) and `delimiter` (`comma`, `semicolon`, "
    "`tab`, `pipe`)."
)
"""What the endpoints with tables say about them."""


class BulkTexts(NamedTuple):
    """What is said about converting files, with an example."""

    description: str
    request: str
    response: str


BULK = BulkTexts(
    "Convert many amounts: a CSV file in, the same file with results out, row by row, each as at `/convert`. The first "
    "line names the columns: `amount`, `from`, `to` and, if you like, `date`; others are passed through. Four columns "
    "are added: `result`, `rate`, `as_of` (the time of the rate, or the day of its fixing) and `error`, which says why "
    "a row has no result. A file may have a megabyte; its delimiter is found. Without a declaration amounts have a "
    "decimal point, days are `YYYY-MM-DD`, and bytes are UTF-8; a row that can be read in two ways is refused.\n\n"
    "Cost: one call for each row that is answered.",
    "invoice,amount,from,to,date\r\n17,100,EUR,USD,2026-10-30\r\n18,100,EUR,ABC,\r\n",
    "invoice,amount,from,to,date,result,rate,as_of,error\r\n"
    "17,100,EUR,USD,2026-10-30,111.72,1.1172,2026-10-30,\r\n"
    "18,100,EUR,ABC,,,,,Invalid/unsupported target currency: [ABC]\r\n",
)

"""The series of the Bank of England's database that are daily spot rates of currencies against sterling."""

_OLDER = {
    "XUDLUSS": "USD",
    "XUDLERS": "EUR",
    "XUDLJYS": "JPY",
    "XUDLCDS": "CAD",
    "XUDLSFS": "CHF",
    "XUDLADS": "AUD",
    "XUDLNDS": "NZD",
    "XUDLNKS": "NOK",
    "XUDLSKS": "SEK",
    "XUDLDKS": "DKK",
    "XUDLHDS": "HKD",
    "XUDLSGS": "SGD",
    "XUDLSRS": "SAR",
    "XUDLZRS": "ZAR",
    "XUDLTWS": "TWD",
}

NEWER_SERIES = {
    "XUDLBK25": "CZK",
    "XUDLBK33": "HUF",
    "XUDLBK47": "PLN",
    "XUDLBK78": "ILS",
    "XUDLBK83": "MYR",
    "XUDLBK87": "THB",
    "XUDLBK89": "CNY",
    "XUDLBK93": "KRW",
    "XUDLBK95": "TRY",
    "XUDLBK97": "INR",
    "XUDLZOS4": "RON",
}
"""The currencies of series that are requested from 2006 on, by the code of the series."""

BOE_SERIES = _OLDER | NEWER_SERIES
"""The currencies of all series, by the code of the series."""

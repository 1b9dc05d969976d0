"""Central banks on answers that were recorded, where these are beside the project: all are read completely.

A row of PRICES says between which bounds the newest price of one unit must be, in the source's anchor. The bounds are
wide: they are wrong only if a direction, a nominal or a name is.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from cambist.history.fixing import Fixing
from cambist.registry.sources.source_adapters import built_in
from cambist.sources.base import FixingAdapter, ParsedPayload

RECORDED = Path(__file__).parents[3] / "shared" / "payloads"
PRICES = {
    "bna": ["USD 880 950", "JPY 5 6.5", "EUR 1000 1120", "KRW 0.5 0.7", "XAF 1.4 1.8", "ALL 9 13", "VND 0.03 0.04"],
    "bcra": ["USD 1300 1500", "JPY 7.5 10", "MXN 70 85", "CLP 1.3 1.7", "PYG 0.19 0.24", "XDR 1700 2100"],
    "nbrm": ["EUR 61 62.5", "USD 48 58", "JPY 0.3 0.37", "HUF 0.15 0.19", "IDR 0.0025 0.0035", "KRW 0.03 0.04"],
    "banrep": ["USD 3500 3900"],
    "bnrrw": ["USD 1400 1500", "JPY 8.5 10", "KES 10 12.5", "UGX 0.35 0.45", "TZS 0.5 0.62"],
    "bcc": ["EUR 26 30", "JPY 0.13 0.18", "MXN 1.2 1.5", "RUB 0.25 0.37"],
    "bcu": ["USD 38 43", "JPY 0.23 0.28", "CLP 0.04 0.05", "PYG 0.005 0.007", "COP 0.009 0.013", "KRW 0.02 0.03"],
    "bcn": ["USD 36.5 36.7"],
    "bcbo": ["USD 10 11", "JPY 0.06 0.07", "ARS 0.006 0.008", "CLP 0.01 0.012", "GBP 13 15"],
    "bct": ["USD 2.8 3", "JPY 0.018 0.019", "LYD 0.4 0.5", "DKK 0.44 0.47"],
    "boja": ["USD 156 159", "JPY 0.97 1", "DOP 2.5 2.7", "GBP 205 215", "KYD 185 192"],
    "nbc": ["EUR 4500 4900", "JPY 24 27", "VND 0.14 0.17", "XDR 5000 6000", "IDR 0.2 0.26"],
    "nbc_usd": ["USD 4000 4030"],
    "rbv": ["USD 115 118", "JPY 0.7 0.8", "EUR 130 140"],
    "cbe": ["USD 50 56", "JPY 0.3 0.37", "KWD 165 180", "JOD 70 80"],
    "rbf": ["USD 2.1 2.3", "JPY 0.013 0.015", "XDR 2.9 3.2"],
    "banxico": ["USD 17 19"],
    "bcch": ["USD 850 950", "JPY 5 6.5", "CNY 120 140"],
    "bob": ["USD 13 14", "JPY 0.08 0.09", "ZAR 0.75 0.85", "CNY 1.8 2.1", "XDR 17 19"],
    "bcp": ["USD 7000 8500", "JPY 45 56", "ARS 6 9", "CLP 7 9", "COP 1.6 2", "AED 1900 2300"],
    "cbg": ["USD 70 75", "JPY 0.4 0.5", "XOF 0.12 0.14", "SEK 7 8.5", "NOK 7 8.5", "KWD 225 245", "XDR 95 105"],
    "cbllr": ["USD 180 186"],
    "dab": ["USD 62 66", "INR 0.7 0.8", "PKR 0.2 0.25", "CNY 9 10"],
    "mma": ["USD 15.3 15.5"],
    "bccr": ["USD 460 480"],
    "cbi": ["USD 1304 1306", "JPY 8 9", "EUR 1500 1600", "XDR 1700 1850", "INR 13 16", "OMR 3300 3450"],
    "boa": ["USD 130 136", "JPY 0.8 0.9", "TND 44 47", "LYD 20 22", "MAD 14 15", "KWD 420 440"],
    "bi": ["AED 4500 4700", "AUD 11500 12200"],
    "sbp": ["USD 275 285", "JPY 1.7 1.8", "KWD 880 930", "TRY 5.8 6.6", "THB 8.3 9"],
    "mas": ["USD 1.25 1.32", "JPY 0.0078 0.0085", "IDR 0.00007 0.00008", "VND 0.000045 0.000052", "CNY 0.18 0.19"],
    "cbs": ["USD 2.6 2.8", "JPY 0.016 0.018", "FJD 1.2 1.25", "CNH 0.39 0.41"],
    "nrbt": ["USD 2.3 2.5", "JPY 0.015 0.016", "WST 0.84 0.88", "SEK 0.21 0.23"],
}
"""By source: a code, the lowest and the highest price of one unit of it."""

ASKED = {
    "banxico": r"series/(\w+)",
    "bcc": r"codigoMoneda=(\w+)",
    "bcch": r"timeseries=([\w.]+)",
    "bcp": r"moneda=(\w+)",
    "cbg": r"rates/(\w+)",
}
"""Where the request says what the answer does not."""

CONTRADICTED = {"bob": 7 * 3, "cbg": 80, "cbs": 9}
"""At most so many rates are left out, because the source gives two of them for one day."""

MISTYPED = {
    "cbi": ("JPY/IQD on 2026-02-09", "XDR/IQD on 2026-02-18"),
    "cbs": ("[2015-06-30]",),
}
"""What else is left out of the recorded answers, because it is mistyped there."""

NOT_READ = {
    "nbrm_01.json": "cut",
    "bcbo_01.csv": "dollars of 2007",
    **dict.fromkeys(
        ("cbe_01.html", "boja_01.html", "nbc_01.html", "nbc_03.html", "nbc_05.html"),
        "the page with the token",
    ),
    "rbf_01.html": "the page with the address",
    "bccr_01.csv": "the token",
    **dict.fromkeys(("bi_01.html", "mas_01.html"), "the page with the form"),
    **dict.fromkeys(("boa_01.html", "cbi_01.html", "cbs_01.html"), "the page with the address"),
    **{f"bna_{number:02}.json": "one currency" for number in range(71) if number != 3},
    **{
        f"cbg_{number:02}.json": "a currency that is left out"
        for number in (9, 13, 14, 15, 16, 20, 22, 23, *range(25, 31))
    },
}
"""Recorded answers that are not complete, or to requests that the adapters do not make."""


SUBJECTS = {"bi_02.html": "AED", "bi_03.html": "AUD"}
"""What was asked for where the list has only the beginning of the request: the first currencies of the Bank's form."""


FOLDERS = {"nbc_usd": "nbc"}
"""The folder of a source's answers, if it is not its key."""


def answers(key: str) -> Iterator[tuple[Path, str]]:
    """Yield each answer and the subject of its request."""
    folder = FOLDERS.get(key, key)
    requests = (RECORDED / folder / "SOURCES.md").read_text(encoding="utf-8")
    for path in sorted((RECORDED / folder).glob(f"{folder}_*")):
        asked = re.search(rf"`{path.name}` .*?{ASKED[key]}", requests) if key in ASKED else None
        if path.name not in NOT_READ:
            yield path, asked[1] if asked else SUBJECTS.get(path.name, "")


def price(fixing: Fixing, anchor: str) -> Decimal:
    """Return the price of one unit of the other currency in the anchor."""
    one = fixing.value / fixing.nominal
    return one if fixing.pair.quote == anchor else 1 / one


def read(key: str, path: Path, subject: str) -> ParsedPayload:
    adapter = built_in(key)
    assert isinstance(adapter, FixingAdapter)
    return adapter.parse_tolerantly(path.read_bytes(), subject)


@pytest.mark.long(every=5)
@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded answers are not beside the project")
@pytest.mark.parametrize("key", PRICES)
def test_recorded_answers_are_read_completely_and_the_right_way_round(key: str) -> None:
    anchor = built_in(key).source.anchor
    found: dict[str, Fixing] = {}
    left_out = 0
    for path, subject in answers(key):
        taken = read(key, path, subject)
        known = [each for each in taken.left_out if not any(part in each for part in MISTYPED.get(key, ()))]
        assert all("is given several times" in each for each in known), path.name
        left_out += len(known)
        newest = max(fixing.day for fixing in taken.fixings)
        own = [fixing for fixing in taken.fixings if fixing.day == newest and not fixing.rate_type]
        found |= {fixing.pair.other(anchor): fixing for fixing in own}
    assert left_out <= CONTRADICTED.get(key, 0)
    for code, lowest, highest in map(str.split, PRICES[key]):
        assert Decimal(lowest) < price(found[code], anchor) < Decimal(highest), (code, found[code])

"""The declared sources on answers that were recorded, where these are beside the project: all are read completely.

A row of PRICES says between which bounds the price of one unit must be, in the source's anchor. The bounds are wide:
they are wrong only if a direction, a nominal or a name is.
"""

from decimal import Decimal
from pathlib import Path

import pytest

from cambist.history.fixing import GRAM, Fixing
from cambist.registry.sources.source_adapters import built_in
from cambist.sources.base import FixingAdapter

RECORDED = Path(__file__).parents[3] / "shared" / "payloads"
PRICES = {
    "cbsl": ["USD 290 310", "JPY 1.9 2.2", "XAU 900000 1000000", "KRW 0.2 0.23"],
    "bam": ["USD 9 9.7", "JPY 0.057 0.06", "MRU 0.22 0.25", "XOF 0.016 0.017"],
    "bdp": ["USD 170 174", "JPY 1.4 1.6", "ITL 0.1 0.11", "XEU 200 202", "MOP 21 22"],
    "rbm": ["USD 1680 1685", "JPY 11 13", "ZMW 64 67", "IDR 0.1 0.12", "XDR 2200 2300"],
    "bom": ["USD 3300 3800", "JPY 20 25", "XAU 10000000 25000000", "XDR 4400 5300"],
    "bot": ["USD 30 36", "JPY 0.18 0.23", "IDR 0.0017 0.0022", "GBP 40 47"],
    "amcm": ["USD 7.9 8.2", "JPY 0.045 0.06", "KRW 0.005 0.006"],
    "banguat": ["USD 7.4 7.9"],
    "cba": ["USD 370 385", "JPY 2 2.7", "KZT 0.7 0.9", "XDR 480 540", "XAU 1500000 2300000", "XAG 25000 40000"],
    "cbm": [
        "USD 2000 2200",
        "JPY 12 15",
        "KHR 0.4 0.6",
        "IDR 0.1 0.15",
        "KRW 1.2 1.6",
        "LAK 0.08 0.12",
        "VND 0.07 0.1",
    ],
    "cbn": ["USD 1200 1600", "JPY 7 11", "XDR 1600 2200", "SAR 320 430", "ZAR 60 100"],
    "cbu": ["USD 12000 12300", "JPY 70 80", "IDR 0.6 0.8", "XDR 16000 17000"],
    "dnb": ["USD 6 7.3", "JPY 0.038 0.048", "HUF 0.016 0.021", "IDR 0.0003 0.0005"],
    "hnb": ["USD 0.9 1", "JPY 0.006 0.008", "BAM 0.511 0.512"],
    "lb": ["USD 2.7 2.9", "JPY 0.022 0.025", "IDR 0.0002 0.00025", "EUR 3.4527 3.4529"],
    "nbe": ["USD 140 180", "JPY 0.9 1.2", "DJF 0.8 1", "XDR 190 240"],
    "nbkr": ["USD 87 88", "JPY 0.5 0.6", "UAH 1.9 2.1", "XDR 115 125"],
    "nbk": ["USD 440 520", "JPY 2.7 3.4", "UZS 0.03 0.05", "IRR 0.0003 0.0005", "XDR 590 700"],
    "nbm": ["USD 17 18", "JPY 0.1 0.12", "UZS 0.0013 0.0016", "XDR 23 25"],
    "nbm_metals": ["XAU 70000 95000", "XAG 1000 1600"],
    "nbrb": ["USD 2.7 3.2", "JPY 0.017 0.02", "VND 0.0001 0.00013", "XDR 3.7 4.3"],
    "nrb": ["USD 140 165", "JPY 0.8 1.1", "INR 1.6 1.602", "KRW 0.08 0.12"],
    "nbt": ["USD 8.8 10", "JPY 0.054 0.063", "KRW 0.0058 0.0066"],
    "sbi": ["USD 115 135", "JPY 0.7 0.9", "KRW 0.07 0.1", "XDR 155 185"],
}
"""By source: a code, the lowest and the highest price of one unit of it."""

NOT_READ = {
    "bnm_01.json": "the newest day of all currencies",
    "cbsl_01.html": "the form of the page",
    "hnb_02.json": "a list in kuna, which is frozen",
    **{f"nbrb_{number:02}.json": "one currency of a span of days" for number in range(3, 32)},
}
"""Recorded answers to requests that the adapters do not make."""

FOLDERS = {"nbkr": "nbkr_live", "nbm_metals": "nbm"}
"""The folder of a source's answers, if it is not its key."""

KINDS = {"nbm": "<ValCurs", "nbm_metals": "<MetalPrice", "cba": "ExchangeRatesByDateRangeByISOResponse"}
"""What the answers of a source contain, if others in the folder are not for it."""


def answers(key: str) -> list[Path]:
    folder = RECORDED / FOLDERS.get(key, key)
    files = sorted(path for path in folder.iterdir() if path.suffix != ".md" and path.name not in NOT_READ)
    return [path for path in files if KINDS.get(key, "").encode() in path.read_bytes()]


def price(fixing: Fixing, anchor: str) -> Decimal:
    """Return the price of one unit (of a metal, an ounce) of the other currency in the anchor."""
    one = fixing.value / fixing.nominal * (Decimal("31.1034768") if fixing.unit == GRAM else 1)
    return one if fixing.pair.quote == anchor else 1 / one


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded answers are not beside the project")
@pytest.mark.parametrize("key", PRICES)
def test_recorded_answers_are_read_completely_and_the_right_way_round(key: str) -> None:
    adapter = built_in(key)
    assert isinstance(adapter, FixingAdapter)
    anchor = adapter.source.anchor
    prices: dict[str, set[Decimal]] = {}
    assert answers(key)
    for path in answers(key):
        taken = adapter.parse_tolerantly(path.read_bytes())
        assert taken.left_out == ()
        for fixing in taken.fixings:
            code = next(each for each in (fixing.pair.base, fixing.pair.quote) if each != anchor)
            prices.setdefault(code, set()).add(price(fixing, anchor))
    for code, lowest, highest in map(str.split, PRICES[key]):
        assert Decimal(lowest) < min(prices[code]) <= max(prices[code]) < Decimal(highest), code


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded answers are not beside the project")
def test_recorded_series_of_the_rand_agree_with_the_dollars() -> None:
    adapter = built_in("sarb")
    assert isinstance(adapter, FixingAdapter)
    newest = [max(adapter.parse(path.read_bytes()), key=lambda fixing: fixing.day) for path in answers("sarb")]
    prices = {next(c for c in (f.pair.base, f.pair.quote) if c != "ZAR"): price(f, "ZAR") for f in newest}
    assert len(prices) == len(newest)
    per_dollar = {code: prices["USD"] / rand for code, rand in prices.items()}
    for code, lowest, highest in (("JPY", 140, 175), ("EUR", 0.8, 0.95), ("AUD", 1.3, 1.7), ("MWK", 1600, 1900)):
        assert lowest < per_dollar[code] < highest


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded answers are not beside the project")
def test_recorded_series_of_the_ringgit_have_their_nominal() -> None:
    adapter = built_in("bnm")
    assert isinstance(adapter, FixingAdapter)
    prices = {f.pair.base: price(f, "MYR") for path in answers("bnm") for f in adapter.parse(path.read_bytes())}
    assert len(prices) == len(answers("bnm"))
    for code, lowest, highest in (("USD", 3.8, 4.1), ("JPY", 0.023, 0.027), ("IDR", 0.0002, 0.0003), ("XDR", 5, 6)):
        assert lowest < prices[code] < highest


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded answers are not beside the project")
def test_recorded_tables_of_west_africa_are_read() -> None:
    adapter = built_in("bceao")
    assert isinstance(adapter, FixingAdapter)
    for path in answers("bceao"):
        # The recording wrote bytes beyond ASCII as escapes.
        content = path.read_bytes().decode("unicode_escape").encode("latin-1")
        prices = {fixing.pair.base: fixing.value for fixing in adapter.parse(content)}
        assert len(prices) == 26
        assert 590 < prices["USD"] < 620
        assert 1900 < prices["KWD"] < 2000

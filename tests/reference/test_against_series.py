"""Pegs, lives and conversions against long series, where they are beside the project; what they cannot tell is named.

The checks also run on a sample that is written here, so that they are known to find what is wrong.
"""

import csv
import io
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, timedelta
from pathlib import Path

import pytest

from cambist.reference.currency_tables import CURRENCIES, EURO_RATES, PEGS, REDENOMINATIONS, Peg
from cambist.sources.adapters.bdi import adapter as bdi

SHARED = Path(__file__).parents[3] / "shared"
YEARLY = SHARED / "history/worldbank_PA_NUS_FCRF_annual.csv"
FRED = SHARED / "history/fred_daily"
ECB = SHARED / "payloads/ecb/eurofxref-hist.zip"
needs_shared = pytest.mark.skipif(not YEARLY.exists(), reason="the long series are not beside the project")

# The areas of the World Bank's series, in the units of today.
AREAS = """
    AED=ARE ANG=CUW ARS=ARG AWG=ABW BAM=BIH BBD=BRB BGN=BGR BHD=BHR BMD=BMU BND=BRN BSD=BHS BTN=BTN BZD=BLZ CVE=CPV
    DJF=DJI EEK=EST ERN=ERI GIP=GIB IEP=IRL JOD=JOR KID=KIR KMF=COM KYD=CYM LSL=LSO LTL=LTU LUF=LUX MOP=MAC MTL=MLT
    MYR=MYS NAD=NAM NPR=NPL OMR=OMN PAB=PAN QAR=QAT SAR=SAU STN=STP SZL=SWZ TVD=TUV XAF=CMR XCD=ATG XOF=SEN XPF=PYF
    AUD=AUS BEF=BEL DEM=DEU EUR=EMU FRF=FRA GBP=GBR HKD=HKG INR=IND SGD=SGP ZAR=ZAF
"""
AREA = dict(entry.split("=") for entry in AREAS.split())
TOLERANCE = 0.01
NOT_AS_PEGGED = {
    ("BAM", 1999): "the series is per euro from here on",
    ("BAM", 2000): "per euro",
    ("BAM", 2001): "per euro",
    ("CVE", 2000): "the series carries the escudo's own dollar rate of the year's end",
    ("CVE", 2009): "as 2000",
    ("NPR", 1994): "two years of Nepal and India, which count theirs from other months",
    ("NPR", 2000): "as 1994",
    ("NPR", 2003): "as 1994",
    ("NPR", 2004): "as 1994",
    ("NPR", 2005): "as 1994",
}
UNCHECKED_PEGS = {
    "ADP ESP": "no series of Andorra",
    "BGL DEM": "restated in levs of 1999",
    "BGL EUR": "half a year",
    "CUC USD": "no series since 1974",
    "CUP USD": "no series since 1974",
    "FKP GBP": "no series",
    "FOK DKK": "no series",
    "GGP GBP": "no series",
    "IMP GBP": "no series",
    "JEP GBP": "no series",
    "MCF FRF": "no series of Monaco",
    "SHP GBP": "no series",
    "SML ITL": "no series of San Marino",
    "STD EUR": "restated in dobras of 2018",
    "SVC USD": "the series is of dollars since 2001",
    "TMT USD": "no series since 2001",
    "TPE PTE": "no series of Portuguese Timor",
    "VAL ITL": "no series of the Vatican",
    "VED VES": "one money under two codes",
    "XCG USD": "younger than the series",
}

# Old units of which no series at hand has the last days; the laws that changed them stand in the tables.
UNCHECKED_CONVERSIONS = """
    ADP AFA ANG AOK AON AOR ARA ARL ARM ARP ATS AZM BAD BAN BEF BGL BOP BRB BRC BRE BRN BRR BUK BYB BYR CLE CSD
    CSK CUC DDM DEM ECS ESP FIM FRF GEK GHC GNS GQE GRD GWE GWP HRD IEP ILP ILR ISJ ITL KPW LAK LTT LUF LVR MCF
    MDC MGF MKN MLF MRO MVP MXP MZE MZM NIC NLG PEI PES PLZ PTE RHD RUR SDD SDP SLL SML SRG STD SUR SYP TJR TMM
    UAK UGS UYN UYP VAL VEB VEF VES VNN XEU YDD YUD YUM YUN YUO YUR ZMK ZRN ZRZ ZWD ZWL ZWN ZWR
"""

TOLD_OF_THE_ENDED = "BGN CYP EEK HRK LTL LVL MTL ROL SIT SKK TRL"
UNTOLD = 120
"""Currencies of which neither the Federal Reserve's nor the ECB's nor the Banca d'Italia's series has a day."""

Yearly = Mapping[tuple[str, int], float]
Daily = Mapping[str, Iterable[date]]


# The checks


def whole_years(peg: Peg) -> range:
    """The years through which a peg held from their first day to their last."""
    last = peg.last_day or date(2024, 12, 31)
    return range(
        peg.first_day.year + (peg.first_day > date(peg.first_day.year, 1, 1)),
        last.year + (last == date(last.year, 12, 31)),
    )


def deviations(yearly: Yearly) -> Iterator[tuple[Peg, int, float]]:
    """How far a year's average of a pegged currency lies from the peg, for each year that can be told."""
    for peg in PEGS:
        for year in whole_years(peg):
            units = yearly.get((peg.code, year))
            anchor = 1.0 if peg.anchor == "USD" else yearly.get((peg.anchor, year))
            if units is not None and anchor is not None:
                yield peg, year, abs(units / (anchor * float(peg.factor)) - 1)


def outside_their_lives(daily: Daily) -> dict[str, list[date]]:
    """The days on which a series has a fixing of a currency that did not live."""
    outside = {code: [day for day in days if not CURRENCIES[code].lives_on(day)] for code, days in daily.items()}
    return {code: days for code, days in outside.items() if days}


def factors(last: Mapping[str, float], first: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """How far the last fixing of an old unit lies from the law's conversion into the first of the new one."""
    for change in REDENOMINATIONS:
        if change.old in last and change.new in first:
            yield change.old, abs(last[change.old] / (first[change.new] * float(change.factor)) - 1)
    for rate in EURO_RATES.values():
        if rate.code in last:
            yield rate.code, abs(last[rate.code] / float(rate.rate) - 1)


# The series


def world_bank() -> Yearly:
    with YEARLY.open(encoding="utf-8") as lines:
        values = {(row["iso3"], int(row["year"])): row["exchange_rate"] for row in csv.DictReader(lines)}
    return {
        (code, year): float(value)
        for code, area in AREA.items()
        for (where, year), value in values.items()
        if where == area and value
    }


def federal_reserve() -> Daily:
    days: dict[str, list[date]] = defaultdict(list)
    for path in FRED.glob("fred_???_usd.csv"):
        code = path.name[5:8].upper()
        with path.open(encoding="utf-8") as lines:
            for day, value in list(csv.reader(lines))[1:]:
                if value:
                    days[code].append(date.fromisoformat(day))
    del days["VEF"]  # three bolívares in one series, the years before 2008 restated
    return days


def central_bank() -> tuple[Daily, dict[str, float], dict[str, float]]:
    """The days, the first and the last fixing of each currency that the ECB ever fixed."""
    with zipfile.ZipFile(ECB) as archive:
        text = archive.read(archive.namelist()[0]).decode()
    days: dict[str, list[date]] = defaultdict(list)
    first: dict[str, float] = {}
    last: dict[str, float] = {}
    for row in csv.DictReader(io.StringIO(text)):  # the newest day first
        for code, value in row.items():
            if code in CURRENCIES and value not in {"", "N/A", None}:
                days[code].append(date.fromisoformat(row["Date"]))
                first[code] = float(value)
                last.setdefault(code, float(value))
    return days, first, last


def bank_of_italy() -> Daily:
    days: dict[str, list[date]] = defaultdict(list)
    for path in (SHARED / "payloads/bdi").glob("bdi_*.csv"):
        for fixing in bdi.parse(path.read_bytes()):
            days[fixing.pair.other("EUR")].append(fixing.day)
    return days


@needs_shared
def test_pegs_agree_with_yearly_averages() -> None:
    off = {(peg.code, year) for peg, year, deviation in deviations(world_bank()) if deviation > TOLERANCE}
    assert off == set(NOT_AS_PEGGED)


@needs_shared
def test_pegs_that_no_series_covers_are_named() -> None:
    checked = {(peg.code, peg.anchor) for peg, _year, _deviation in deviations(world_bank())}
    assert {f"{peg.code} {peg.anchor}" for peg in PEGS if (peg.code, peg.anchor) not in checked} == set(UNCHECKED_PEGS)


@pytest.mark.long
@needs_shared
def test_no_currency_was_fixed_outside_of_its_life() -> None:
    assert outside_their_lives(federal_reserve()) == {}
    assert outside_their_lives(central_bank()[0]) == {}
    assert outside_their_lives(bank_of_italy()) == {}


@pytest.mark.long
@needs_shared
def test_the_lives_that_no_series_covers_are_named() -> None:
    """Their days stand on laws and banks alone; there may not be more of them unnoticed."""
    told = {*federal_reserve(), *central_bank()[0], *bank_of_italy()}
    assert {code for code in told if CURRENCIES[code].last_day} == set(TOLD_OF_THE_ENDED.split())
    assert len(CURRENCIES) - len(told) == UNTOLD


@needs_shared
def test_conversions_go_on_from_the_last_fixing() -> None:
    _days, first, last = central_bank()
    found = dict(factors(last, first))
    assert {code: off for code, off in found.items() if off > 2 * TOLERANCE} == {}
    ended = {change.old for change in REDENOMINATIONS} | EURO_RATES.keys()
    assert ended - found.keys() == set(UNCHECKED_CONVERSIONS.split())


# The checks themselves, on a sample


SAMPLE = {
    ("AED", 1990): 3.671,
    ("AED", 2010): 3.6725,
    ("OMR", 1980): 0.3454,
    ("OMR", 1990): 0.3845,
    ("ERN", 2010): 15.375,
    ("ERN", 2020): 15.075,
    ("FRF", 1990): 5.4453,
    ("XAF", 1990): 272.26,
    ("EUR", 2012): 0.778,
    ("XAF", 2012): 510.3,
    ("MYR", 2001): 3.80,
    ("ARS", 1995): 1.0,
}


def test_a_right_sample_agrees_with_the_pegs() -> None:
    found = list(deviations(SAMPLE))
    assert {peg.code for peg, _, _ in found} == {"AED", "OMR", "ERN", "XAF", "MYR", "ARS"}
    assert max(deviation for _, _, deviation in found) < TOLERANCE


@pytest.mark.parametrize(("code", "year", "units"), [("ERN", 2010, 15.0), ("OMR", 1980, 0.3845), ("XAF", 1990, 544.5)])
def test_a_wrong_sample_does_not(code: str, year: int, units: float) -> None:
    found = deviations({**SAMPLE, (code, year): units})
    assert [(peg.code, at) for peg, at, deviation in found if deviation > TOLERANCE] == [(code, year)]


def test_a_fixing_before_a_first_day_or_between_two_lives_is_found() -> None:
    right = [CURRENCIES["ZWL"].first_day, date(2020, 1, 2)]
    wrong = [date(2009, 2, 1), date(2012, 1, 2)]
    assert outside_their_lives({"ZWL": [*right, *wrong], "LKR": [date(1973, 1, 2)]}) == {"ZWL": wrong}


def test_a_conversion_that_jumps_is_found() -> None:
    last, first = {"TRL": 1_834_000.0, "ROL": 36_050.0, "SIT": 239.64}, {"TRY": 1.8233, "RON": 36.05}
    assert {code for code, off in factors(last, first) if off > TOLERANCE} == {"ROL"}


def test_every_conversion_says_on_which_day_it_begins_within_its_successors_life() -> None:
    for change in REDENOMINATIONS:
        assert CURRENCIES[change.new].lives_on(change.first_day), change
        eve = change.first_day - timedelta(days=1)
        assert CURRENCIES[change.old].lives_on(eve), change

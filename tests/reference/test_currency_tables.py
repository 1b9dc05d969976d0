"""The tables agree with themselves, and with the law where the law is short enough to be copied here."""

import csv
import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from fractions import Fraction
from importlib import resources
from itertools import groupby, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.reference import currency_tables
from cambist.reference.currency_tables import CURRENCIES, EURO_RATES, PEGS, REDENOMINATIONS, CurrencyKind, Peg
from cambist.reference.table_loader import Table

TODAY = date(2026, 11, 20)
ONE_DAY = timedelta(days=1)

# One euro is so much: the figures of Regulation (EC) No 2866/98 and of those that amended it, in their order.
REGULATION = """
    = 40.3399 BEF   = 1.95583 DEM   = 340.750 GRD   = 166.386 ESP   = 6.55957 FRF   = 0.787564 IEP
    = 1936.27 ITL   = 40.3399 LUF   = 2.20371 NLG   = 13.7603 ATS   = 200.482 PTE   = 5.94573 FIM
    = 239.640 SIT   = 0.585274 CYP  = 0.429300 MTL  = 30.1260 SKK   = 15.6466 EEK   = 0.702804 LVL
    = 3.45280 LTL   = 7.53450 HRK   = 1.95583 BGN
"""
# Currencies that the regulation does not name, at the rate of the one that they were the same money as.
AT_PAR = {"ADP": "ESP", "MCF": "FRF", "SML": "ITL", "VAL": "ITL"}

# Old money that went on beside the new by law, until its day here; every other ended on the eve of the new.
PARALLEL = {
    "ANG": (date(2025, 6, 30), "three months of dual circulation in Curaçao and Sint Maarten"),
    "AZM": (date(2006, 12, 31), "both manats through 2006"),
    "BGL": (date(1999, 12, 31), "both levs in the second half of 1999"),
    "BYB": (date(2000, 12, 31), "both rubles through 2000"),
    "BYR": (date(2016, 12, 31), "both rubles in the second half of 2016"),
    "CUC": (date(2021, 6, 30), "six months of tender after the unification"),
    "ECS": (date(2000, 9, 10), "six months of tender after the dollarization law"),
    "GHC": (date(2007, 12, 31), "both cedis in the second half of 2007"),
    "LVR": (date(1993, 10, 17), "withdrawn on 18 October, while lats came one note at a time"),
    "MRO": (date(2018, 6, 30), "six months of both ouguiyas"),
    "MXP": (date(1995, 12, 31), "three years of both pesos"),
    "MZM": (date(2006, 12, 31), "both meticais in the second half of 2006"),
    "PLZ": (date(1996, 12, 31), "the Act of 7 July 1994 gave the old zloty two more years"),
    "ROL": (date(2006, 12, 31), "both lei for eighteen months: Law 348 of 2004"),
    "RUR": (date(1998, 12, 31), "both rubles through 1998"),
    "SDD": (date(2007, 6, 30), "half a year of both in Sudan"),
    "SLL": (date(2023, 12, 31), "tender until then by the notice of 24 November 2023"),
    "TMM": (date(2009, 12, 31), "both manats through 2009"),
    "TRL": (date(2005, 12, 31), "both liras through 2005: Law 5083"),
    "YDD": (date(1996, 6, 11), "the dinar of the south stayed tender beside the rial of the north"),
    "ZMK": (date(2013, 6, 30), "six months of both kwachas"),
}

# Old units that turned into a currency that was there before, so that the change is not its first day.
JOINED = {
    "CUC": "CUP",
    "DDM": "DEM",
    "ECS": "USD",
    "GQE": "XAF",
    "GWP": "XOF",
    "MLF": "XOF",
    "YDD": "YER",
}


def raw(file: str) -> list[dict[str, str]]:
    text = (resources.files("cambist.reference") / file).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def renamings() -> Iterator[currency_tables.Redenomination]:
    return (change for change in REDENOMINATIONS if change.old != change.new)


def walk(start: str, onward: Callable[[str], list[str]]) -> Iterator[str]:
    """Every code that can be reached from one, without it; endless loops end at the length of the table."""
    edge = onward(start)
    for _ in CURRENCIES:
        yield from edge
        edge = [further for code in edge for further in onward(code)]


def test_there_are_at_least_170_physical_currencies() -> None:
    physical = [each for each in CURRENCIES.values() if each.kind in {CurrencyKind.CIRCULATING, CurrencyKind.RETIRED}]
    living = [each for each in physical if each.kind is CurrencyKind.CIRCULATING]
    assert len(physical) >= 170
    assert len(living) >= 155


def test_codes_are_three_capitals_in_order_and_once() -> None:
    codes = [row["code"] for row in raw("currencies.csv")]
    assert all(re.fullmatch("[A-Z]{3}", code) for code in codes)
    assert codes == sorted(codes)
    assert list(CURRENCIES) == sorted(set(codes))
    assert {code for code in codes if codes.count(code) > 1} == {"ZWL"}
    assert all(code == currency.code for code, currency in CURRENCIES.items())


def test_no_two_currencies_share_a_name() -> None:
    names = sorted(currency.name for currency in CURRENCIES.values())
    assert [name for name, same in groupby(names) if len(list(same)) > 1] == []


def test_rows_of_every_table_stand_in_order() -> None:
    changes = [(change.old, change.first_day, change.new) for change in REDENOMINATIONS]
    pegs = [(peg.code, peg.anchor, peg.first_day) for peg in PEGS]
    rates = [row["code"] for row in raw("euro_rates.csv")]
    assert changes == sorted(changes)
    assert pegs == sorted(pegs)
    assert rates == sorted(set(rates))


def test_a_currency_is_retired_exactly_when_its_last_day_has_passed() -> None:
    for currency in CURRENCIES.values():
        ended = currency.last_day is not None and currency.last_day < TODAY
        assert (currency.kind is CurrencyKind.RETIRED) == ended, currency.code
        assert currency.last_day is None or ended, currency.code


def test_a_life_begins_before_it_ends_and_not_in_the_future() -> None:
    for currency in CURRENCIES.values():
        assert currency.first_day <= (currency.last_day or TODAY), currency.code


def test_the_codes_beyond_iso_have_their_kinds() -> None:
    kinds = {
        CurrencyKind.OFFSHORE: {"CNH"},
        CurrencyKind.OFFICIAL_RATE: {"BRX", "HUX"},
        CurrencyKind.ACCOUNTING: {"CLF", "COU", "MXV", "UYI", "UYW", "XDR"},
    }
    for kind, codes in kinds.items():
        assert {each.code for each in CURRENCIES.values() if each.kind is kind} == codes
    local = {"GGP", "JEP", "IMP", "FOK", "KID", "TVD", "CLP", "VED", "VES", "SLE", "ZWG", "XCG", "STN"}
    assert all(CURRENCIES[code].kind is CurrencyKind.CIRCULATING for code in local)


def test_a_currency_lives_from_its_first_day_to_its_last() -> None:
    kuna = CURRENCIES["HRK"]
    assert not kuna.lives_on(date(1994, 5, 29))
    assert kuna.lives_on(date(1994, 5, 30))
    assert kuna.lives_on(date(2022, 12, 31))
    assert not kuna.lives_on(date(2023, 1, 1))
    assert CURRENCIES["USD"].lives_on(TODAY)


def test_every_code_of_every_table_is_a_currency() -> None:
    mentioned = {code for change in REDENOMINATIONS for code in (change.old, change.new)}
    mentioned |= {code for peg in PEGS for code in (peg.code, peg.anchor)}
    mentioned |= {*EURO_RATES, "EUR"}
    assert mentioned <= set(CURRENCIES)


def test_every_factor_is_exact_and_above_zero() -> None:
    factors = [change.factor for change in REDENOMINATIONS]
    factors += [peg.factor for peg in PEGS]
    factors += [rate.rate for rate in EURO_RATES.values()]
    assert {type(factor) for factor in factors} == {Fraction}
    assert min(factors) > 0


# Redenominations


def test_a_new_unit_begins_the_day_it_replaces_the_old() -> None:
    for change in renamings():
        if JOINED.get(change.old) == change.new:
            assert CURRENCIES[change.new].first_day < change.first_day, change
        else:
            assert CURRENCIES[change.new].first_day == change.first_day, change


def test_an_old_unit_ends_on_the_eve_unless_the_law_let_both_run() -> None:
    for change in renamings():
        eve = change.first_day - ONE_DAY
        last, reason = PARALLEL.get(change.old, (eve, ""))
        assert CURRENCIES[change.old].last_day == last, change
        assert last > eve or not reason, change


def test_factors_are_powers_of_ten_but_for_these() -> None:
    powers = {Fraction(10**zeros) for zeros in range(13)}
    others = {change.old: str(change.factor) for change in REDENOMINATIONS if change.factor not in powers}
    assert others == {
        "AZM": "5000",
        "BRR": "2750",
        "CUC": "1/24",
        "DDM": "2",
        "ECS": "25000",
        "GQE": "4",
        "GWP": "65",
        "LVR": "200",
        "MGF": "5",
        "MLF": "2",
        "NIC": "5000000",
        "TMM": "5000",
        "YDD": "1/26",
        "ZRZ": "3000000",
        "ZWL": str(Fraction("2498.7242")),
    }


def test_a_successor_begins_no_later_than_the_day_after() -> None:
    for currency in CURRENCIES.values():
        if currency.successor:
            assert currency.last_day is not None
            assert CURRENCIES[currency.successor].first_day <= currency.last_day + ONE_DAY, currency.code


def test_successors_never_come_back_to_where_they_began() -> None:
    def onward(code: str) -> list[str]:
        successor = CURRENCIES[code].successor
        return [successor] if successor else []

    assert [code for code in CURRENCIES if code in walk(code, onward)] == []


def test_only_the_living_and_three_of_the_dead_have_no_successor() -> None:
    childless = {each.code for each in CURRENCIES.values() if each.last_day and not each.successor}
    # CSK split in two; TPE went without an exchange; YUG turned into YUM at a factor on which the sources differ (12 or
    # 13 million).
    assert childless == {"CSK", "TPE", "YUG"}
    assert all((each.successor is None) == (each.factor is None) for each in CURRENCIES.values())


def test_a_code_that_was_used_again_has_two_lives() -> None:
    dollar = CURRENCIES["ZWL"]
    lives = [(life.first_day, life.last_day) for life in dollar.lives]
    assert lives == [(date(2009, 2, 2), date(2009, 4, 12)), (date(2019, 2, 22), date(2024, 4, 4))]
    assert (dollar.first_day, dollar.last_day) == (date(2009, 2, 2), date(2024, 4, 4))
    assert [dollar.lives_on(date(2009, 4, day)) for day in (12, 13)] == [True, False]
    assert [dollar.lives_on(date(2019, 2, day)) for day in (21, 22)] == [False, True]
    assert dollar.next_reuse(date(2009, 2, 2)) == date(2019, 2, 22)
    assert dollar.next_reuse(date(2019, 2, 22)) is None
    assert {code for code, each in CURRENCIES.items() if len(each.lives) > 1} == {"ZWL"}


def test_the_years_in_a_name_are_those_of_the_rows() -> None:
    for row in raw("currencies.csv"):
        years = re.search("[(]([0-9]{4})(?:\N{EN DASH}([0-9]{4}))?[)]", row["name"])
        if years:
            lived = (row["first_day"][:4], row["last_day"][:4])
            assert (years[1], years[2] or years[1]) == lived, row


@pytest.mark.parametrize(
    ("code", "first_day"),
    [
        ("LKR", "1950-08-28"),
        ("GHC", "1967-02-23"),
        ("ETB", "1945-07-23"),
        ("YER", "1970-01-01"),
        ("DJF", "1949-03-20"),
        ("XAF", "1945-12-26"),
        ("ZRZ", "1967-06-24"),
        ("LYD", "1952-03-24"),
        ("OMR", "1970-05-07"),
    ],
)
def test_a_unit_that_was_only_renamed_or_had_new_notes_lives_since_it_began(code: str, first_day: str) -> None:
    assert CURRENCIES[code].first_day == date.fromisoformat(first_day)


def test_the_koruna_was_divided_on_the_eighth_of_february_1993() -> None:
    assert CURRENCIES["CSK"].last_day == date(1993, 2, 7)
    assert {CURRENCIES[code].first_day for code in ("CZK", "SKK")} == {date(1993, 2, 8)}


def test_the_same_code_breaks_are_all_here() -> None:
    breaks = {(each.old, int(each.factor), each.first_day) for each in REDENOMINATIONS if each.old == each.new}
    assert breaks == {
        ("KPW", 100, date(2009, 11, 30)),
        ("LAK", 100, date(1979, 12, 16)),
        ("SYP", 100, date(2026, 1, 1)),
        ("VES", 10**6, date(2021, 10, 1)),
    }


def test_a_same_code_break_falls_within_the_life_of_the_currency() -> None:
    for change in REDENOMINATIONS:
        if change.old == change.new:
            assert CURRENCIES[change.old].lives_on(change.first_day - ONE_DAY), change
            assert CURRENCIES[change.old].lives_on(change.first_day), change


@pytest.mark.parametrize(
    ("old", "successor", "factor"),
    [
        ("TRL", "TRY", Fraction(10**6)),
        ("BRR", "BRL", Fraction(2750)),
        ("ZWL", "ZWG", Fraction("2498.7242")),
        ("CUC", "CUP", Fraction(1, 24)),
        ("DEM", "EUR", Fraction("1.95583")),
        ("XEU", "EUR", Fraction(1)),
        ("AOK", "AON", Fraction(1)),
        ("BAD", "BAN", Fraction(10**4)),
        ("BAN", "BAM", Fraction(100)),
        ("BUK", "MMK", Fraction(1)),
        ("DDM", "DEM", Fraction(2)),
        ("GNS", "GNF", Fraction(1)),
        ("GWE", "GWP", Fraction(1)),
        ("MKN", "MKD", Fraction(100)),
        ("MVP", "MVR", Fraction(1)),
        ("MZE", "MZM", Fraction(1)),
        ("RHD", "ZWD", Fraction(1)),
        ("YDD", "YER", Fraction(1, 26)),
    ],
)
def test_what_a_currency_turned_into_is_joined_from_the_other_tables(
    old: str, successor: str, factor: Fraction
) -> None:
    assert (CURRENCIES[old].successor, CURRENCIES[old].factor) == (successor, factor)


def test_the_lira_and_the_leu_changed_on_the_days_of_their_laws() -> None:
    days = {code: (CURRENCIES[code].first_day, CURRENCIES[code].last_day) for code in ("TRY", "RON")}
    assert CURRENCIES["TRL"].last_day == date(2005, 12, 31)
    assert CURRENCIES["ROL"].last_day == date(2006, 12, 31)
    assert days == {"TRY": (date(2005, 1, 1), None), "RON": (date(2005, 7, 1), None)}


# The euro


def test_the_euro_rates_are_those_of_the_regulation_digit_by_digit() -> None:
    law = {code: rate for rate, code in re.findall(r"= ([0-9.]+) ([A-Z]{3})", REGULATION)}
    assert len(law) == 21
    law |= {code: law[parent] for code, parent in AT_PAR.items()}
    law["XEU"] = "1.00000"
    assert {row["code"]: row["rate"] for row in raw("euro_rates.csv")} == law


def test_every_euro_rate_has_six_significant_digits() -> None:
    for row in raw("euro_rates.csv"):
        assert len(row["rate"].replace(".", "").lstrip("0")) == 6, row


def test_every_euro_rate_names_its_regulation() -> None:
    form = re.compile(r"Regulation \((EC|EU)\) (No \d+/\d{2,4}|20\d\d/\d+)( \(at par with .+\))?")
    for rate in EURO_RATES.values():
        assert form.fullmatch(rate.authority), rate


def test_rates_of_one_day_come_from_one_regulation_each() -> None:
    days = {rate.authority.partition(" (at par")[0]: rate.fixed_on for rate in EURO_RATES.values()}
    for rate in EURO_RATES.values():
        assert days[rate.authority.partition(" (at par")[0]] == rate.fixed_on, rate


def test_a_currency_ends_on_the_eve_of_its_euro_but_the_first_twelve_ran_until_2002() -> None:
    for rate in EURO_RATES.values():
        first_wave = rate.fixed_on <= date(2001, 1, 1) and rate.code != "XEU"
        end = date(2001, 12, 31) if first_wave else rate.fixed_on - ONE_DAY
        assert CURRENCIES[rate.code].last_day == end, rate


def test_a_mark_in_francs_goes_through_the_euro() -> None:
    francs = EURO_RATES["FRF"].rate / EURO_RATES["DEM"].rate
    assert francs == Fraction(655957, 195583)
    assert round(francs, 5) == Fraction("3.35385")


# Pegs


def pegs_by_code() -> Iterator[list[Peg]]:
    ordered = sorted(PEGS, key=lambda peg: (peg.code, peg.first_day))
    return (list(pegs) for _, pegs in groupby(ordered, key=lambda peg: peg.code))


def test_pegs_of_one_currency_do_not_overlap() -> None:
    for pegs in pegs_by_code():
        for earlier, later in pairwise(pegs):
            assert earlier.last_day is not None, earlier
            assert earlier.last_day < later.first_day, later


def test_a_peg_holds_only_while_both_its_currencies_live() -> None:
    for peg in PEGS:
        for currency in (CURRENCIES[peg.code], CURRENCIES[peg.anchor]):
            assert currency.lives_on(peg.first_day), peg
            assert currency.last_day is None or currency.lives_on(peg.last_day or TODAY), peg


def test_anchors_never_come_back_to_where_they_began() -> None:
    def onward(code: str) -> list[str]:
        return [peg.anchor for peg in PEGS if peg.code == code]

    assert [peg.code for peg in PEGS if peg.code in walk(peg.code, onward)] == []


def test_every_peg_and_redenomination_names_its_authority() -> None:
    authorities = [peg.authority for peg in PEGS] + [change.authority for change in REDENOMINATIONS]
    assert all(re.search("[a-z]{3}", authority) for authority in authorities)


def test_a_peg_ends_on_its_last_day() -> None:
    francs = next(peg for peg in PEGS if (peg.code, peg.anchor, peg.factor) == ("XOF", "FRF", Fraction(100)))
    assert not francs.holds_on(date(1994, 1, 11))
    assert francs.holds_on(date(1994, 1, 12))
    assert francs.holds_on(date(1998, 12, 31))
    assert not francs.holds_on(date(1999, 1, 1))


# What holds today, as a line of text a reader can check against a central bank's page.
IN_FORCE = """
    AED 3.6725 USD, SAR 3.75 USD, QAR 3.64 USD, OMR 1250/3251 USD, BHD 0.376 USD, JOD 0.709 USD, AWG 1.79 USD,
    XCG 1.79 USD, BBD 2 USD, BZD 2 USD, XCD 2.70 USD, KYD 5/6 USD, DJF 177.721 USD, ERN 15.075 USD, TMT 3.5 USD,
    SVC 8.75 USD, XAF 655.957 EUR, XOF 655.957 EUR, KMF 491.96775 EUR, XPF 50000/419 EUR,
    CVE 110.265 EUR, STN 24.5 EUR, BAM 1.95583 EUR, MOP 1.03 HKD, NPR 1.6 INR, GGP 1 GBP, JEP 1 GBP, IMP 1 GBP,
    GIP 1 GBP,
    FKP 1 GBP, SHP 1 GBP, FOK 1 DKK, KID 1 AUD, TVD 1 AUD, BTN 1 INR, BND 1 SGD, LSL 1 ZAR, NAD 1 ZAR,
    SZL 1 ZAR, BMD 1 USD, BSD 1 USD, PAB 1 USD, VED 1 VES
"""


def test_the_pegs_in_force_are_these() -> None:
    listed = {code: (Fraction(factor), anchor) for code, factor, anchor in map(str.split, IN_FORCE.split(","))}
    holding = {peg.code: (peg.factor, peg.anchor) for peg in PEGS if peg.holds_on(TODAY)}
    assert holding == listed


# Pegs that have ended, or began before the one in force: the day before the first, the first, the last.
@pytest.mark.parametrize(
    ("code", "factor", "anchor", "first_day", "last_day"),
    [
        ("AED", "3.671", "USD", "1981-01-01", "1997-11-30"),
        ("ARS", "1", "USD", "1992-01-01", "2002-01-06"),
        ("CUP", "24", "USD", "2021-01-01", "2025-12-17"),
        ("DJF", "214.392", "USD", "1970-01-01", "1971-12-19"),
        ("DJF", "197.466", "USD", "1971-12-20", "1973-02-13"),
        ("ERN", "15.375", "USD", "2005-02-01", "2016-11-30"),
        ("MTL", "0.4293", "EUR", "2005-05-02", "2007-12-31"),
        ("MYR", "3.80", "USD", "1998-09-02", "2005-07-20"),
        ("OMR", "1250/3619", "USD", "1974-01-01", "1986-01-24"),
        ("STD", "24500", "EUR", "2010-01-01", "2017-12-31"),
        ("TMT", "2.85", "USD", "2009-01-01", "2014-12-31"),
        ("XAF", "50", "FRF", "1960-01-01", "1994-01-11"),
    ],
)
def test_pegs_that_have_ended_are_these_too(code: str, factor: str, anchor: str, first_day: str, last_day: str) -> None:
    peg = next(each for each in PEGS if each.code == code and each.holds_on(date.fromisoformat(first_day)))
    assert (peg.factor, peg.anchor) == (Fraction(factor), anchor)
    assert (peg.first_day.isoformat(), str(peg.last_day)) == (first_day, last_day)


@pytest.mark.parametrize(
    ("code", "first_day"),
    [
        ("AED", "1997-12-01"),
        ("ANG", "1971-12-23"),
        ("BHD", "1981-01-01"),
        ("BZD", "1977-01-01"),
        ("DJF", "1973-02-14"),
        ("ERN", "2016-12-01"),
        ("JOD", "1995-10-23"),
        ("MOP", "1983-01-01"),
        ("OMR", "1986-01-25"),
        ("SAR", "1986-06-01"),
        ("STN", "2018-01-01"),
        ("XCD", "1976-07-07"),
    ],
)
def test_the_last_peg_of_a_currency_holds_since(code: str, first_day: str) -> None:
    assert max(peg.first_day for peg in PEGS if peg.code == code) == date.fromisoformat(first_day)


def test_where_a_bank_has_several_official_rates_none_is_the_law() -> None:
    """Cuba's third official rate floats since 2025-12-18: what sources publish of the peso is heard."""
    assert not any(peg.holds_on(date(2025, 12, 18)) for peg in PEGS if peg.code == "CUP")


def test_bands_are_not_pegs() -> None:
    assert not {"HKD", "DKK"} & {peg.code for peg in PEGS}


def test_five_sixths_stay_exact() -> None:
    cayman = next(peg for peg in PEGS if peg.code == "KYD")
    assert cayman.factor == Fraction(5, 6)
    assert cayman.factor * 6 == 5


def test_the_pacific_franc_is_a_thousand_for_838_cents_of_a_euro() -> None:
    pacific = next(peg for peg in PEGS if (peg.code, peg.anchor) == ("XPF", "EUR"))
    assert pacific.factor == 1000 / Fraction("8.38")
    assert round(pacific.factor, 6) == Fraction("119.331742")


def test_an_anchor_changed_for_the_euro_at_the_rate_that_the_law_had_fixed() -> None:
    """The new factor is the old one times the anchor's euro rate, within the digits that the law kept.

    The fewest are the Pacific franc's: 1000 of it were 8.3847 euros and became 8.38.
    """
    day, eve = date(1999, 1, 1), date(1998, 12, 31)
    moved = 0
    for peg in PEGS:
        before = [each for each in PEGS if each.code == peg.code and each.holds_on(eve)]
        if peg.anchor == "EUR" and peg.first_day == day and before:
            moved += 1
            derived = before[0].factor * EURO_RATES[before[0].anchor].rate
            assert abs(peg.factor / derived - 1) < Fraction(1, 1000), peg
    assert moved == 6  # BGL, EEK, KMF, XAF, XOF, XPF


def test_a_peg_and_a_euro_rate_of_one_currency_agree() -> None:
    """Where both hold on the last day of the currency they lead to the same euro."""
    compared = set()
    for peg in PEGS:
        rate = EURO_RATES.get(peg.code)
        if rate and peg.last_day == CURRENCIES[peg.code].last_day:
            anchored = Fraction(1) if peg.anchor == "EUR" else EURO_RATES[peg.anchor].rate
            assert peg.factor * anchored == rate.rate, peg
            compared.add(peg.code)
    assert compared == {"ADP", "BGN", "EEK", "LTL", "LUF", "MCF", "MTL", "SML", "VAL"}


# Reading


HEADERS = {
    "currencies": "code,name,minor_units,kind,first_day,last_day",
    "redenominations": "old,new,factor,first_day,authority",
    "euro_rates": "code,rate,fixed_on,authority",
    "pegs": "code,anchor,factor,authority,first_day,last_day",
}
TABLES: dict[str, Table[Any]] = {
    "currencies": currency_tables.CURRENCY_TABLE,
    "redenominations": currency_tables.REDENOMINATION_TABLE,
    "euro_rates": currency_tables.EURO_RATE_TABLE,
    "pegs": currency_tables.PEG_TABLE,
}


def read(table: str, *lines: str, header: str | None = None) -> object:
    text = "\n".join([header or HEADERS[table], *lines])
    return TABLES[table].parse(text)


@pytest.mark.parametrize(
    ("table", "line", "field"),
    [
        ("currencies", "Usd,US Dollar,2,circulating,1792-01-01,", "code"),
        ("currencies", "USD,,2,circulating,1792-01-01,", "name"),
        ("currencies", "USD, US Dollar,2,circulating,1792-01-01,", "name"),
        ("currencies", "USD,US Dollar,two,circulating,1792-01-01,", "minor_units"),
        ("currencies", "USD,US Dollar,-2,circulating,1792-01-01,", "minor_units"),
        ("currencies", "USD,US Dollar,2,liquid,1792-01-01,", "kind"),
        ("currencies", "USD,US Dollar,2,circulating,1792-13-01,", "first_day"),
        ("currencies", "USD,US Dollar,2,circulating,17920101,", "first_day"),
        ("currencies", "USD,US Dollar,2,circulating,,", "first_day"),
        ("currencies", "USD,US Dollar,2,circulating,1792-01-01,1791-12-31", "last_day"),
        ("currencies", "USD,US Dollar,2,circulating,1792-01-01", "row"),
        ("currencies", "USD,US Dollar,2,circulating,1792-01-01,,", "row"),
        ("redenominations", "TRL,TRYX,1000000,2005-01-01,Law", "new"),
        ("redenominations", "TRL,TRY,1e6,2005-01-01,Law", "factor"),
        ("redenominations", "TRL,TRY,-5,2005-01-01,Law", "factor"),
        ("redenominations", "TRL,TRY,0,2005-01-01,Law", "factor"),
        ("redenominations", "TRL,TRY,1/0,2005-01-01,Law", "factor"),
        ("redenominations", "TRL,TRY,1_000,2005-01-01,Law", "factor"),
        ("redenominations", "TRL,TRY,1000000,2005-01-01,", "authority"),
        ("euro_rates", "DEM,one,1999-01-01,Law", "rate"),
        ("euro_rates", "DEM,1.95583,1999,Law", "fixed_on"),
        ("pegs", "AED,US,3.6725,Bank,1998-01-01,", "anchor"),
        ("pegs", "AED,USD,3.6725,Bank,1998-01-01,1997-01-01", "last_day"),
    ],
)
def test_a_broken_row_names_its_file_line_and_field(table: str, line: str, field: str) -> None:
    with pytest.raises(ValueError, match=rf"^{table}\.csv, line 2, {field}: "):
        read(table, line)


@pytest.mark.parametrize(
    ("table", "line"),
    [
        ("currencies", "USD,US Dollar,2,circulating,1792-01-01,"),
        ("euro_rates", "DEM,1.95583,1999-01-01,Law"),
    ],
)
def test_a_code_that_stands_twice_is_a_broken_row(table: str, line: str) -> None:
    with pytest.raises(ValueError, match=r"line 3, code: \w{3} stands here twice"):
        read(table, line, line)


def test_a_code_may_stand_twice_where_days_without_it_lie_between() -> None:
    rows = ("ZWL,Dollar (2009),2,retired,2009-02-02,2009-04-12", "ZWL,Dollar,2,circulating,2019-02-22,")
    currencies = currency_tables.currencies_of(
        TABLES["currencies"].parse("\n".join([HEADERS["currencies"], *rows])), {}
    )
    assert (currencies["ZWL"].name, len(currencies["ZWL"].lives)) == ("Dollar", 2)
    with pytest.raises(ValueError, match=r"line 3, code: ZWL stands here twice"):
        read("currencies", *reversed(rows))


@pytest.mark.parametrize("table", HEADERS)
def test_another_header_is_refused(table: str) -> None:
    with pytest.raises(ValueError, match=rf"^{table}\.csv, line 1, header: "):
        read(table, header="code")


@given(st.integers(min_value=1), st.integers(min_value=1))
def test_any_fraction_is_read_exactly(above: int, below: int) -> None:
    (peg,) = currency_tables.PEG_TABLE.parse(f"{HEADERS['pegs']}\nAED,USD,{above}/{below},Bank,1998-01-01,")
    assert peg.factor == Fraction(above, below)


@given(st.decimals(min_value="0.000001", max_value=10**12, allow_nan=False, places=6))
def test_any_decimal_is_read_exactly(factor: object) -> None:
    (peg,) = currency_tables.PEG_TABLE.parse(f"{HEADERS['pegs']}\nAED,USD,{factor:f},Bank,1998-01-01,")
    assert str(peg.factor) == str(Fraction(str(factor)))


def test_the_tables_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        CURRENCIES["XYZ"] = CURRENCIES["USD"]  # type: ignore[index]
    with pytest.raises(AttributeError):
        CURRENCIES["USD"].name = "Buck"  # type: ignore[misc]


def test_the_digest_is_short_and_hexadecimal() -> None:
    assert re.fullmatch("[0-9a-f]{16}", currency_tables.reference_digest())


def test_the_digest_changes_with_any_byte_of_any_file() -> None:
    files = dict(currency_tables._FILES)
    assert currency_tables._digest(files) == currency_tables.reference_digest()
    for name, content in files.items():
        assert currency_tables._digest(files | {name: content + b"\n"}) != currency_tables.reference_digest()
    assert set(files) >= {f"{table}.csv" for table in HEADERS}

"""Names, first days and ends against the CLDR, as Babel carries it, with a reason wherever we differ."""

from datetime import date

from babel import Locale
from babel.core import get_global

from cambist.reference.currency_tables import CURRENCIES

NAMES = Locale("en").currencies

OWN_NAMES = {
    "AOK": "has the years of our dates",
    "AON": "has the years of our dates",
    "ARM": "has the years of our dates",
    "AZM": "begins its years where our dates do",
    "BYB": "has the years of our dates",
    "CSD": "has the years of our dates",
    "GHC": "has the years of our dates",
    "GYD": "misspelt in the CLDR",
    "ISJ": "has the years of our dates",
    "KGS": "misspelt in the CLDR",
    "MRO": "has the years of our dates",
    "MXP": "has the years of our dates",
    "PES": "the sol lasted until 1985, not 1965",
    "PLZ": "has the years of our dates",
    "SDP": "has the years of our dates",
    "SLL": "has another dash in the CLDR, and ends its years where our dates do",
    "SUR": "a ruble like its successors",
    "VEB": "has the years of our dates",
    "VED": "says of which country, and keeps clear of VES",
    "XCG": "in capitals like the others",
    "YUD": "has the years of our dates",
    "YUM": "has the years of our dates",
    "ZMK": "has the years of our dates",
    "ZRZ": "has the years of our dates",
    "ZWD": "ends where ZWN, which the CLDR skips, begins",
    "ZWL": "is that of the second life; the first was of 2009",
    "ZWR": "has the years of our dates",
}
NOT_IN_CLDR = {
    "BRX",
    "FOK",
    "GGP",
    "HUX",
    "IMP",
    "JEP",
    "KID",
    "SML",
    "TVD",
    "UYN",
    "VAL",
    "YUG",
    "YUO",
    "ZWN",
}

OWN_FIRST_DAYS = {
    "ARA": "Decree 1096/85 is of 14 June and has the austral begin on the 15th",
    "AZM": "the manat began on 15 August 1992 beside the ruble; the CLDR has an issue of notes",
    "BAM": "the mark began with its central bank on 11 August 1997; the CLDR has 1995",
    "BRN": "the central bank begins the cruzado novo on 16 January 1989, the day after the measure",
    "CSD": "the bank became that of Serbia in July 2003; the CLDR has May 2002, before the state existed",
    "CZK": "the koruna of both states was one money until it was divided on 8 February 1993",
    "DJF": "the franc of French Somaliland, of 20 March 1949, went on under the state's new name",
    "EEK": "the kroon began on 20 June 1992, a Saturday",
    "ETB": "the Ethiopian dollar of 1945 was renamed at par",
    "GEL": "sole tender from 2 October; the week from 25 September exchanged coupons",
    "GHC": "the new cedi of 23 February 1967 went on; notes alone were exchanged in 1979",
    "GHS": "in force on Sunday 1 July; the CLDR has the day on which notes came out",
    "ILR": "the Bank of Israel begins the shekel on 24 February, after the announcement on the 22nd",
    "KYD": "the first notes came out on 1 May 1972; the CLDR has the law",
    "KZT": "the tenge began on 15 November 1993",
    "LAK": "the kip of the whole country began in June 1976, before the break that the CLDR begins with",
    "LKR": "the rupee of the Central Bank of Ceylon went on; the state was renamed",
    "LSL": "first issued on 19 January 1980",
    "LVL": "the first note came out on 5 March 1993; the CLDR has 28 June",
    "LYD": "the pound of 1952 was renamed at par",
    "MGA": "the unit of account from 2005 on; before, five francs under another name",
    "MKD": "the denar was cut by 100 on 5 May 1993",
    "MZE": "the escudo of the colony, as GWE's, went on until the metical",
    "NAD": "first issued on 15 September 1993; the CLDR has January",
    "OMR": "the rial Saidi of 7 May 1970 was renamed at par",
    "PGK": "the kina began on 19 April 1975 beside the Australian dollar",
    "RUB": "the redenomination was of 1 January 1998; the CLDR begins when the old ruble ended",
    "SIT": "the tolar began on 8 October 1991; the CLDR has its first banknote",
    "SKK": "as CZK",
    "TJS": "the somoni's day is 30 October; the CLDR has the decree's",
    "XAF": "the franc of the colonies in Central Africa, of 26 December 1945, went on under another bank",
    "XEU": "the ECU began with the European Monetary System on 13 March 1979",
    "YER": "the rial of the north went on in the united state; before 1970, the floor of the tables",
    "ZRN": "the reform was of 22 October 1993; the CLDR has 1 November",
    "ZRZ": "the zaire began on 24 June 1967; the state was renamed in 1971",
    "ZWG": "Statutory Instrument 60 of 5 April 2024; the CLDR has the day of the ISO list",
}
# The CLDR gives these no dates, so the day is from elsewhere or, before 1970, the floor of the tables.
UNDATED_IN_CLDR = {"CLF", "COU", "MXV", "UYI", "UYW", "VED", "XDR"}

OTHER_ENDS = {
    "BGN": "this CLDR is older than the Bulgarian euro",
    "SVC": "no longer in use, but a living code of ISO 4217 with a rate in the law",
}

Range = tuple[date | None, date | None]


def ranges(code: str) -> list[Range]:
    """The currency's ranges in its home territory, or in every one where the code names no territory."""
    found: list[tuple[str, Range]] = [
        (territory, (day(begin), day(end)))
        for territory, rows in get_global("territory_currencies").items()
        for each, begin, end, _tender in rows
        if each == code
    ]
    home = [span for territory, span in found if territory == code[:2] and span[0]]
    return home or [span for _territory, span in found]


def day(parts: tuple[int, int, int] | None) -> date | None:
    return date(*parts) if parts else None


def cldr_first_days() -> dict[str, date]:
    firsts = {code: [begin for begin, _ in ranges(code) if begin] for code in CURRENCIES}
    return {code: min(begins) for code, begins in firsts.items() if begins}


def test_names_are_those_of_the_cldr() -> None:
    differ = {code for code, each in CURRENCIES.items() if code in NAMES and each.name != NAMES[code]}
    assert differ == set(OWN_NAMES)


def test_codes_that_the_cldr_does_not_know_are_listed() -> None:
    assert set(CURRENCIES) - set(NAMES) == NOT_IN_CLDR


def test_first_days_are_those_of_the_cldr() -> None:
    firsts = cldr_first_days()
    assert {code for code, first in firsts.items() if CURRENCIES[code].first_day != first} == set(OWN_FIRST_DAYS)
    assert set(CURRENCIES) - set(firsts) == NOT_IN_CLDR | UNDATED_IN_CLDR


def test_a_currency_lives_where_the_cldr_has_it_in_use_today() -> None:
    differ = set()
    for code in cldr_first_days():
        in_use = any(end is None for _, end in ranges(code))
        if in_use != (CURRENCIES[code].last_day is None):
            differ.add(code)
    assert differ == set(OTHER_ENDS)

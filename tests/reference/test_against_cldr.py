"""Names, first days and ends against the CLDR, as Babel carries it, with a reason wherever we differ."""

from datetime import date

from babel import Locale
from babel.core import get_global

from cambist.reference.tables import CURRENCIES

NAMES = Locale("en").currencies

OWN_NAMES = {
    "CSD": "ends its years where our dates do",
    "GYD": "misspelt in the CLDR",
    "KGS": "misspelt in the CLDR",
    "PES": "the sol lasted until 1985, not 1965",
    "SDP": "ends its years where our dates do",
    "SLL": "has a dash of another length in the CLDR",
    "SUR": "a ruble like its successors",
    "VED": "says of which country, and keeps clear of VES",
    "XCG": "in capitals like the others",
    "YUM": "ends its years where our dates do",
    "ZWD": "ends where ZWN, which the CLDR skips, begins",
    "ZWR": "ends its years where our dates do",
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
    "BAM": "the mark began with its central bank on 11 August 1997; the CLDR has 1995",
    "BRN": "the central bank begins the cruzado novo on 16 January 1989, the day after the measure",
    "CSD": "the bank became that of Serbia in July 2003; the CLDR has May 2002, before the state existed",
    "GEL": "sole tender from 2 October; the week from 25 September exchanged coupons",
    "GHS": "in force on Sunday 1 July; the CLDR has the day on which notes came out",
    "ILR": "the Bank of Israel begins the shekel on 24 February, after the announcement on the 22nd",
    "LAK": "the kip of the whole country began in June 1976, before the break that the CLDR begins with",
    "LVL": "the first note came out on 5 March 1993; the CLDR has 28 June",
    "MGA": "the unit of account from 2005 on; before, five francs under another name",
    "NAD": "first issued on 15 September 1993; the CLDR has January",
    "RUB": "the redenomination was of 1 January 1998; the CLDR begins when the old ruble ended",
    "SIT": "the tolar began on 8 October 1991; the CLDR has its first banknote",
    "SKK": "as CZK: the CLDR begins one on the eve",
    "TJS": "the somoni's day is 30 October; the CLDR has the decree's",
    "ZRN": "the reform was of 22 October 1993; the CLDR has 1 November",
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

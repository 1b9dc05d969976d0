"""The currencies against the ISO 4217 list, as the package iso4217 carries it."""

from iso4217 import Currency

from cambist.reference.currency_tables import CURRENCIES

LEFT_OUT = {
    "XAG": "a metal: metals have a table of their own",
    "XAU": "a metal",
    "XPD": "a metal",
    "XPT": "a metal",
    "XTS": "reserved for tests",
    "XXX": "stands for no currency",
    "XBA": "a bond unit that nobody quotes",
    "XBB": "a bond unit",
    "XBC": "a bond unit",
    "XBD": "a bond unit",
    "CHE": "a member's credit at the WIR bank, without a market",
    "CHW": "as CHE",
    "USN": "the US dollar with another day of settlement",
    "BOV": "a Bolivian fund code without a public rate",
    "XSU": "an accounting unit among states, without a public rate",
    "XUA": "an accounting unit of the African Development Bank",
    "XAD": "an accounting unit of the Arab Monetary Fund",
}
# Living codes that ISO does not list, each with what it is.
BEYOND_ISO = {
    "BRX": "the real at the PTAX rate",
    "CNH": "the yuan traded offshore",
    "FOK": "the Faroese issue of the Danish krone",
    "GGP": "the Guernsey issue of the pound",
    "HUX": "the forint at the official rate",
    "IMP": "the Manx issue of the pound",
    "JEP": "the Jersey issue of the pound",
    "KID": "the Kiribati issue of the Australian dollar",
    "TVD": "the Tuvaluan issue of the Australian dollar",
}
OTHER_MINOR_UNITS: dict[str, str] = {}


def test_every_code_of_the_list_is_here_or_left_out_for_a_reason() -> None:
    listed = {currency.code for currency in Currency}
    living = {code for code, currency in CURRENCIES.items() if currency.last_day is None}
    assert listed - living == set(LEFT_OUT)
    assert living - listed == set(BEYOND_ISO)


def test_what_is_left_out_is_not_here_in_any_kind() -> None:
    assert not set(LEFT_OUT) & set(CURRENCIES)


def test_minor_units_are_those_of_the_list() -> None:
    differ = {
        currency.code
        for currency in Currency
        if currency.code in CURRENCIES and CURRENCIES[currency.code].minor_units != currency.exponent
    }
    assert differ == set(OTHER_MINOR_UNITS)


def test_only_the_special_drawing_right_has_no_minor_units() -> None:
    assert [code for code, currency in CURRENCIES.items() if currency.minor_units is None] == ["XDR"]

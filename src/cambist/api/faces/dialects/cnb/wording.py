"""How the Czech National Bank words its lists, in English and in Czech: names, headings, days and decimals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType

from cambist.api.faces.dialects.written_days import short_day
from cambist.reference.countries import COUNTRIES
from cambist.reference.currency_tables import CURRENCIES

Names = Mapping[str, tuple[str, str]]

_ENGLISH: Names = MappingProxyType({
    "AUD": ("Australia", "dollar"), "BRL": ("Brazil", "real"), "BGN": ("Bulgaria", "lev"),
    "CAD": ("Canada", "dollar"), "CNY": ("China", "renminbi"), "HRK": ("Croatia", "kuna"),
    "DKK": ("Denmark", "krone"), "EUR": ("EMU", "euro"), "HKD": ("Hongkong", "dollar"),
    "HUF": ("Hungary", "forint"), "ISK": ("Iceland", "krona"), "XDR": ("IMF", "SDR"),
    "INR": ("India", "rupee"), "IDR": ("Indonesia", "rupiah"), "ILS": ("Israel", "new shekel"),
    "JPY": ("Japan", "yen"), "MYR": ("Malaysia", "ringgit"), "MXN": ("Mexico", "peso"),
    "NZD": ("New Zealand", "dollar"), "NOK": ("Norway", "krone"), "PHP": ("Philippines", "peso"),
    "PLN": ("Poland", "zloty"), "RON": ("Romania", "leu"), "RUB": ("Russia", "rouble"),
    "SGD": ("Singapore", "dollar"), "ZAR": ("South Africa", "rand"), "KRW": ("South Korea", "won"),
    "SEK": ("Sweden", "krona"), "CHF": ("Switzerland", "franc"), "THB": ("Thailand", "baht"),
    "TRY": ("Turkey", "lira"), "GBP": ("United Kingdom", "pound"), "USD": ("USA", "dollar"),
})  # fmt: skip
_CZECH: Names = MappingProxyType({
    "AUD": ("Austrálie", "dolar"), "BRL": ("Brazílie", "real"), "BGN": ("Bulharsko", "lev"),
    "CNY": ("Čína", "renminbi"), "DKK": ("Dánsko", "koruna"), "EUR": ("EMU", "euro"),
    "PHP": ("Filipíny", "peso"), "HKD": ("Hongkong", "dolar"), "HRK": ("Chorvatsko", "kuna"),
    "INR": ("Indie", "rupie"), "IDR": ("Indonesie", "rupie"), "ISK": ("Island", "koruna"),
    "ILS": ("Izrael", "nový šekel"), "JPY": ("Japonsko", "jen"), "ZAR": ("Jižní Afrika", "rand"),
    "KRW": ("Jižní Korea", "won"), "CAD": ("Kanada", "dolar"), "HUF": ("Maďarsko", "forint"),
    "MYR": ("Malajsie", "ringgit"), "MXN": ("Mexiko", "peso"), "XDR": ("MMF", "ZPČ"),
    "NOK": ("Norsko", "koruna"), "NZD": ("Nový Zéland", "dolar"), "PLN": ("Polsko", "zlotý"),
    "RON": ("Rumunsko", "leu"), "RUB": ("Rusko", "rubl"), "SGD": ("Singapur", "dolar"),
    "SEK": ("Švédsko", "koruna"), "CHF": ("Švýcarsko", "frank"), "THB": ("Thajsko", "baht"),
    "TRY": ("Turecko", "lira"), "USD": ("USA", "dolar"), "GBP": ("Velká Británie", "libra"),
})  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Wording:
    """The words of one language: names of files and parameters, headings, and countries with their currencies.

    `period_parameters` are a currency, the first and the last day; `amount_line` is the first line of a period.
    """

    day_file: str
    year_file: str
    year_parameter: str
    period_file: str
    period_parameters: tuple[str, str, str]
    columns: str
    date_column: str
    rate_column: str
    amount_line: str
    names_by_code: Names
    is_czech: bool = False

    def day(self, day: date) -> str:
        """Write the day of a list: `09 Apr 2025`, in Czech `09.04.2025`."""
        return f"{day:%d.%m.%Y}" if self.is_czech else short_day(day)

    def decimal(self, number: str) -> str:
        """Write a number with the language's decimal sign."""
        return number.replace(".", ",") if self.is_czech else number

    def names(self, code: str) -> tuple[str, str]:
        """Return the country and the name of a currency; for one that no list has today our own names."""
        own = CURRENCIES[code].name if code in CURRENCIES else code
        return self.names_by_code.get(code, (COUNTRIES.get(code, (own,))[0], own))

    def ordered(self, codes: Iterable[str]) -> list[str]:
        """Return codes in the order of the lists, by country; those that no list has today come last."""
        places = {code: place for place, code in enumerate(self.names_by_code)}
        return sorted(codes, key=lambda code: (places.get(code, len(places)), code))


ENGLISH = Wording(
    day_file="daily.txt",
    year_file="year.txt",
    year_parameter="year",
    period_file="selected.txt",
    period_parameters=("currency", "from", "to"),
    columns="Country|Currency|Amount|Code|Rate",
    date_column="Date",
    rate_column="Rate",
    amount_line="Currency: {code}|Amount: {amount}",
    names_by_code=_ENGLISH,
)
CZECH = Wording(
    day_file="denni_kurz.txt",
    year_file="rok.txt",
    year_parameter="rok",
    period_file="vybrane.txt",
    period_parameters=("mena", "od", "do"),
    columns="země|měna|množství|kód|kurz",
    date_column="Datum",
    rate_column="Kurz",
    amount_line="Měna: {code}|Množství: {amount}",
    names_by_code=_CZECH,
    is_czech=True,
)

"""What is easily got wrong about a declared source, each on an answer in the source's format."""

from datetime import date
from pathlib import Path

import pytest

from cambist.errors import NothingPublished, SourceBroken
from cambist.history.fixing import Fixing
from cambist.registry.sources.source_adapters import built_in
from cambist.sources.base import FixingAdapter

PAYLOADS = Path(__file__).parents[1] / "payloads"


def adapter(key: str) -> FixingAdapter:
    found = built_in(key)
    assert isinstance(found, FixingAdapter)
    return found


def read(key: str, name: str) -> dict[str, Fixing]:
    """Return the fixings of a sample by pair."""
    return {str(fixing.pair): fixing for fixing in adapter(key).parse((PAYLOADS / key / name).read_bytes())}


@pytest.mark.parametrize(
    ("key", "name", "pair", "value", "nominal"),
    [
        ("bcrp", "days.json", "USD/PEN", "3.3615", 1),
        ("bom", "days.json", "JPY/MNT", "22.69", 1),
        ("bot", "days.json", "IDR/THB", "1.8700500", 1000),
        ("bot", "days.json", "JPY/THB", "20.1100500", 100),
        ("bsh", "page.html", "JPY/ALL", "52.91", 100),
        ("cbar", "day.xml", "KRW/AZN", "0.1163", 100),
        ("cbbh", "lists.json", "JPY/BAM", "1.069073", 100),
        ("cbbh", "lists.json", "XDR/BAM", "2.311620", 1),
        ("cbm", "latest.json", "JPY/MMK", "1333.8", 100),
        ("cbm", "latest.json", "THB/MMK", "66.553", 1),
        ("cbn", "rates.json", "USD/NGN", "1380.6000", 1),
        ("cbt", "day.xml", "IRR/TMT", "0.0269", 10_000),
        ("cbtt", "year.json", "USD/TTD", "6.7640", 1),
        ("hnb", "list.json", "EUR/JPY", "182.950000", 1),
        ("nbe", "day.json", "USD/ETB", "155.745", 1),
        ("nbk", "day.xml", "AMD/KZT", "13.05", 10),
        ("nbrb", "day.json", "VND/BYN", "11.1402", 100_000),
        ("nrb", "days.json", "INR/NPR", "160.075", 100),
        ("nbt", "day.xml", "IRR/TJS", "0.0073", 1000),
        ("open_er_api", "latest.json", "USD/EUR", "0.861204", 1),
    ],
)
def test_direction_and_nominal_are_the_sources(key: str, name: str, pair: str, value: str, nominal: int) -> None:
    fixing = read(key, name)[pair]
    assert (str(fixing.value), fixing.nominal) == (value, nominal)


@pytest.mark.parametrize(
    ("key", "name", "left_out"),
    [
        ("bom", "days.json", "VND"),
        ("bsh", "page.html", "RUB"),
        ("cbar", "day.xml", "XAU"),
        ("cbbh", "lists.json", "KWD"),
        ("cbn", "rates.json", "XOF"),
        ("open_er_api", "latest.json", "FOK"),
    ],
)
def test_what_is_no_currency_of_the_list_is_left_out(key: str, name: str, left_out: str) -> None:
    assert not any(left_out in pair for pair in read(key, name))


def test_the_day_of_a_time_stamp_is_the_one_in_the_banks_zone() -> None:
    assert {fixing.day for fixing in read("cbm", "latest.json").values()} == {date(2026, 3, 5)}


def test_a_day_without_rates_in_ethiopia_is_no_fault() -> None:
    with pytest.raises(NothingPublished):
        read("nbe", "closed.json")


def test_the_frozen_list_in_kuna_is_refused() -> None:
    kuna = b'[{"broj_tecajnice":"251","datum":"2022-12-31","jedinica":1,"srednji_tecaj":"7,06","valuta":"USD"}]'
    with pytest.raises(SourceBroken):
        list(adapter("hnb").parse(kuna))


@pytest.mark.parametrize(
    ("key", "written", "day", "meant"),
    [
        ("nbk", b"<title>BYN", b"01.07.2016", "BYR/KZT"),
        ("nbk", b"<title>BYN", b"04.07.2016", "BYN/KZT"),
        ("cbar", b'Code="BYN', b"30.06.2016", "BYR/AZN"),
        ("cbar", b'Code="TMT', b"31.12.2008", "TMM/AZN"),
        ("cbar", b'Code="TMT', b"05.01.2009", "TMT/AZN"),
    ],
)
def test_an_old_currency_under_the_code_of_the_new_one_gets_its_own(
    key: str, written: bytes, day: bytes, meant: str
) -> None:
    answer = (PAYLOADS / key / "day.xml").read_bytes().replace(b"05.03.2026", day)
    answer = answer.replace(written[:-3] + b"USD", written)
    assert meant in {str(fixing.pair) for fixing in adapter(key).parse(answer)}


def test_the_currency_asked_for_in_madagascar_is_that_of_the_rates() -> None:
    fixings = list(adapter("bfm").parse((PAYLOADS / "bfm/dollar.json").read_bytes(), "USD"))
    assert next((str(fixing.pair), str(fixing.value)) for fixing in fixings) == ("USD/MGA", "4401.07")
    with pytest.raises(NothingPublished):
        list(adapter("bfm").parse((PAYLOADS / "bfm/empty.json").read_bytes(), "USD"))


def test_september_in_peru_is_set() -> None:
    days = [fixing.day for fixing in adapter("bcrp").parse((PAYLOADS / "bcrp/days.json").read_bytes())]
    assert days[:2] == [date(2025, 9, 1), date(2026, 3, 5)]


def test_an_answer_of_another_base_than_the_dollar_is_refused() -> None:
    pounds = (PAYLOADS / "open_er_api/latest.json").read_bytes().replace(b'"USD":1,', b'"USD":1.3395,')
    with pytest.raises(SourceBroken, match="not worth itself"):
        list(adapter("open_er_api").parse(pounds))


def test_the_day_in_albania_is_that_of_the_first_table() -> None:
    assert {fixing.day for fixing in read("bsh", "page.html").values()} == {date(2026, 3, 5)}


def test_a_yen_in_albania_that_is_no_longer_per_hundred_is_refused() -> None:
    page = (PAYLOADS / "bsh/page.html").read_bytes()
    for name in (b"Japanese Yen", b"Japanese Yen (1000)"):
        with pytest.raises(SourceBroken, match="Japanese Yen"):
            list(adapter("bsh").parse(page.replace(b"Japanese Yen   (100)", name)))

"""What is easily got wrong about Malawi's and Morocco's rates."""

from datetime import date
from pathlib import Path

import pytest

from cambist.errors import SourceRefused
from cambist.registry.sources.source_adapters import built_in
from cambist.sources.base import FixingAdapter
from cambist.sources.declaration import read_declaration

PAYLOADS = Path(__file__).parents[1] / "payloads"
RBM = Path(__file__).parents[2] / "src/cambist/sources/declared/rbm.toml"


def read(key: str, content: bytes) -> list[tuple[str, str, int, date]]:
    adapter = built_in(key)
    assert isinstance(adapter, FixingAdapter)
    return [(str(each.pair), str(each.value), each.nominal, each.day) for each in adapter.parse(content)]


def test_the_middle_rate_of_malawi_is_read_and_dead_names_are_not() -> None:
    assert read("rbm", (PAYLOADS / "rbm/days.html").read_bytes()) == [
        ("USD/MWK", "1742.5100", 1, date(2026, 3, 4)),
        ("JPY/MWK", "11.0701", 1, date(2026, 3, 4)),
        ("EUR/MWK", "2031.2250", 1, date(2026, 3, 5)),
    ]


def test_the_end_of_a_piece_of_html_is_an_end_tag() -> None:
    text = RBM.read_text(encoding="utf-8").replace('end = "</div>"', 'end = "div"')
    with pytest.raises(SourceRefused, match=r"\[html.end\] \[div\] is not an end tag such as </div>"):
        read_declaration(text, "rbm.toml", is_built_in=True)


def test_moroccos_ouguiya_is_the_new_one_and_a_repeated_rate_is_read_once() -> None:
    assert read("bam", (PAYLOADS / "bam/day.json").read_bytes()) == [
        ("USD/MAD", "9.4012", 1, date(2026, 3, 5)),
        ("JPY/MAD", "5.9917", 100, date(2026, 3, 5)),
        ("MRU/MAD", "23.61", 100, date(2026, 3, 5)),
        ("EUR/MAD", "10.9033", 1, date(2026, 3, 4)),
    ]


def test_a_currency_with_two_rates_is_left_out() -> None:
    content = (PAYLOADS / "bam/day.json").read_bytes()
    second = b'"USD","moyen":9.4012,"uniteDevise":1},{"date":"2026-03-04'
    other = content.replace(second, second.replace(b"9.4012", b"9.5"))
    adapter = built_in("bam")
    assert isinstance(adapter, FixingAdapter)
    taken = adapter.parse_tolerantly(other)
    assert not [each for each in taken.fixings if each.pair.base == "USD"]
    assert taken.left_out


def test_moroccos_key_is_in_a_header_of_the_request() -> None:
    adapter = built_in("bam")
    assert isinstance(adapter, FixingAdapter)
    (request,) = adapter.requests(date(2026, 3, 7), date(2026, 3, 9))
    assert request.headers == (("Ocp-Apim-Subscription-Key", "{key}"),)
    assert request.url.endswith("?date=2026-03-09T12:30:00")

"""The declared central banks that want a form, and pages with more than one table."""

from datetime import date
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from tests.sources.workbook_files import packed

from cambist.errors import NothingPublished, SourceBroken, SourceRefused
from cambist.history.fixing import Fixing
from cambist.ingest.hidden_fields import with_hidden_fields
from cambist.ingest.request_tokens import with_token
from cambist.registry.sources.source_adapters import built_in
from cambist.sources.base import FixingAdapter
from cambist.sources.declaration import read_declaration

PAYLOADS = Path(__file__).parents[1] / "payloads"
DECLARED = Path(__file__).parents[2] / "src/cambist/sources/declared"


def adapter(key: str) -> FixingAdapter:
    found = built_in(key)
    assert isinstance(found, FixingAdapter)
    return found


def read(key: str, name: str, *changes: tuple[str, str]) -> list[tuple[str, str, int, date]]:
    text = (PAYLOADS / key / name).read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    fixings = adapter(key).parse(packed(name, text.encode()))
    return [(str(each.pair), str(each.value), each.nominal, each.day) for each in fixings]


def form(key: str, page: str) -> dict[str, list[str]]:
    (request,) = adapter(key).requests(date(2026, 6, 5), date(2026, 6, 5))
    return parse_qs(with_token(key, request, page.encode()).body.decode(), strict_parsing=True)


def test_cambodias_currencies_have_units_and_the_dollar_a_sentence_of_its_own() -> None:
    assert read("nbc", "day.html") == [
        ("EUR/KHR", "4653.50", 1, date(2026, 3, 5)),
        ("VND/KHR", "153.00", 1000, date(2026, 3, 5)),
        ("XDR/KHR", "5507.50", 1, date(2026, 3, 5)),
    ]
    assert read("nbc_usd", "day.html") == [("USD/KHR", "4012", 1, date(2026, 3, 5))]


def test_cambodias_sentence_about_another_unit_is_refused() -> None:
    with pytest.raises(SourceBroken, match=r"not written as declared in rates\.rate_pattern"):
        read("nbc_usd", "day.html", ("KHR / USD", "KHR / 100 USD"))


@pytest.mark.parametrize("key", ["nbc", "nbc_usd"])
def test_cambodias_form_has_the_day_and_the_token_of_the_page(key: str) -> None:
    page = '<input type="hidden" name="tk" value="GipX+a/c="/>'
    assert form(key, page) == {"exdate": ["2026-06-05"], "tk": ["GipX+a/c="], "view": ["View"]}


def test_tunisias_first_table_is_read_whatever_its_encoding() -> None:
    rates = [
        ("USD/TND", "2.9107", 1, date(2026, 6, 5)),
        ("JPY/TND", "18.3344", 1000, date(2026, 6, 5)),
        ("LYD/TND", "0.4561", 1, date(2026, 6, 5)),
    ]
    assert read("bct", "day.html") == rates
    content = (PAYLOADS / "bct/day.html").read_text(encoding="utf-8").encode("iso8859-1")
    assert [str(each.value) for each in adapter("bct").parse(content)] == [rate for _, rate, _, _ in rates]
    assert form("bct", "") == {"input": ["2026-06-05"], "langue": ["_AN"]}


def test_a_piece_of_a_page_may_end_with_several_tags() -> None:
    with pytest.raises(SourceBroken, match="the page is cut off"):
        read("bct", "day.html", ("</div> <br><br>\n", "</div>\n"))
    text, written = (DECLARED / "bct.toml").read_text(encoding="utf-8"), "</p> </div> </div> </div> </div> <br><br>"
    for end in ("<br></p>", "</p> note", "</p>" * 60):
        with pytest.raises(SourceRefused, match=r"\[html.end\] .* is not an end tag such as </div>, perhaps"):
            read_declaration(text.replace(written, end), "bct.toml", is_built_in=True)


def test_jamaicas_rate_is_between_selling_and_the_buying_of_drafts() -> None:
    assert read("boja", "table.json") == [
        ("USD/JMD", "157.1805", 1, date(2026, 3, 4)),
        ("USD/JMD", "157.3885", 1, date(2026, 3, 5)),
        ("DOP/JMD", "2.6072", 1, date(2026, 3, 5)),
    ]
    page = '<input id="wdtNonceFrontendServerSide_134" name="wdtNonceFrontendServerSide_134" value="5a1c" />'
    assert form("boja", page)["wdtNonce"] == ["5a1c"]


def test_jamaicas_answer_without_the_dollar_is_refused() -> None:
    with pytest.raises(SourceBroken, match="holds no rate of USD"):
        read("boja", "table.json", ("U.S. DOLLAR", "US DOLLAR"))


def test_lebanons_middle_is_read_once_a_day() -> None:
    assert read("bdl", "rates.sheet.csv") == [
        ("USD/LBP", "89500", 1, date(2026, 3, 5)),
        ("EUR/LBP", "104017.2", 1, date(2026, 3, 5)),
        ("JPY/LBP", "569.33", 1, date(2026, 3, 5)),
        ("USD/LBP", "89500", 1, date(2026, 3, 4)),
    ]


def test_the_lines_of_a_page_are_those_of_the_selector() -> None:
    days = [day for _, _, _, day in read("rbv", "page.html")[::2]]
    assert days == [date(2026, 3, 5), date(2026, 3, 4), date(2025, 9, 3)]
    text = (DECLARED / "rbv.toml").read_text(encoding="utf-8")
    with pytest.raises(SourceRefused, match=r"\[html.rows\] \[tr\[\] is not a CSS selector"):
        read_declaration(text.replace("thead tr, tbody tr.fabrik_row", "tr["), "rbv.toml", is_built_in=True)


def test_a_line_of_vanuatus_table_that_is_no_rate_is_refused_if_it_is_to_be_read() -> None:
    with pytest.raises(SourceBroken, match="instead of 4"):
        read("rbv", "page.html", ('class="groupDataMsg"><td colspan="4"', 'class="fabrik_row"><td colspan="3"'))


def test_tanzanias_own_mean_is_read_and_currencies_that_are_gone_are_not() -> None:
    assert read("bota", "rates.html") == [
        ("JPY/TZS", "16.3113", 1, date(2026, 3, 5)),
        ("XDR/TZS", "3518.7261", 1, date(2026, 3, 5)),
        ("USD/TZS", "2561.3471", 1, date(2026, 3, 5)),
        ("USD/TZS", "2560.25", 1, date(2026, 3, 4)),
    ]


def test_a_page_of_tanzania_without_lines_says_that_nothing_was_published() -> None:
    head, _, rest = (PAYLOADS / "bota/rates.html").read_bytes().partition(b"<tbody>")
    with pytest.raises(NothingPublished):
        list(adapter("bota").parse(head + b"<tbody>" + rest[rest.index(b"</tbody>") :]))


def test_tanzanias_form_has_the_token_of_its_page_and_days_as_in_america() -> None:
    page = '<input name="__RequestVerificationToken" type="hidden" value="UKpe_b-J" />'
    assert form("bota", page) == {
        "__RequestVerificationToken": ["UKpe_b-J"],
        "dateFrom": ["06/05/2026"],
        "dateTo": ["06/05/2026"],
    }


def test_indonesias_middle_is_for_as_many_units_as_the_line_says() -> None:
    found = [(str(each.pair), str(each.value), each.nominal, each.day) for each in parsed_rupiah()]
    assert found == [
        ("JPY/IDR", "10757.525", 100, date(2026, 3, 5)),
        ("JPY/IDR", "10736.285", 100, date(2026, 3, 4)),
        ("JPY/IDR", "10748.425", 100, date(2026, 3, 3)),
    ]


@pytest.mark.parametrize("written", ["100.50", "0.00", ".00", "1e2"])
def test_units_that_are_no_whole_number_are_refused(written: str) -> None:
    with pytest.raises(SourceBroken, match="is quoted per"):
        parsed_rupiah(written)


def parsed_rupiah(units: str = "100.00") -> list[Fixing]:
    page = (PAYLOADS / "bi/days.html").read_text(encoding="utf-8").replace("100.00", units)
    return list(adapter("bi").parse(page.encode(), "JPY"))


def test_indonesias_form_has_the_state_of_its_page_and_one_currency() -> None:
    asked = list(adapter("bi").requests(date(2026, 3, 2), date(2026, 3, 5)))
    names = "__REQUESTDIGEST", "__VIEWSTATE", "__VIEWSTATEGENERATOR", "__EVENTVALIDATION"
    page = "".join(f'<input type="hidden" name="{name}" value="{name}+/=">' for name in names)
    sent = with_hidden_fields("bi", asked[0], page.encode()).body
    form = {name.rpartition("$")[2]: values for name, values in parse_qs(sent.decode(), strict_parsing=True).items()}
    assert (form["ddlmatauang1"], form["txtFrom"], form["txtTo"]) == (["AED  "], ["02-Mar-2026"], ["05-Mar-2026"])
    assert form["__VIEWSTATE"] == ["__VIEWSTATE+/="]
    assert [each.subject for each in asked] == sorted({each.subject for each in asked})

"""Payloads of hostile sources are refused before a parser allocates anything for them."""

import io
import re
import resource
import subprocess
import sys
import zipfile

import pytest
from tests.sources.hostile import FAR, cell, workbook

from cambist.errors import SourceBroken
from cambist.sources.parsing import PayloadReader
from cambist.sources.payloads import bounds, isolated_workbook
from cambist.sources.payloads import workbook as module
from cambist.sources.payloads.memory import memory_limited
from cambist.sources.payloads.workbook import read_workbook

READER = PayloadReader("Hostile")
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
XLS = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def sheet(rows: str) -> bytes:
    return workbook(f"<sheetData>{rows}</sheetData>")


@pytest.mark.parametrize(
    "content",
    [
        FAR,
        sheet(f'<row r="1">{cell("A1048576")}{cell("XFD1")}</row>'),
        sheet(f'<row r="1048576"><c><v>1</v></c></row><row r="1">{cell("ZZ1")}</row>'),
        sheet(f'<x:row xmlns:x="{MAIN}"><x:c r="XFD999999"><x:v>1</x:v></x:c></x:row>'),
        sheet("<row>" + "<c><v>1</v></c>" * 300 + "</row>" + '<row r="9000"><c r="A9000"><v>1</v></c></row>'),
    ],
    ids=["last cell", "two corners", "rows without places", "a prefix", "places that are not said"],
)
def test_a_sheet_with_far_cells_is_refused_before_it_is_read(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(content) < 8_000
    monkeypatch.setattr(module, "read_sheets", lambda *_: pytest.fail("the library was asked"))
    with pytest.raises(ValueError, match=r"lines and .* columns, more than any"):
        read_workbook(content)


@pytest.mark.parametrize(
    "hidden", ['<c z=">" r="XFD1048576"><v>1</v></c>', '<c z="<" r="XFD1048576"><v>1</v></c>', '<z a="<c b=\'"/>']
)
def test_a_sheet_that_hides_a_cell_from_the_measuring_is_refused(hidden: str) -> None:
    with pytest.raises(ValueError, match="markup"):
        read_workbook(sheet(f'<row r="1">{hidden}</row>'))


def test_what_a_sheet_only_says_of_itself_or_formats_does_not_count() -> None:
    content = workbook(
        f'<dimension ref="A1:XFD1048576"/><sheetData><row r="1">{cell("B1")}<c r="XFD1" s="1"/></row>'
        '<row r="1048576" s="1"/></sheetData>'
    )
    assert read_workbook(content) == {"s": [["", "1"]]}


@pytest.mark.parametrize("name", ["content.xml", "xl/workbook.bin", "XL/Workbook.xml"])
def test_a_workbook_that_is_two_things_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not an XLSX"):
        read_workbook(workbook("<sheetData/>", **{name: "<a/>"}))


def test_a_text_that_many_cells_share_is_multiplied_in_another_process_only(monkeypatch: pytest.MonkeyPatch) -> None:
    strings = f"<sst><si><t>{'x' * 32_000}</t></si></sst>"
    content = workbook(
        "<sheetData><row>" + '<c t="s"><v>0</v></c>' * 3_000 + "</row></sheetData>",
        **{"xl/sharedStrings.xml": strings},
    )
    seen: list[bytes] = []
    monkeypatch.setattr(module, "read_sheets", lambda *_: pytest.fail("it was read in this process"))
    monkeypatch.setattr(module, "read_in_own_process", lambda packed, _: seen.append(packed) or {})
    read_workbook(content)
    assert len(seen) == 1


def test_a_workbook_is_read_the_same_in_its_own_process() -> None:
    content = sheet(f'<row r="1">{cell("B1")}</row>')
    assert isolated_workbook.read_in_own_process(content, "s") == {"s": [["", "1"]]}
    assert isolated_workbook.read_in_own_process(content, 1) == {"s": [["", "1"]]}
    with pytest.raises(ValueError, match="cannot be read"):
        isolated_workbook.read_in_own_process(content, "t")


def test_the_end_of_that_process_is_an_error_of_the_source() -> None:
    """Its only cell is the last one: the library wants 549 GB."""
    with pytest.raises(ValueError, match=r"cannot be read|more than"):
        isolated_workbook.read_in_own_process(FAR, None)


def test_an_xls_is_read_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "read_sheets", lambda *_: pytest.fail("it was read in this process"))
    with pytest.raises(ValueError, match="cannot be read"):
        read_workbook(XLS + bytes(600))


def bomb(method: int = zipfile.ZIP_DEFLATED, count: int = 1) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for number in range(count):
            archive.writestr(f"{number}.csv", bytes(bounds.MAX_PAYLOAD_BYTES // count + 1))
    return packed.getvalue()


@pytest.mark.parametrize("content", [bomb(), bomb(count=8)], ids=["one file", "eight files"])
def test_a_zip_that_holds_too_much_is_refused_unread(content: bytes) -> None:
    assert len(content) < 100_000
    with pytest.raises(SourceBroken, match="holds more"):
        READER.unpacker(content)


def test_a_zip_that_says_less_than_it_holds_is_not_read_beyond() -> None:
    content = bytearray(bomb())
    for sign, offset in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        at = content.rindex(sign) + offset
        content[at : at + 4] = (10).to_bytes(4, "little")
    with pytest.raises(SourceBroken, match="cannot be read"), READER.bounded():
        READER.unpacker(bytes(content)).read("0.csv")


def test_a_zip_that_its_unpacking_needs_much_memory_for_is_refused() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a.csv", "x")
    with pytest.raises(SourceBroken, match="another way"), READER.bounded():
        READER.unpacker(packed.getvalue()).read("a.csv")


def test_a_zip_of_many_files_is_refused() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number in range(bounds.MOST_ZIP_MEMBERS + 1):
            archive.writestr(str(number), "")
    with pytest.raises(SourceBroken, match="files, more than any"):
        READER.unpacker(packed.getvalue())


@pytest.mark.long(every=4)
@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"<a>" * 101 + b"</a>" * 101, "elements deep"),
        (b"<a>" * 200_000, "elements deep"),
        (b"<r>" + b"<a/>" * bounds.MOST_XML_PARTS + b"</r>", "elements and attributes"),
        (b"<r>" + b"<!---->" * bounds.MOST_XML_PARTS + b"</r>", "elements and attributes"),
        (b"<r>" + b"".join(b"<a%d/>" % each for each in range(3_000)) + b"</r>", "different names"),
        (b'<r xmlns="' + b"u" * 301 + b'"/>', "namespace"),
    ],
    ids=["deep", "deep and not closed", "elements", "comments", "names", "a namespace"],
)
def test_an_xml_document_above_a_bound_is_refused(content: bytes, sentence: str) -> None:
    with pytest.raises(SourceBroken, match=sentence):
        READER.xml(content)


def test_an_xml_document_within_the_bounds_is_read() -> None:
    assert len(READER.xml(b"<r>" + b'<a b="c"/>' * 10_000 + b"</r>")) == 10_000
    assert READER.xml(b"<a>" * 100 + b"</a>" * 100).tag == "a"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("<a>" * (bounds.MOST_HTML_TAGS + 1), "HTML tags"),
        ("<div>" * (bounds.MOST_OPEN_HTML + 1), "open HTML tags"),
        ("<div>" * (bounds.DEEPEST_HTML + 1), "elements deep"),
        # Ends that fit nothing deceive the rough count; the depth of the tree does not lie.
        ("<span><div></span>" * (bounds.DEEPEST_HTML + 1), "elements deep"),
    ],
)
def test_a_page_above_a_bound_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(SourceBroken, match=sentence):
        READER.html(text)


def test_a_sloppy_page_is_read() -> None:
    page = READER.html("<table>" + "<tr><td><font>1<td>2" * 3_000 + "</table>")
    assert len(page.css("td")) == 6_000


@pytest.mark.parametrize("unit", ["[],", "{},", "1,", '{"a":1},'])
def test_a_json_document_of_many_values_is_refused(unit: str) -> None:
    text = "[" + unit * bounds.MOST_JSON_VALUES + "1]"
    for read in (lambda: READER.json(text.encode(), list), lambda: READER.json_tree(text, str)):
        with pytest.raises(SourceBroken, match="JSON values"):
            read()


@pytest.mark.parametrize("sign", ["[", '{"a":'])
def test_a_deep_json_document_is_refused(sign: str) -> None:
    for read in (lambda: READER.json(sign.encode() * 100_000, list), lambda: READER.json_tree(sign * 100_000, str)):
        with pytest.raises(SourceBroken):
            read()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a," * (bounds.WIDEST_LINE + 1) + "\n", "cells in a line"),
        # Each line ends within quotes: they are one record.
        ('"\n",' + "a," * 5_000 + '"\n",' + "a," * 5_001 + "\n", "cells in a line"),
        ("," * (bounds.MOST_CELLS + 1), "cells"),
        ("\n" * (bounds.MOST_CELLS + 1), "cells"),
    ],
    ids=["wide", "wide over lines", "cells", "lines"],
)
def test_a_csv_above_a_bound_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(SourceBroken, match=re.escape(sentence)):
        list(READER.csv_rows(text))


def test_lines_of_a_csv_are_counted_each_for_itself() -> None:
    assert sum(1 for _ in READER.csv_rows(("a," * 6_000 + "\n") * 5)) == 5


IN_ITS_OWN_PROCESS = """
import resource
from cambist.sources.payloads.memory import memory_limited
before = resource.getrlimit(resource.RLIMIT_DATA)
try:
    with memory_limited(64 * 2**20):
        bytearray(256 * 2**20)
except MemoryError:
    print("bounded")
assert resource.getrlimit(resource.RLIMIT_DATA) == before
bytearray(256 * 2**20)
print("free")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds private memory")
def test_the_memory_of_a_process_is_bounded_within_the_context_only() -> None:
    done = subprocess.run([sys.executable, "-c", IN_ITS_OWN_PROCESS], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["bounded", "free"]


def test_a_lower_bound_from_outside_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    set_to: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (4096, 8192))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: set_to.append(limits))
    with memory_limited():
        assert set_to == [(4096, 8192)]
    assert set_to == [(4096, 8192)] * 2

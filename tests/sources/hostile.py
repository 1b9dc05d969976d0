"""Tiny payloads of hostile sources."""

import io
import zipfile

_HEAD = "http://schemas.openxmlformats.org/"
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_HEAD}package/2006/content-types"/>',
    "_rels/.rels": (
        f'<Relationships xmlns="{_HEAD}package/2006/relationships"><Relationship Id="r1"'
        f' Type="{_HEAD}officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>'
    ),
    "xl/workbook.xml": (
        f'<workbook xmlns="{_HEAD}spreadsheetml/2006/main" xmlns:r="{_HEAD}officeDocument/2006/relationships">'
        '<sheets><sheet name="s" sheetId="1" r:id="r1"/></sheets></workbook>'
    ),
    "xl/_rels/workbook.xml.rels": (
        f'<Relationships xmlns="{_HEAD}package/2006/relationships"><Relationship Id="r1"'
        f' Type="{_HEAD}officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>'
    ),
}


def workbook(sheet_data: str, **more: str) -> bytes:
    """Return an XLSX with one sheet of this content, and further members."""
    packed = io.BytesIO()
    sheet = f'<worksheet xmlns="{_HEAD}spreadsheetml/2006/main">{sheet_data}</worksheet>'
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as book:
        for name, content in {**_PARTS, "xl/worksheets/sheet1.xml": sheet, **more}.items():
            book.writestr(name, content)
    return packed.getvalue()


def cell(place: str, value: str = "<v>1</v>") -> str:
    """Return a cell with a number."""
    return f'<c r="{place}">{value}</c>'


FAR = workbook(f'<sheetData><row r="1">{cell("XFD1048576")}</row></sheetData>')
"""A workbook whose only cell is the last that a sheet can have."""

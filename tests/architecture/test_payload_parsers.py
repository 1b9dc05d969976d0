"""What a source sends is parsed in one place, which bounds it first."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import cambist

SOURCE = Path(cambist.__file__).parent
PARSERS = {
    "LexborHTMLParser", "ZipFile", "decompress", "decompressobj", "from_filelike", "fromstring", "iterparse", "loads",
}  # fmt: skip
BOUNDED = {
    "sources/parsing.py": "counts the values of a document before",
    "sources/declaration/declaration.py": "reads the TOML of the operator, who may do everything",
    "sources/declaration/layout_checks.py": "tries the operator's selectors on a page of one tag",
}


def called(module: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            yield node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def test_no_adapter_and_no_stage_of_the_ingest_has_a_parser_of_its_own() -> None:
    parsing = {
        str(module.relative_to(SOURCE))
        for folder in ("sources", "ingest")
        for module in (SOURCE / folder).rglob("*.py")
        if PARSERS.intersection(called(module))
    }
    assert {name for name in parsing if not name.startswith("sources/payloads/")} == {*BOUNDED}

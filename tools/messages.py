"""Bring the page's messages up to date with its texts: `python tools/messages.py [LANGUAGE…]`.

New texts are added with an empty message, for a translator, and messages without a text go. A new language begins with
an empty file, `{}`, and its line in `LANGUAGES` of `lib/texts.js`.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

STATIC = Path(__file__).resolve().parents[1] / "src" / "cambist" / "web" / "static"
MESSAGES = STATIC / "page" / "messages"
REFERENCE = STATIC.parents[1] / "reference"
_NAMED = ("metals.csv", "units.csv")
_BEGIN = re.compile(r"\bt`")
_ESCAPED = re.compile(r"\\(.)")

Messages = dict[str, str | dict[str, str]]


def texts() -> set[str]:
    """Return the English texts of the page, with {0}, {1} … for what is put into them, and the names of its tables."""
    files = [*(STATIC / "lib").rglob("*.js"), *(STATIC / "page").rglob("*.js")]
    return {text for file in files for text in texts_of(file.read_text("utf-8"))} | set(names())


def names() -> Iterator[str]:
    """Yield the names of metals and units. Those of currencies are known to browsers."""
    for table in _NAMED:
        with (REFERENCE / table).open(encoding="utf-8", newline="") as rows:
            yield from (row["name"] for row in csv.DictReader(rows))


def texts_of(script: str) -> Iterator[str]:
    """Yield the texts of a script; also those inside of what is put into a text."""
    for found in _BEGIN.finditer(script):
        # In a comment stands an example.
        line = script[script.rfind("\n", 0, found.start()) + 1 : found.start()]
        if not line.lstrip().startswith(("*", "//")):
            yield _text(script, found.end())


def _text(script: str, place: int) -> str:
    parts: list[str] = [""]
    while script[place] != "`":
        if script.startswith("${", place):
            place = _end_of_value(script, place + 2)
            parts.append("")
            continue
        step = 2 if script[place] == "\\" else 1
        parts[-1] += _ESCAPED.sub(r"\1", script[place : place + step])
        place += step
    return "".join(part if not number else f"{{{number - 1}}}{part}" for number, part in enumerate(parts))


def _end_of_value(script: str, place: int) -> int:
    """Return the place after the brace that ends a value."""
    depth = 1
    while depth:
        if script[place] == "`":
            place = _end_of_template(script, place + 1)
            continue
        depth += {"{": 1, "}": -1}.get(script[place], 0)
        place += 1
    return place


def _end_of_template(script: str, place: int) -> int:
    while script[place] != "`":
        if script.startswith("${", place):
            place = _end_of_value(script, place + 2)
        else:
            place += 2 if script[place] == "\\" else 1
    return place + 1


def languages() -> list[str]:
    """Return the languages that have messages."""
    return sorted(file.stem for file in MESSAGES.glob("*.json"))


def read(language: str) -> Messages:
    """Return the messages of a language, by English text."""
    found: Messages = json.loads((MESSAGES / f"{language}.json").read_text("utf-8"))
    return found


def main(chosen: list[str]) -> None:
    """Add what is missing to the files of the chosen languages, or of all, and take out what is unused."""
    wanted = sorted(texts())
    for language in chosen or languages():
        known = read(language)
        kept = {text: known.get(text, "") for text in wanted}
        written = json.dumps(kept, ensure_ascii=False, indent=1) + "\n"
        (MESSAGES / f"{language}.json").write_text(written, "utf-8")
        missing = sum(not message for message in kept.values())
        print(f"{language}: {len(kept)} texts, {missing} to translate, {len(known.keys() - kept.keys())} taken out")


if __name__ == "__main__":
    main(sys.argv[1:])

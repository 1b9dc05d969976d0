"""Keep an answer of a source as a payload for the tests, with a draft of the sample that describes it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cambist.admin.source_check.answers import CheckedAnswer
from cambist.errors import SourceBroken
from cambist.history.fixing import Fixing
from cambist.sources.base import FixingAdapter

_ENDINGS = {
    "json": "json",
    "csv": "csv",
    "xml": "xml",
    "html": "html",
    "zip": "zip",
    "spreadsheetml": "xlsx",
    "ms-excel": "xls",
    "text/plain": "txt",
}
SAMPLES = "samples.toml"


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """The written payload, how many fixings are read from it, and the draft of its sample."""

    path: Path
    fixings: int
    sample: str


def record(adapter: FixingAdapter, answer: CheckedAnswer, folder: Path, lines: int | None = None) -> RecordedAnswer:
    """Write an answer to `folder/KEY`, and a draft of its sample beside it, unless there are samples already.

    With `lines`, only the first lines are written: the source must be readable from them. Errors: SourceBroken if
    nothing can be read, OSError.
    """
    if answer.error:
        raise SourceBroken(answer.error)
    content = answer.content if lines is None else b"".join(answer.content.splitlines(keepends=True)[:lines])
    fixings = list(adapter.parse(content, answer.subject))
    place = folder / answer.key
    place.mkdir(parents=True, exist_ok=True)
    path = place / f"recorded.{_ending(answer.content_type)}"
    path.write_bytes(content)
    sample = "\n".join(_sample(path.name, answer.subject, content, fixings)) + "\n"
    if not (place / SAMPLES).exists():
        (place / SAMPLES).write_text(sample, encoding="utf-8")
    return RecordedAnswer(path, len(fixings), sample)


def _ending(content_type: str) -> str:
    return next((ending for part, ending in _ENDINGS.items() if part in content_type.lower()), "bin")


def _sample(file: str, subject: str, content: bytes, fixings: list[Fixing]) -> Iterator[str]:
    """Yield the lines of a draft: pieces that stand exactly once in the file; others are left for the author."""
    text = content.decode("utf-8", errors="replace")
    yield "[[sample]]"
    yield f'file = "{file}"'
    if subject:
        yield f"subject = {subject!r}"
    yield f"fixings = {len(fixings)}"
    rate = next((str(each.value) for each in fixings if _is_single(str(each.value), text)), "")
    yield f"rate = {rate!r}" if rate else "# rate: one rate as the file writes it, with what makes it unique"
    day = next((f"{each.day}" for each in fixings if _is_single(f"{each.day}", text)), "")
    yield f"day = {day!r}" if day else "# day: one date as the file writes it"
    codes = {code for each in fixings for code in (each.pair.base, each.pair.quote)}
    code = next((code for code in sorted(codes) if _is_single(code, text)), "")
    yield f"code = {code!r}" if code else "# code: the code of one currency, with what makes it unique"


def _is_single(piece: str, text: str) -> bool:
    return len(re.findall(re.escape(piece), text)) == 1

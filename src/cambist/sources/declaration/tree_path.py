"""Paths into JSON and XML documents: names joined by dots, and indexes in brackets."""

from __future__ import annotations

import re
from dataclasses import dataclass

_BARE = r'[^.\[\]"@#?*\s]+'
_STEP = re.compile(
    rf'(?:(?:^|(?<=.)\.)(?:(?P<name>{_BARE})|"(?P<quoted>[^"]+)"|(?P<any>\*)|@(?P<attribute>{_BARE}))'
    r"|\[(?P<place>0|[1-9][0-9]{0,5})\])"
)

ANY = "*"


@dataclass(frozen=True, slots=True)
class TreePath:
    """A place in a document. `steps` are names (ANY for every element) and indexes from 0.

    `attribute` is the XML attribute at the end of the path. `is_own_name` means the name of the entry itself, not its
    value.
    """

    written: str
    steps: tuple[str | int, ...] = ()
    attribute: str = ""
    is_own_name: bool = False

    def __str__(self) -> str:
        return self.written

    @property
    def can_hold_records(self) -> bool:
        """Whether there can be records at the path: a name or an attribute has none."""
        return not (self.attribute or self.is_own_name)


def parse_path(text: str) -> TreePath:
    """Parse a path. Errors: ValueError."""
    if text in {".", "#"}:
        return TreePath(text, is_own_name=text == "#")
    steps: list[str | int] = []
    attribute, at = "", 0
    while at < len(text) and not attribute:
        step = _STEP.match(text, at)
        if not step:
            break
        if step["place"]:
            steps.append(int(step["place"]))
        elif not step["attribute"]:
            steps.append(step["name"] or step["quoted"] or ANY)
        attribute, at = step["attribute"] or "", step.end()
    if not text or at < len(text):
        raise ValueError(f"is not a path: [{text[:at]}] cannot be followed by [{text[at : at + 20]}]")
    return TreePath(text, tuple(steps), attribute)

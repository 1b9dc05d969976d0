"""The parameter that says where a feed of corrections goes on: an edition, or a place after one."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from cambist.api.questions.parameters import Param
from cambist.errors import BadParameter, shorten
from cambist.history.corrections import FeedPosition
from cambist.history.edition import parse_edition_name

_LAST_DELIVERY = 2**31 - 1
_PLACE = re.compile(r"(\d{1,9})\.(\d{1,9})\.(\d{4}-\d{2}-\d{2})")


def feed_position(name: str, **options: Any) -> Param:
    """Declare a position in the feed of corrections."""
    return Param(name, _parse_position, **options)


def _parse_position(name: str, text: str) -> FeedPosition:
    edition, place = parse_edition_name(text), _PLACE.fullmatch(text)
    try:
        if edition is not None and edition.delivery <= _LAST_DELIVERY:
            return FeedPosition.behind(edition.delivery, text)
        if place is not None:
            return FeedPosition(int(place[1]), int(place[2]), date.fromisoformat(place[3]))
    except ValueError:
        pass
    raise BadParameter(f"Invalid {name}: [{shorten(text)}], it takes an edition, or the [next] of an answer")

"""One request to both services, and what is written down of it: never a key."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from cambist.admin.shadow.differences import AnswerDifference
from cambist.admin.shadow.request_target import (
    SHORTEST_KEY,
    ShadowTarget,
    is_secret_name,
    secrets_in_body,
    without_secrets,
)
from cambist.admin.shadow.shadow_log import ShadowRecord, ShadowSide
from cambist.admin.shadow.upstream import OpenedAnswer, PassedRequest


@dataclass(frozen=True, slots=True)
class ShadowOptions:
    """How requests are answered and compared.

    `key` and `prefix` are those of ours. `tolerance` is how far numbers may be apart, as a part of theirs;
    `tolerance_text` is how it was written.
    """

    answers_ours: bool = False
    key: str = ""
    prefix: str = ""
    tolerance: Decimal = Decimal("0.001")
    tolerance_text: str = "0.1%"


@dataclass(slots=True)
class ShadowedRequest:
    """A request with both answers to come; without `ours` it is not compared.

    `answered` says whose answer the caller gets, `broken` why it did not come to its end.
    """

    request: PassedRequest
    target: ShadowTarget
    at: datetime
    theirs: asyncio.Task[OpenedAnswer]
    ours: asyncio.Task[OpenedAnswer] | None
    answered: str = "theirs"
    broken: str = ""

    def secrets(self, options: ShadowOptions) -> tuple[str, ...]:
        """Return the keys that nothing written down may have: those of the request, and ours."""
        request = self.request
        found = (*self.target.secrets, *_header_secrets(request), *secrets_in_body(request.body), options.key)
        return tuple(secret for secret in found if len(secret) >= SHORTEST_KEY)

    def record(
        self,
        options: ShadowOptions,
        theirs: OpenedAnswer | None = None,
        ours: OpenedAnswer | None = None,
        *,
        not_compared: str = "",
        differences: tuple[Iterable[AnswerDifference], int] = ((), 0),
    ) -> ShadowRecord:
        """Return what is written down. `differences` are those listed, and how many there are beyond them."""
        secrets = self.secrets(options)
        cost = ours.response.headers.get("X-Calls-Cost", "") if ours else ""
        return ShadowRecord(
            at=self.at,
            method=self.request.method,
            target=without_secrets(self.target.shown, secrets),
            endpoint=without_secrets(self.target.endpoint, secrets),
            pair=without_secrets(self.target.pair, secrets),
            answered=self.answered,
            tolerance=options.tolerance_text,
            theirs=_side(theirs),
            ours=_side(ours),
            calls=int(cost) if cost.isascii() and cost.isdigit() else None,
            environment=ours.response.headers.get("Cambist-Environment", "")[:20] if ours else "",
            not_compared=without_secrets(not_compared, secrets),
            differences=tuple(_without_secrets(each, secrets) for each in differences[0]),
            more=differences[1],
        )


def _without_secrets(found: AnswerDifference, secrets: tuple[str, ...]) -> AnswerDifference:
    where, theirs, ours = (without_secrets(text, secrets) for text in (found.where, found.theirs, found.ours))
    return AnswerDifference(found.kind, where, theirs, ours, found.apart)


def _side(opened: OpenedAnswer | None) -> ShadowSide:
    return ShadowSide(opened.status, round(opened.seconds * 1000, 1)) if opened else ShadowSide()


def _header_secrets(request: PassedRequest) -> list[str]:
    """Return the keys in the headers: each value whole, and what stands behind its scheme, as in `Bearer KEY`."""
    values = [value for name, value in request.headers.items() if is_secret_name(name)]
    return [*values, *(word for value in values for word in value.replace(";", " ").replace("=", " ").split()[1:])]

"""A call of the console's API by who is signed in, and the installation that it acts on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import TypeVar

import falcon
import msgspec

from cambist.admin.operators.parsing import parse_day
from cambist.clock import Uptime, uptime
from cambist.console.problems import ConsoleRefused
from cambist.console.sessions import ConsoleSession
from cambist.errors import BadParameter
from cambist.settings import Settings
from cambist.validation import explain_validation_error

_Body = TypeVar("_Body")
_MOST_IN_A_PAGE = 500


@dataclass(frozen=True, slots=True)
class Installation:
    """The service that the console is part of; `environment` has the variables of its process."""

    settings: Settings
    clock: Callable[[], datetime]
    environment: Mapping[str, str]
    elapsed: Callable[[], Uptime] = uptime


@dataclass(frozen=True, slots=True)
class ConsoleCall:
    """One call: the installation, the request, the variable parts of its path by name, its body, and the session.

    In the admin API there is no session.
    """

    installation: Installation
    session: ConsoleSession | None
    request: falcon.Request
    response: falcon.Response
    parts: Mapping[str, str]
    content: bytes

    @property
    def settings(self) -> Settings:
        """The settings of the installation."""
        return self.installation.settings

    @property
    def who(self) -> str:
        """Who calls, as the audit log names them."""
        return self.session.name if self.session else "admin API"

    def now(self) -> datetime:
        """Return the time."""
        return self.installation.clock()

    def body(self, kind: type[_Body]) -> _Body:
        """Read the body. Errors: ConsoleRefused if it is no JSON, BadParameter for a wrong field."""
        try:
            return msgspec.json.decode(self.content, type=kind)
        except msgspec.ValidationError as error:
            field, reason = explain_validation_error(error)
            raise BadParameter(f"Invalid {field}: {reason}" if field else f"Invalid request: {reason}") from None
        except (ValueError, RecursionError):
            raise ConsoleRefused(400, "bad_json", "The body of the request is no JSON") from None

    def text(self, name: str) -> str:
        """Return a parameter of the query; empty if it is missing."""
        return self.request.get_param(name, default="").strip()

    def day(self, name: str) -> date | None:
        """Return a day of the query. Errors: BadParameter."""
        return parse_day(name, self.text(name) or None)

    def number(self, name: str, default: int, most: int = 10**9) -> int:
        """Return a whole number from 1 of the query. Errors: BadParameter."""
        text = self.text(name) or str(default)
        if not (text.isascii() and text.isdecimal() and len(text) < 12 and 1 <= int(text) <= most):
            raise BadParameter(f"Invalid {name}: [{text[:20]}], it takes a whole number from 1 to {most}")
        return int(text)

    def page_size(self) -> int:
        """Return how many rows of a list the query wants. Errors: BadParameter."""
        return self.number("per_page", 50, _MOST_IN_A_PAGE)

    def page(self, count: int) -> tuple[slice, dict[str, int]]:
        """Return which of `count` rows the query wants, and the fields that say so. Errors: BadParameter."""
        size, page = self.page_size(), self.number("page", 1)
        pages = max(1, -(-count // size))
        page = min(page, pages)
        return slice((page - 1) * size, page * size), {"total": count, "page": page, "pages": pages}

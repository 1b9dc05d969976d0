"""The paths of the console's API: which method and path calls which function."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from cambist.console.call import ConsoleCall
from cambist.console.problems import ConsoleRefused
from cambist.errors import shorten

Action = Callable[[ConsoleCall], object]


@dataclass(frozen=True)
class Route:
    """A method and a path, whose parts in braces are variable; `status` is that of a success.

    A route that is no `activity` does not keep a session from ending: the page calls it by itself.
    """

    method: str
    path: str
    action: Action
    status: int = 200
    activity: bool = True

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The path as a regular expression."""
        return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", self.path))


class Router:
    """Finds the route of a request."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self._routes = tuple(routes)

    def find(self, method: str, path: str) -> tuple[Route, Mapping[str, str]]:
        """Return the route and the variable parts of the path. Errors: ConsoleRefused."""
        allowed = []
        for route in self._routes:
            if match := route.pattern.fullmatch(path):
                if route.method == method:
                    return route, match.groupdict()
                allowed.append(route.method)
        if allowed:
            raise ConsoleRefused(405, "wrong_method", f"[{shorten(path)}] takes {' or '.join(allowed)}")
        raise ConsoleRefused(404, "unknown_path", f"The console has no [{shorten(path)}]")

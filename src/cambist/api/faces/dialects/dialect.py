"""A dialect: the interface of another service, declared as routes and functions, answered from Cambist's own rates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date

from cambist.accounts.principal import Principal
from cambist.accounts.usage import UsageRecord
from cambist.api.answer.request_context import RequestContext
from cambist.api.call.admission import check_history
from cambist.api.call.call import Call
from cambist.api.call.credentials import KeyPlaces
from cambist.errors import CambistError


@dataclass(frozen=True, slots=True)
class DialectRequest:
    """What an answer in a dialect is computed from.

    `path` has the values of the names in the route's template, `query` the parameters without the key. `address` is the
    address of the service as the client sees it, without a slash at the end; `accept` is the header of that name.
    `usage` is there for the routes that need it.
    """

    context: RequestContext
    call: Call
    path: Mapping[str, str]
    query: Mapping[str, str]
    address: str
    accept: str = ""
    usage: UsageRecord | None = None

    @property
    def principal(self) -> Principal | None:
        """Who asks; None for a call of a public route without a key."""
        return self.call.principal

    def check_history(self, first_day: date) -> None:
        """Refuse days that the plan does not include, before their rates are looked for. Errors: NotInPlan."""
        check_history(self.call, first_day)


@dataclass(frozen=True, slots=True)
class DialectAnswer:
    """A whole answer.

    `cost` is in calls. `earliest_day` is the first past day that the answer is about, which the account's plan must
    include; None for a live answer. A cacheable answer gets an ETag, and is free for a client that names it. `headers`
    are added to those of every answer.
    """

    content: bytes
    media_type: str = "application/json"
    cost: int = 1
    earliest_day: date | None = None
    is_cacheable: bool = False
    headers: tuple[tuple[str, str], ...] = ()


ErrorWriter = Callable[[int, str, str, CambistError | None], tuple[int, bytes]]
"""Takes the status, code and sentence of one of our errors, and the error itself unless the path or the method was
wrong or the service failed; returns the status and the body that the original service would answer."""


@dataclass(frozen=True, slots=True)
class DialectRoute:
    """A path, the parameters that it takes, and the function that answers it.

    Other parameters are refused if they would decide the answer, on a strict route all of them; the rest is ignored and
    named in a header. `template` is a path with names in braces, as Falcon's.

    `tag` is the group of endpoints that a plan must include. A public route is also answered to clients without a key,
    and is then free, as in the original service. What a route that `negotiates` answers depends on the header `Accept`;
    other routes do not get it. An answer is a series if a parameter in `series_with` is present, or always if that is
    empty: it waits its turn where long answers do, as every path with two dots between its days does. `write_error` is
    there for a route whose errors have another shape than those of its dialect. `live_with` is there for a route
    that answers from the rate book and the history in memory in well under a millisecond, if the query has no other
    parameters than these: then its answer depends not on the account, on `Accept` only if it `negotiates`, and on the
    address only if it `names_address`.
    """

    template: str
    answer: Callable[[DialectRequest], DialectAnswer]
    parameters: tuple[str, ...] = ()
    is_strict: bool = False
    tag: str = "currency"
    needs_usage: bool = False
    is_public: bool = False
    negotiates: bool = False
    series_with: tuple[str, ...] | None = None
    write_error: ErrorWriter | None = None
    live_with: tuple[str, ...] | None = None
    names_address: bool = False


@dataclass(frozen=True, slots=True)
class Dialect:
    """The interface of another service.

    `name` is its name in the setting `dialects`, `guide` the page of the docs about it. `key_parameters` are the query
    parameters that may bring the API key, and `key_schemes` the schemes of the header `Authorization`, in lower case;
    both beside the places where every request may bring it. `own_parameters` are those that tell its requests from
    others' at a path that several dialects have, as its key does. `claims` are paths of Cambist's own, or folders of
    other dialects, that it has too, and where it answers them: a request that brings its key there is the dialect's.
    `key_folders` are folders in which the first part of a path is the key, and the folders that answer what follows it.
    `key_headers` are headers that may bring the key.
    """

    name: str
    title: str
    guide: str
    routes: tuple[DialectRoute, ...]
    write_error: ErrorWriter
    error_media_type: str = "application/json"
    key_parameters: tuple[str, ...] = ()
    key_schemes: tuple[str, ...] = ()
    own_parameters: tuple[str, ...] = ()
    claims: Mapping[str, str] = field(default_factory=dict)
    key_folders: Mapping[str, str] = field(default_factory=dict)
    key_headers: tuple[str, ...] = ()

    @property
    def key_places(self) -> KeyPlaces:
        """Where its requests may bring their key; without one the account for dialects pays."""
        return KeyPlaces(self.key_parameters, self.key_schemes, is_open=True)

    @property
    def usage_label(self) -> str:
        """The label under which its calls are counted."""
        return usage_label(self.name)


def usage_label(name: str) -> str:
    """Return the label under which the calls of a dialect are counted, given its name."""
    return f"dialect {name}"

"""Who asks: the working API keys in use, with what a request needs to know of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cambist.accounts.api_key import Digest, digest
from cambist.accounts.keyless_access import DIALECTS
from cambist.accounts.principal import BookView as ViewName
from cambist.accounts.principal import Principal, Principals
from cambist.api.direct.book_view import BookView
from cambist.api.direct.declined import Declined
from cambist.api.state.worker_state import WorkerState

_MOST_CALLERS = 20_000


@dataclass(slots=True, eq=False)
class Caller:
    """A principal whose key works, until it `ends`, and what it sees; `is_cut` if its plan limits the history."""

    principal: Principal
    ends: float
    tags: frozenset[str]
    is_limited: bool
    is_cut: bool
    view: BookView


class Callers:
    """The callers by the bytes of their keys, so that a key is not hashed for each request.

    When the keys of the service change all are forgotten.
    """

    def __init__(self, state: WorkerState, head: bytes) -> None:
        """Begin without callers; `head` is what the headers of all answers begin with."""
        self._state = state
        self._head = head
        self._principals: Principals = state.principals
        self._keys: Mapping[Digest, Principal] = {}
        self._callers: dict[bytes, Caller] = {}
        self._views: dict[ViewName, BookView] = {}

    def find(self, key: bytes, header: bytes) -> Caller:
        """Return the caller with the key of a query or of a header.

        Errors: Declined if there are two or none; if it is unknown or was revoked, or the account is suspended.
        """
        brought = key or header
        if not brought or (key and header):
            raise Declined
        self._renew()
        return self._callers.get(brought) or self._recognise(brought, digest(brought.decode("ascii")))

    def without_key(self) -> Caller:
        """Return who pays for calls of dialects without a key. Errors: Declined if nobody does."""
        self._renew()
        return self._callers.get(b"") or self._recognise(b"", DIALECTS)

    def _renew(self) -> None:
        keys = self._principals.by_digest
        if keys is not self._keys:
            self._keys, self._callers = keys, {}

    def _recognise(self, key: bytes, known_as: Digest) -> Caller:
        principal = self._keys.get(known_as)
        if principal is None or not principal.is_open:
            raise Declined
        if len(self._callers) >= _MOST_CALLERS:
            self._callers.clear()
        view, is_cut = self._view(principal.book_view), principal.plan.history_days is not None
        caller = Caller(principal, principal.ends, principal.tags, principal.is_limited, is_cut, view)
        self._callers[key] = caller
        return caller

    def _view(self, name: ViewName) -> BookView:
        view = self._views.get(name)
        if view is None:
            view = self._views[name] = BookView(self._state, name, self._state.caches.for_view(name), self._head)
        return view

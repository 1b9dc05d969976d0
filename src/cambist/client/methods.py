"""Turn the functions that build calls into methods that send them, with the same parameters and types."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from cambist.client.call import Call, Parts
from cambist.client.paging import Pages

P = ParamSpec("P")
T = TypeVar("T")
Joined = TypeVar("Joined")
Page = TypeVar("Page")
Row = TypeVar("Row")


class Sender(Protocol):
    """Sends calls and waits for their answers."""

    def send(self, call: Call[T]) -> T:
        """Return the answer to a call."""


class AsyncSender(Protocol):
    """Sends calls; their answers are awaited."""

    async def send(self, call: Call[T]) -> T:
        """Return the answer to a call."""


def method(build: Callable[P, Call[T]]) -> Callable[Concatenate[Sender, P], T]:
    """Return a method that builds a call, sends it and returns its answer."""

    def call(self: Sender, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.send(build(*args, **kwargs))

    return _described(call, build)


def async_method(build: Callable[P, Call[T]]) -> Callable[Concatenate[AsyncSender, P], Coroutine[Any, Any, T]]:
    """Return a coroutine method that builds a call, sends it and returns its answer."""

    async def call(self: AsyncSender, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.send(build(*args, **kwargs))

    return _described(call, build)


def joined(build: Callable[P, Parts[T, Joined]]) -> Callable[Concatenate[Sender, P], Joined]:
    """Return a method that sends all calls of a question, and returns their answers as one."""

    def call(self: Sender, /, *args: P.args, **kwargs: P.kwargs) -> Joined:
        parts = build(*args, **kwargs)
        first = self.send(parts.first)
        return parts.join([first, *(self.send(each) for each in parts.rest(first))])

    return _described(call, build)


def async_joined(
    build: Callable[P, Parts[T, Joined]],
) -> Callable[Concatenate[AsyncSender, P], Coroutine[Any, Any, Joined]]:
    """Return a coroutine method that sends all calls of a question, and returns their answers as one."""

    async def call(self: AsyncSender, /, *args: P.args, **kwargs: P.kwargs) -> Joined:
        parts = build(*args, **kwargs)
        first = await self.send(parts.first)
        return parts.join([first, *[await self.send(each) for each in parts.rest(first)]])

    return _described(call, build)


def iterator(build: Callable[P, Pages[Page, Row]]) -> Callable[Concatenate[Sender, P], Iterator[Row]]:
    """Return a method that yields the rows of all pages."""

    def rows(self: Sender, /, *args: P.args, **kwargs: P.kwargs) -> Iterator[Row]:
        pages = build(*args, **kwargs)
        call: Call[Page] | None = pages.first
        while call is not None:
            new, call = pages.read(self.send(call))
            yield from new

    return _described(rows, build)


def async_iterator(build: Callable[P, Pages[Page, Row]]) -> Callable[Concatenate[AsyncSender, P], AsyncIterator[Row]]:
    """Return a method that yields the rows of all pages asynchronously."""

    async def rows(self: AsyncSender, /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[Row]:
        pages = build(*args, **kwargs)
        call: Call[Page] | None = pages.first
        while call is not None:
            new, call = pages.read(await self.send(call))
            for row in new:
                yield row

    return _described(rows, build)


Function = TypeVar("Function", bound=Callable[..., Any])


def _described(function: Function, build: Callable[..., Any]) -> Function:
    """Give a method the name, the text and the parameters of the function that builds its call, for `help()`."""
    signature = inspect.signature(build)
    self = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    # What a call returns is the last type of Call[...] and of Parts[...].
    returned = str(signature.return_annotation).removesuffix("]").rpartition("[")[2].rpartition(", ")[2]
    function.__name__ = build.__name__
    function.__qualname__ = build.__name__
    function.__doc__ = build.__doc__
    function.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[self, *signature.parameters.values()], return_annotation=returned
    )
    return function

"""`GET /fx/pairs/quote-sizes`: which pairs are quoted by more than one unit."""

from __future__ import annotations

from itertools import permutations

from msgspec import Struct

from cambist.reference.sizes import size_of
from cambist.server.endpoint import Endpoint
from cambist.server.live import OfBook
from cambist.server.view import View


class Params(OfBook, frozen=True):
    """None."""


class Body(Struct, frozen=True):
    """Units of the base that a price is of, by pair without a slash."""

    sizes: dict[str, int]


def answer(view: View, _params: Params) -> Body:
    """List the pairs whose prices are of more than one unit of a weak base; all others are of one."""
    sizes = {base + quote: size_of(base, quote) for base, quote in permutations(view.book.listed, 2)}
    return Body({name: size for name, size in sizes.items() if size > 1})


endpoint: Endpoint[Params, Body] = Endpoint(
    path="/fx/pairs/quote-sizes",
    tag="fx",
    summary="Sizes of quotes",
    params=Params,
    body=Body,
    answer=answer,
    is_list=True,
)

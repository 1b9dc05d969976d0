"""Whoever walks through the page: a person in a browser of their own, at the sandbox that all tests share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from tests.web.sandbox import PageService

if TYPE_CHECKING:
    from tests.web.walks.person import Person


@pytest.fixture
def arrives(make_page: Callable[..., Any], page_service: PageService) -> Callable[..., Person]:
    """Let somebody arrive: `arrives("wallet")`; options are those of a browser context, such as `viewport`."""
    from tests.web.walks.person import Person  # noqa: PLC0415  it imports playwright

    return lambda name, service=page_service, **options: Person(name, make_page(**options), service)

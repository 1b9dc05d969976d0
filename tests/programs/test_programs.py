"""Programs that nobody here wrote, unmodified, against a running service."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.service]


def test_the_service_answers(place):
    assert place.ask("/fetch-one?to=EUR")["result"]["EUR"] > 0

"""The state that answers are computed from, with what the settings choose."""

from __future__ import annotations

from cambist.accounts.principal import Principals
from cambist.api.state.readers import Readers
from cambist.api.state.worker_state import Choices, WorkerState
from cambist.history.rate_matrix import RateMatrix
from cambist.pricing.metals.mass import units_with
from cambist.pricing.rate_book import RateBook
from cambist.registry.wiring.components import max_ages
from cambist.settings import Settings


def build_worker_state(
    settings: Settings, book: RateBook, matrix: RateMatrix, principals: Principals, readers: Readers
) -> WorkerState:
    """Return the state with the ages and units that the settings choose."""
    choices = Choices(
        longest_age=settings.fixing_max_age,
        ages=max_ages(settings),
        units=units_with(settings.tael_grams, settings.baht_grams),
    )
    return WorkerState(book, matrix, principals, readers, choices)

"""The state that answers are computed from, with the settings of the service and what reads its database."""

from __future__ import annotations

from collections.abc import Mapping

from cambist.accounts.account import StoredKey
from cambist.accounts.api_key import Digest
from cambist.accounts.plan import Plan
from cambist.api.state.worker_state import WorkerState
from cambist.history.rate_matrix import RateMatrix
from cambist.pricing.metals.mass import units_with
from cambist.pricing.rate_book import RateBook
from cambist.registry.wiring.components import max_ages
from cambist.settings import Settings


def build_worker_state(
    settings: Settings,
    book: RateBook,
    matrix: RateMatrix,
    stored_keys: Mapping[Digest, StoredKey],
    plans: Mapping[str, Plan],
) -> WorkerState:
    """Return the state with the ages and units that the settings choose; what reads the database is added to it."""
    state = WorkerState(book, matrix, stored_keys, plans, longest_age=settings.fixing_max_age)
    state.ages = max_ages(settings)
    state.units = units_with(settings.tael_grams, settings.baht_grams)
    return state

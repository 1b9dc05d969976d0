"""The endpoints whose hot questions are answered directly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta

from cambist.api.direct.answer import DirectAnswer
from cambist.api.direct.coin_prices import CoinPrices
from cambist.api.direct.conversion import Conversions
from cambist.api.direct.cross import CrossRates
from cambist.api.direct.fx_quotes import FxQuotes
from cambist.api.direct.history import PastDays, PastSeries
from cambist.api.direct.lists import AllRates, RateMatrices, SeveralRates
from cambist.api.direct.metal_prices import MetalPrices
from cambist.api.state.worker_state import WorkerState

ANSWERS: Mapping[str, Callable[[WorkerState, timedelta], DirectAnswer]] = {
    "/fetch-one": CrossRates,
    "/convert": Conversions,
    "/crypto/fetch-prices": CoinPrices,
    "/fx/quote": FxQuotes,
    "/metals/spot": MetalPrices,
    "/historical": PastDays,
    "/time-series": PastSeries,
    "/fetch-all": AllRates,
    "/fetch-multi": SeveralRates,
    "/fetch-matrix": RateMatrices,
}
"""What answers the questions of an endpoint, by its path. It is made from the state of the worker, and from how long
clients may keep an answer about immutable days."""

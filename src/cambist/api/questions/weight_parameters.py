"""The parameters `unit` and `purity` of a metal's history: a rate of the metal, by another weight and fineness."""

from __future__ import annotations

from typing import Annotated

from cambist.api.questions.parameter_types import unit
from cambist.api.questions.parameters import Param

WeightUnit = Annotated[
    str | None,
    unit(
        "unit", default=None, description="With a metal as source: the unit of mass, its own if left out.", example=""
    ),
]
Fineness = Annotated[
    str | None,
    Param(
        "purity",
        lambda _, text: text,
        default=None,
        description="With a precious metal as source: a code of /metals/purities, or parts per thousand; else pure.",
        schema={"type": "string", "examples": ["750"]},
    ),
]

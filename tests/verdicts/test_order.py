import pytest
from tools.judge.order import orders_that_matter


@pytest.mark.long
def test_no_order_of_arrival_and_no_batches_lead_to_other_verdicts() -> None:
    assert orders_that_matter(60, seed=7) == (60, 0)

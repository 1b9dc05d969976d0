"""`POST /alerts/test`: deliver an alert as a trial."""

from __future__ import annotations

from msgspec import Struct

from cambist.accounts.alerts.messages import trial
from cambist.api.answer.posted_endpoint import PostedEndpoint
from cambist.api.answer.request_context import RequestContext
from cambist.api.bodies.alert_questions import owner_of
from cambist.api.endpoints.alerts.remove import AlertQuestion
from cambist.errors import BadParameter


class TestAlertResponse(Struct, frozen=True):
    """The number of the event, whose delivery `/alerts` shows."""

    event: int


def answer(context: RequestContext, question: AlertQuestion) -> TestAlertResponse:
    """Deliver a message that says that it is a test, by the way of an alert, within seconds."""
    owner = owner_of(context)
    event = trial(question.id, context.now, owner.book.environment)
    found = owner.book.try_out(owner.payer.account.number, question.id, event)
    if found is None:
        raise BadParameter(f"Unknown alert: [{question.id}]; /alerts lists those of the account")
    return TestAlertResponse(found.number)


def cost(_context: RequestContext, _question: AlertQuestion) -> int:
    """One call."""
    return 1


endpoint: PostedEndpoint[AlertQuestion, TestAlertResponse] = PostedEndpoint(
    path="/alerts/test",
    tag="admin",
    summary="Try the delivery of an alert",
    question=AlertQuestion,
    body=TestAlertResponse,
    answer=answer,
    cost=cost,
    changes=True,
    example=b'{"id": 1}',
)

"""`POST /alerts/remove`: end an alert."""

from __future__ import annotations

from msgspec import Struct

from cambist.api.answer.posted_endpoint import PostedEndpoint
from cambist.api.answer.request_context import RequestContext
from cambist.api.bodies.alert_questions import owner_of
from cambist.errors import BadParameter


class AlertQuestion(Struct, frozen=True, forbid_unknown_fields=True):
    """The number of an alert of the account."""

    id: int


class RemoveAlertResponse(Struct, frozen=True):
    """The alert that was removed."""

    removed: int


def answer(context: RequestContext, question: AlertQuestion) -> RemoveAlertResponse:
    """Remove an alert of the account, with all that it would still send."""
    owner = owner_of(context)
    if not owner.book.remove(owner.payer.account.number, question.id):
        raise BadParameter(f"Unknown alert: [{question.id}]; /alerts lists those of the account")
    return RemoveAlertResponse(question.id)


def cost(_context: RequestContext, _question: AlertQuestion) -> int:
    """Nothing."""
    return 0


endpoint: PostedEndpoint[AlertQuestion, RemoveAlertResponse] = PostedEndpoint(
    path="/alerts/remove",
    tag="admin",
    summary="Remove an alert",
    question=AlertQuestion,
    body=RemoveAlertResponse,
    answer=answer,
    cost=cost,
    changes=True,
    example=b'{"id": 1}',
)

"""All attacks, in the order in which they run."""

from __future__ import annotations

from tools.attack import bodies, connections, operator_port, questions, websockets
from tools.attack.attack import Attack

ATTACKS: tuple[Attack, ...] = (
    *bodies.ATTACKS,
    *connections.ATTACKS,
    *questions.ATTACKS,
    *websockets.ATTACKS,
    *operator_port.ATTACKS,
)


def chosen(names: str) -> list[Attack]:
    """Return the attacks of a list of names, all if it is empty.

    Raises:
        ValueError: There is no such attack.
    """
    wanted = [name for name in names.split(",") if name]
    if unknown := set(wanted) - {each.name for each in ATTACKS}:
        message = (
            f"There is no attack {', '.join(sorted(unknown))}. There are {', '.join(each.name for each in ATTACKS)}."
        )
        raise ValueError(message)
    return [each for each in ATTACKS if not wanted or each.name in wanted]

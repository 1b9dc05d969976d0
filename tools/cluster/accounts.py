"""Accounts of a cluster, as an operator creates them."""

from __future__ import annotations

import json
import random

from tools.cluster.callers import Tally
from tools.cluster.cluster import Cluster, until

_BAD = "/fetch-one?from=1&to=USD"
"""A call that costs nothing, because it is refused with 400: but with 401 where the key is not known."""

_KNOWN_SECONDS = 10.0


def create_account(
    cluster: Cluster, name: str, plan: str, chance: random.Random | None = None
) -> tuple[Tally, list[str]]:
    """Create an account on any node, and wait until all nodes know its key; return those that do not soon.

    Errors: RuntimeError if no node can create it.
    """
    chance = chance or random.Random(1)  # noqa: S311  a seeded one is wanted
    reason = ""
    for node in chance.sample(cluster.nodes, len(cluster.nodes)):
        done = node.run("account", "create", name, "--plan", plan, "--json")
        if done.returncode == 0:
            tally = Tally(name, json.loads(done.stdout)["key"])
            return tally, _unknown_at(cluster, tally)
        reason = done.stderr
    raise RuntimeError(f"No node can create an account: {reason}")


def _unknown_at(cluster: Cluster, tally: Tally) -> list[str]:
    until(lambda: all(node.get(_BAD, tally.key)[0] == 400 for node in cluster.nodes), _KNOWN_SECONDS)
    answers = {node.name: node.get(_BAD, tally.key)[0] for node in cluster.nodes}
    return [f"{name} does not know a new key: {status}" for name, status in answers.items() if status != 400]

"""The plans of a service on several nodes: the newest version in the database is in effect on all of them."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from cambist.accounts.account import Account
from cambist.accounts.plan import Plan, read_plans
from cambist.accounts.plan_versions import PlanVersion, PlanVersions
from cambist.errors import PlansRefused
from cambist.registry.accounts.plans import SharePlans, activate_plans, current_plans, plans_file, publish_plans
from cambist.registry.node.nodes import node_name
from cambist.settings import Settings
from cambist.storage import NodeStore
from cambist.storage.atomic_file import write_atomically
from cambist.storage.data_directory import DataDirectory
from cambist.storage.shared.change_notifier import ChangeNotifier

log = logging.getLogger(__name__)


def plan_sharing(settings: Settings, store: NodeStore) -> SharePlans | None:
    """Return what puts plans into effect for all nodes; None for a service on one machine."""
    return partial(store.plan_versions.add, node=node_name(settings)) if settings.is_node else None


def publish_shared_plans(
    folder: DataDirectory, changes: ChangeNotifier, accounts: Sequence[Account], versions: PlanVersions, node: str
) -> Mapping[str, Plan]:
    """Put the plans of all nodes into effect at a start of this one; if there are none yet, those of this node.

    Plans that this version of Cambist cannot read leave the old ones in effect, with a warning. Errors: PlansRefused
    if there are no old plans; StoreBroken.
    """
    newest = versions.newest()
    if newest is None:
        plans = publish_plans(folder.path, changes, accounts)
        versions.add(folder.plans_in_force.read_text(encoding="utf-8"), node)
        return plans
    try:
        apply_plan_version(folder, newest, changes)
    except PlansRefused as refused:
        if not folder.plans_in_force.exists():
            raise
        log.warning("Plans: %s; the old plans stay in effect", refused)
    return current_plans(folder.path)


def apply_plan_version(folder: DataDirectory, version: PlanVersion, changes: ChangeNotifier) -> bool:
    """Put a version into effect on this node, unless it is; return whether it was not.

    It replaces the plans file; another text in that file is kept as the previous one. Errors: PlansRefused, OSError.
    """
    path, content = plans_file(folder.path), version.content.encode()
    read_plans(version.content, f"Version {version.number} of the plans, from the node {version.node}")
    is_new = _content(folder.plans_in_force) != content
    if is_new or not path.exists():
        _replace_file(folder, content, version)
    if is_new:
        activate_plans(folder.path, version.content, changes)
    return is_new


def _replace_file(folder: DataDirectory, content: bytes, version: PlanVersion) -> None:
    old = _content(folder.plans)
    if old == content:
        return
    if old is not None:
        write_atomically(folder.previous_plans, old)
        if old != _content(folder.plans_in_force):
            log.warning(
                "Plans: %s was changed, but not put into effect; the plans of the node %s replace it, %s has its text",
                folder.plans,
                version.node,
                folder.previous_plans,
            )
    write_atomically(folder.plans, content)


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None

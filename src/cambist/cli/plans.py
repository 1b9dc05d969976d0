"""`cambist plans`: list, check and reload the plans in `plans.toml` of the data folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from cambist.accounts.plan import Plan, default_plans
from cambist.cli.options import AsJson, DataFolder, open_account_admin
from cambist.cli.output import Record, print_json, print_result
from cambist.cli.printed_tables import print_table

app = typer.Typer(add_completion=False, help="List, check and reload the plans.", no_args_is_help=True)


@app.command("list")
def list_plans(*, data: DataFolder = None, as_json: AsJson = False) -> None:
    """List the plans that the service uses."""
    with open_account_admin(data) as admin:
        plans = list(admin.plans.values())
    if as_json:
        print_json([_record(plan) for plan in plans])
        return
    columns = ("Plan", "Calls a month", "Rate limit", "Book refresh", "Includes", "History", "Stream")
    print_table(columns, (_row(plan) for plan in plans))


@app.command()
def check(
    file: Annotated[Path | None, typer.Argument(help="A plans file. Default: the one in the data folder.")] = None,
    *,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Check a plans file; nothing is changed."""
    if file is not None:
        from cambist.registry.accounts.plans import read_plans_file

        plans = read_plans_file(file)[1]
    else:
        with open_account_admin(data) as admin:
            file, plans = admin.plans_file, admin.check_plans()
    record = {"file": str(file), "plans": list(plans)}
    print_result(record, f"{file} is right: {', '.join(plans)}.", as_json=as_json)


@app.command("reload")
def reload_plans(*, data: DataFolder = None, as_json: AsJson = False) -> None:
    """Apply the data folder's plans file, without a restart."""
    with open_account_admin(data) as admin:
        plans = admin.reload_plans()
        record = {"file": str(admin.plans_file), "plans": list(plans)}
    print_result(record, f"These plans apply now: {', '.join(plans)}.", as_json=as_json)


@app.command()
def defaults() -> None:
    """Print the default plans, which the first start writes to the plans file."""
    typer.echo(default_plans(), nl=False)


def _record(plan: Plan) -> Record:
    record: Record = msgspec.to_builtins(plan)
    return record


def _row(plan: Plan) -> tuple[object, ...]:
    return (
        plan.name,
        "none" if plan.calls_a_month is None else plan.calls_a_month,
        "none" if plan.rate is None else f"{plan.rate:g}/s, burst {plan.burst:,}",
        f"{plan.book_refresh:g} s" if plan.book_refresh else "every book",
        " ".join(plan.tags),
        "all" if plan.history_days is None else f"{plan.history_days:,} days",
        f"{plan.stream_connections:,} x {plan.stream_pairs:,} pairs" if plan.stream_connections else "none",
    )

"""What `cambist` shows without arguments: its commands by purpose, and examples."""

from __future__ import annotations

GROUPS = (
    ("Look at rates", ("rate", "convert", "series", "averages", "explain", "watch")),
    ("Price with them", ("prices", "value", "pieces")),
    (
        "Run the service",
        ("serve", "console", "problems", "doctor", "check", "settings", "audit", "nodes", "sandbox", "notify"),
    ),
    ("Keep the data", ("backup", "restore", "upgrade", "database")),
    ("Customers", ("account", "key", "plans", "usage", "alert")),
    ("Sources and history", ("sources", "backfill", "export", "disputes", "fixing")),
    ("Prove what was answered", ("report", "verify", "receipts")),
    ("Before a switch", ("shadow",)),
    ("For programs", ("mcp", "openapi", "completion")),
)
"""Each command is in one group."""

EXAMPLES = (
    ("cambist serve", "start the service"),
    ("cambist convert 100 EUR JPY", "convert an amount, with or without a service"),
    ("cambist series EUR USD --since 2020 --plot", "draw a chart here"),
)


def overview() -> str:
    """Return the text."""
    from cambist import __version__

    width = max(len(title) for title, _ in GROUPS)
    groups = (f"  {title:{width}}  {'  '.join(commands)}" for title, commands in GROUPS)
    wide = max(len(command) for command, _ in EXAMPLES)
    examples = (f"  {command:{wide}}  {purpose}" for command, purpose in EXAMPLES)
    lines = (
        f"Cambist {__version__}: exchange rates, crypto prices and metals prices that say where they come from.",
        "",
        *groups,
        "",
        "Examples",
        *examples,
        "",
        "cambist COMMAND --help explains a command, cambist --help lists all of them. Something wrong? cambist doctor",
    )
    return "\n".join(lines)

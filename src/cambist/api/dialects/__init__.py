"""The dialects, one package each. Each package defines `dialect: Dialect`."""

DIALECTS = {
    "frankfurter": "frankfurter",
}
"""The package of each dialect, by its name in the setting `dialects`."""

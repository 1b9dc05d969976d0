"""The dialects, one package each. Each package defines `dialect: Dialect`."""

DIALECTS: dict[str, str] = {}
"""The package of each dialect, by its name in the setting `dialects`."""

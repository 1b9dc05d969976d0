"""The dialects, one package each. Each package defines `dialect: Dialect`."""

DIALECTS = {
    "frankfurter": "frankfurter",
    "ecb": "ecb_files",
    "sdmx": "ecb_sdmx",
}
"""The package of each dialect, by its name in the setting `dialects`."""

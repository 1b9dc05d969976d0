"""The dialects, one package each. Each package defines `dialect: Dialect`."""

DIALECTS = {
    "frankfurter": "frankfurter",
    "openexchangerates": "open_exchange_rates",
    "ecb": "ecb_files",
    "fixer": "fixer",
    "currencylayer": "currencylayer",
    "exchangerateapi": "exchangerate_api",
    "coingecko": "coingecko",
    "firefly": "firefly",
    "coinbase": "coinbase",
    "cryptocompare": "cryptocompare",
    "currconv": "currconv",
    "mempool": "mempool",
    "yahoo": "yahoo",
    "sdmx": "ecb_sdmx",
    "nbp": "nbp",
    "cnb": "cnb",
    "boe": "boe",
}
"""The package of each dialect, by its name in the setting `dialects`."""

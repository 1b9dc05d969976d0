"""The endpoints, one file each, in the order of the docs. Each module ends in `endpoint: Endpoint[…]`."""

ENDPOINTS = (
    "currency.fetch_one",
    "currency.fetch_multi",
    "currency.fetch_all",
    "currency.fetch_many_to_one",
    "currency.fetch_matrix",
    "currency.convert",
    "currency.historical",
    "currency.time_series",
    "currency.currencies",
    "currency.explain",
    "currency.sources",
    "admin.usage",
)

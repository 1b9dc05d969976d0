{
    "name": "Currency Rate Update: Cambist",
    "summary": "Update exchange rates from Cambist, a self-hosted service",
    "version": "18.0.1.0.0",
    "category": "Financial Management/Configuration",
    "author": "The Cambist authors",
    "license": "Other OSI approved licence",
    "depends": ["currency_rate_update"],
    "installable": True,
}

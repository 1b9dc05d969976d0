"""Accounts: principals, API keys, plans, quotas, rate limits and usage. Pure."""

"""Accounts, their API keys and the plans, as an operator changes them and as JSON has them."""

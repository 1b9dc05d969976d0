"""The operator's console: a page and its JSON API on the operator's port, behind a one-time sign-in link."""

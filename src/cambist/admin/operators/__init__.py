"""What operators themselves do: the audit log, sign-in links to the console, and the values that they type."""

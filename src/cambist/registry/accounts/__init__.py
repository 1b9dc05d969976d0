"""Who may call, and what is left of their quotas: keys, plans, and the meter of a process."""

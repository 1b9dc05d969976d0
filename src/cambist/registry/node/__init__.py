"""This node of a service: its name, its quota leases, and its copies of what the database has."""

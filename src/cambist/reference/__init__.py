"""The tables: what exists, since when, and in what fixed relation."""

"""Who asks: accounts and their keys. Pure."""

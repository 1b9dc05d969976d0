"""The watch for alerts of accounts, and how they are delivered."""

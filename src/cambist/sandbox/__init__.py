"""The sandbox's market: prices that nobody published, the same for everyone who asks with the same seed. Pure."""

"""What the answers of a worker are made from, and how it is kept current."""

"""What a price is: pairs, quotes, the book, crossing through the pivot, and how a rate is written. Pure."""

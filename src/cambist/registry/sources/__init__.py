"""Which sources there are, which of them are on, and which are to be asked at once."""

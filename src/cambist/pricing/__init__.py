"""What a price is: pairs, quotes, the rate book, cross rates, consensus, trading hours, number formats. Pure."""

"""From sources to rate books, bars and the rate matrix: polling, validation, consensus, building."""

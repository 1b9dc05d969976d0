"""History: fixings, the rate matrix, rates of a day, series, closes, bars and explanations. Pure."""

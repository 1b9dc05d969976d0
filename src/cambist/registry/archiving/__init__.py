"""What is made of the database of a service: filed fixings, bars, rate matrices, and the history as it was known."""

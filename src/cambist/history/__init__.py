"""What it was worth: fixings, what a day reads, and series. Pure: data comes in, answers go out."""

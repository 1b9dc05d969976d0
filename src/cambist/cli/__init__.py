"""What an operator types: one command a file."""

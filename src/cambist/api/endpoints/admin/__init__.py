"""What an account can read about itself."""

"""What an account can ask about itself."""

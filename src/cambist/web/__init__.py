"""The web pages: static files, and what is built for them from the reference tables. Nothing here knows HTTP."""

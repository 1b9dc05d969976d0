"""The processes of the service, one file each, and the supervisor that starts them."""

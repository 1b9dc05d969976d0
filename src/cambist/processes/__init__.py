"""The composition root: settings in, running service out. The only floor that knows everyone."""

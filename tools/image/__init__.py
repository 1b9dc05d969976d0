"""Builds the container image where there is no daemon and no registry of images."""

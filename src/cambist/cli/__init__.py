"""The commands of the operator: one file for each command, and the modules that they share."""

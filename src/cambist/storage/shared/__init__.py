"""Memory that processes share: mapped files of the rate book, the rate matrix, changes and usage."""

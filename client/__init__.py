"""The terminal client, on prompt-toolkit and trio."""

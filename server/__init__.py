"""The authoritative server, on trio."""

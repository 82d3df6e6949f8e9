"""The wire protocol, sans I/O: bytes in, messages out."""

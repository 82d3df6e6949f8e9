"""The rules of Dobon, pure: no clock, no I/O, no chance but a seed."""

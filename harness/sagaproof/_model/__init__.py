"""Frozen values that all other layers speak in: no I/O, no clock, no randomness."""

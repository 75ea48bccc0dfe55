"""The stateful part: systems with their tables and keys, the clock, the ids and the truth log."""

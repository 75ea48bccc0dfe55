"""How calls reach the world: the gate where faults meet calls, and the taps in front of it."""

"""Coverage with a denominator: rows that add up, and the grid of steps, phases and faults."""

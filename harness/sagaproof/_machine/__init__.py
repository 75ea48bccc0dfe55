"""Plans drawn by Hypothesis: the same world, runs and checks, but nothing is enumerated."""

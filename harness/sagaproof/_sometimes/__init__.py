"""States that a campaign should have come to at least once, one file for each kind of them."""

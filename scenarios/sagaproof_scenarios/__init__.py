"""Stories that run out of the box."""

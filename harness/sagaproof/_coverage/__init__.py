"""Which lines of the undo code ran under which plans: coverage.py's measurement, joined to the runs."""

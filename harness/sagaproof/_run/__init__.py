"""Script and plan to history: one run in one fresh world, in virtual time, driven to rest."""

"""Bundled scenarios: sagas as they are usually written, each with the findings that it is known to have."""

"""`sagaproof init`: what a repository holds, and the settings and the test that are written for it."""

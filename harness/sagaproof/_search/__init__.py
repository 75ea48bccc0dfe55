"""Which plans to run: enumerate, reduce, order, and keep the distinct findings with their smallest plans."""

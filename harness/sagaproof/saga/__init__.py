"""The runtime for production: a saga of tool calls that is undone, finished or handed to a person."""

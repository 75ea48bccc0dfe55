"""Ways in: the decorator, the plugin of pytest, the command line. They parse, call and print."""

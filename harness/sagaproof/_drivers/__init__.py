"""How a saga under test is started, fed, stopped and asked what it claims."""
